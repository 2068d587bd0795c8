/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joins holds (hold.h) to the program's descriptors and to its hints. */
#ifndef SIOX_CLIENT_HELD_H
#define SIOX_CLIENT_HELD_H
#include "client/files.h"
#include "client/hold.h"

extern _Atomic int64_t siox__held_renew SIOX_HIDDEN, siox__held_due SIOX_HIDDEN;

void siox__held_tell(struct siox__file *file, int64_t end, int64_t time, bool request_follows);
/* A file of the program's own is opened, and can be used up to byte `end` (SIOX__WHOLE: anywhere).
 * Here and below: under the guard, with signals held; async-signal-safe. */
static inline void siox__held_opened(struct siox__file *file, int64_t end) {
  siox__held_tell(file, end, 0, false);
}
/* A request for bytes up to `end` follows, that arrived at `time`. True: something was told, and
 * what is to come after it in time takes a new look at the clock. */
static inline bool siox__held_before(struct siox__file *file, int64_t end, int64_t time) {
  const int64_t told = atomic_load_explicit(&file->told, memory_order_acquire);
  if (time - told < atomic_load_explicit(&siox__held_renew, memory_order_relaxed) &&
      end <= atomic_load_explicit(&file->reach, memory_order_relaxed))
    return false;
  siox__held_tell(file, end, time, true);
  return true;
}
/* It has been made, and is complete at `time`. told: what siox__held_before said. */
static inline void siox__held_after(struct siox__file *file, int64_t time, bool told) {
  if (time <= 0) /* it was not charged */
    time = atomic_load_explicit(&file->told, memory_order_relaxed);
  atomic_store_explicit(&file->last, time, memory_order_relaxed);
  if (told || time - atomic_load_explicit(&file->told, memory_order_relaxed) >=
                  atomic_load_explicit(&siox__held_renew, memory_order_relaxed))
    siox__held_tell(file, 0, time, false);
}
/* The last reference to it is gone. */
void siox__held_end(struct siox__file *file);

/* Releases that waited for a hold to lapse go out; looked for where the program comes by anyway. */
void siox__held_lapse(void);
static inline bool siox__held_waits(void) {
  return atomic_load_explicit(&siox__held_due, memory_order_relaxed) != SIOX_NEVER;
}
static inline void siox__held_look(int64_t now) {
  if (__builtin_expect(now >= atomic_load_explicit(&siox__held_due, memory_order_relaxed), 0))
    siox__held_lapse();
}

/* Under the lock of hints. */
void siox__held_says(uint32_t disk, int64_t now, struct siox__stance *w);
void siox__held_published(void);
void siox__held_reset(void); /* in a child of fork */

#endif
