/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What /sys says of the `power` PMU: its events, and the processors to count them on. */
#ifndef SIOX_MONITOR_PERF_TREE_H
#define SIOX_MONITOR_PERF_TREE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIOX__PERF_PMU "/sys/bus/event_source/devices/power"
enum { SIOX__PERF_CPUS = 64 };

struct siox__perf_event {
  uint64_t config;
  double scale; /* J a count */
};
/* An event of joules by its name ("energy-pkg"): 0, or what is wrong with it. */
int siox__perf_event(const char *root, const char *name, struct siox__perf_event *e);

struct siox__perf_cpu {
  int number;
  uint64_t package, die;
  bool known;     /* where it is */
  bool mirror;    /* of an earlier one */
  char where[40]; /* "package-0"; "package-0-die-1" where a package has several; "cpu3" where
                     nobody says */
};
/* The processors of a mask ("0,18", "0-1"), which has one a package, or one a die. Those of the
 * same die are one meter and stand here once. AMD's registers are a package's, so that dies of one
 * package mirror each other. */
int siox__perf_cpus(const char *root, const char *mask, struct siox__perf_cpu cpus[SIOX__PERF_CPUS],
                    size_t *n);

#endif
