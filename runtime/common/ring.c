/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shared ring between one process and sioxd (wire.h): a single-writer, single-reader byte ring
 * of records that never wrap. The reader treats everything in the mapping as hostile: positions and
 * lengths are read once, checked against each other and only then used, and a record is copied
 * before anyone looks inside. */
#include "common/ring_write.h"
#include "siox/error.h"
#include <string.h>

/* Half the ring at most, so that padding to the end plus the record always fits an empty ring. */
#define RECORD_MAX(ring_bytes) ((ring_bytes) / 2)

static unsigned char *ring_data(struct siox_ring *ring) { return (unsigned char *)(ring + 1); }

static size_t round8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

size_t siox__ring_size(uint32_t ring_bytes) { return sizeof(struct siox_ring) + ring_bytes; }

void siox__ring_init(struct siox_ring *ring) {
  atomic_init(&ring->head, 0);
  atomic_init(&ring->tail, 0);
  atomic_init(&ring->asleep, 1);
  atomic_init(&ring->overflow, 0);
  atomic_init(&ring->dropped, 0);
  atomic_init(&ring->refused, 0);
  atomic_init(&ring->wanted, SIOX_WANT_MPI);
}

static int lose(struct siox_ring *ring, uint16_t type) {
  if (type != SIOX_REC_CLAIM)
    atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
  atomic_store_explicit(&ring->overflow, 1, memory_order_release);
  return SIOX_EFULL;
}

bool siox__ring_wakes(struct siox_ring *ring) { return atomic_exchange(&ring->asleep, 0) != 0; }

/* Publishes everything before head, then asks whether the reader has to be woken. The fence orders
 * the new head before the look at `asleep`; the reader orders them the other way round, so one of
 * the two sees the other. Where the ring is only filling the reader will look by itself, and the
 * next record asks again: no fence. */
static int publish(struct siox_ring *ring, uint64_t head, bool urgent, bool filling) {
  atomic_store_explicit(&ring->head, head, memory_order_release);
  if (urgent)
    atomic_thread_fence(memory_order_seq_cst);
  else if (!filling)
    return 0;
  return atomic_load_explicit(&ring->asleep, memory_order_relaxed) && siox__ring_wakes(ring);
}

int siox__ring_put(struct siox_ring *ring, uint32_t ring_bytes, const struct siox_rec_head *head,
                   const void *body1, size_t bytes1, const void *body2, size_t bytes2, unsigned how,
                   int *wake) {
  *wake = 0;
  if (bytes1 > ring_bytes || bytes2 > ring_bytes)
    return lose(ring, head->type);
  size_t total = round8(sizeof *head + bytes1 + bytes2);
  uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
  uint64_t used = at - atomic_load_explicit(&ring->tail, memory_order_acquire);
  size_t offset = at & (ring_bytes - 1), room = ring_bytes - offset;
  size_t pad = total > room ? room : 0;
  if (total > RECORD_MAX(ring_bytes) || used > ring_bytes || total + pad > ring_bytes - used)
    return lose(ring, head->type);
  const uint64_t filling = used + pad + total;
  if ((how & SIOX_PUT_SPARE) && filling > ring_bytes / 4 * 3) {
    atomic_fetch_add_explicit(&ring->refused, 1, memory_order_relaxed);
    return SIOX_EFULL;
  }
  unsigned char *data = ring_data(ring);
  if (pad) { /* only the first 8 bytes of a pad's head are there: the end of the ring may be that
                near */
    struct siox_rec_head end = {.bytes = (uint32_t)pad, .type = SIOX_REC_PAD};
    memcpy(data + offset, &end, 8);
    offset = 0;
  }
  struct siox_rec_head copy = *head;
  copy.bytes = (uint32_t)total;
  memcpy(data + offset, &copy, sizeof copy);
  if (bytes1)
    memcpy(data + offset + sizeof copy, body1, bytes1);
  if (bytes2)
    memcpy(data + offset + sizeof copy + bytes1, body2, bytes2);
  size_t filled = sizeof copy + bytes1 + bytes2;
  if (total > filled)
    memset(data + offset + filled, 0, total - filled);
  *wake = publish(ring, at + pad + total, how & SIOX_PUT_URGENT, filling > ring_bytes / 4);
  return 0;
}

void siox__ring_look(const struct siox_ring *ring, uint32_t ring_bytes,
                     struct siox__ring_reach *reach) {
  const uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
  const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
  const uint64_t offset = at & (ring_bytes - 1), quarter = ring_bytes / 4, used = at - tail;
  uint64_t room = 0;
  if (used < quarter)
    room = quarter - used;
  else if (used < 3 * quarter)
    room = 3 * quarter - used < quarter / 4 ? 3 * quarter - used : quarter / 4;
  if (room > ring_bytes - offset)
    room = ring_bytes - offset;
  reach->until = at + room;
  reach->origin = (uintptr_t)(ring + 1) - (uintptr_t)(at - offset);
}

int siox__ring_get(struct siox_ring *ring, uint32_t ring_bytes, void *buffer, size_t size) {
  uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
  for (;;) {
    uint64_t used = head - tail;
    if (used > ring_bytes || used % 8 || tail % 8)
      return SIOX_EPROTO;
    if (!used)
      return 0;
    size_t offset = tail & (ring_bytes - 1), room = ring_bytes - offset;
    const unsigned char *at = ring_data(ring) + offset;
    struct siox_rec_head
        first; /* its first 8 bytes; what the writer does to the original afterwards is ignored */
    memcpy(&first, at, 8);
    if (first.bytes % 8 || first.bytes > used || first.bytes > room || first.bytes < 8)
      return SIOX_EPROTO;
    if (first.type == SIOX_REC_PAD) {
      if (first.bytes != room)
        return SIOX_EPROTO;
      tail += room;
      atomic_store_explicit(&ring->tail, tail, memory_order_release);
      continue; /* at most once in truth, twice with a hostile writer: `used` shrinks each time */
    }
    if (first.bytes < sizeof first || first.bytes > size)
      return SIOX_EPROTO;
    memcpy(buffer, at, first.bytes);
    memcpy(buffer, &first, 8);
    atomic_store_explicit(&ring->tail, tail + first.bytes, memory_order_release);
    return (int)first.bytes;
  }
}
