/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When each process next uses each disk, for the moments at which it gave a hint. Between two hints
 * only the first use of a disk can be asked for, so only that is kept. */
#include "energy/replay_foresee.h"
#include <stdlib.h>
#include <string.h>

struct disks_of {  /* disks of every burst */
  uint64_t *first; /* nbursts + 1 */
  uint32_t *disk;
  uint64_t count, room;
};

static int add_disk(struct disks_of *d, uint32_t disk) {
  if (d->count == d->room) {
    uint64_t room = d->room ? d->room * 2 : 1024;
    uint32_t *more = realloc(d->disk, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    d->disk = more;
    d->room = room;
  }
  d->disk[d->count++] = disk;
  return 0;
}

static const struct siox_layout *recorded_layout(const void *index, uint32_t file) {
  return &((const struct siox__index *)index)->file[file].recorded;
}
static const struct siox_layout *present_layout(const void *index, uint32_t file) {
  return &((const struct siox__index *)index)->file[file].layout;
}

static int find_disks(struct disks_of *d, const struct siox__foresight *f,
                      const struct siox__index *x, uint32_t ndisks, bool recorded) {
  struct siox_mask mask = {0};
  const struct siox__bursts *bursts = &f->bursts;
  int rc = siox_mask_init(&mask, ndisks);
  d->first = malloc(((size_t)bursts->nbursts + 1) * sizeof *d->first);
  if (!d->first)
    rc = SIOX_ENOMEM;
  for (uint32_t b = 0; b < bursts->nbursts && rc == 0; b++) {
    siox_mask_zero(&mask);
    siox__burst_disks(bursts, b, recorded ? recorded_layout : present_layout, x, &mask);
    d->first[b] = d->count;
    for (uint32_t k = siox_mask_next(&mask, 0); k < ndisks && rc == 0;
         k = siox_mask_next(&mask, k + 1))
      rc = add_disk(d, k);
  }
  if (rc == 0)
    d->first[bursts->nbursts] = d->count;
  siox_mask_free(&mask);
  return rc;
}

/* Tells every use that is the first of its disk since a hint. */
struct walk {
  const struct siox__seer *seer;
  const struct disks_of *disks;
  uint32_t *mark; /* by disk: hints before its last use that was told, plus 1 */
};
static void walk(const struct walk *w, void (*tell)(void *context, uint32_t disk, int64_t time),
                 void *context) {
  uint32_t hints = 0;
  for (uint32_t i = 0; i < w->seer->nuses; i++) {
    const struct siox__use *u = &w->seer->use[i];
    while (hints < w->seer->nsayings && w->seer->saying[hints].time <= u->time)
      hints++;
    for (uint64_t k = w->disks->first[u->burst]; k < w->disks->first[u->burst + 1]; k++) {
      uint32_t disk = w->disks->disk[k];
      if (w->mark[disk] == hints + 1)
        continue;
      w->mark[disk] = hints + 1;
      tell(context, disk, u->time);
    }
  }
}

struct filler {
  uint32_t *count; /* by disk; then where its next time goes */
  uint64_t sum;
  int64_t *time;
};
static void count_one(void *context, uint32_t disk, int64_t time) {
  struct filler *f = context;
  (void)time;
  f->count[disk]++;
  f->sum++;
}
static void put_one(void *context, uint32_t disk, int64_t time) {
  struct filler *f = context;
  f->time[f->count[disk]++] = time;
}

static int find_one(struct siox__seer *s, const struct disks_of *disks, uint32_t ndisks,
                    uint32_t *mark, uint32_t *count) {
  struct siox__next_uses *n = &s->next;
  struct filler fill = {.count = count};
  const struct walk w = {s, disks, mark};
  siox__next_uses_free(n);
  memset(mark, 0, ndisks * sizeof *mark);
  memset(count, 0, ndisks * sizeof *count);
  walk(&w, count_one, &fill);
  if (fill.sum > UINT32_MAX)
    return SIOX_ERANGE;
  for (uint32_t d = 0; d < ndisks; d++)
    n->ndisks += count[d] > 0;
  n->disk = malloc(((size_t)n->ndisks + 1) * sizeof *n->disk);
  n->first = malloc(((size_t)n->ndisks + 1) * sizeof *n->first);
  n->time = fill.time = malloc((size_t)(fill.sum + 1) * sizeof *n->time);
  if (!n->disk || !n->first || !n->time)
    return SIOX_ENOMEM;
  uint32_t at = 0, k = 0;
  for (uint32_t d = 0; d < ndisks; d++) {
    uint32_t here = count[d];
    count[d] = at;
    if (!here)
      continue;
    n->disk[k] = d;
    n->first[k++] = at;
    at += here;
  }
  n->first[k] = at;
  memset(mark, 0, ndisks * sizeof *mark);
  walk(&w, put_one, &fill);
  return 0;
}

int siox__next_uses_find(struct siox__foresight *f, const struct siox__index *x, bool recorded) {
  uint32_t ndisks = recorded ? x->header->ndisks : x->ndisks;
  struct disks_of disks = {0};
  uint32_t *mark = malloc(((size_t)ndisks + 1) * sizeof *mark);
  uint32_t *count = malloc(((size_t)ndisks + 1) * sizeof *count);
  int rc = mark && count ? find_disks(&disks, f, x, ndisks, recorded) : SIOX_ENOMEM;
  for (uint32_t i = 0; i < f->nseers && rc == 0; i++)
    rc = find_one(&f->seer[i], &disks, ndisks, mark, count);
  free(mark);
  free(count);
  free(disks.first);
  free(disks.disk);
  return rc;
}

void siox__next_uses_free(struct siox__next_uses *n) {
  free(n->disk);
  free(n->first);
  free(n->time);
  memset(n, 0, sizeof *n);
}

int64_t siox__next_use(const struct siox__next_uses *n, uint32_t k, int64_t from) {
  uint32_t low = n->first[k], high = n->first[k + 1], end = high;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (n->time[middle] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end ? n->time[low] : SIOX_NEVER;
}

uint32_t siox__next_uses_disk(const struct siox__next_uses *n, uint32_t disk) {
  uint32_t low = 0, high = n->ndisks;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (n->disk[middle] < disk)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n->ndisks && n->disk[low] == disk ? low : n->ndisks;
}
