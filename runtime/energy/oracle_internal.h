/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a disk can do between two services, prepared once per oracle. A walk is a row of changes
 * from level to level without a stay; a way is a walk, a stay, and a walk on. Only those are kept
 * that are best for some length of gap. */
#ifndef SIOX_ENERGY_ORACLE_INTERNAL_H
#define SIOX_ENERGY_ORACLE_INTERNAL_H
#include "siox/oracle.h"

#define SIOX__NO_WALK UINT32_MAX

struct siox__walk {
  uint32_t level; /* where it ends */
  uint32_t
      before; /* the walk that this one extends by one change; SIOX__NO_WALK: no change at all */
  int64_t ns;
  double joules;
};
struct siox__walks { /* all from one level */
  struct siox__walk *walk;
  uint32_t count, room;
};
struct siox__way {
  int64_t ns; /* of both walks */
  double joules;
  uint32_t rest;        /* level of the stay */
  uint32_t there, back; /* walks from the first level, and from `rest` */
};
struct siox__way_list { /* all between two levels */
  struct siox__way *way;
  uint32_t count, room;
};
struct siox__graph {
  const struct siox_drive *drive;
  enum siox_oracle_ways kind;
  struct siox__walks walks[SIOX_MAX_LEVELS];
  struct siox__way_list ways[SIOX_MAX_LEVELS][SIOX_MAX_LEVELS];
};
int siox__graph_make(struct siox__graph *graph, const struct siox_drive *drive,
                     enum siox_oracle_ways kind);
void siox__graph_free(struct siox__graph *graph);

/* One way through a gap, found for its length. */
struct siox__plan {
  double joules; /* INFINITY: none */
  const struct siox__way *way;
  int64_t turn_ns; /* > 0: instead, towards the lowest level, turned round after this time */
  /* Last gap: after the way the disk is sent to last_level so long before the end. 0: it is not. */
  int64_t last_ns;
  uint32_t to, last_level; /* to: level at the end of the way */
};
/* The cheapest way from level to level in exactly gap ns. */
struct siox__plan siox__plan_gap(const struct siox__graph *graph, uint32_t from, uint32_t to,
                                 int64_t gap);
/* What a way costs when the disk may be late: the gap lasts longer by late_s. */
struct siox__choice {
  double joules, late_s;
};
/* All choices that are best for some price of lateness, at most siox__most_choices; their number.
 */
uint32_t siox__choices(const struct siox__graph *graph, uint32_t from, uint32_t to, int64_t gap,
                       struct siox__choice *out);
uint32_t siox__most_choices(const struct siox__graph *graph);
/* The cheapest way through the last gap, with the joules of the change to end_level after it. */
struct siox__plan siox__plan_end(const struct siox__graph *graph, uint32_t from, uint32_t end_level,
                                 int64_t gap);
typedef void (*siox__command_fn)(void *context, int64_t at, uint32_t level);
/* Tells the commands (command may be NULL) of a plan for the gap from start to end; their number.
 */
uint32_t siox__plan_tell(const struct siox__graph *graph, uint32_t from,
                         const struct siox__plan *plan, int64_t start, int64_t end,
                         siox__command_fn command, void *context);
#endif
