/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Providers over a file with a line a place: /proc/diskstats, /proc/net/dev. Lines may come and go.
 */
#ifndef SIOX_MONITOR_TABLE_H
#define SIOX_MONITOR_TABLE_H
#include "monitor/input.h"
#include "monitor/metrics.h"

struct siox__table_column {
  const char *metric, *unit;
  double scale;
  uint64_t wrap;
  enum siox_metric_kind kind;
  enum siox_polarity polarity;
  unsigned number; /* of the numbers behind the name, from 0 */
};
struct siox__table {
  const char *path;
  const struct siox__table_column *columns;
  size_t ncolumns;
  /* The name that a line begins with, and its numbers behind it; false: no place that is wanted. */
  bool (*line)(const char *text, char *name, size_t size, const char **numbers);
  /* Whether the place of that name is wanted, where that takes a look elsewhere; the answer holds
   * for some seconds. NULL: all are. */
  bool (*wanted)(const char *root, const char *name);
};
struct siox__table_state;

int siox__table_open(const struct siox__table *table, const struct siox_provider_env *env,
                     const char *provider, struct siox__table_state **state,
                     struct siox_diag *diag);
size_t siox__table_metrics(void *state, const struct siox_metric **out);
int siox__table_read(void *state, int64_t now_ns, struct siox_reading *readings);
void siox__table_close(void *state);

#endif
