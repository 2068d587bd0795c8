/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A sorted array: names are looked up far more often than they come and go. */
#include "daemon/nodes_table.h"
#include <stdlib.h>
#include <string.h>

void siox__nodes_table_free(struct siox__nodes_table *t) {
  free(t->node);
  *t = (struct siox__nodes_table){.most = t->most};
}

/* Where it is, or would be. */
static size_t place(const struct siox__nodes_table *t, const char *name, bool *there) {
  size_t low = 0, high = t->n;
  *there = false;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = strcmp(t->node[middle].report.name, name);
    if (order == 0) {
      *there = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int insert(struct siox__nodes_table *t, size_t at) {
  if (t->live >= t->most || t->n >= 2 * t->most)
    return SIOX_EFULL;
  if (t->n == t->room) {
    const size_t room = t->room ? 2 * t->room : 16;
    struct siox__heard *more = realloc(t->node, room * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    t->node = more;
    t->room = room;
  }
  memmove(&t->node[at + 1], &t->node[at], (t->n - at) * sizeof *t->node);
  t->node[at] = (struct siox__heard){.gone = true};
  t->n++;
  return 0;
}

int siox__nodes_table_put(struct siox__nodes_table *t, const struct siox_node_report *report,
                          const char *owner) {
  bool there;
  const size_t at = place(t, report->name, &there);
  const int e = there ? 0 : insert(t, at);
  if (e < 0)
    return e;
  struct siox__heard *h = &t->node[at];
  if (there && h->gone && t->live >= t->most)
    return SIOX_EFULL;
  t->live += h->gone;
  h->forget |= *h->owner && strcmp(h->owner, owner) != 0;
  h->gone = false;
  h->listed = h->news = true;
  h->report = *report;
  h->report.leased = true;
  memcpy(h->owner, owner, sizeof h->owner);
  return 0;
}

static void drop(struct siox__nodes_table *t, struct siox__heard *h) {
  t->live -= !h->gone;
  h->news |= !h->gone;
  h->gone = h->forget = true;
}

void siox__nodes_table_drop(struct siox__nodes_table *t, const char *name) {
  bool there;
  const size_t at = place(t, name, &there);
  if (there)
    drop(t, &t->node[at]);
}

void siox__nodes_table_list_begins(struct siox__nodes_table *t) {
  for (size_t i = 0; i < t->n; i++)
    t->node[i].listed = false;
}

void siox__nodes_table_list_ends(struct siox__nodes_table *t) {
  for (size_t i = 0; i < t->n; i++)
    if (!t->node[i].listed)
      drop(t, &t->node[i]);
}

void siox__nodes_table_drop_all(struct siox__nodes_table *t) {
  siox__nodes_table_list_begins(t);
  siox__nodes_table_list_ends(t);
}

size_t siox__nodes_table_news(struct siox__nodes_table *t, struct siox__node_news *news,
                              size_t max) {
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < t->n; i++) {
    struct siox__heard *h = &t->node[i];
    if (h->news && n < max) {
      news[n++] =
          (struct siox__node_news){.report = h->report, .forget = h->forget, .gone = h->gone};
      h->news = h->forget = false;
    }
    if (!h->gone || h->news)
      t->node[kept++] = *h;
  }
  t->n = kept;
  return n;
}
