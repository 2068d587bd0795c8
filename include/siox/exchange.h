/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the reasoner of the system knows of its nodes: the last report of each. Reports come as
 * messages, from this node as from others, once a cycle; they may be late, twice or out of order,
 * and a node may die without a word. The clocks of nodes are not one, so a report is as old as it
 * has been here, in cycles of whoever takes it. Pure; not thread-safe per object. */
#ifndef SIOX_EXCHANGE_H
#define SIOX_EXCHANGE_H
#include "siox/reasoner.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

struct siox_node_report {
  char name[64];             /* of the node, different from all others */
  uint64_t number;           /* of its cycle: grows, and begins anew with the node's daemon */
  enum siox_condition state; /* `fresh` of the node's report */
  enum siox_verdict verdict;
  bool leased; /* whoever brings it knows that its node lives, and says when it does no longer
                  (siox_exchange_forget): it does not grow stale */
};
struct siox_exchange {
  struct siox__heard_node {
    struct siox_node_report report;
    uint64_t heard; /* in this cycle */
  } *node;
  size_t n, most;
  uint64_t stale;   /* cycles after which a report says nothing any more */
  uint64_t ignored; /* reports that were not newer than what is known */
};
/* At most so many nodes; SIOX_EINVAL for none. */
int siox_exchange_start(struct siox_exchange *x, size_t most, uint64_t stale);
void siox_exchange_end(struct siox_exchange *x); /* harmless on a zeroed object */
/* A report has come in this cycle. 1: it is not newer than the last one of its node, which is not
 * stale, and is ignored; SIOX_EINVAL (no name, a name that does not end, a state or verdict that
 * there is not); SIOX_EFULL; SIOX_ENOMEM. */
int siox_exchange_take(struct siox_exchange *x, const struct siox_node_report *report,
                       uint64_t cycle);
/* Nothing is known of this node any more; harmless where nothing was. */
void siox_exchange_forget(struct siox_exchange *x, const char *name);
/* Those whose report is not stale, in the order of their first one, for a reasoner's `children`:
 * their number, of which the first max are in `children`. Names live until the next take or forget.
 */
size_t siox_exchange_children(const struct siox_exchange *x, uint64_t cycle,
                              struct siox_child *children, size_t max);

#ifdef __cplusplus
}
#endif
#endif
