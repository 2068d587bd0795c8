/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The heap of siox__due. Ties go by disk number, so that everything stays deterministic. */
#include "arbiter/due.h"

size_t siox__due_size(uint32_t ndisks) { return ndisks * (sizeof(int64_t) + 2 * sizeof(uint32_t)); }

void siox__due_init(struct siox__due *due, void *memory, uint32_t ndisks) {
  due->time = memory;
  due->place = (uint32_t *)(due->time + ndisks);
  due->heap = due->place + ndisks;
  due->count = 0;
  for (uint32_t d = 0; d < ndisks; d++)
    due->time[d] = SIOX_NEVER;
}

static bool before(const struct siox__due *due, uint32_t a, uint32_t b) {
  return due->time[a] != due->time[b] ? due->time[a] < due->time[b] : a < b;
}

static void store(struct siox__due *due, uint32_t place, uint32_t disk) {
  due->heap[place] = disk;
  due->place[disk] = place;
}

static void sift_up(struct siox__due *due, uint32_t place) {
  uint32_t disk = due->heap[place];
  while (place > 0) {
    uint32_t parent = (place - 1) / 2;
    if (!before(due, disk, due->heap[parent]))
      break;
    store(due, place, due->heap[parent]);
    place = parent;
  }
  store(due, place, disk);
}

static void sift_down(struct siox__due *due, uint32_t place) {
  uint32_t disk = due->heap[place];
  for (;;) {
    uint32_t child = 2 * place + 1;
    if (child >= due->count)
      break;
    if (child + 1 < due->count && before(due, due->heap[child + 1], due->heap[child]))
      child++;
    if (!before(due, due->heap[child], disk))
      break;
    store(due, place, due->heap[child]);
    place = child;
  }
  store(due, place, disk);
}

static void take_out(struct siox__due *due, uint32_t place) {
  due->time[due->heap[place]] = SIOX_NEVER;
  uint32_t last = due->heap[--due->count];
  if (place == due->count)
    return;
  store(due, place, last);
  sift_up(due, place);
  sift_down(due, due->place[last]);
}

void siox__due_set(struct siox__due *due, uint32_t disk, int64_t time) {
  int64_t old = due->time[disk];
  if (time == old)
    return;
  if (time == SIOX_NEVER) {
    take_out(due, due->place[disk]);
    return;
  }
  due->time[disk] = time;
  if (old == SIOX_NEVER)
    store(due, due->count++, disk);
  sift_up(due, due->place[disk]);
  sift_down(due, due->place[disk]);
}

int64_t siox__due_next(const struct siox__due *due) {
  return due->count ? due->time[due->heap[0]] : SIOX_NEVER;
}

bool siox__due_take(struct siox__due *due, int64_t now, uint32_t *disk) {
  if (due->count == 0 || due->time[due->heap[0]] > now)
    return false;
  *disk = due->heap[0];
  take_out(due, 0);
  return true;
}
