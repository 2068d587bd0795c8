/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of nodes: siox/exchange.h. */
#include "siox/exchange.h"
#include <stdlib.h>
#include <string.h>

int siox_exchange_start(struct siox_exchange *x, size_t most, uint64_t stale) {
  *x = (struct siox_exchange){.most = most, .stale = stale};
  return most > 0 ? 0 : SIOX_EINVAL;
}

void siox_exchange_end(struct siox_exchange *x) {
  free(x->node);
  *x = (struct siox_exchange){0};
}

static bool is_stale(const struct siox_exchange *x, const struct siox__heard_node *node,
                     uint64_t cycle) {
  return !node->report.leased && cycle > node->heard && cycle - node->heard > x->stale;
}

/* Another node's place where the report of that one is stale, or one more. */
static struct siox__heard_node *place(struct siox_exchange *x, uint64_t cycle) {
  if (x->n < x->most) {
    struct siox__heard_node *more = realloc(x->node, (x->n + 1) * sizeof *more);
    if (!more)
      return NULL;
    x->node = more;
    return &x->node[x->n++];
  }
  for (size_t i = 0; i < x->n; i++)
    if (is_stale(x, &x->node[i], cycle))
      return &x->node[i];
  return NULL;
}

int siox_exchange_take(struct siox_exchange *x, const struct siox_node_report *r, uint64_t cycle) {
  if (!*r->name || !memchr(r->name, 0, sizeof r->name) || (unsigned)r->state >= SIOX_NCONDITIONS ||
      (unsigned)r->verdict > SIOX_VERDICT_UNCLEAR)
    return SIOX_EINVAL;
  struct siox__heard_node *node = NULL;
  for (size_t i = 0; i < x->n && !node; i++)
    if (strcmp(x->node[i].report.name, r->name) == 0)
      node = &x->node[i];
  /* A daemon that was started again counts from 1: it is believed once the one before is stale. */
  if (node && r->number <= node->report.number && !is_stale(x, node, cycle)) {
    x->ignored++;
    return 1;
  }
  if (!node && !(node = place(x, cycle)))
    return x->n < x->most ? SIOX_ENOMEM : SIOX_EFULL;
  *node = (struct siox__heard_node){.report = *r, .heard = cycle};
  return 0;
}

void siox_exchange_forget(struct siox_exchange *x, const char *name) {
  size_t i = 0;
  while (i < x->n && strcmp(x->node[i].report.name, name) != 0)
    i++;
  if (i < x->n)
    memmove(&x->node[i], &x->node[i + 1], (--x->n - i) * sizeof *x->node);
}

size_t siox_exchange_children(const struct siox_exchange *x, uint64_t cycle,
                              struct siox_child *children, size_t max) {
  size_t n = 0;
  for (size_t i = 0; i < x->n; i++) {
    const struct siox__heard_node *node = &x->node[i];
    if (is_stale(x, node, cycle))
      continue;
    if (n < max)
      children[n] =
          (struct siox_child){node->report.name, node->report.state, node->report.verdict};
    n++;
  }
  return n;
}
