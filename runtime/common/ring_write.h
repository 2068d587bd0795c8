/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a record of the ring where it will lie, without a copy: what runs at every recorded call.
 * Between place and publish nothing of it can be seen by the reader, so a process that is killed in
 * there leaves nothing behind. Writers take turns (wire.h). */
#ifndef SIOX_COMMON_RING_WRITE_H
#define SIOX_COMMON_RING_WRITE_H
#include "common/wire.h"
#include <stdbool.h>

struct siox__ring_place {
  uint64_t next; /* head once it is published */
  bool ask;      /* whether the reader has to be woken */
};

/* The general way (ring.c). */
struct siox_rec_head *siox__ring_find(struct siox_ring *ring, uint32_t ring_bytes, uint16_t type,
                                      size_t total, unsigned how, struct siox__ring_place *place);
bool siox__ring_ask(struct siox_ring *ring);

/* Where a record of `total` bytes, head and all, a multiple of 8, is to be written: every byte of
 * it. NULL: no room, which is counted. */
static inline struct siox_rec_head *siox__ring_place(struct siox_ring *ring, uint32_t ring_bytes,
                                                     uint16_t type, size_t total, unsigned how,
                                                     struct siox__ring_place *place) {
  const uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
  const uint64_t used = at - atomic_load_explicit(&ring->tail, memory_order_acquire);
  const uint64_t offset = at & (ring_bytes - 1);
  /* In a ring that is not a quarter full there is room, and nobody is woken. */
  if (__builtin_expect((how & SIOX_PUT_URGENT) || used + total > ring_bytes / 4 ||
                           offset + total > ring_bytes,
                       0))
    return siox__ring_find(ring, ring_bytes, type, total, how, place);
  place->next = at + total;
  place->ask = false;
  return (struct siox_rec_head *)((unsigned char *)(ring + 1) + offset);
}

/* The record is there. True: the reader has to be woken. */
static inline bool siox__ring_publish(struct siox_ring *ring,
                                      const struct siox__ring_place *place) {
  atomic_store_explicit(&ring->head, place->next, memory_order_release);
  return __builtin_expect(place->ask, 0) && siox__ring_ask(ring);
}

#endif
