/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An MPI-IO call that is counted, and recorded where that is wanted, but not foretold: a blocking
 * access that opens no file, by one rank or by all that opened it, of which none does I/O for
 * others that the daemon has to know of. All of it in one piece, because calls of functions would
 * cost a third of it; the rest of the calls go through mpiio.h. */
#ifndef SIOX_CLIENT_MPIQUICK_H
#define SIOX_CLIENT_MPIQUICK_H
#include "client/held.h"
#include "client/mpiio.h"
#include "client/tally_quick.h"

/* Takes the announced site, which the I/O of the call has from now on; its key. Under no guard. */
uint64_t siox__quick_site(const struct siox_site *site);

/* What a call is, known where it is compiled. */
struct siox__quick_kind {
  unsigned row;
  bool together, writes;
};

/* May this collective go the short way? Not where it has no name, or the daemon has yet to learn
 * that this rank has the file open. */
static inline bool siox__quick_joins(const struct siox__mpi_file *f) {
  return f && f->uid &&
         atomic_load_explicit(&f->told, memory_order_relaxed) ==
             atomic_load_explicit(&siox__client.telling, memory_order_relaxed);
}

/* Ranks may do I/O for others (mpicall.c): never on files without a layout. */
static inline bool siox__quick_gathers(const struct siox__mpi_file *f, bool writes) {
  return f && f->gathers[writes] != SIOX__NEVER_GATHERED && f->size > 1;
}

/* Nothing is foretold of an access to a file without a layout, from a place that has no name, in a
 * program without regions; and no hold waits for somebody to come by. */
static inline bool siox__quick_untold(const struct siox__mpi_file *f, bool named, uint32_t epoch) {
  return f && !f->has_layout && !named && !siox__held_waits() &&
         atomic_load_explicit(&siox__predict_followed, memory_order_relaxed) != epoch;
}

/* False: not now. file: NULL where it was not looked for; of a collective that is told it is known.
 */
__attribute__((always_inline)) static inline bool siox__quick_begin(struct siox__quick *q,
                                                                    struct siox__quick_kind kind,
                                                                    MPI_File handle,
                                                                    struct siox__mpi_file **file) {
  struct siox__thread *self = &siox__self;
  const int status = atomic_load_explicit(&siox__client.status, memory_order_acquire);
  const bool named = ((uintptr_t)self->site | (uintptr_t)self->within) != 0;
  if (self->depth || self->io_running)
    return false;
  *file = NULL;
  if (__builtin_expect(status == SIOX_STATUS_READY, 1) || status == SIOX_STATUS_LOST) {
    const uint32_t epoch = atomic_load_explicit(&siox__client.epoch, memory_order_relaxed);
    const bool predicts =
        atomic_load_explicit(&siox__predict_asleep, memory_order_relaxed) != epoch;
    if (kind.together || predicts)
      *file = siox__mpi_file(handle);
    if (predicts ? !siox__quick_untold(*file, named, epoch)
                 : kind.together && siox__quick_gathers(*file, kind.writes))
      return false;
    if (kind.together && !siox__quick_joins(*file))
      return false;
    /* Of a daemon that is lost, too: its ring is there until another one takes its place. */
    q->told =
        atomic_load_explicit(&siox__client.ring->wanted, memory_order_relaxed) & SIOX_WANT_MPI;
  } else {
    q->told = false;
  }
  q->record.site = 0;
  if (__builtin_expect(named, 0))
    q->record.site = siox__quick_site(self->site ? self->site : self->within);
  return true;
}

/* Of one that is told. offset: in etypes of the view. */
static inline void siox__quick_place(struct siox__quick *q, struct siox__quick_kind kind,
                                     const struct siox__mpi_file *f, int64_t offset) {
  int64_t at = -1, bytes;
  if (kind.together && !f)
    __builtin_unreachable();
  if (f && f->contiguous && offset >= 0 && !__builtin_mul_overflow(offset, f->etype, &bytes) &&
      !__builtin_add_overflow(bytes, f->displacement, &bytes))
    at = bytes;
  q->record.offset = at;
  q->record.file = f && f->file ? f->file->id : 0;
  q->record.call = kind.row;
  q->record.result = 0;
  if (!kind.together)
    q->record.coll_uid = q->record.coll_seq = q->record.size = q->record.self = 0;
}

/* Names the collective, before it starts. */
static inline void siox__quick_names(struct siox__quick *q, struct siox__mpi_file *f) {
  struct siox__thread *self = &siox__self;
  q->record.coll_uid = self->io_uid = f->uid;
  q->record.coll_seq = self->io_seq = atomic_fetch_add(&f->seq, 1) + 1;
  q->record.size = (uint32_t)f->size;
  q->record.self = f->self;
}

__attribute__((always_inline)) static inline void siox__quick_runs(struct siox__quick *q,
                                                                   struct siox_tally *tally,
                                                                   struct siox__quick_kind kind,
                                                                   int64_t bytes) {
  struct siox__thread *self = &siox__self;
  q->tally = tally;
  q->thread = siox__counted_thread(tally);
  q->record.bytes = bytes;
  q->record.start = siox__tally_now();
  q->what = kind.row * SIOX_SIZE_CLASSES + siox__class_of_some((uint64_t)bytes);
  q->running = siox__tally_runs_what(tally, q->thread, false, q->what, q->record.start);
  self->io_running = true; /* of no collective otherwise: its id is 0 between calls, as is a site */
}

int siox__quick_failed(struct siox__quick *q, int64_t end, int result);

/* Hands back result. */
__attribute__((always_inline)) static inline int
siox__quick_end(struct siox__quick *q, struct siox__quick_kind kind, int result) {
  struct siox__thread *self = &siox__self;
  const int64_t end = siox__tally_now();
  __asm__("" : "+m"(*q)); /* it stays where it is meanwhile, and in no other places beside that */
  self->io_running = false;
  self->io_site = 0;
  if (kind.together) { /* one by one: for a wider store the thread's address is kept through the
                          call */
    atomic_signal_fence(memory_order_release);
    self->io_uid = 0;
    atomic_signal_fence(memory_order_release);
    self->io_seq = 0;
  }
  if (q->running)
    atomic_store_explicit(&q->running->start, 0, memory_order_release);
  if (__builtin_expect(result != MPI_SUCCESS, 0))
    return siox__quick_failed(q, end, result);
  siox__tally_add_what(q->tally, q->thread, q->what, (uint64_t)q->record.bytes,
                       end - q->record.start, false, true);
  /* Not in a child of fork that a handler made meanwhile: it has no ring. */
  if (q->told && siox__client.ring)
    (kind.together ? siox__record_together : siox__record_call)(q, end);
  return result;
}

#endif
