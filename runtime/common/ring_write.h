/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a record of the ring where it will lie, without a copy: what runs at every recorded call.
 * Between begin and end nothing of it can be seen by the reader, so a process that is killed in
 * there leaves nothing behind. Writers take turns (wire.h). */
#ifndef SIOX_COMMON_RING_WRITE_H
#define SIOX_COMMON_RING_WRITE_H
#include "common/wire.h"
#include <stdbool.h>

/* How far a writer may go without a look at the reader. All 0: nowhere. */
struct siox__ring_reach {
  uint64_t until;   /* bytes since the beginning; not beyond the ring's end where it is now */
  uintptr_t origin; /* + bytes since the beginning: where they lie */
};

/* Swaps `asleep` for the caller, who wakes the reader if this is true. */
bool siox__ring_wakes(struct siox_ring *ring);

/* Looks anew: after siox__ring_put, which has woken a reader that sleeps beside a ring a quarter
 * full. One that reads already is left alone for a while; of three quarters nothing is left. */
void siox__ring_look(const struct siox_ring *ring, uint32_t ring_bytes,
                     struct siox__ring_reach *reach);

/* Where a record of `total` bytes, head and all, a multiple of 8, is to be written: every byte of
 * it. NULL: siox__ring_put sees to it. end: for siox__ring_end. */
static inline void *siox__ring_begin(const struct siox_ring *ring,
                                     const struct siox__ring_reach *reach, uint32_t total,
                                     uint64_t *end) {
  const uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
  *end = at + total;
  if (__builtin_expect(*end > reach->until, 0))
    return NULL;
  const uintptr_t place = reach->origin + at;
  if (!place) /* no compiler knows that it cannot be */
    __builtin_unreachable();
  return (void *)place;
}

/* The record is there. Nobody has to be woken for it. */
static inline void siox__ring_end(struct siox_ring *ring, uint64_t end) {
  atomic_store_explicit(&ring->head, end, memory_order_release);
}

/* Where begin gave NULL: is the ring so full that unmarked records are left out? Then this one is
 * counted. Not only in turn. */
static inline bool siox__ring_spares(struct siox_ring *ring, uint32_t ring_bytes) {
  const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
  const uint64_t used = atomic_load_explicit(&ring->head, memory_order_relaxed) - tail;
  if (used <= ring_bytes / 4 * 3 || used > ring_bytes)
    return false;
  atomic_fetch_add_explicit(&ring->refused, 1, memory_order_relaxed);
  return true;
}

#endif
