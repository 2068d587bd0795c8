/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The processors' joules of each job, cycle by cycle. Pure; not thread-safe per object. */
#ifndef SIOX_MONITOR_LEDGER_H
#define SIOX_MONITOR_LEDGER_H
#include "siox/attribution.h"
#include "siox/collector.h"

struct siox__ledger_process {
  int32_t pid;
  uint32_t job;
};
struct siox__ledger_job {
  uint32_t job;
  double joules; /* dynamic and static */
  double busy_s;
};
struct siox__ledger_busy { /* a series of a process' time, as it was when it moved last */
  uint32_t series, generation;
  int32_t pid;
  uint32_t place; /* among the processes, the last time */
  bool held;      /* it was not its turn, */
  double rate;    /* and this is what it is taken to use a second */
  double ahead_s; /* it has been taken to use so, beyond what is known of it */
  double busy_s;  /* of this cycle */
};
struct siox__ledger {
  struct siox__ledger_job *job;
  struct siox_cpu_share *share; /* beside job, of this cycle */
  size_t njobs, room;
  size_t last;                    /* job that was looked for */
  struct siox__ledger_busy *busy; /* when the lists were these, in the order of the series */
  size_t nbusy;
  uint32_t *at; /* of each series, into busy + 1; 0: it is none of these */
  size_t nat;
  uint64_t lists;
  /* The first is the sum of all jobs' and of the rest. */
  double joules, idle_j, unattributed_j, forgotten_j;
  double joules_lost_s;    /* seconds of which no meter said anything */
  bool metered, estimated; /* whether there is a source at all, and of some of it a model */
  const char *source;      /* the provider's name; NULL: none */
  /* Since joules were last attributed: a meter that says nothing for a cycle says it with the next
   * reading. Jobs' parts stand in share. */
  double waiting_s, waiting_busy_s;
  /* And joules wait for processor times that could not be read: the next reading has them. */
  double waiting_j, waiting_span_s;
  uint32_t held; /* cycles in a row */
  struct siox_idle_power idle_power;
};

/* A cycle, with the processes that belong to jobs, each once and by rising pid. A process that
 * ended in it leaves what it used since the cycle before unattributed. One that was not read in
 * this cycle (SIOX_SAMPLE_HELD) is taken to use what it did when it was; its next reading makes up
 * for what was wrong in that. Each job is allocated a core a process. SIOX_ENOMEM: the cycle is not
 * in it. */
int siox__ledger_take(struct siox__ledger *l, const struct siox_cycle *cycle,
                      const struct siox__ledger_process *processes, size_t n);
/* What a job has taken is told with all forgotten ones' from now on; a job that is not there is
 * none. */
void siox__ledger_forget(struct siox__ledger *l, uint32_t job);
/* The same figures in another ledger, which is never given a cycle; SIOX_ENOMEM: it keeps its own.
 */
int siox__ledger_copy(struct siox__ledger *to, const struct siox__ledger *from);
void siox__ledger_free(struct siox__ledger *l);

#endif
