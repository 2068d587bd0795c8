/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A node's report as the others get it, and when it is written. Pure; thread-safe. */
#ifndef SIOX_DAEMON_NODES_TEXT_H
#define SIOX_DAEMON_NODES_TEXT_H
#include "siox/exchange.h"

enum { SIOX__NODE_VALUE = 512 }; /* bytes that a report has at most */

/* owner: 16 hexadecimal digits that tell one daemon from another of the same name. The length
 * without the 0. */
int siox__node_value_put(const struct siox_node_report *report, const char *owner, char *text,
                         size_t size);
/* All but the name. SIOX_ESYNTAX, SIOX_ERANGE: it is no report; *report is not changed. */
int siox__node_value_get(const char *text, size_t length, struct siox_node_report *report,
                         char owner[17]);

/* What of this node's cycles is written. A state is written when it changes; between two writes
 * lies half a second, at the end of which the worst state since is written, for one bad cycle is to
 * be heard, too. A state that stays is written again now and then. The more nodes there are the
 * rarer is what stays, and what changes again and again: a node that was quiet has four changes
 * before that, so that what it says is not held for long. */
struct siox__node_pace {
  struct siox_node_report latest, worst; /* worst: of the cycles after what was written */
  struct siox_node_report written;
  bool is_written; /* as far as is known */
  int64_t told_ns, written_ns, interval_ns;
  int64_t used_ns; /* until then this node's share of writes is used up */
};
/* A cycle has ended. */
void siox__node_pace_tell(struct siox__node_pace *p, const struct siox_node_report *own,
                          int64_t now_ns);
/* True: *report is to be written now, and counts as written. nodes: how many there are. */
bool siox__node_pace_due(struct siox__node_pace *p, size_t nodes, int64_t now_ns,
                         struct siox_node_report *report);
/* After siox__node_pace_due: when to ask it, or siox__node_pace_dead, without another call of
 * siox__node_pace_tell; INT64_MAX: not at all. */
int64_t siox__node_pace_next(const struct siox__node_pace *p, size_t nodes, int64_t now_ns);
/* True: no cycle was told for so long that this node is to be taken for dead. */
bool siox__node_pace_dead(const struct siox__node_pace *p, int64_t now_ns);

#endif
