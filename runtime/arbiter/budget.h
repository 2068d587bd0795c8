/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* At which level a disk serves the needs of jobs that have a delay budget. The bank measures what
 * each job has lost, and what it would have lost at each level (siox_job_view); here is kept what a
 * cycle of burst and gap costs each disk in joules. Pure; state for siox. */
#ifndef SIOX_ARBITER_BUDGET_H
#define SIOX_ARBITER_BUDGET_H
#include "arbiter/pause.h"
#include "arbiter/rule.h"
#include "arbiter/service.h"

struct siox__budget_disk {
  double active[SIOX_MAX_LEVELS]; /* J that the requests since the last gap began take at a level */
  int64_t cost[SIOX_MAX_LEVELS];  /* ns that they take longer there than at full speed */
  int64_t burst[SIOX_MAX_LEVELS]; /* the same of the requests before the last gap */
  double cycle[SIOX_MAX_LEVELS];  /* J that a burst and its gap take, on average */
  double work[SIOX_MAX_LEVELS];   /* ns that all requests of late would have taken at a level, */
  double span;                    /* of so many ns */
  int64_t since, period;    /* the last gap's beginning; ns from one to the next, on average */
  int64_t longest, usual;   /* ns: gaps of late */
  int64_t gap, told_end;    /* the last one and its end, as they were told last */
  int64_t paid_at, deposit; /* the last step that requests waited for; ns of savings that the next
                               one down needs beyond its own time */
  int64_t tried_until;      /* a lower level: what it costs is not known before, */
  int64_t stepped;          /* and since when it has been chosen */
  int64_t look_at;          /* in a pause that nobody has told of, to choose again; 0: never */
  uint32_t serve;           /* needs within a budget are served at this level at most */
  uint32_t overlapped;      /* ends of bursts without a gap */
  bool used;                /* requests since the last gap began */
  bool known;               /* cycle and period are, */
  bool first;               /* from one cycle only */
  bool untold;              /* nobody has told of the present gap */
  bool spends;              /* savings are spent on a level that is not earned */
  bool told;                /* that a need is served below what it asks for was counted */
};
struct siox__budget {
  bool on;
  int64_t paid_at; /* when disks went from a level to another though requests wait for it */
  uint32_t paid_from, paid_to;
  struct siox__services services;
  struct siox__pauses pauses;
  struct siox__budget_disk *disk;
};
size_t siox__budget_size(uint32_t ndisks);
void siox__budget_init(struct siox__budget *budget, void *memory, const struct siox_view *view);
/* A request was served. True when a need is served at this level though the budget is spent and the
 * burst has already cost as much as the way up: then the way up is the smaller loss, and the disk
 * serves at full speed from now on. */
bool siox__budget_note(struct siox__budget *budget, const struct siox_served *served,
                       const struct siox_view *view);
/* A job has let the disk go; nobody needs it from `free_from` until `next`: chooses the level to
 * serve at then. */
void siox__budget_choose(struct siox__budget *budget, const struct siox_view *view, int64_t now,
                         uint32_t disk, int64_t free_from, int64_t next);
/* The same where all who need the disk are silent, and likely to be until `next`: as many pauses of
 * theirs as `seen` have been that long. */
void siox__budget_pause(struct siox__budget *budget, const struct siox_view *view, int64_t now,
                        uint32_t disk, int64_t next, uint32_t seen);
/* ns of the change to a level; SIOX_NEVER when the profile lacks it. */
int64_t siox__budget_change(const struct siox_disk_view *v, uint32_t level);
/* ns that the job may still lose; negative when it has overspent. */
int64_t siox__budget_room(const struct siox_view *view, uint32_t job, int64_t now);
#endif
