/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* likwid's functions, as the provider has found them, and its performance groups: floating-point
 * operations and bytes to memory, counted by the processors' events. Only where it was built with
 * likwid's header (SIOX_LIKWID). Not thread-safe, as likwid is not. */
#ifndef SIOX_MONITOR_LIKWID_H
#define SIOX_MONITOR_LIKWID_H
#include "monitor/metrics.h"
#include "siox/error.h"
#ifdef SIOX_LIKWID
#include <likwid.h>

/* What is used of it: LIKWID(name), resolved by dlsym and typed by its header. */
#define SIOX__LIKWID_FUNCTIONS                                                                     \
  LIKWID(topology_init)                                                                            \
  LIKWID(numa_init)                                                                                \
  LIKWID(affinity_init)                                                                            \
  LIKWID(get_cpuTopology)                                                                          \
  LIKWID(get_cpuInfo)                                                                              \
  LIKWID(HPMmode)                                                                                  \
  LIKWID(power_init)                                                                               \
  LIKWID(get_powerInfo)                                                                            \
  LIKWID(power_start)                                                                              \
  LIKWID(power_finalize)                                                                           \
  LIKWID(perfmon_setVerbosity)                                                                     \
  LIKWID(perfmon_init)                                                                             \
  LIKWID(perfmon_addEventSet)                                                                      \
  LIKWID(perfmon_setupCounters)                                                                    \
  LIKWID(perfmon_startCounters)                                                                    \
  LIKWID(perfmon_readGroupCounters)                                                                \
  LIKWID(perfmon_stopCounters)                                                                     \
  LIKWID(perfmon_getNumberOfMetrics)                                                               \
  LIKWID(perfmon_getMetricName)                                                                    \
  LIKWID(perfmon_getLastMetric)                                                                    \
  LIKWID(perfmon_getLastTimeOfGroup)                                                               \
  LIKWID(perfmon_finalize)

struct siox__likwid_functions {
#define LIKWID(name) __typeof__(&name) name;
  SIOX__LIKWID_FUNCTIONS
#undef LIKWID
};

/* The group whose events are counted. */
struct siox__likwid_group;
/* Begins to count on all processors, in direct access. Adds a counter to metrics for each kind of
 * likwid_metrics.def and package. SIOX_ENOENT: likwid has no such group for this processor, or it
 * measures nothing of these; SIOX_EIO, SIOX_ENOMEM. */
int siox__likwid_group_start(const struct siox__likwid_functions *call, const char *name,
                             struct siox__metrics *metrics, struct siox__likwid_group **out,
                             char *why, size_t size);
/* One reading for each metric that was added, in their order. */
void siox__likwid_group_read(struct siox__likwid_group *g, struct siox_reading *readings);
void siox__likwid_group_stop(struct siox__likwid_group *g); /* NULL is fine */

#endif
#endif
