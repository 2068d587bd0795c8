/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/metrics.h"
#include <stdio.h>
#include <stdlib.h>

struct siox_metric *siox__metrics_add(struct siox__metrics *m, enum siox_metric_kind kind,
                                      const char *name, const char *where, const char *unit) {
  if (m->n == m->room) {
    const size_t room = m->room ? 2 * m->room : 16;
    struct siox_metric *more = realloc(m->list, room * sizeof *more);
    if (!more)
      return NULL;
    m->list = more;
    m->room = room;
  }
  struct siox_metric *added = &m->list[m->n++];
  *added = (struct siox_metric){.kind = kind, .scale = 1};
  snprintf(added->name, sizeof added->name, "%s", name);
  snprintf(added->where, sizeof added->where, "%s", where);
  snprintf(added->unit, sizeof added->unit, "%s", unit);
  return added;
}

void siox__metrics_free(struct siox__metrics *m) {
  free(m->list);
  *m = (struct siox__metrics){0};
}
