/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records into the shared ring. Threads take turns, and nobody keeps the turn for longer than it
 * takes to write one record. */
#include "client/client.h"
#include "client/tally.h"
#include "common/ring_write.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Whose turn it is to write. Taking a free turn is one instruction of the bus, giving it back none:
 * it is held for as long as some twenty stores take, so whoever finds it taken looks again. */
enum { FREE, TAKEN, STUCK };
static _Atomic uint32_t turn;

/* A thread that a handler's siglongjmp took out of here never gives the turn back, and holding
 * signals would cost more than the copy. So whoever waits too long goes without, and from then on
 * nobody waits until it is given back. Keeps errno; no cancellation point. */
#define WAIT_NS INT64_C(100000000)
#define AGAIN_NS 20000
__attribute__((noinline)) static bool wait_turn(void) {
  enum { SPINS = 64, YIELDS = 80 };
  const int saved = errno;
  const int64_t until = siox__now_ns() + WAIT_NS;
  for (int tries = 0;; tries++) {
    uint32_t was = FREE;
    if (atomic_compare_exchange_weak_explicit(&turn, &was, TAKEN, memory_order_acquire,
                                              memory_order_relaxed))
      return true;
    if (was == STUCK)
      return false;
    if (tries < SPINS)
      continue;
    if (tries < YIELDS) {
      syscall(SYS_sched_yield);
    } else if (siox__now_ns() < until) {
      const struct timespec again = {.tv_nsec = AGAIN_NS};
      syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &again, NULL);
    } else {
      atomic_compare_exchange_strong(&turn, &was, STUCK);
    }
    errno = saved;
  }
}

static inline bool take_turn(void) {
  uint32_t was = FREE;
  return __builtin_expect(atomic_compare_exchange_strong_explicit(
                              &turn, &was, TAKEN, memory_order_acquire, memory_order_relaxed),
                          1) ||
         wait_turn();
}

static inline void give_turn(void) { atomic_store_explicit(&turn, FREE, memory_order_release); }

__attribute__((noinline)) static void wake_daemon(void) {
  int saved = errno;
  uint64_t one = 1;
  syscall(SYS_write, siox__client.wake, &one, sizeof one);
  errno = saved;
}

static struct siox__ring_reach reach; /* belongs to whose turn it is */

/* wake: the caller has to wake the daemon. */
static int put_only(enum siox_rec_type type, int64_t time, const void *body, size_t bytes,
                    const void *more, size_t more_bytes, unsigned how, int *wake) {
  *wake = 0;
  if (!siox__connected())
    return SIOX_EGONE;
  struct siox_rec_head head = {
      .type = (uint16_t)type, .thread = (uint16_t)siox__thread_number(), .time = time};
  if (!take_turn())
    return SIOX_EFULL;
  int result = siox__ring_put(siox__client.ring, siox__client.ring_bytes, &head, body, bytes, more,
                              more_bytes, how, wake);
  siox__ring_look(siox__client.ring, siox__client.ring_bytes, &reach);
  give_turn();
  return result;
}

static int put(enum siox_rec_type type, int64_t time, const void *body, size_t bytes,
               const void *more, size_t more_bytes, unsigned how) {
  int wake;
  const int result = put_only(type, time, body, bytes, more, more_bytes, how, &wake);
  if (wake)
    wake_daemon();
  return result;
}

/* What others wait for wakes the daemon; what only says what happened does not. */
int siox__record(enum siox_rec_type type, const void *body, size_t bytes, const void *more,
                 size_t more_bytes) {
  const bool urgent = type == SIOX_REC_CLAIM || type == SIOX_REC_ENTER;
  return put(type, siox__now_ns(), body, bytes, more, more_bytes, urgent ? SIOX_PUT_URGENT : 0);
}

/* Ids of communicators and files that this connection has told something of: a table that forgets
 * by chance, and all now and then, for the daemon forgets too. */
#define NGROUPS 64
static _Atomic uint64_t group_told[NGROUPS];
static _Atomic uint32_t groups_connection, groups_new;

static _Atomic uint64_t *place_of(uint64_t uid) { return &group_told[(uid ^ uid >> 32) % NGROUPS]; }

static bool told(uint64_t uid) {
  return !uid || (atomic_load_explicit(place_of(uid), memory_order_relaxed) == uid &&
                  atomic_load_explicit(&groups_connection, memory_order_relaxed) ==
                      atomic_load_explicit(&siox__client.connection, memory_order_relaxed));
}

