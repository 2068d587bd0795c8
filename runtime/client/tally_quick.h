/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What counting a call of io.def takes, for the routines at which a program's own time is at stake:
 * all of it in one piece, because calls of functions would cost a third of it. The rest of them go
 * through tally.h. */
#ifndef SIOX_CLIENT_TALLY_QUICK_H
#define SIOX_CLIENT_TALLY_QUICK_H
#include "client/files.h"
#include "client/tally.h"
#include "common/tally_write.h"

/* Of each descriptor: not known, no regular file, or which: a key made of device and inode. */
enum { SIOX__KEY_UNKNOWN, SIOX__KEY_OTHER, SIOX__KEY_LEAST };
extern _Atomic uint64_t siox__key_of_fd[SIOX_MAX_FD] SIOX_HIDDEN;
/* Asks the kernel where it is not known; 0: no regular file. Keeps errno. */
uint64_t siox__key_find(int fd);

/* fd: one of the table's. */
static inline uint64_t siox__key_of(int fd) {
  const uint64_t key = atomic_load_explicit(&siox__key_of_fd[fd], memory_order_relaxed);
  return __builtin_expect(key >= SIOX__KEY_LEAST, 1) ? key : siox__key_find(fd);
}

/* A child of vfork has this thread's storage, so it cannot be told by what lies there; but only
 * after this thread has called vfork can it run here at all (vfork.c). */
bool siox__counts_after_vfork(void);
static inline bool siox__counts(void) {
  const struct siox__thread *self = &siox__self;
  return !self->depth && (__builtin_expect(!self->vforked, 1) || siox__counts_after_vfork());
}

static inline unsigned siox__counted_thread(struct siox_tally *t) {
  return __builtin_expect(siox__self.shown, 1) ? siox__self.number : siox__tally_thread(t);
}

__attribute__((always_inline)) static inline void siox__span_runs(struct siox__span *s,
                                                                  struct siox_tally *tally,
                                                                  unsigned row, uint64_t bytes,
                                                                  uint64_t file) {
  s->tally = tally;
  s->row = row;
  s->thread = siox__counted_thread(tally);
  s->file = file;
  s->start = siox__tally_now();
  s->running = siox__tally_runs(tally, s->thread, row, bytes, s->start);
}

/* siox__posix_start, siox__posix_over. */
__attribute__((always_inline)) static inline bool siox__posix_quick_start(struct siox__span *s,
                                                                          struct siox_tally *tally,
                                                                          enum siox_posix_call call,
                                                                          int fd, uint64_t bytes) {
  const uint64_t key = siox__counts() && (unsigned)fd < SIOX_MAX_FD ? siox__key_of(fd) : 0;
  if (__builtin_expect(!key, 0))
    return false;
  s->end = 0;
  siox__span_runs(s, tally, siox__tally_row(SIOX_LAYER_POSIX, call), bytes, key);
  return true;
}

/* s->end is known. */
void siox__posix_failed(struct siox__span *s, int64_t offset, bool unseen);
__attribute__((always_inline)) static inline void
siox__posix_quick_over(struct siox__span *s, int64_t result, int64_t offset, bool unseen) {
  if (__builtin_expect(result < 0, 0)) {
    siox__posix_failed(s, offset, unseen);
    return;
  }
  if (s->running)
    atomic_store_explicit(&s->running->start, 0, memory_order_release);
  siox__tally_add_what(s->tally, s->thread,
                       s->row * SIOX_SIZE_CLASSES + siox__class_of((uint64_t)result),
                       (uint64_t)result, s->end - s->start, false, true);
  if (unseen && __builtin_expect(siox__wanted(SIOX_WANT_POSIX), 0))
    siox__record_posix(s, result, offset); /* while the daemon asks for them */
}

#endif
