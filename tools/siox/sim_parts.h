/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Work in many independent points, for `siox sim --sweep` and `--map`. Each point's result goes
 * into a file of its own in OUTPUT.d, put in place whole: processes share the points without a word
 * to each other, and work that was ended goes on where it stood. Ranks are those that mpiexec or
 * srun says, without MPI being started. Messages go to stderr. */
#ifndef SIOX_TOOLS_SIM_PARTS_H
#define SIOX_TOOLS_SIM_PARTS_H
#include "sim.h"

struct sim_parts {
  char *output, *directory;
  uint64_t points;
  uint64_t mark; /* of what the results depend on, this program too: another's are not taken */
  uint64_t rank, size;
  bool joined_before; /* when it was opened, all results and OUTPUT were there */
};

uint64_t sim_mark(uint64_t mark, const void *data, size_t size); /* mark with data added */
uint64_t sim_mark_file(uint64_t mark, const char *path);

/* output is copied. make: OUTPUT.d is made unless it is there. 0, or an exit status with a message.
 */
int sim_parts_open(struct sim_parts *p, const char *output, uint64_t points, uint64_t mark,
                   bool make);
void sim_parts_close(struct sim_parts *p); /* harmless on a zeroed object */

enum { SIM_POINT_FAULTY = 3 }; /* there is a result, but something in it failed: tried again */
/* Writes the result of a point, in whole lines that do not begin with '#'. 0, SIM_POINT_FAULTY, or
 * an exit status after a message, which ends the work. */
typedef int (*sim_point_fn)(void *context, uint64_t point, FILE *out);
/* This rank's share of what is not there yet. 0, or an exit status: also when a point is faulty. */
int sim_parts_work(const struct sim_parts *p, sim_point_fn one, void *context,
                   const struct sim_watch *watch);
/* When every result is there: OUTPUT is head and the results in their order. *joined: whether this
 * process is the one to tell of it. 0, or an exit status with a message. */
int sim_parts_join(const struct sim_parts *p, void (*head)(void *context, FILE *out), void *context,
                   bool *joined);
/* Head and the results that are there. 0, or an exit status with a message. */
int sim_parts_so_far(const struct sim_parts *p, void (*head)(void *context, FILE *out),
                     void *context, FILE *out);
#endif
