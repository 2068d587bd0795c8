/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See want.h. */
#include "arbiter/want.h"
#include <stdlib.h>
#include <string.h>

bool siox__want(struct siox__due *due, int64_t now, uint32_t disk, uint32_t level, uint32_t job,
                const struct siox_view *view, struct siox_commands *out) {
  const struct siox_disk_view *v = &view->disk[disk];
  if (level == v->level) {
    if (v->target != level)
      siox__command(out, disk, level, job);
    return true;
  }
  if (level < v->level && v->free_at > now) {
    siox__due_set(due, disk, v->free_at);
    return false;
  }
  siox__command(out, disk, level, job);
  return true;
}

void siox__count_met(const struct siox_event *event, const struct siox_view *view,
                     struct siox_commands *out) {
  if (event->kind != SIOX_EVENT_CLAIM || event->flag < 0)
    return;
  for (uint32_t d = siox_mask_next(event->disks, 0); d < view->ndisks;
       d = siox_mask_next(event->disks, d + 1)) {
    uint32_t asked = siox__level_for(view->disk[d].drive, event->speed);
    uint32_t level = view->disk[d].target;
    bool met = event->flag == 1 ? level >= asked : level <= asked;
    out->granted += met;
    out->refused += !met;
  }
}

int siox__argument(const char **text, double low, double high, double *value) {
  if (**text < '0' || **text > '9') /* neither signs nor names of numbers */
    return SIOX_EINVAL;
  char *end;
  *value = strtod(*text, &end);
  if (!(*value >= low && *value <= high))
    return SIOX_EINVAL;
  *text = end;
  return 0;
}

int siox__arguments(const char *text, const struct siox__key *keys, size_t nkeys, double *value) {
  uint64_t seen = 0; /* each once */
  do {
    size_t k = 0, length = strcspn(text, "=");
    while (k < nkeys && (strlen(keys[k].name) != length || memcmp(keys[k].name, text, length) != 0))
      k++;
    if (k == nkeys || !text[length] || seen >> k & 1)
      return SIOX_EINVAL;
    seen |= UINT64_C(1) << k;
    text += length + 1;
    if (siox__argument(&text, keys[k].low, keys[k].high, &value[k]) < 0)
      return SIOX_EINVAL;
  } while (*text++ == ',');
  return text[-1] ? SIOX_EINVAL : 0;
}

int64_t siox__seconds(double seconds) {
  return seconds < 9.2e9 ? (int64_t)(seconds * 1e9 + 0.5) : SIOX_NEVER;
}
