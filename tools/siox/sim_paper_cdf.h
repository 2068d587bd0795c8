/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long disks are idle: the periods between what they serve, and their distribution. */
#ifndef SIOX_TOOLS_SIM_PAPER_CDF_H
#define SIOX_TOOLS_SIM_PAPER_CDF_H
#include "timeline.h"

struct sim_idle {
  double *seconds; /* ascending once sim_idle_sort was called */
  double *sum;     /* of the first so many: count + 1; from then on */
  size_t count, room;
};
/* Adds a disk's periods between start and end, in ns, that no request covers; requests are in order
 * of time and do not overlap. A disk that serves nothing has one. SIOX_ENOMEM. */
int sim_idle_add(struct sim_idle *idle, const struct timeline_request *request, size_t count,
                 int64_t start, int64_t end);
int sim_idle_sort(struct sim_idle *idle); /* SIOX_ENOMEM */
/* Part of the periods that are not longer, and of the idle time that lies in such; 0 when there are
 * none. */
double sim_idle_by_count(const struct sim_idle *idle, double seconds);
double sim_idle_by_time(const struct sim_idle *idle, double seconds);
void sim_idle_free(struct sim_idle *idle);

#endif
