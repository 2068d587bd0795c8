/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of nodes as JSON, and their pace. */
#include "daemon/nodes_text.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const int64_t S = INT64_C(1000000000);
static const int64_t GAP_NS = INT64_C(500000000); /* between two writes */
enum { AT_ONCE = 4 };                             /* changes of a node that was quiet */

int siox__node_value_put(const struct siox_node_report *r, const char *owner, char *text,
                         size_t size) {
  return snprintf(
      text, size, "{\"owner\":\"%s\",\"number\":%lld,\"state\":\"%s\",\"verdict\":\"%s\"}", owner,
      (long long)r->number, siox_condition_name(r->state), siox_verdict_name(r->verdict));
}

static bool owner_good(const char *owner) {
  return owner && strlen(owner) == 16 && strspn(owner, "0123456789abcdef") == 16;
}

int siox__node_value_get(const char *text, size_t length, struct siox_node_report *report,
                         char owner[17]) {
  if (length > SIOX__NODE_VALUE)
    return SIOX_ERANGE;
  json_t *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
  const char *who = json_string_value(json_object_get(o, "owner"));
  const char *state = json_string_value(json_object_get(o, "state"));
  const char *verdict = json_string_value(json_object_get(o, "verdict"));
  const json_t *number = json_object_get(o, "number");
  int s = 0, v = 0;
  while (state && s < SIOX_NCONDITIONS &&
         strcmp(siox_condition_name((enum siox_condition)s), state) != 0)
    s++;
  while (verdict && v <= SIOX_VERDICT_UNCLEAR &&
         strcmp(siox_verdict_name((enum siox_verdict)v), verdict) != 0)
    v++;
  const bool good = owner_good(who) && state && verdict && s < SIOX_NCONDITIONS &&
                    v <= SIOX_VERDICT_UNCLEAR && json_is_integer(number) &&
                    json_integer_value(number) >= 0;
  if (good) {
    memcpy(owner, who, 17);
    report->number = (uint64_t)json_integer_value(number);
    report->state = (enum siox_condition)s;
    report->verdict = (enum siox_verdict)v;
  }
  json_decref(o);
  return good ? 0 : SIOX_ESYNTAX;
}

/* Each write goes to all nodes, so what etcd has to do grows with their square: together they make
 * at most 2,000 messages a second of states that change, and 1,000 of those that stay, as long as
 * that is once a minute, and once in ten. */
static int64_t paced(size_t nodes, int64_t each_ns, int64_t least, int64_t most) {
  const int64_t all = (int64_t)(nodes * nodes) * each_ns;
  return all < least ? least : all < most ? all : most;
}
static int64_t change_ns(size_t nodes) { return paced(nodes, S / 2000, GAP_NS, 60 * S); }
static int64_t stay_ns(size_t nodes) { return paced(nodes, S / 1000, 3 * S, 600 * S); }

static int badness(enum siox_condition state) {
  static const int rank[SIOX_NCONDITIONS] = {
      [SIOX_ABNORMAL_GOOD] = 1, [SIOX_ABNORMAL_OTHER] = 2, [SIOX_ABNORMAL_BAD] = 3};
  return rank[state];
}

static bool said(const struct siox__node_pace *p) {
  return p->is_written && p->worst.state == p->written.state &&
         p->worst.verdict == p->written.verdict;
}

void siox__node_pace_tell(struct siox__node_pace *p, const struct siox_node_report *own,
                          int64_t now) {
  const bool first = !p->told_ns;
  p->interval_ns = first ? 0 : now - p->told_ns;
  p->told_ns = now;
  p->latest = *own;
  if (first || said(p) || badness(own->state) >= badness(p->worst.state))
    p->worst = *own;
}

static int64_t due_at(const struct siox__node_pace *p, size_t nodes) {
  if (said(p))
    return p->written_ns + stay_ns(nodes);
  const int64_t gap = p->written_ns + GAP_NS, share = p->used_ns - (AT_ONCE - 1) * change_ns(nodes);
  return !p->written_ns ? 0 : gap > share ? gap : share;
}

bool siox__node_pace_due(struct siox__node_pace *p, size_t nodes, int64_t now,
                         struct siox_node_report *report) {
  if (!p->told_ns || siox__node_pace_dead(p, now) || now < due_at(p, nodes) ||
      (said(p) && p->latest.number == p->written.number))
    return false;
  *report = p->written = p->worst;
  p->worst = p->latest;
  p->is_written = true;
  p->written_ns = now;
  p->used_ns = (p->used_ns > now ? p->used_ns : now) + change_ns(nodes);
  return true;
}

static int64_t dead_at(const struct siox__node_pace *p) {
  return p->told_ns + 10 * (p->interval_ns > S ? p->interval_ns : S);
}

int64_t siox__node_pace_next(const struct siox__node_pace *p, size_t nodes, int64_t now) {
  const int64_t due = due_at(p, nodes);
  if (!p->told_ns || now > dead_at(p))
    return INT64_MAX;
  return due > now && due < dead_at(p) ? due : dead_at(p) + 1;
}

bool siox__node_pace_dead(const struct siox__node_pace *p, int64_t now) {
  return p->told_ns && now > dead_at(p);
}
