/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose the processors' joules are (docs/semantics.md, "Energy"): the dynamic part by processor
 * time, the static part by allocated core-seconds, the rest idle. Disks' joules are attributed
 * where they arise (siox/bank.h). Pure; thread-safe. */
#ifndef SIOX_ATTRIBUTION_H
#define SIOX_ATTRIBUTION_H
#include "siox/error.h"
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

struct siox_cpu_interval { /* all finite, none negative; else SIOX_ERANGE */
  double joules;           /* of all packages in the interval */
  double seconds;          /* its length, > 0 */
  double static_w; /* what the packages draw with nothing to do; 0: not known, and everything is
                      dynamic */
  double cores;    /* > 0 */
  double busy_s;   /* processor seconds of everybody */
};
struct siox_cpu_share {       /* of one job */
  double busy_s;              /* its processes' processor seconds */
  double cores;               /* allocated to it */
  double dynamic_j, static_j; /* out */
};
struct siox_cpu_rest {
  double idle_j; /* static, of cores that nobody has; dynamic, when nothing was busy at all */
  double unattributed_j; /* dynamic, of processes of no job */
};
/* Where jobs' times add up to more than busy_s (the two are not read at once), or their cores to
 * more than there are (oversubscription), shares are in proportion. Sums over jobs and rest are the
 * joules, to rounding. */
int siox_attribute_cpu(const struct siox_cpu_interval *interval, struct siox_cpu_share *jobs,
                       size_t n, struct siox_cpu_rest *rest);

/* Learns what the packages draw with nothing to do: the least average over ten seconds with the
 * processors at most 5 % busy. 0 until there was such a time. Starts zeroed. */
struct siox_idle_power {
  double watts;           /* learned; 0: not yet */
  double joules, seconds; /* of the time that is looked at */
};
void siox_idle_power_take(struct siox_idle_power *p, double joules, double seconds,
                          double utilisation);

#ifdef __cplusplus
}
#endif
#endif
