/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What serving at a lower level costs a job, and whether its delay budget has room for it. The bank
 * measures what a job has spent (siox_job_view); here is kept what a burst of requests costs on
 * each disk at each level. Pure; state for siox. */
#ifndef SIOX_ARBITER_BUDGET_H
#define SIOX_ARBITER_BUDGET_H
#include "arbiter/rule.h"

struct siox__burst {
  int64_t cost[SIOX_MAX_LEVELS]; /* ns that its requests take longer than at full speed */
  bool any;
};
struct siox__budget_disk {
  struct siox__burst now, last;
  int64_t start, period; /* of the burst now; from one burst's start to the next's, 0: not known */
  int64_t end;           /* of its last request */
  uint32_t level;        /* 1 + the level below the need that it was served at last, 0: none */
  bool serving;          /* a need in force is served at the present level within the budget */
  bool told;             /* and has been counted */
};
struct siox__budget {
  bool on;
  struct siox__budget_disk *disk;
};
size_t siox__budget_size(uint32_t ndisks);
void siox__budget_init(struct siox__budget *budget, void *memory, const struct siox_view *view);
/* A request was served. True when a need is served at this level though the budget is spent and the
 * burst has already cost as much as the way up: then the way up is the smaller loss. */
bool siox__budget_note(struct siox__budget *budget, const struct siox_served *served,
                       const struct siox_view *view);
/* ns that the job may still lose; negative when it has overspent. */
int64_t siox__budget_room(const struct siox_view *view, uint32_t job, int64_t now);
/* How many bursts like the last one the job can afford at the level; 0 when there was none yet,
 * INFINITY when it earns what they cost. */
double siox__budget_bursts(const struct siox__budget *budget, const struct siox_view *view,
                           uint32_t job, int64_t now, uint32_t disk, uint32_t level);
#endif
