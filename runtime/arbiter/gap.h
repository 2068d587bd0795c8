/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The least joules with which a disk gets through a gap, and the steps on the way. A walk is a
 * change of speed that stops at every level in between where that is cheaper than going straight
 * (transition rule a charges a change at its upper end). A drive with a ramp may also turn midway,
 * so that a gap too short for a level and back is filled: under rule b that is the cheapest way
 * through it. Drives with a table of changes go straight. Pure. */
#ifndef SIOX_ARBITER_GAP_H
#define SIOX_ARBITER_GAP_H
#include "siox/policy.h"

/* Where a disk can next be turned to another level, and its speed then. */
struct siox__stand {
  int64_t at;
  double speed;
};
struct siox__stand siox__stand_of(const struct siox_disk_view *v, int64_t now);

/* ns and joules of a walk between two speeds. SIOX_EUNKNOWN when the profile lacks the change. */
int siox__walk(const struct siox_drive *drive, double from, double to, int64_t *ns, double *joules);
/* The level to command next on the walk from a speed to a level. */
uint32_t siox__walk_step(const struct siox_drive *drive, double from, uint32_t to);

/* Joules from a stand over a level, or as far towards it as the time lasts, to another at `end`;
 * INFINITY when that cannot be. */
double siox__gap_joules(const struct siox_drive *drive, const struct siox__stand *stand,
                        uint32_t level, int64_t end, uint32_t then);
/* From a stand on the walk to a level, and from there to another, which is needed later. */
struct siox__ways {
  uint32_t level; /* the latter */
  bool any;       /* the profile has both */
  double there, back;
  int64_t on_ns, up_ns;
};
void siox__find_ways(const struct siox_drive *drive, const struct siox__stand *stand,
                     uint32_t on_way_to, uint32_t level, struct siox__ways *ways);
/* The latest moment at which to start the second so as to be there at `end`; before the stand: it
 * is too late. */
int64_t siox__start_for(const struct siox_drive *drive, const struct siox__stand *stand,
                        const struct siox__ways *ways, int64_t end);
#endif