bool siox__record_wants(uint64_t uid) { return siox__wanted(SIOX_WANT_MPI) || !told(uid); }

static bool group_is_new(uint64_t uid) {
  if (told(uid))
    return false;
  const uint32_t connection = atomic_load_explicit(&siox__client.connection, memory_order_relaxed);
  if (atomic_exchange(&groups_connection, connection) != connection ||
      atomic_fetch_add(&groups_new, 1) % NGROUPS == NGROUPS - 1) {
    for (int i = 0; i < NGROUPS; i++)
      atomic_store_explicit(&group_told[i], 0, memory_order_relaxed);
    atomic_fetch_add(&siox__client.telling, 1);
  }
  atomic_store_explicit(place_of(uid), uid, memory_order_relaxed);
  return true;
}

/* The head in one store. */
static inline void head_of(struct siox_rec_head *h, enum siox_rec_type type, uint32_t total,
                           unsigned thread, int64_t time) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t first = (uint64_t)(uint16_t)thread << 48 | (uint64_t)type << 32 | total;
  memcpy(h, &first, sizeof first);
#else
  h->bytes = total;
  h->type = (uint16_t)type;
  h->thread = (uint16_t)thread;
#endif
  h->time = time;
}

/* A body of known length, a multiple of 8, where it will lie; false: not now. */
__attribute__((always_inline)) static inline bool
put_in_place(enum siox_rec_type type, int64_t time, const void *body, size_t bytes) {
  struct siox_rec_head *head = NULL;
  const uint32_t total = (uint32_t)(sizeof *head + bytes);
  uint64_t end;
  if (!siox__connected() || !take_turn())
    return false;
  head = siox__ring_begin(siox__client.ring, &reach, total, &end);
  if (__builtin_expect(head != NULL, 1)) {
    head_of(head, type, total, siox__thread_number(), time);
    memcpy(head + 1, body, bytes);
    siox__ring_end(siox__client.ring, end);
  }
  give_turn();
  return head;
}

void siox__record_activity(enum siox_rec_type type, uint64_t uid, int64_t time, const void *body,
                           size_t bytes) {
  const bool first = group_is_new(uid);
  if (!first && !siox__wanted(SIOX_WANT_MPI))
    return;
  /* Sizes that the compiler knows are copied without a call. */
  if (!first && bytes == sizeof(struct siox_rec_call) &&
      put_in_place(type, time, body, sizeof(struct siox_rec_call)))
    return;
  if (!first && bytes == sizeof(struct siox_rec_sync) &&
      put_in_place(type, time, body, sizeof(struct siox_rec_sync)))
    return;
  put(type, time, body, bytes, NULL, 0, first ? SIOX_PUT_URGENT : 0);
}

/* Where a record of `total` bytes lies in the ring, with guard and turn, which finish gives back.
 * NULL: not now; the caller has neither. No call on the common way, for this runs at each recorded
 * call. */
struct writing {
  struct siox_ring *ring;
  uint64_t end;
};
__attribute__((always_inline)) static inline void *begin(struct writing *w, uint32_t total) {
  struct siox__thread *self = &siox__self;
  uint32_t was = FREE;
  self->depth = 1;
  atomic_signal_fence(memory_order_seq_cst);
  if (__builtin_expect(atomic_compare_exchange_strong_explicit(
                           &turn, &was, TAKEN, memory_order_acquire, memory_order_relaxed),
                       1)) {
    w->ring = siox__client.ring;
    void *at = siox__ring_begin(w->ring, &reach, total, &w->end);
    if (__builtin_expect(at != NULL, 1))
      return at;
    give_turn();
  }
  atomic_signal_fence(memory_order_seq_cst);
  self->depth = 0;
  return NULL;
}

__attribute__((always_inline)) static inline void finish(const struct writing *w) {
  siox__ring_end(w->ring, w->end);
  give_turn();
  atomic_signal_fence(memory_order_seq_cst);
  siox__exit();
}

/* Of what did not go in place. The guard goes before the daemon is woken: it may run before that
 * returns, so handlers come in here most, and one that leaves by siglongjmp takes its thread out of
 * all counting if the guard stays. */
static void put_and_exit(enum siox_rec_type type, int64_t time, const void *body, size_t bytes,
                         unsigned how) {
  int wake;
  put_only(type, time, body, bytes, NULL, 0, how, &wake);
  siox__exit();
  atomic_signal_fence(memory_order_seq_cst);
  if (wake)
    wake_daemon();
}

