/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long disks were below full speed while a request waited for them, and how often they changed
 * speed. */
#include "check.h"
#include <stdlib.h>

/* The first stretch below full speed that ends later than `from`. */
static size_t first_slow(const struct siox__disk_record *d, int64_t from) {
  size_t low = 0, high = d->slow.n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (d->slow.item[middle].end <= from)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t siox__full_again(const struct siox__disk_record *d, int64_t time) {
  size_t i = first_slow(d, time);
  return i < d->slow.n && d->slow.item[i].start <= time ? d->slow.item[i].end : time;
}

/* Time of [from, to) in which the disk was below full speed. */
static int64_t below_full(const struct siox__disk_record *d, int64_t from, int64_t to) {
  size_t low = first_slow(d, from);
  int64_t sum = 0;
  for (; low < d->slow.n && d->slow.item[low].start < to; low++) {
    const struct siox__slow *s = &d->slow.item[low];
    sum += (s->end < to ? s->end : to) - (s->start > from ? s->start : from);
  }
  return sum;
}

int siox__check_waits(const struct siox__recorded *t, struct siox__check *c) {
  unsigned char *touched = calloc(t->ndisks + 1, 1);
  int64_t *counted =
      calloc(t->ndisks + 1, sizeof *counted); /* until when, so that time counts once */
  if (!touched || !counted) {
    free(touched);
    free(counted);
    return SIOX_ENOMEM;
  }
  for (uint32_t d = 0; d < t->ndisks; d++) {
    c->transitions += t->disk[d].transitions;
    counted[d] = INT64_MIN;
  }
  for (size_t i = 0; i < t->use.n; i++) {
    const struct siox__check_use *u = &t->use.item[i];
    for (uint32_t d = 0; d < t->ndisks; d++)
      touched[d] = 0;
    if (u->open || !siox__recorded_touch(t, u, touched))
      continue;
    for (uint32_t d = 0; d < t->ndisks; d++) {
      if (!touched[d])
        continue;
      int64_t own = below_full(&t->disk[d], u->from, u->to);
      c->longest = own > c->longest ? own : c->longest;
      int64_t from = counted[d] > u->from ? counted[d] : u->from;
      if (from < u->to) {
        c->below_full += below_full(&t->disk[d], from, u->to);
        counted[d] = u->to;
      }
    }
  }
  free(touched);
  free(counted);
  return 0;
}
