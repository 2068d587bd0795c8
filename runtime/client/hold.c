/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See hold.h. */
#include "client/hold.h"
#include "common/layout_read.h"

/* Programs whose disks pay at once would say something at each access. */
static const int64_t LEAST_LAPSE_NS = 10000000;
enum { RENEWALS = 8, KEPT = 10 }; /* a lapse; break-evens, the daemon's hold_factor by default */

static int64_t later(int64_t time, int64_t by) { /* saturates; by >= 0 */
  return time > SIOX_NEVER - by ? SIOX_NEVER : time + by;
}

size_t siox__holds_size(uint32_t ndisks) {
  return ndisks * (sizeof(struct siox__hold_disk) + sizeof(uint32_t)) +
         2 * siox_mask_words(ndisks) * sizeof(uint64_t);
}

void siox__holds_init(struct siox__holds *h, void *memory, uint32_t ndisks) {
  uint64_t *words = memory;
  const size_t n = siox_mask_words(ndisks);
  *h = (struct siox__holds){.ndisks = ndisks, .due = SIOX_NEVER};
  h->had = (struct siox_mask){.ndisks = ndisks, .words = words};
  h->has = (struct siox_mask){.ndisks = ndisks, .words = words + n};
  h->disk = (struct siox__hold_disk *)(words + 2 * n);
  h->nodes = (uint32_t *)(h->disk + ndisks);
}

void siox__holds_times(struct siox__holds *h, bool timed, int64_t min_gap_ns, int64_t lead_ns) {
  h->timed = timed;
  h->lapse = min_gap_ns > LEAST_LAPSE_NS ? min_gap_ns : LEAST_LAPSE_NS;
  h->renew = h->lapse / RENEWALS;
  h->keep = h->lapse > SIOX_NEVER / (KEPT + 1) ? SIOX_NEVER : KEPT * h->lapse + h->renew;
  h->slowing = min_gap_ns > SIOX_NEVER / KEPT ? SIOX_NEVER : KEPT * min_gap_ns;
  h->slow = later(h->slowing, lead_ns);
}

/* On which the first `bytes` of a file lie. */
static void find(struct siox__holds *h, const char *text, int64_t bytes, struct siox_mask *mask) {
  struct siox_layout layout;
  siox_mask_zero(mask);
  if (!bytes)
    return;
  if (siox__layout_read(&layout, h->ndisks, h->nodes, text) < 0)
    siox_mask_fill(mask);
  else if (bytes == SIOX__WHOLE)
    siox_layout_disks(&layout, mask);
  else
    siox_layout_mask(&layout, 0, bytes, mask);
}

/* At rest for a while it may be slow; one that stands has to wake anyway. */
static int32_t speed_for(const struct siox__holds *h, uint32_t d, int64_t now,
                         const _Atomic int32_t *levels) {
  const int64_t idle = now - h->disk[d].used;
  if (!levels || !h->timed || idle < h->lapse || (idle >= h->slowing && idle < h->slow))
    return SIOX_SPEED_FULL;
  const int32_t speed = atomic_load_explicit(&levels[d], memory_order_relaxed);
  return speed > SIOX_SPEED_LOWEST ? speed : SIOX_SPEED_FULL;
}

const struct siox_mask *siox__hold_use(struct siox__holds *h, const char *layout, int64_t had,
                                       int64_t has, int64_t now, int64_t last, int64_t until,
                                       const _Atomic int32_t *levels) {
  find(h, layout, had, &h->had);
  find(h, layout, has, &h->has);
  siox_mask_or(&h->has, &h->had);
  for (uint32_t d = siox_mask_next(&h->has, 0); d < h->ndisks; d = siox_mask_next(&h->has, d + 1)) {
    struct siox__hold_disk *disk = &h->disk[d];
    disk->files += !siox_mask_test(&h->had, d);
    if (last > disk->used)
      disk->used = last;
    disk->speed = speed_for(h, d, now, levels);
    disk->since = now;
    if (until > disk->used)
      disk->used = until;
  }
  return &h->has;
}

const struct siox_mask *siox__hold_end(struct siox__holds *h, const char *layout, int64_t had) {
  find(h, layout, had, &h->had);
  for (uint32_t d = siox_mask_next(&h->had, 0); d < h->ndisks; d = siox_mask_next(&h->had, d + 1))
    h->disk[d].files -= h->disk[d].files > 0;
  return &h->had;
}

void siox__hold_says(struct siox__holds *h, uint32_t disk, int64_t now, struct siox__stance *w) {
  struct siox__hold_disk *d = &h->disk[disk];
  if (!d->since)
    return;
  const struct siox__stance own = {.need_by = h->timed ? d->since : 0,
                                   .until = h->timed ? later(d->used, h->keep) : SIOX_NEVER,
                                   .speed = d->speed,
                                   .flag = 1};
  if (w->flag < 0) {
    *w = own;
  } else if (!d->files || now - d->used >= h->lapse) {
    d->since = 0; /* others speak of it from now on */
  } else {
    const int64_t end = later(d->used, h->lapse);
    if (w->flag == 0 && end < h->due)
      h->due = end;
    siox__stance_merge(w, &own);
  }
}
