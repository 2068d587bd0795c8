/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The built-in providers, one file each: provider_NAME.c. */
#ifndef SIOX_MONITOR_BUILTIN_H
#define SIOX_MONITOR_BUILTIN_H
#include "siox/provider.h"

#define SIOX_PROVIDER(name) extern const struct siox_provider siox__provider_##name;
#include "siox/providers.def"
#undef SIOX_PROVIDER

/* Is it one of the metrics of siox__provider_processes, which has none before processes come? */
int siox__processes_measure(const char *metric);

/* One that only a running daemon has (daemon/drives.h). Nodes with more disks than MOST are not
 * measured drive by drive: each costs four metrics a cycle. */
#define SIOX__DRIVES_NAME "drives"
#define SIOX__DRIVES_ABOUT                                                                         \
  "what each emulated drive did: requests, bytes, time of a request, joules"
enum { SIOX__DRIVES_PRIORITY = 1, SIOX__DRIVES_MOST = 256 };

#endif
