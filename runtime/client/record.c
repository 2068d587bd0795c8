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

/* Keys of sites already sent on this connection; a full table only means that some are sent again.
 */
#define NSITES 4096
static _Atomic uint64_t sent[NSITES];
static _Atomic uint32_t sent_connection;
static _Atomic uint32_t missing_said;

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

/* Numbers of threads that live, given out again when they end: a tally has places for so many, and
 * counts without locking for the first of these. What comes beyond has numbers above, which several
 * may have. Never 0. */
enum { PLACES = SIOX_TALLY_THREADS };
static _Atomic uint64_t taken[PLACES / 64];

static uint32_t take_number(void) {
  static _Atomic uint32_t last;
  for (uint32_t w = 0; w < PLACES / 64; w++) {
    uint64_t have = atomic_load(&taken[w]);
    while (~have) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(~have);
      if (atomic_compare_exchange_weak(&taken[w], &have, have | UINT64_C(1) << bit))
        return 64 * w + bit + 1;
    }
  }
  return PLACES + 1 + atomic_fetch_add(&last, 1) % (UINT16_MAX - PLACES);
}

uint32_t siox__thread_number(void) {
  if (!siox__self.number)
    siox__self.number = take_number();
  return siox__self.number;
}

void siox__thread_number_end(void) {
  const uint32_t number = siox__self.number;
  siox__self.number = 0;
  if (number - 1 < PLACES)
    atomic_fetch_and(&taken[(number - 1) / 64], ~(UINT64_C(1) << (number - 1) % 64));
}

__attribute__((noinline)) static void wake_daemon(void) {
  int saved = errno;
  uint64_t one = 1;
  syscall(SYS_write, siox__client.wake, &one, sizeof one);
  errno = saved;
}

static int put(enum siox_rec_type type, int64_t time, const void *body, size_t bytes,
               const void *more, size_t more_bytes, unsigned how) {
  if (!siox__connected())
    return SIOX_EGONE;
  struct siox_rec_head head = {
      .type = (uint16_t)type, .thread = (uint16_t)siox__thread_number(), .time = time};
  int wake, result;
  if (!take_turn())
    return SIOX_EFULL;
  result = siox__ring_put(siox__client.ring, siox__client.ring_bytes, &head, body, bytes, more,
                          more_bytes, how, &wake);
  give_turn();
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
      atomic_fetch_add(&groups_new, 1) % NGROUPS == NGROUPS - 1)
    for (int i = 0; i < NGROUPS; i++)
      atomic_store_explicit(&group_told[i], 0, memory_order_relaxed);
  atomic_store_explicit(place_of(uid), uid, memory_order_relaxed);
  return true;
}

void siox__record_activity(enum siox_rec_type type, uint64_t uid, int64_t time, const void *body,
                           size_t bytes) {
  const bool first = group_is_new(uid);
  if (first || siox__wanted(SIOX_WANT_MPI))
    put(type, time, body, bytes, NULL, 0, first ? SIOX_PUT_URGENT : 0);
}

/* Where a record of `total` bytes lies in the ring, with guard and turn, which finish gives back.
 * NULL: not now; the caller has neither. No call on the common way, for this runs at each recorded
 * call. */
struct writing {
  struct siox_ring *ring;
  uint32_t bytes;
  struct siox__ring_place place;
};
__attribute__((always_inline)) static inline void *begin(struct writing *w, uint32_t total) {
  struct siox__thread *self = &siox__self;
  uint32_t was = FREE;
  self->depth = 1;
  atomic_signal_fence(memory_order_seq_cst);
  w->place.filling = 0;
  if (__builtin_expect(atomic_compare_exchange_strong_explicit(
                           &turn, &was, TAKEN, memory_order_acquire, memory_order_relaxed),
                       1)) {
    w->ring = siox__client.ring;
    w->bytes = siox__client.ring_bytes;
    void *at = siox__ring_begin(w->ring, w->bytes, total, &w->place);
    if (__builtin_expect(at != NULL, 1))
      return at;
    give_turn();
  }
  atomic_signal_fence(memory_order_seq_cst);
  self->depth = 0;
  return NULL;
}

/* The head in one store. */
static inline void head_of(struct siox_rec_head *h, enum siox_rec_type type, uint32_t total,
                           const struct siox__span *s) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t first = (uint64_t)(uint16_t)s->thread << 48 | (uint64_t)type << 32 | total;
  memcpy(h, &first, sizeof first);
#else
  h->bytes = total;
  h->type = (uint16_t)type;
  h->thread = (uint16_t)s->thread;
#endif
  h->time = s->end;
}

/* The guard goes first: the daemon may run before its waking returns, so handlers come in here
 * most, and one that leaves by siglongjmp takes its thread out of all counting if the guard stays.
 */
__attribute__((noinline)) static void leave_and_wake(void) {
  siox__exit();
  atomic_signal_fence(memory_order_seq_cst);
  wake_daemon();
}

__attribute__((always_inline)) static inline void finish(const struct writing *w, uint32_t total) {
  const bool wake = siox__ring_end(w->ring, w->bytes, total, &w->place);
  give_turn();
  if (__builtin_expect(wake, 0)) {
    leave_and_wake();
    return;
  }
  atomic_signal_fence(memory_order_seq_cst);
  siox__exit();
}

