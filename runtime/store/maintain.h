/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is done to a database from time to time: longer intervals in place of shorter ones, old rows
 * away, and what is there. Times are ns of CLOCK_REALTIME, given as arguments. Functions return 0
 * or SIOX_E... with a message; those that change something do all of it or nothing. For one thread.
 */
#ifndef SIOX_STORE_MAINTAIN_H
#define SIOX_STORE_MAINTAIN_H
#include "store/base.h"
#include <stdbool.h>

/* Intervals of one length, so many, became so many of the next. */
struct siox__rolled {
  int64_t from_ns, to_ns, rows, made;
};
/* Makes intervals of to_ns (a length of siox/reductions.def) of all shorter ones in its time, where
 * that time ended before `before`: averages weighted by the seconds they stand for, minimum of
 * minima, maximum of maxima, sums. Where there is one of that length already, it has the shorter
 * ones in it, and they go. each is told of every step. */
int siox__store_rollup(struct siox__base *base, int64_t to_ns, int64_t before,
                       void (*each)(void *context, const struct siox__rolled *step), void *context,
                       struct siox_diag *diag);

/* Deletes what ended before `before`; runs: whole runs of which nothing is left, too, but for the
 * last one of each node, which may go on. dry: only counts. each is told of every table. */
struct siox__purge {
  int64_t before;
  bool runs, dry;
};
int siox__store_purge(struct siox__base *base, const struct siox__purge *purge,
                      void (*each)(void *context, const char *table, int64_t rows), void *context,
                      struct siox_diag *diag);

struct siox__store_info {
  int version;
  int64_t runs, bytes;
  int64_t oldest, newest; /* of the runs' begin and of what is stored; 0: nothing is */
};
/* Any version; each is told of every table. */
int siox__store_info(struct siox__base *base, struct siox__store_info *info,
                     void (*each)(void *context, const char *table, int64_t rows), void *context,
                     struct siox_diag *diag);

#endif
