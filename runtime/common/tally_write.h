/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a tally: what runs at every call of a program, so no function that is called and no loop.
 * Async-signal-safe. */
#ifndef SIOX_COMMON_TALLY_WRITE_H
#define SIOX_COMMON_TALLY_WRITE_H
#include "common/tally.h"
#include <time.h>

/* siox__now_ns() (common/clock.h). */
static inline int64_t siox__tally_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* siox_size_class by the number of bits of the bytes. */
static const uint8_t siox__class_of_bits[65] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3,
                                                4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7,
                                                7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
                                                7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};

/* Of no more than INT64_MAX. */
static inline unsigned siox__class_of_some(uint64_t bytes) {
  return siox__class_of_bits[63 ^ __builtin_clzll(2 * bytes + 1)];
}
static inline unsigned siox__class_of(uint64_t bytes) {
  return __builtin_expect(bytes > INT64_MAX, 0) ? siox__class_of_bits[64]
                                                : siox__class_of_some(bytes);
}
static inline unsigned siox__bucket_of(int64_t ns) {
  const unsigned b = 63 - (unsigned)__builtin_clzll((unsigned long long)ns | 1);
  return b < SIOX_TIME_BUCKETS ? b : SIOX_TIME_BUCKETS - 1;
}

/* Of a shard with one writer: a single instruction that a signal handler of that writer cannot get
 * in between, and no lock of the bus. */
static inline void siox__add64(_Atomic uint64_t *at, uint64_t by, bool own) {
#ifdef __x86_64__
  if (own) {
    __asm__ volatile("addq %1, %0" : "+m"(*(volatile uint64_t *)at) : "er"(by) : "cc", "memory");
    return;
  }
#else
  (void)own;
#endif
  atomic_fetch_add_explicit(at, by, memory_order_release);
}
static inline void siox__add32(_Atomic uint32_t *at, bool own) {
#ifdef __x86_64__
  if (own) {
    __asm__ volatile("incl %0" : "+m"(*(volatile uint32_t *)at) : : "cc", "memory");
    return;
  }
#else
  (void)own;
#endif
  atomic_fetch_add_explicit(at, 1, memory_order_relaxed);
}

/* ns: not negative. */
static inline void siox__tally_into(struct siox_tally_slot *s, uint64_t bytes, int64_t ns,
                                    bool failed, bool own) {
  siox__add64(&s->bytes, bytes, own);
  siox__add64(&s->total_ns, (uint64_t)ns, own);
  siox__add32(&s->times[siox__bucket_of(ns)], own);
  if (__builtin_expect(failed, 0))
    siox__add64(&s->errors, 1, own);
  int64_t longest = atomic_load_explicit(&s->longest_ns, memory_order_relaxed);
  while (__builtin_expect(ns > longest, 0) &&
         !atomic_compare_exchange_weak(&s->longest_ns, &longest, ns))
    ;
  siox__add64(&s->calls, 1, own);
}

/* what: row * SIOX_SIZE_CLASSES + the class of the bytes; own_shard: the thread's shard is marked
 * as written to; ns: not negative. */
__attribute__((always_inline)) static inline void
siox__tally_add_what(struct siox_tally *t, unsigned thread, unsigned what, uint64_t bytes,
                     int64_t ns, bool failed, bool own_shard) {
  size_t slot = (size_t)atomic_load_explicit(&t->index[what], memory_order_acquire) - 1;
  if (__builtin_expect(slot >= SIOX_TALLY_SLOTS, 0) &&
      (slot = siox__tally_slot(t, what / SIOX_SIZE_CLASSES, what % SIOX_SIZE_CLASSES)) >=
          SIOX_TALLY_SLOTS) {
    atomic_fetch_add_explicit(&t->partial, 1, memory_order_relaxed);
    return;
  }
  const size_t own = (size_t)thread - 1, last = SIOX_TALLY_SHARDS - 1;
  const unsigned shard = (unsigned)(own < last ? own : last);
  if (!own_shard &&
      __builtin_expect(!(atomic_load_explicit(&t->shards, memory_order_relaxed) & 1u << shard), 0))
    siox__tally_shard(t, shard);
  if (__builtin_expect(own < last, 1)) {
    struct siox_tally_slot *s = &t->slot[own][slot];
    __asm__("" : "+r"(s)); /* one address for all of its counters */
    siox__tally_into(s, bytes, ns, failed, true);
  } else {
    siox__tally_into(&t->slot[last][slot], bytes, ns, failed, false);
  }
}

static inline void siox__tally_add(struct siox_tally *t, unsigned thread, unsigned row,
                                   uint64_t bytes, int64_t ns, bool failed) {
  siox__tally_add_what(t, thread, row * SIOX_SIZE_CLASSES + siox__class_of(bytes), bytes,
                       ns < 0 ? 0 : ns, failed, false);
}

/* what: as above, of what is asked for. */
static inline struct siox_tally_running *siox__tally_runs_what(struct siox_tally *t,
                                                               unsigned thread, bool posix,
                                                               unsigned what, int64_t start) {
  if (__builtin_expect(thread > atomic_load_explicit(&t->threads, memory_order_relaxed), 0) &&
      !siox__tally_show(t, thread))
    return NULL;
  struct siox_tally_running *r = &t->thread[thread - 1].layer[posix];
  atomic_store_explicit(&r->what, what, memory_order_relaxed);
  atomic_store_explicit(&r->start, start, memory_order_release);
  return r;
}

static inline struct siox_tally_running *siox__tally_runs(struct siox_tally *t, unsigned thread,
                                                          unsigned row, uint64_t bytes,
                                                          int64_t start) {
  return siox__tally_runs_what(t, thread, row >= SIOX_NCALLS,
                               row * SIOX_SIZE_CLASSES + siox__class_of(bytes), start);
}

#endif
