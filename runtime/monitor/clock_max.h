/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The greatest clock that a processor of the node can have (cpufreq/cpuinfo_max_freq). */
#ifndef SIOX_MONITOR_CLOCK_MAX_H
#define SIOX_MONITOR_CLOCK_MAX_H

double siox__clock_max(const char *root); /* Hz; 0: not known */

#endif