struct posix_record {
  struct siox_rec_head head;
  struct siox_rec_posix body;
};
static inline void fill_posix(struct posix_record *r, const struct siox__span *s, uint64_t site,
                              uint64_t uid, uint64_t seq, int64_t bytes, int64_t offset,
                              int failure) {
  head_of(&r->head, SIOX_REC_POSIX, sizeof *r, s);
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

/* Where anything is out of the common: failed, contended, at the end of the ring, of a site.
 * filling: as begin found it, or 0. */
__attribute__((noinline)) static void posix_slowly(const struct siox__span *s, int64_t result,
                                                   int64_t offset, uint64_t filling) {
  const struct siox__ring_place place = {.filling = filling};
  const bool marked = result < 0 || s->end - s->start > SIOX_MARK_NS;
  struct posix_record r;
  if (!siox__enter())
    return;
  const int saved = errno;
  const struct siox__thread *self = &siox__self;
  const bool inside = self->io_running;
  if (marked || !siox__ring_spares(siox__client.ring, siox__client.ring_bytes, &place)) {
    fill_posix(&r, s, inside ? self->io_site : siox__record_site(self->within),
               inside ? self->io_uid : 0, inside ? self->io_seq : 0, result < 0 ? 0 : result,
               offset, result < 0 ? saved : 0);
    put(SIOX_REC_POSIX, s->end, &r.body, sizeof r.body, NULL, 0, marked ? 0 : SIOX_PUT_SPARE);
  }
  siox__exit();
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
    posix_slowly(s, result, offset, 0);
    return;
  }
  if (__builtin_expect(result < 0, 0)) {
    posix_slowly(s, result, offset, 0);
    return;
  }
  struct posix_record *r = begin(&w, sizeof *r);
  if (__builtin_expect(!r, 0)) {
    posix_slowly(s, result, offset, w.place.filling);
    return;
  }
  fill_posix(r, s, site, uid, seq, result, offset, 0);
  finish(&w, sizeof *r);
}

struct call_record {
  struct siox_rec_head head;
  struct siox_rec_call body;
};
static inline void fill_call(struct call_record *r, const struct siox__quick *q) {
  head_of(&r->head, SIOX_REC_CALL, sizeof *r, &q->span);
  r->body = (struct siox_rec_call){.start = q->span.start,
                                   .end = q->span.end,
                                   .site = q->site,
                                   .offset = q->offset,
                                   .bytes = q->bytes,
                                   .file = q->span.file,
                                   .call = q->span.row};
}

__attribute__((noinline)) static void call_slowly(const struct siox__quick *q) {
  struct call_record r;
  if (!siox__enter())
    return;
  fill_call(&r, q);
  put(SIOX_REC_CALL, q->span.end, &r.body, sizeof r.body, NULL, 0, 0);
  siox__exit();
}

void siox__record_call(const struct siox__quick *q) {
  struct writing w; /* not under the guard, or it had not begun */
  struct call_record *r = begin(&w, sizeof *r);
  if (__builtin_expect(!r, 0)) {
    call_slowly(q);
    return;
  }
  fill_call(r, q);
  finish(&w, sizeof *r);
}

uint64_t siox__record_site(const struct siox_site *site) {
  if (!site)
    return 0;
  if (!siox__wanted(SIOX_WANT_MPI | SIOX_WANT_POSIX))
    return site->key;
  uint32_t connection = atomic_load(&siox__client.connection);
  if (atomic_load_explicit(&sent_connection, memory_order_relaxed) != connection) {
    for (size_t i = 0; i < NSITES; i++)
      atomic_store(&sent[i], 0);
    atomic_store(&sent_connection, connection);
  }
  _Atomic uint64_t *slot = &sent[(site->key ^ site->key >> 32) % NSITES];
  if (atomic_load_explicit(slot, memory_order_relaxed) == site->key)
    return site->key;
  struct {
    struct siox_rec_site fixed;
    char text[768];
  } record = {.fixed = {.key = site->key, .line = site->line, .column = site->column}};
  size_t used = 0;
  const char *const texts[] = {site->file, site->function, site->call};
  uint16_t *const lengths[] = {&record.fixed.file_length, &record.fixed.function_length,
                               &record.fixed.call_length};
  for (int i = 0; i < 3;
       i++) { /* 256 bytes of each: the key tells sites apart, texts are for people */
    size_t length = texts[i] ? strnlen(texts[i], 256) : 0;
    if (length)
      memcpy(record.text + used, texts[i], length);
    *lengths[i] = (uint16_t)length;
    used += length;
  }
  if (siox__record(SIOX_REC_SITE, &record.fixed, sizeof record.fixed, record.text, used) == 0)
    atomic_store_explicit(slot, site->key, memory_order_relaxed);
  return site->key;
}

void siox__record_missing(enum siox_missing what) {
  /* One record a kind and process: the report says that there is a gap, not how wide it is. */
  if (atomic_fetch_or(&missing_said, 1u << what) & 1u << what)
    return;
  struct siox_rec_missing record = {.what = what, .count = 1};
  siox__record(SIOX_REC_MISSING, &record, sizeof record, NULL, 0);
}

int siox__record_renew(void *fresh, size_t bytes) {
  if (!take_turn())
    return SIOX_EFULL;
  void *at = mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)siox__client.ring);
  give_turn();
  atomic_store(&missing_said, 0);
  return at == MAP_FAILED ? SIOX_ENOMEM : 0;
}

void siox__record_reset(void) {
  const uint32_t own = siox__self.number; /* other threads are not here */
  for (uint32_t w = 0; w < PLACES / 64; w++)
    atomic_store(&taken[w], own && (own - 1) / 64 == w ? UINT64_C(1) << (own - 1) % 64 : 0);
  give_turn();
  atomic_store(&missing_said, 0);
}
