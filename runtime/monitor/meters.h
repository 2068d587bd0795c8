/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Meters that are files with one number each. Where two files show the same hardware counter
 * (mirrored dies; AMD's packages seen again from every NUMA node) its joules count once. */
#ifndef SIOX_MONITOR_METERS_H
#define SIOX_MONITOR_METERS_H
#include "monitor/input.h"
#include "monitor/metrics.h"

struct siox__meter {
  struct siox__input in;
  int twin;     /* the earlier meter of the same counter; -1: none is known */
  bool settled; /* nothing more will be learnt of that */
};
struct siox__meters {
  struct siox__metrics metrics;
  struct siox__meter *list; /* beside metrics.list */
  size_t room;
};
/* Adds a meter of the file root/path, and gives its metric to fill in; NULL: out of memory or the
 * path is too long. Gauges have metric->scale of the unit a number, as counters do. */
struct siox_metric *siox__meters_add(struct siox__meters *m, const char *root, const char *path,
                                     enum siox_metric_kind kind, const char *name,
                                     const char *where, const char *unit);
/* After the last add: looks for counters that are shown twice. True: flags of metrics changed. */
bool siox__meters_settle(struct siox__meters *m);
/* What a provider's read() does: 0, or 1 where flags of metrics changed. */
int siox__meters_read(struct siox__meters *m, struct siox_reading *readings);
void siox__meters_free(struct siox__meters *m);

/* Watts that nothing of the domain reaches for as long as a cycle, where no limit can be read. */
double siox__meter_most(enum siox_domain domain);

#endif