struct posix_record {
  struct siox_rec_head head;
  struct siox_rec_posix body;
};
static inline void fill_posix(struct posix_record *r, const struct siox__span *s, uint64_t site,
                              uint64_t uid, uint64_t seq, int64_t bytes, int64_t offset,
                              int failure) {
  head_of(&r->head, SIOX_REC_POSIX, sizeof *r, s->thread, s->end);
  r->body = (struct siox_rec_posix){.start = s->start,
                                    .file = s->file,
                                    .offset = offset,
                                    .bytes = bytes,
                                    .site = site,
                                    .coll_uid = uid,
                                    .coll_seq = seq,
                                    .call = s->row - (uint32_t)SIOX_NCALLS,
                                    .result = failure};
}

/* Where anything is out of the common: failed, contended, at the end of the ring, of a site. */
__attribute__((noinline)) static void posix_slowly(const struct siox__span *s, int64_t result,
                                                   int64_t offset) {
  const bool marked = result < 0 || s->end - s->start > SIOX_MARK_NS;
  struct posix_record r;
  if (!siox__enter())
    return;
  const int saved = errno;
  const struct siox__thread *self = &siox__self;
  const bool inside = self->io_running;
  if (!marked && siox__ring_spares(siox__client.ring, siox__client.ring_bytes)) {
    siox__exit();
    return;
  }
  fill_posix(&r, s, inside ? self->io_site : siox__record_site(self->within),
             inside ? self->io_uid : 0, inside ? self->io_seq : 0, result < 0 ? 0 : result, offset,
             result < 0 ? saved : 0);
  put_and_exit(SIOX_REC_POSIX, s->end, &r.body, sizeof r.body, marked ? 0 : SIOX_PUT_SPARE);
  errno = saved;
}

void siox__record_posix(const struct siox__span *s, int64_t result, int64_t offset) {
  const struct siox__thread *self = &siox__self;
  struct writing w;
  uint64_t site = 0, uid = 0, seq = 0;
  if (self->depth)
    return;
  if (self->io_running) {
    site = self->io_site;
    uid = self->io_uid;
    seq = self->io_seq;
  } else if (__builtin_expect(self->within != NULL, 0)) {
    posix_slowly(s, result, offset);
    return;
  }
  if (__builtin_expect(result < 0, 0)) {
    posix_slowly(s, result, offset);
    return;
  }
  struct posix_record *r = begin(&w, sizeof *r);
  if (__builtin_expect(!r, 0)) {
    posix_slowly(s, result, offset);
    return;
  }
  fill_posix(r, s, site, uid, seq, result, offset, 0);
  finish(&w);
}

__attribute__((noinline)) static void call_slowly(const struct siox__quick *q, int64_t end,
                                                  size_t bytes) {
  struct siox_rec_call record = q->record;
  if (!siox__enter())
    return;
  record.end = end;
  put_and_exit(SIOX_REC_CALL, end, &record, bytes, 0);
}

__attribute__((always_inline)) static inline void record_call(const struct siox__quick *q,
                                                              int64_t end, size_t bytes) {
  struct writing w; /* not under the guard, or it had not begun */
  struct siox_rec_head *head = begin(&w, (uint32_t)(sizeof *head + bytes));
  if (__builtin_expect(!head, 0)) {
    call_slowly(q, end, bytes);
    return;
  }
  head_of(head, SIOX_REC_CALL, (uint32_t)(sizeof *head + bytes), q->thread, end);
  /* What was stored before the call, in the widest pieces there are; its end comes from a register,
   * for a load of what was stored just now in smaller pieces has to wait. */
  memcpy(head + 1, &q->record, bytes);
  memcpy((char *)(head + 1) + offsetof(struct siox_rec_call, end), &end, sizeof end);
  finish(&w);
}

void siox__record_call(const struct siox__quick *q, int64_t end) {
  record_call(q, end, SIOX_REC_CALL_LEAST);
}

void siox__record_together(const struct siox__quick *q, int64_t end) {
  record_call(q, end, sizeof q->record);
}

int siox__record_renew(void *fresh, size_t bytes) {
  if (!take_turn())
    return SIOX_EFULL;
  void *at = mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)siox__client.ring);
  reach = (struct siox__ring_reach){0};
  give_turn();
  siox__record_once_reset();
  return at == MAP_FAILED ? SIOX_ENOMEM : 0;
}

void siox__record_reset(void) {
  siox__thread_number_reset();
  reach = (struct siox__ring_reach){0};
  give_turn();
  siox__record_once_reset();
}
