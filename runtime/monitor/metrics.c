/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lists of metrics that grow. */
#include "monitor/metrics.h"
#include <stdio.h>
#include <stdlib.h>

void siox__printable(char *text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~')
      *text = '?';
}

static void copy(char *to, size_t size, const char *from) {
  snprintf(to, size, "%s", from);
  siox__printable(to);
}

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
  copy(added->name, sizeof added->name, name);
  copy(added->where, sizeof added->where, where);
  copy(added->unit, sizeof added->unit, unit);
  return added;
}

void siox__metrics_free(struct siox__metrics *m) {
  free(m->list);
  *m = (struct siox__metrics){0};
}
