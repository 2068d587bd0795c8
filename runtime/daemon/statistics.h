/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sink of statistics: minimum, maximum, average and sum of every series over the lengths of the
 * setting `statistics`, put into the store when an interval is over. A few bytes a series; what is
 * kept longer is in the store. For the monitor's thread; new and free while it does not run. */
#ifndef SIOX_DAEMON_STATISTICS_H
#define SIOX_DAEMON_STATISTICS_H
#include "siox/collector.h"
#include "siox/config.h"
#include "store/store.h"

struct siox__statistics;
/* *out NULL with 0: there is no database, or statistics are off. */
int siox__statistics_new(struct siox__statistics **out, const struct siox_config *config,
                         struct siox__store *store, struct siox_diag *diag);
/* One cycle more. Without memory for a new series that series is left out. */
void siox__statistics_cycle(struct siox__statistics *s, const struct siox_cycle *cycle);
/* Puts what the intervals that are not over have so far. NULL is fine. */
void siox__statistics_free(struct siox__statistics *s);

#endif
