/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a cycle of burst and gap takes a disk at each level, on average of late. Pure. */
#ifndef SIOX_ARBITER_BUDGET_CYCLE_H
#define SIOX_ARBITER_BUDGET_CYCLE_H
#include "arbiter/budget.h"

/* The cycle's burst is over. The disk is expected to be free for so many ns, until `next`. A pause
 * that nobody told of (untold) is no time to go below the level that needs are served at. */
void siox__cycle_ends(struct siox__budget_disk *b, const struct siox_drive *drive, int64_t now,
                      int64_t gap, int64_t next, bool untold);
/* Its gap, in which nothing was served yet, is told to end at another time, or follows at last what
 * was taken for the end of a cycle without one. */
void siox__cycle_told(struct siox__budget_disk *b, const struct siox_drive *drive, int64_t next);
#endif
