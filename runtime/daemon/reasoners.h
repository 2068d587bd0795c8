/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reasoners that a daemon has: one for each process, the node's, and the system's, whose
 * children are the nodes that report. In a cycle states go up from the processes to the node and
 * from it to the system; what comes down is what was said above in the cycle before. Detectors run
 * once, for the whole node: an issue of a process' own metric (its place is PID@START) is the
 * process', the others are the node's. Not thread-safe: the monitor's thread calls all of it. */
#ifndef SIOX_DAEMON_REASONERS_H
#define SIOX_DAEMON_REASONERS_H
#include "siox/exchange.h"
#include "siox/modules.h"

enum {
  SIOX__PROCESSES_JUDGED = 4096, /* what others do is the node's */
  SIOX__PROCESSES_TOLD = 16,
};

struct siox__process {
  int32_t pid;
  uint32_t job;
  int32_t rank;     /* -1: none */
  char name[48];    /* of the job, for people */
  uint32_t client;  /* its number in the trace */
  uint32_t ranks;   /* of its job; 0: not known */
  char program[64]; /* its file name */
};
/* A process whose state is not GOOD. */
struct siox__judged_process {
  struct siox__process process;
  enum siox_condition state;
  enum siox_verdict verdict;
  enum siox_category category;
  char subject[112], evidence[320];
};
/* What all reasoners said of the last cycle. */
struct siox__levels {
  struct siox_report node, system;
  enum siox_condition above;            /* what the system said of the cycle before */
  uint32_t nodes;                       /* the system has heard of */
  uint32_t processes, judged, abnormal; /* that there are, that have a reasoner, and so are */
  enum siox_condition worst;            /* of a process */
  struct siox__judged_process told[SIOX__PROCESSES_TOLD]; /* the first ones */
  uint32_t ntold;
};

struct siox__reasoners_input {
  const struct siox_cycle *cycle;
  struct siox_issue *issues; /* of all detectors; put in another order */
  size_t nissues;
  const struct siox_activity_summary *activities; /* of the node; NULL: nobody sees any */
  /* Of a process; NULL: nobody sees any. The function may be NULL. */
  const struct siox_activity_summary *(*activities_of)(void *context, int32_t pid);
  void *context;
  const struct siox__process *processes; /* each once, by rising pid */
  size_t nprocesses;
  uint64_t lists;          /* grows whenever `processes` are others; 0: nobody counts */
  uint32_t ranks, stripes; /* see siox/reasoner.h */
  double clock_max_hz;
};

struct siox__reasoners;
/* modules NULL: the defaults of siox/reasoner.def. Errors name file, line and key. name: of this
 * node. */
int siox__reasoners_new(struct siox__reasoners **out, const struct siox_modules *modules,
                        const char *name, struct siox_diag *diag);
void siox__reasoners_free(struct siox__reasoners *r); /* NULL is fine */
/* Another node's report has come; that node is there no longer. */
int siox__reasoners_hear(struct siox__reasoners *r, const struct siox_node_report *report);
void siox__reasoners_forget(struct siox__reasoners *r, const char *name);
/* What the system was told of this node in the last cycle. */
const struct siox_node_report *siox__reasoners_own(const struct siox__reasoners *r);
void siox__reasoners_cycle(struct siox__reasoners *r, const struct siox__reasoners_input *input,
                           struct siox__levels *levels);
/* The process of whose metrics a place is; NULL: it is none's. processes: by rising pid. */
const struct siox__process *siox__process_of_place(const char *where,
                                                   const struct siox__process *processes, size_t n);
/* "rank 3 of JOB (pid 1234)". */
void siox__process_name(const struct siox__process *p, char *text, size_t size);

#endif
