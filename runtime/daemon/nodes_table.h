/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The nodes that were heard, by name, and what of that is news. Pure; not thread-safe. */
#ifndef SIOX_DAEMON_NODES_TABLE_H
#define SIOX_DAEMON_NODES_TABLE_H
#include "daemon/nodes.h"

struct siox__heard {
  struct siox_node_report report;
  char owner[17];
  bool gone, listed; /* listed: in the list that is being read */
  bool news, forget; /* not given out yet; and another daemon's was, before */
};
struct siox__nodes_table {
  struct siox__heard *node; /* by name */
  size_t n, room, most;
  size_t live; /* not gone */
};

void siox__nodes_table_free(struct siox__nodes_table *t);
/* A node's report: SIOX_EFULL, SIOX_ENOMEM. */
int siox__nodes_table_put(struct siox__nodes_table *t, const struct siox_node_report *report,
                          const char *owner);
void siox__nodes_table_drop(struct siox__nodes_table *t, const char *name);
/* Between these, what is not put is gone. */
void siox__nodes_table_list_begins(struct siox__nodes_table *t);
void siox__nodes_table_list_ends(struct siox__nodes_table *t);
void siox__nodes_table_drop_all(struct siox__nodes_table *t);
size_t siox__nodes_table_news(struct siox__nodes_table *t, struct siox__node_news *news,
                              size_t max);

#endif
