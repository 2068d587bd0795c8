/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was said at a time, and who took part in a collective. */
#include "check.h"

size_t siox__words_until(const struct siox__words *w, int64_t time) {
  size_t low = 0, high = w->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (w->item[middle].time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct siox__word siox__said(const struct siox__recorded *t, uint32_t client, uint32_t disk,
                             int64_t time) {
  const struct siox__word nothing = {.time = INT64_MIN, .flag = -1};
  if (client >= t->client.n || !t->client.item[client].disk)
    return nothing;
  const struct siox__words *w = &t->client.item[client].disk[disk];
  size_t n = siox__words_until(w, time);
  return n ? w->item[n - 1] : nothing;
}

bool siox__predicts(const struct siox__recorded *t, const struct siox__word *word, int64_t time) {
  if (word->flag == 1)
    return word->need_by <= time && time <= word->until;
  return word->flag == 0 && t->gaps && word->need_by > 0 && word->need_by <= time;
}

bool siox__predicted(const struct siox__recorded *t, uint32_t client, uint32_t disk, int64_t time) {
  struct siox__word word = siox__said(t, client, disk, time);
  return siox__predicts(t, &word, time);
}

size_t siox__parts_of(const struct siox__recorded *t, uint64_t uid, uint64_t seq, size_t *first) {
  size_t low = 0, high = t->part.n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct siox__part *p = &t->part.item[middle];
    if (p->uid < uid || (p->uid == uid && p->seq < seq))
      low = middle + 1;
    else
      high = middle;
  }
  *first = low;
  while (high < t->part.n && t->part.item[high].uid == uid && t->part.item[high].seq == seq)
    high++;
  return high - low;
}
