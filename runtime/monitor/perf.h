/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The perf provider's way to the kernel, apart from its reading of /sys: perf_event_open cannot be
 * sent to a captured tree. */
#ifndef SIOX_MONITOR_PERF_H
#define SIOX_MONITOR_PERF_H
#include "siox/provider.h"
#include <linux/perf_event.h>

struct siox__perf_calls {
  /* A descriptor of a counter of one processor and all its processes, or SIOX_EPERM, SIOX_ENOENT,
   * ... */
  int (*open)(void *context, const struct perf_event_attr *attr, int cpu);
  int (*read)(void *context, int fd, uint64_t *count);
  void (*close)(void *context, int fd);
  void *context;
};
/* What the provider's functions do, with these calls; NULL: the kernel's, which have no other
 * root. */
int siox__perf_open(const struct siox_provider_env *env, const struct siox__perf_calls *calls,
                    void **state, struct siox_diag *diag);
void siox__perf_probe(const struct siox_provider_env *env, const struct siox__perf_calls *calls,
                      struct siox_probe *probe);

#endif
