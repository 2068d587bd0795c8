/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of the activities: activities.c lets processes in and out, activities_total.c adds up what
 * they did, activities_cycle.c tells what came since the last cycle. */
#ifndef SIOX_DAEMON_ACTIVITIES_INTERNAL_H
#define SIOX_DAEMON_ACTIVITIES_INTERNAL_H
#include "common/tally.h"
#include "daemon/activities.h"
#include "daemon/spread.h"
#include <pthread.h>

enum { SIOX__ACTIVITY_CHAINS = 1024 };

struct siox__slot { /* what each cycle looks at, of all slots of all processes */
  uint64_t calls;   /* at the last cycle */
  uint16_t row;
  uint8_t size_class;
  bool known;  /* what it is of */
  bool gained; /* in this cycle */
};
struct siox__seen { /* and where calls came */
  struct siox_tally_sum last, gain;
};
struct siox__sums { /* of a row */
  uint64_t calls, bytes, errors, total_ns;
  int64_t longest_ns;
};
struct siox__active_job {
  struct siox__active_job *next; /* of its chain */
  uint32_t serial, nrows;
  struct siox__left_out left_out;
  struct siox__spread spread;      /* of those that left */
  struct siox__tallied *processes; /* that have not left */
  struct siox__active_row {
    uint16_t row;
    struct siox__sums sums;
  } *row; /* of those that left */
};
struct siox__tallied {
  size_t at;                                 /* among all */
  struct siox__tallied *like, *like_b;       /* of the pid's chain: next, before */
  struct siox__tallied *sibling, *sibling_b; /* of the job: next, before */
  const struct siox_tally *tally;
  int32_t pid, rank;
  int64_t came_ns;
  uint32_t job;
  bool left, told;        /* has left, and been in a cycle since */
  bool active;            /* has something to tell of this cycle */
  uint64_t partial, lost; /* at the last cycle, and come in it */
  unsigned nseen;
  struct siox__slot *slot;
  struct siox__seen *seen; /* beside slot */
};
struct siox__activities {
  pthread_mutex_t lock;
  bool cycles;
  unsigned owners, left;
  uint64_t refused;
  struct siox__tallied **all; /* a list would be read one after the other */
  size_t nall, room;
  struct siox__tallied *by_pid[SIOX__ACTIVITY_CHAINS];
  struct siox__active_job *chain[SIOX__ACTIVITY_CHAINS];
  /* the cycles' own */
  size_t nkinds;
  uint16_t kind_of[SIOX_TALLY_ROWS];     /* + 1 */
  struct siox_activity_kind *kind, *one; /* the node's and a process's */
  struct siox_activity_summary node, own;
  int64_t now_ns; /* of the last cycle */
  /* By chain of pids: has a process of it anything to tell of this cycle? Only the thread of the
   * cycles looks, so without the lock. */
  bool active[SIOX__ACTIVITY_CHAINS];
};

static inline size_t siox__chain_of(int32_t pid) { return (uint32_t)pid % SIOX__ACTIVITY_CHAINS; }

/* All of these under the lock. */
static inline struct siox__tallied **siox__tallied_chain(struct siox__activities *a, int32_t pid) {
  return &a->by_pid[siox__chain_of(pid)];
}
/* Where the job is, or NULL is that a new one goes to. */
struct siox__active_job **siox__active_job(struct siox__activities *a, uint32_t serial);
/* What the job keeps of a process that leaves; without memory it keeps less. */
void siox__active_job_keep(struct siox__active_job *job, const struct siox__tallied *p);
void siox__tallied_discard(struct siox__activities *a, struct siox__tallied *p);

#endif
