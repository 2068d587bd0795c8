/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where in the collector's series a provider's metric stands. Thousands of processes come and go,
 * each with several metrics, so they are not looked for one by one. Made for one list and thrown
 * away. */
#ifndef SIOX_MONITOR_PLACES_H
#define SIOX_MONITOR_PLACES_H
#include "siox/collector.h"

struct siox__places {
  size_t *slot; /* series + 1; 0: free */
  size_t mask;
};

/* Of the provider's series, with room for `more`. SIOX_ENOMEM. */
int siox__places_new(struct siox__places *p, const struct siox_series *series, size_t n,
                     const struct siox_provider *provider, size_t more);
void siox__places_free(struct siox__places *p);
/* The series with that metric's name and place; SIZE_MAX: there is none. */
size_t siox__places_find(const struct siox__places *p, const struct siox_series *series,
                         const struct siox_metric *metric);
/* One that is not there yet. */
void siox__places_add(struct siox__places *p, const struct siox_metric *metric, size_t at);

#endif
