/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The states of all nodes of a system, through etcd: PREFIX/v1/nodes/NAME has the last report of a
 * node, as long as its daemon keeps its lease. The monitor's thread hands over its own report and
 * takes what was heard, and never waits; a thread of its own talks to etcd. What others write there
 * is not trusted: it is checked, bounded, and counted where it is nothing. */
#ifndef SIOX_DAEMON_NODES_H
#define SIOX_DAEMON_NODES_H
#include "common/log.h"
#include "siox/config.h"
#include "siox/exchange.h"
#include <jansson.h>

struct siox__nodes;

/* *out NULL with 0: no etcd is set. What is wrong in the settings is an error; that no server
 * answers is none. */
int siox__nodes_start(struct siox__nodes **out, const struct siox_config *config,
                      const struct siox__log *log, struct siox_diag *diag);
/* Nothing is written or heard any more, and the others are told; the rest may still be called. */
void siox__nodes_stop(struct siox__nodes *n);
void siox__nodes_free(struct siox__nodes *n);

/* These, and those, are harmless with NULL. */
void siox__nodes_tell(struct siox__nodes *n, const struct siox_node_report *own);
struct siox__node_news {
  struct siox_node_report report;
  bool forget; /* what is known of it, first; */
  bool gone;   /* and that is all */
};
/* What has changed since the last call, each node once; the rest, beyond max, next time. */
size_t siox__nodes_news(struct siox__nodes *n, struct siox__node_news *news, size_t max);
/* For the status; all: with the single nodes. NULL: no etcd is set. */
json_t *siox__nodes_json(struct siox__nodes *n, bool all);

#endif
