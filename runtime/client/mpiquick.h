/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An MPI-IO call that is counted, and recorded where that is wanted, but not foretold: an access
 * that one rank makes by itself and that opens no file. All of it in one piece, because calls of
 * functions would cost a third of it; the rest of the calls go through mpiio.h. */
#ifndef SIOX_CLIENT_MPIQUICK_H
#define SIOX_CLIENT_MPIQUICK_H
#include "client/mpiio.h"
#include "client/tally_quick.h"

/* Takes the announced site, which the I/O of the call has from now on; its key. Under no guard. */
uint64_t siox__quick_site(const struct siox_site *site);

/* False: not now. */
__attribute__((always_inline)) static inline bool siox__quick_begin(struct siox__quick *q,
                                                                    int64_t bytes) {
  struct siox__thread *self = &siox__self;
  const int status = atomic_load_explicit(&siox__client.status, memory_order_acquire);
  if (self->depth || self->io_running)
    return false;
  q->told = false;
  if (__builtin_expect(status == SIOX_STATUS_READY, 1) || status == SIOX_STATUS_LOST) {
    if (siox__predicts())
      return false;
    q->told =
        status == SIOX_STATUS_READY &&
        atomic_load_explicit(&siox__client.ring->wanted, memory_order_relaxed) & SIOX_WANT_MPI;
  }
  q->site = 0;
  if (__builtin_expect(((uintptr_t)self->site | (uintptr_t)self->within) != 0, 0))
    q->site = siox__quick_site(self->site ? self->site : self->within);
  q->bytes = bytes;
  return true;
}

/* Of one that is told. offset: in etypes of the view. */
static inline void siox__quick_place(struct siox__quick *q, const struct siox__mpi_file *f,
                                     int64_t offset) {
  int64_t at = -1, bytes;
  q->span.file = f && f->file ? f->file->id : 0;
  if (f && f->contiguous && offset >= 0 && !__builtin_mul_overflow(offset, f->etype, &bytes) &&
      !__builtin_add_overflow(bytes, f->displacement, &bytes))
    at = bytes;
  q->offset = at;
}

__attribute__((always_inline)) static inline void
siox__quick_runs(struct siox__quick *q, struct siox_tally *tally, unsigned row) {
  struct siox__thread *self = &siox__self;
  struct siox__span *s = &q->span;
  s->tally = tally;
  s->row = row;
  s->thread = siox__counted_thread(tally);
  s->start = siox__tally_now();
  q->what = row * SIOX_SIZE_CLASSES + siox__class_of_some((uint64_t)q->bytes);
  s->running = siox__tally_runs_what(tally, s->thread, false, q->what, s->start);
  self->io_running = true; /* of no collective: its id is 0 between calls, as is a site */
}

int siox__quick_failed(struct siox__quick *q, int result);

/* Hands back result. */
__attribute__((always_inline)) static inline int siox__quick_end(struct siox__quick *q,
                                                                 int result) {
  struct siox__thread *self = &siox__self;
  struct siox__span *s = &q->span;
  s->end = siox__tally_now();
  self->io_running = false;
  self->io_site = 0;
  if (s->running)
    atomic_store_explicit(&s->running->start, 0, memory_order_release);
  if (__builtin_expect(result != MPI_SUCCESS, 0))
    return siox__quick_failed(q, result);
  siox__tally_add_what(s->tally, s->thread, q->what, (uint64_t)q->bytes, s->end - s->start, false,
                       true);
  /* Not in a child of fork that a handler made meanwhile: it has no ring. */
  if (q->told && siox__client.ring)
    siox__record_call(q);
  return result;
}

#endif
