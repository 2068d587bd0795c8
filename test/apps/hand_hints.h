/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Disk speed hints placed by hand for a program that alternates bursts of I/O with stretches of
 * computing. This is what an expert writes who knows the program, has the library's documentation
 * and measures as the program goes; it is the yardstick for the hints of the compiler pass. One
 * object a process; not thread-safe. Nothing here fails: without a daemon, or where layouts are
 * unknown, every call does nothing.
 *
 * Time is cut into slots: slot t is the burst after t stretches of computing. A program of P
 * products with K slabs has slots 0 .. P*K; the write that ends a product and the first reads of
 * the next share a slot. */
#ifndef HAND_HINTS_H
#define HAND_HINTS_H
#include <mpi.h>
#include <siox/siox.h>
#include <stdbool.h>
#include <stdint.h>

#define HAND_HINTS_LATEST 8

struct hand_hints_disk; /* what was last told of one disk */
struct hand_hints {
  bool active;
  uint32_t ndisks;
  int64_t slabs, last_slot; /* slots are 0 .. last_slot */
  int64_t slot;
  bool computing;
  int64_t gap_start;                 /* ns; 0 during a burst */
  int64_t window_start, window_done; /* part of the computing being measured */
  double latest[HAND_HINTS_LATEST];  /* ns per step of the latest windows */
  int64_t windows;                   /* measured so far */
  double step;                       /* shortest ns per step seen, 0: none yet */
  int64_t steps;                     /* of the stretch before */
  int64_t check_at;                  /* nothing changes before this moment */
  struct siox_mask *touch;           /* slabs + 1: the reads of each slab, then the write */
  struct siox_mask group;            /* scratch */
  struct hand_hints_disk *disk;
};

void hand_hints_start(struct hand_hints *h, int64_t bursts, int64_t products);
/* Burst number `burst` of every product touches these bytes of the file. */
void hand_hints_touch(struct hand_hints *h, int64_t burst, MPI_File file, int64_t offset,
                      int64_t bytes);
void hand_hints_ready(
    struct hand_hints *h); /* all bursts are known: claim what is used, release the rest */

void hand_hints_burst_begin(struct hand_hints *h);
void hand_hints_burst_end(struct hand_hints *h); /* computing follows */
void hand_hints_burst_end_of_product(
    struct hand_hints *h); /* the next product follows, or nothing */
void hand_hints_tick(struct hand_hints *h, int64_t done,
                     int64_t total); /* progress of the computing */
void hand_hints_end(struct hand_hints *h);
#endif
