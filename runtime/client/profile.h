/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long regions and their iterations took, for the next compilation (siox run --profile). Where
 * SIOX_PROFILE_DIR names a directory, each process leaves one file there when it ends, with the
 * rows of common/profile_row.def.
 *
 * Times are of the first thread that enters a region, by CLOCK_MONOTONIC; they need no daemon.
 * iteration_ns, the paper's T_b, is the least over the instances of time over iterations, of
 * which there were so many; 0 for both: not known. An instance whose iterations are counted is
 * timed to the last tick, which comes after 1, 2, 4, ... of them. Of a STEPS loop those count in
 * which nothing was accessed, if there are any: the others take as long as their disks. */
#ifndef SIOX_CLIENT_PROFILE_H
#define SIOX_CLIENT_PROFILE_H
#include "siox/site.h"
#include <stdbool.h>

extern bool siox__profiling;

/* The iteration after which a tick is wanted. */
int64_t siox__profile_enter(const struct siox_region *region, int64_t trip, int64_t now);
int64_t siox__profile_tick(const struct siox_region *region, int64_t iteration, int64_t now);
/* A file will be accessed. */
void siox__profile_access(void);
void siox__profile_leave(const struct siox_region *region, int64_t now);

#endif
