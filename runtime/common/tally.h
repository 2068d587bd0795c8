/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tally: what a process's I/O calls did since it began, in numbers, and which of them run now.
 * One piece of shared memory a process, of one size for all, made by libsiox (client/tally.c) and
 * read by sioxd while the process counts (daemon/activities.c), by libsiox itself for its report,
 * and by nobody else.
 *
 *  - HELLO carries its descriptor (SCM_RIGHTS): a memfd of exactly siox_tally's size, sealed with
 * F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL, so that reading never faults. A HELLO without one is
 * taken as well.
 *  - A *row* is a call: first those of mpiio.def (layer "mpiio"), then those of io.def ("posix").
 *  - A *slot* is a row and a size class (siox/activities.h), found through `index`; slots are taken
 * in the order in which calls come. A call that finds no slot is counted in `partial` and nowhere
 * else; one of a thread that finds no place among the running ones, in `unshown` and in its slot.
 *  - Each slot is there once a shard. The first threads have a shard each and add without locking
 * the bus; all others share the last. A reader sums the shards whose bit in `shards` is set, and
 * looks at no others: their pages are not there before they are touched.
 *  - Counters only grow (the buckets modulo 2^32). A slot's `calls` is written last, so that
 * whoever reads it first finds in the others what belongs to as many calls, or more.
 *  - A call that fails counts in `calls` and `errors`, with no bytes.
 * Native byte order; times are CLOCK_MONOTONIC ns. */
#ifndef SIOX_COMMON_TALLY_H
#define SIOX_COMMON_TALLY_H
#include "siox/activities.h"
#include "siox/mpiio.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIOX_TALLY_MAGIC 0x594c4154u /* "TALY" */
#define SIOX_TALLY_VERSION 1

enum siox_posix_call { /* SIOX_POSIX_read, ... */
#define SIOX_IO(role, type, name, parameters) SIOX_POSIX_##name,
#include "siox/io.def"
#undef SIOX_IO
                       SIOX_NPOSIX
};
enum siox_layer { SIOX_LAYER_MPIIO, SIOX_LAYER_POSIX, SIOX_NLAYERS };

enum {
  SIOX_TALLY_ROWS = (int)SIOX_NCALLS + (int)SIOX_NPOSIX,
  SIOX_TALLY_SHARDS = 8,
  SIOX_TALLY_SLOTS = 256,
  SIOX_TALLY_THREADS = 512, /* whose running calls are shown */
  SIOX_TALLY_FULL = UINT16_MAX,
};

struct siox_tally_slot {
  _Atomic uint64_t calls, bytes, total_ns, errors;
  _Atomic int64_t longest_ns;
  uint64_t reserved[3];
  _Atomic uint32_t times[SIOX_TIME_BUCKETS];
};
struct siox_tally_running { /* one a thread and layer */
  _Atomic int64_t start;    /* 0: none runs; written last at the beginning of a call */
  _Atomic uint32_t what;    /* row * SIOX_SIZE_CLASSES + size class of what was asked for */
  uint32_t reserved;
};
struct siox_tally_thread {
  struct siox_tally_running layer[SIOX_NLAYERS];
};

struct siox_tally {
  uint32_t magic, version;
  int32_t pid;
  uint32_t bytes;           /* of all this */
  _Atomic uint32_t slots;   /* taken; may be more than there are */
  _Atomic uint32_t shards;  /* bit s: shard s was written to */
  _Atomic uint32_t threads; /* entries of `thread` ever used: 0 to this */
  uint32_t reserved;
  _Atomic uint64_t partial, unshown;                           /* see above */
  _Atomic uint16_t index[SIOX_TALLY_ROWS * SIOX_SIZE_CLASSES]; /* slot + 1, 0 none, FULL */
  _Alignas(64) _Atomic uint32_t what[SIOX_TALLY_SLOTS];        /* as above, + 1; 0: not taken yet */
  _Alignas(64) struct siox_tally_thread thread[SIOX_TALLY_THREADS];
  _Alignas(4096) struct siox_tally_slot slot[SIOX_TALLY_SHARDS][SIOX_TALLY_SLOTS];
};

/* Row of a call in a layer. */
static inline unsigned siox__tally_row(enum siox_layer layer, unsigned call) {
  return layer == SIOX_LAYER_MPIIO ? call : (unsigned)SIOX_NCALLS + call;
}
/* "mpiio", "posix"; "write_at_all", "pwrite"; rows beyond the last: "?". */
const char *siox__row_layer(unsigned row);
const char *siox__row_name(unsigned row);
enum siox_category siox__row_category(unsigned row);
bool siox__row_together(unsigned row); /* a collective call */

/* The writer's side (libsiox); what runs at each call is in tally_write.h. memory: zeroed, of the
 * struct's size. */
void siox__tally_init(struct siox_tally *t, int32_t pid);
/* The slot of a row and class, taken if it is a new one; SIOX_TALLY_SLOTS: there is no room. */
unsigned siox__tally_slot(struct siox_tally *t, unsigned row, unsigned size_class);
/* A shard is written to for the first time; a thread's running calls are shown from now on. */
void siox__tally_shard(struct siox_tally *t, unsigned shard);
bool siox__tally_show(struct siox_tally *t, unsigned thread);
/* A call has ended. thread: small number from 1 on, as rings have it; bytes: that were moved. */
void siox__tally_count(struct siox_tally *t, unsigned thread, unsigned row, uint64_t bytes,
                       int64_t ns, bool failed);
/* A call begins, NULL: not shown. Its end stores 0 in the start. */
struct siox_tally_running *siox__tally_run(struct siox_tally *t, unsigned thread, unsigned row,
                                           uint64_t bytes, int64_t start);
void siox__tally_thread_ends(struct siox_tally *t, unsigned thread);
/* ns that counting a call takes, clock and all, here and now. scratch: zeroed, of the struct's
 * size; what is in it afterwards is of no use. Takes some 0.1 ms. */
int64_t siox__tally_cost(struct siox_tally *scratch);

/* The reader's side. What it gives is a copy; of a hostile writer it may be anything. */
struct siox_tally_sum {
  uint64_t calls, bytes, total_ns, errors;
  int64_t longest_ns;
  uint32_t times[SIOX_TIME_BUCKETS];
};
/* Slots that may be looked at, and what one is of: false where it is of nothing that is known. */
unsigned siox__tally_slots(const struct siox_tally *t);
bool siox__tally_what(const struct siox_tally *t, unsigned slot, unsigned *row,
                      unsigned *size_class);
/* Over the shards; sums that pass 2^64 stay there. */
void siox__tally_sum(const struct siox_tally *t, unsigned slot, struct siox_tally_sum *sum);
uint64_t siox__tally_calls(const struct siox_tally *t, unsigned slot);
/* One slot after another that is of something known, with its sum: true, and *at is behind it. *at
 * begins with 0. */
bool siox__tally_next(const struct siox_tally *t, unsigned *at, unsigned *row, unsigned *size_class,
                      struct siox_tally_sum *sum);
/* Sums of what hostile writers say stay where they pass 2^64. */
static inline void siox__tally_grow(uint64_t *sum, uint64_t by) {
  if (__builtin_add_overflow(*sum, by, sum))
    *sum = UINT64_MAX;
}

#endif
