/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing and reading a tally. The writer's side is async-signal-safe and takes no lock. */
#include "common/tally.h"
#include "common/tally_write.h"
#include <string.h>

_Static_assert(sizeof(struct siox_tally_slot) == 256, "whole cache lines");
_Static_assert(sizeof(struct siox_tally_thread) * 2 == 64, "two threads a cache line");

static const char *const names[] = {
#define SIOX_MPIIO(name, ...) #name,
#include "siox/mpiio.def"
#undef SIOX_MPIIO
#define SIOX_IO(role, type, name, parameters) #name,
#include "siox/io.def"
#undef SIOX_IO
};

enum { ALONE, COLLECTIVE };
static const bool collective[] = {
#define SIOX_MPIIO(name, class, pointer, span, group, ...) group == COLLECTIVE,
#include "siox/mpiio.def"
#undef SIOX_MPIIO
};

const char *siox__row_layer(unsigned row) {
  return row < SIOX_NCALLS ? "mpiio" : row < SIOX_TALLY_ROWS ? "posix" : "?";
}

const char *siox__row_name(unsigned row) {
  static const char prefix[] = "MPI_File_";
  if (row >= SIOX_TALLY_ROWS)
    return "?";
  const char *name = names[row];
  return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

/* Files lie on disks, as far as anybody here knows. */
enum siox_category siox__row_category(unsigned row) {
  return row < SIOX_TALLY_ROWS ? SIOX_CATEGORY_DISK : SIOX_NCATEGORIES;
}

bool siox__row_together(unsigned row) { return row < SIOX_NCALLS && collective[row]; }

void siox__tally_init(struct siox_tally *t, int32_t pid) {
  t->magic = SIOX_TALLY_MAGIC;
  t->version = SIOX_TALLY_VERSION;
  t->pid = pid;
  t->bytes = sizeof *t;
}

unsigned siox__tally_slot(struct siox_tally *t, unsigned row, unsigned size_class) {
  _Atomic uint16_t *index = &t->index[row * SIOX_SIZE_CLASSES + size_class];
  unsigned known = atomic_load_explicit(index, memory_order_acquire);
  if (__builtin_expect(known != 0, 1))
    return known == SIOX_TALLY_FULL ? SIOX_TALLY_SLOTS : known - 1;
  const unsigned taken = atomic_fetch_add(&t->slots, 1);
  uint16_t none = 0, mine = SIOX_TALLY_FULL;
  if (taken < SIOX_TALLY_SLOTS) {
    atomic_store(&t->what[taken], row * SIOX_SIZE_CLASSES + size_class + 1);
    mine = (uint16_t)(taken + 1);
  } else {
    atomic_store(&t->slots, SIOX_TALLY_SLOTS); /* it must not come round */
  }
  /* Where two threads took a slot for the same calls, one of the slots stays empty. */
  if (!atomic_compare_exchange_strong(index, &none, mine))
    mine = none;
  return mine == SIOX_TALLY_FULL ? SIOX_TALLY_SLOTS : mine - 1u;
}

void siox__tally_shard(struct siox_tally *t, unsigned shard) {
  atomic_fetch_or(&t->shards, 1u << shard);
}

bool siox__tally_show(struct siox_tally *t, unsigned thread) {
  if (thread - 1 >= SIOX_TALLY_THREADS) {
    atomic_fetch_add_explicit(&t->unshown, 1, memory_order_relaxed);
    return false;
  }
  uint32_t used = atomic_load_explicit(&t->threads, memory_order_relaxed);
  while (used < thread && !atomic_compare_exchange_weak(&t->threads, &used, thread))
    ;
  return true;
}

void siox__tally_count(struct siox_tally *t, unsigned thread, unsigned row, uint64_t bytes,
                       int64_t ns, bool failed) {
  siox__tally_add(t, thread, row, bytes, ns, failed);
}

struct siox_tally_running *siox__tally_run(struct siox_tally *t, unsigned thread, unsigned row,
                                           uint64_t bytes, int64_t start) {
  return siox__tally_runs(t, thread, row, bytes, start);
}

void siox__tally_thread_ends(struct siox_tally *t, unsigned thread) {
  if (thread - 1 < SIOX_TALLY_THREADS)
    for (int l = 0; l < SIOX_NLAYERS; l++)
      atomic_store(&t->thread[thread - 1].layer[l].start, 0);
}

unsigned siox__tally_slots(const struct siox_tally *t) {
  const uint32_t taken = atomic_load_explicit(&t->slots, memory_order_acquire);
  return taken < SIOX_TALLY_SLOTS ? taken : SIOX_TALLY_SLOTS;
}

bool siox__tally_what(const struct siox_tally *t, unsigned slot, unsigned *row,
                      unsigned *size_class) {
  const uint32_t what = atomic_load_explicit(&t->what[slot], memory_order_acquire) - 1;
  *row = what / SIOX_SIZE_CLASSES;
  *size_class = what % SIOX_SIZE_CLASSES;
  return *row < SIOX_TALLY_ROWS;
}

static void grow(uint64_t *sum, const _Atomic uint64_t *by) {
  siox__tally_grow(sum, atomic_load_explicit(by, memory_order_acquire));
}

uint64_t siox__tally_calls(const struct siox_tally *t, unsigned slot) {
  const uint32_t shards = atomic_load_explicit(&t->shards, memory_order_acquire);
  uint64_t calls = 0;
  for (unsigned s = 0; s < SIOX_TALLY_SHARDS; s++)
    if (shards & 1u << s)
      grow(&calls, &t->slot[s][slot].calls);
  return calls;
}

void siox__tally_sum(const struct siox_tally *t, unsigned slot, struct siox_tally_sum *sum) {
  const uint32_t shards = atomic_load_explicit(&t->shards, memory_order_acquire);
  *sum = (struct siox_tally_sum){.calls = siox__tally_calls(t, slot)};
  for (unsigned s = 0; s < SIOX_TALLY_SHARDS; s++) {
    const struct siox_tally_slot *from = &t->slot[s][slot];
    if (!(shards & 1u << s))
      continue;
    grow(&sum->bytes, &from->bytes);
    grow(&sum->total_ns, &from->total_ns);
    grow(&sum->errors, &from->errors);
    const int64_t longest = atomic_load_explicit(&from->longest_ns, memory_order_relaxed);
    sum->longest_ns = longest > sum->longest_ns ? longest : sum->longest_ns;
    for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
      sum->times[b] += atomic_load_explicit(&from->times[b], memory_order_relaxed);
  }
}

bool siox__tally_next(const struct siox_tally *t, unsigned *at, unsigned *row, unsigned *size_class,
                      struct siox_tally_sum *sum) {
  const unsigned n = siox__tally_slots(t);
  while (*at < n) {
    const unsigned slot = (*at)++;
    if (!siox__tally_what(t, slot, row, size_class))
      continue;
    siox__tally_sum(t, slot, sum);
    return true;
  }
  return false;
}
