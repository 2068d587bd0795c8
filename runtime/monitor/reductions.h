/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To which time a sample belongs, and how much of it: for all that reduces samples. Pure. */
#ifndef SIOX_MONITOR_REDUCTIONS_H
#define SIOX_MONITOR_REDUCTIONS_H
#include "siox/reductions.h"

/* The middle of the time that the sample stands for, a gauge's that of its reading; how many
 * seconds it counts for. A gauge's first reading stands for no time; it counts for a nanosecond, so
 * that it is the average of itself. */
int64_t siox__sample_at(const struct siox_cycle *cycle, const struct siox_series *s,
                        double *seconds);
/* Of the interval of that length in which a time lies; rounded down, for times before 0, too. */
int64_t siox__interval_number(int64_t ns, int64_t length_ns);

#endif
