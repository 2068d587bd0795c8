/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of a file on disks: what every file system's reader builds with. */
#include "common/placement.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t siox__bytes_get(const struct siox__bytes *b, size_t offset, unsigned width) {
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++)
    value |= (uint64_t)b->at[offset + i] << 8 * (b->big ? width - 1 - i : i);
  return value;
}

int siox__placement_fail(struct siox_diag *diag, int code, const char *format, ...) {
  va_list list;
  if (!diag)
    return code;
  va_start(list, format);
  vsnprintf(diag->text, sizeof diag->text, format, list);
  va_end(list);
  return code;
}

static int disk_of(const struct siox_targets *targets, uint64_t target, uint32_t *disk,
                   struct siox_diag *diag) {
  uint32_t i = 0;
  uint64_t number = target;
  while (i < targets->count &&
         (target < targets->range[i].first || target > targets->range[i].last))
    i++;
  if (targets->count) {
    if (i == targets->count)
      return siox__placement_fail(diag, SIOX_EUNKNOWN,
                                  "target %" PRIu64 " is no disk that the map names", target);
    number = targets->range[i].disk;
  }
  if (number >= (targets->ndisks ? targets->ndisks : SIOX_MAX_DISKS))
    return siox__placement_fail(diag, SIOX_EUNKNOWN,
                                "target %" PRIu64 " is not one of %u disks: a map is needed",
                                target, targets->ndisks ? targets->ndisks : SIOX_MAX_DISKS);
  *disk = (uint32_t)number;
  return 0;
}

int siox__placement_add(struct siox_placement *out, uint64_t start, uint64_t end, uint64_t unit,
                        const uint64_t *target, uint32_t n, const struct siox_targets *targets,
                        struct siox_diag *diag) {
  struct siox_placement_part *more =
      realloc(out->part, ((size_t)out->count + 1) * sizeof *out->part);
  if (!more)
    return SIOX_ENOMEM;
  out->part = more;
  struct siox_placement_part *p = &more[out->count];
  *p = (struct siox_placement_part){.start = start, .end = end};
  uint32_t *disk = calloc(n, sizeof *disk);
  int rc = disk ? 0 : SIOX_ENOMEM;
  for (uint32_t i = 0; rc == 0 && i < n; i++)
    rc = disk_of(targets, target[i], &disk[i], diag);
  if (rc == 0) {
    rc = siox_layout_nodes(&p->layout, targets->ndisks ? targets->ndisks : SIOX_MAX_DISKS, disk, n,
                           unit);
    if (rc)
      siox__placement_fail(diag, rc,
                           rc == SIOX_EINVAL ? "several of its %u targets are one disk"
                                             : "its %u targets cannot be a layout",
                           n);
  }
  free(disk);
  out->count += rc == 0;
  return rc;
}

static int by_start(const void *a, const void *b) {
  const struct siox_placement_part *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

int siox__placement_settle(struct siox_placement *out, const struct siox_targets *targets,
                           struct siox_diag *diag) {
  uint32_t most = 0;
  if (out->count)
    qsort(out->part, out->count, sizeof *out->part, by_start);
  for (uint32_t i = 0; i < out->count; i++) {
    const struct siox_layout *l = &out->part[i].layout;
    if (i && out->part[i].start < out->part[i - 1].end)
      return siox__placement_fail(diag, SIOX_EPROTO, "two parts hold byte %" PRIu64,
                                  out->part[i].start);
    for (uint32_t k = 0; k < l->factor; k++)
      most = l->nodes[k] > most ? l->nodes[k] : most;
  }
  for (uint32_t i = 0; i < out->count && !targets->ndisks; i++)
    out->part[i].layout.ndisks = most + 1;
  return 0;
}

void siox_placement_free(struct siox_placement *placement) {
  for (uint32_t i = 0; i < placement->count; i++)
    siox_layout_free(&placement->part[i].layout);
  free(placement->part);
  memset(placement, 0, sizeof *placement);
}

const struct siox_placement_part *siox_placement_main(const struct siox_placement *placement,
                                                      uint64_t size) {
  const struct siox_placement_part *best = placement->count ? &placement->part[0] : NULL;
  uint64_t most = 0;
  for (uint32_t i = 0; i < placement->count; i++) {
    const struct siox_placement_part *p = &placement->part[i];
    uint64_t end = p->end < size ? p->end : size;
    if (end > p->start && end - p->start > most) {
      most = end - p->start;
      best = p;
    }
  }
  return best;
}
