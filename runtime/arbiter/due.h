/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which disk wants to be looked at next, and when: a binary heap of disks by time, in memory given
 * once. */
#ifndef SIOX_ARBITER_DUE_H
#define SIOX_ARBITER_DUE_H
#include "siox/drive.h"

struct siox__due {
  int64_t *time;   /* per disk; SIOX_NEVER: not in the heap */
  uint32_t *place; /* per disk: where in heap */
  uint32_t *heap;  /* disks, earliest first; ties by number */
  uint32_t count;
};
/* A heap over n disks, none of them due, in memory of siox__due_size(n) bytes. */
size_t siox__due_size(uint32_t ndisks);
void siox__due_init(struct siox__due *due, void *memory, uint32_t ndisks);
void siox__due_set(struct siox__due *due, uint32_t disk, int64_t time);
/* Time of the earliest, SIOX_NEVER when none. */
int64_t siox__due_next(const struct siox__due *due);
/* Takes the earliest out if it is due; false if none is. */
bool siox__due_take(struct siox__due *due, int64_t now, uint32_t *disk);
#endif
