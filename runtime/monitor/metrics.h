/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A provider's list of metrics, and the words for adding to it. */
#ifndef SIOX_MONITOR_METRICS_H
#define SIOX_MONITOR_METRICS_H
#include "siox/provider.h"
#include <stdbool.h>
#include <string.h>

struct siox__metrics {
  struct siox_metric *list;
  size_t n, room;
};
/* Adds a zeroed metric with these texts (cut where they are too long); NULL: out of memory. */
struct siox_metric *siox__metrics_add(struct siox__metrics *m, enum siox_metric_kind kind,
                                      const char *name, const char *where, const char *unit);
void siox__metrics_free(struct siox__metrics *m);

/* Whether a metric has this name. Asked of all series in each cycle, and most begin otherwise. */
static inline bool siox__is_named(const struct siox_metric *m, const char *name) {
  return m->name[0] == name[0] && strcmp(m->name, name) == 0;
}

/* What files, networks and devices are called may be any bytes; shown they go to terminals and into
 * JSON. Those that are no printable ASCII become ?. */
void siox__printable(char *text);

#endif
