/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counting calls into this process's tally (common/tally.h). There is one as soon as a daemon was
 * found, or from the beginning where SIOX_REPORT asks for a report; before, and without either, a
 * call costs one load. Everything here is async-signal-safe once the tally is there, takes no lock
 * and keeps errno. */
#ifndef SIOX_CLIENT_TALLY_H
#define SIOX_CLIENT_TALLY_H
#include "client/client.h"
#include "common/tally.h"

/* A child of fork that has yet to get one of its own. */
#define SIOX_TALLY_DUE ((struct siox_tally *)1)
extern _Atomic(struct siox_tally *) siox__tally_at SIOX_HIDDEN;

struct siox_tally *siox__tally_due(void);
/* The same, but NULL as well where it is yet to be made. */
static inline struct siox_tally *siox__tally_made(void) {
  struct siox_tally *t = atomic_load_explicit(&siox__tally_at, memory_order_acquire);
  return __builtin_expect((uintptr_t)t > (uintptr_t)SIOX_TALLY_DUE, 1) ? t : NULL;
}
/* This process's, NULL: nobody wants it counted. */
static inline struct siox_tally *siox__tally(void) {
  struct siox_tally *t = atomic_load_explicit(&siox__tally_at, memory_order_acquire);
  if (__builtin_expect((uintptr_t)t > (uintptr_t)SIOX_TALLY_DUE, 1)) /* one test for both */
    return t;
  return t ? siox__tally_due() : NULL;
}
/* Makes it unless there is one. Under the guard; where there is no memory nothing is counted. */
void siox__tally_begin(void);
void siox__tally_reset(void); /* in a child of fork */

/* One call that is counted. tally NULL: it is not. */
struct siox__span {
  struct siox_tally *tally;
  struct siox_tally_running *running;
  unsigned row, thread;
  int64_t start, end;
  uint64_t file; /* posix: its key */
};
/* One of MPI-IO that goes the short way (mpiquick.h). */
struct siox__quick {
  struct siox_rec_call record; /* start, bytes and site; where it is told, all but the end */
  struct siox_tally *tally;
  struct siox_tally_running *running;
  unsigned thread, what; /* what: its place in the tally's index */
  bool told;             /* single calls are recorded */
};
/* The thread's number; its end is told to the tally, and its shard is marked as written to. */
unsigned siox__tally_thread(struct siox_tally *t);

/* A call of io.def on a descriptor begins; false: not of a regular file, or not the program's.
 * bytes: asked for. */
bool siox__posix_start(struct siox__span *s, struct siox_tally *tally, enum siox_posix_call call,
                       int fd, uint64_t bytes);
/* It is over. result: negative when it failed, else what was moved; offset: in the file, -1: the
 * descriptor's own; unseen: the disks know nothing of it. */
void siox__posix_over(struct siox__span *s, int64_t result, int64_t offset, bool unseen);

static inline void siox__posix_begin(struct siox__span *s, enum siox_posix_call call, int fd,
                                     uint64_t bytes) {
  struct siox_tally *t = siox__tally();
  if (__builtin_expect(t == NULL, 1) || !siox__posix_start(s, t, call, fd, bytes))
    s->tally = NULL;
}
static inline void siox__posix_end(struct siox__span *s, int64_t result, int64_t offset,
                                   bool unseen) {
  if (s->tally)
    siox__posix_over(s, result, offset, unseen);
}
/* A call that makes a descriptor. began: before it; over: it has returned; opened: what it made,
 * negative when it failed. */
void siox__posix_open_began(struct siox__span *s, enum siox_posix_call call);
void siox__posix_open_over(struct siox__span *s);
void siox__posix_opened(struct siox__span *s, int fd, bool managed);
/* Whatever was known of a descriptor is over. */
void siox__posix_forget(int fd);

#endif
