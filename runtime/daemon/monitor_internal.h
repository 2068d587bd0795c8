/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of the monitor: monitor.c is its thread, monitor_providers.c what it reads, monitor_tell.c
 * what others ask of it. */
#ifndef SIOX_DAEMON_MONITOR_INTERNAL_H
#define SIOX_DAEMON_MONITOR_INTERNAL_H
#include "daemon/cycles.h"
#include "daemon/findings.h"
#include "daemon/monitor.h"
#include "daemon/watch.h"
#include <pthread.h>
#include <stdatomic.h>

struct siox__monitor {
  bool fresh; /* the loop's own: whom it answers now */
  struct siox__monitor_env env;
  const struct siox__log *log;
  int64_t period_ns; /* now; `usual_ns` unless a trigger wants another */
  int64_t usual_ns;
  struct siox_modules modules; /* settings live as long as the providers */
  struct siox__drives *drives;
  struct siox_collector *collector; /* the thread's own */
  struct siox__activities *activities;
  json_t *sources; /* complete before the thread begins, but for notes */
  struct siox__statistics *statistics;
  struct siox__energies *energies;
  struct siox__nodes *nodes;   /* NULL: there are no others */
  struct siox__watch *watch;   /* the thread's own, as */
  struct siox__watched judged; /* what it says */
  struct siox__process *known; /* the thread's own copy of processes */
  size_t nknown;
  uint64_t known_lists; /* that it was given */
  _Atomic uint32_t ranks, stripes;
  _Atomic uint32_t mode; /* enum siox_record */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t end;
  /* under the lock */
  bool ending;
  struct siox__ledger ledger;
  struct siox__ledger each_second; /* a copy, for those who may not look more often */
  int64_t copied_ns;
  struct siox__process *processes;     /* each once, by rising pid */
  struct siox__ledger_process *owners; /* the same for the ledger */
  size_t nprocesses;
  bool changed; /* processes: the collector does not know them yet */
  uint64_t cycles, late;
  bool ended;          /* the thread has */
  json_t *utilisation; /* of the last cycle */
  struct siox__watched told;
  struct siox__findings findings;
  struct siox__domains domains, domains_each_second; /* like the ledgers */
  struct siox__cycles kept;
  bool last;                       /* siox__monitor_last was called */
  struct siox__triggers *triggers; /* NULL: none */
};

/* The providers that monitor.yaml names, or all that work here. */
int siox__monitor_add_providers(struct siox__monitor *m, const struct siox_config *config,
                                const char *root, struct siox_diag *diag);

#endif
