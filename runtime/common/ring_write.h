/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a record of the ring where it will lie, without a copy: what runs at every recorded call.
 * Between begin and end nothing of it can be seen by the reader, so a process that is killed in
 * there leaves nothing behind. Writers take turns (wire.h). */
#ifndef SIOX_COMMON_RING_WRITE_H
#define SIOX_COMMON_RING_WRITE_H
#include "common/wire.h"
#include <stdbool.h>

struct siox__ring_place {
  uint64_t at, filling; /* bytes since the beginning; that are in the ring once it is there */
};

/* Swaps `asleep` for the caller, who wakes the reader if this is true. */
bool siox__ring_wakes(struct siox_ring *ring);

/* Where a record of `total` bytes, head and all, a multiple of 8, is to be written: every byte of
 * it. NULL: near the end of the ring, or it is three quarters full: siox__ring_put sees to it. */
static inline void *siox__ring_begin(struct siox_ring *ring, uint32_t ring_bytes, uint32_t total,
                                     struct siox__ring_place *place) {
  const uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
  const uint64_t offset = at & (ring_bytes - 1);
  place->at = at;
  place->filling = at + total - atomic_load_explicit(&ring->tail, memory_order_acquire);
  if (__builtin_expect(place->filling > ring_bytes / 4 * 3, 0))
    return NULL;
  if (__builtin_expect(offset + total > ring_bytes, 0))
    return NULL;
  return (unsigned char *)(ring + 1) + offset;
}

/* Where begin gave NULL: is the ring so full that unmarked records are left out? Then this one is
 * counted. Not only in turn. */
static inline bool siox__ring_spares(struct siox_ring *ring, uint32_t ring_bytes,
                                     const struct siox__ring_place *place) {
  if (place->filling <= ring_bytes / 4 * 3 || place->filling > ring_bytes)
    return false;
  atomic_fetch_add_explicit(&ring->refused, 1, memory_order_relaxed);
  return true;
}

/* The record is there. True: the reader has to be woken; it looks by itself now and then, so no
 * order is needed between the new head and the look at `asleep`. */
static inline bool siox__ring_end(struct siox_ring *ring, uint32_t ring_bytes, uint32_t total,
                                  const struct siox__ring_place *place) {
  atomic_store_explicit(&ring->head, place->at + total, memory_order_release);
  return __builtin_expect(place->filling > ring_bytes / 4, 0) &&
         atomic_load_explicit(&ring->asleep, memory_order_relaxed) && siox__ring_wakes(ring);
}

#endif
