/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "daemon/findings.h"
#include "monitor/metrics.h"
#include <stdio.h>
#include <string.h>

/* The finding's place: its own if it has one, a new one, or that of the one that was not seen for
 * the longest time. */
static struct siox__finding *place_of(struct siox__findings *f, const struct siox__finding *like) {
  struct siox__finding *oldest = &f->list[0];
  for (uint32_t i = 0; i < f->n; i++) {
    struct siox__finding *one = &f->list[i];
    if (one->process.pid == like->process.pid && one->verdict == like->verdict &&
        one->severity == like->severity && !strcmp(one->what, like->what) &&
        !strcmp(one->subject, like->subject))
      return one;
    oldest = one->last_ns < oldest->last_ns ? one : oldest;
  }
  if (f->n < SIOX__FINDINGS)
    oldest = &f->list[f->n++];
  else
    f->forgotten++;
  *oldest = *like;
  oldest->times = 0;
  return oldest;
}

static void note(struct siox__findings *f, const struct siox__finding *like, const char *evidence) {
  struct siox__finding *one = place_of(f, like);
  snprintf(one->evidence, sizeof one->evidence, "%.255s", evidence);
  one->times++;
  one->last_ns = like->last_ns;
}

static void note_verdict(struct siox__findings *f, enum siox_verdict verdict, const char *subject,
                         const char *evidence, const struct siox__process *process,
                         int64_t now_ns) {
  if (verdict == SIOX_VERDICT_NONE)
    return;
  struct siox__finding like = {.verdict = true, .first_ns = now_ns, .last_ns = now_ns};
  if (process)
    like.process = *process;
  snprintf(like.what, sizeof like.what, "%s", siox_verdict_name(verdict));
  snprintf(like.subject, sizeof like.subject, "%s", subject);
  note(f, &like, evidence);
}

void siox__findings_take(struct siox__findings *f, const struct siox__watched *seen,
                         int64_t now_ns) {
  const struct siox__levels *levels = &seen->levels;
  const uint64_t there = seen->kept < SIOX__ISSUES_KEPT ? 0 : seen->kept - SIOX__ISSUES_KEPT;
  for (uint64_t i = f->kept > there ? f->kept : there; i < seen->kept; i++) {
    const struct siox__seen_issue *s = &seen->seen[i % SIOX__ISSUES_KEPT];
    struct siox__finding like = {.process = s->process,
                                 .severity = s->issue.severity,
                                 .first_ns = now_ns,
                                 .last_ns = now_ns};
    snprintf(like.what, sizeof like.what, "%s", s->detector);
    snprintf(like.subject, sizeof like.subject, "%s%s%s", s->name,
             *s->name && *s->where ? " of " : "", s->where);
    note(f, &like, s->issue.evidence);
  }
  f->kept = seen->kept;
  note_verdict(f, levels->node.verdict, levels->node.subject, levels->node.evidence, NULL, now_ns);
  for (uint32_t i = 0; i < levels->ntold; i++) {
    const struct siox__judged_process *p = &levels->told[i];
    note_verdict(f, p->verdict, p->subject, p->evidence, &p->process, now_ns);
  }
}

json_t *siox__findings_json(const struct siox__findings *f, int64_t now_ns) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < f->n; i++) {
    const struct siox__finding *one = &f->list[i];
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:f, s:f}", "kind",
                          one->verdict ? "verdict" : "issue", "what", one->what, "subject",
                          one->subject, "evidence", one->evidence, "times", (json_int_t)one->times,
                          "first_seconds_ago", 1e-9 * (double)(now_ns - one->first_ns),
                          "last_seconds_ago", 1e-9 * (double)(now_ns - one->last_ns));
    if (!one->verdict)
      json_object_set_new(o, "severity", json_string(siox_condition_name(one->severity)));
    if (one->process.pid > 0) {
      json_object_set_new(o, "job", json_string(one->process.name));
      json_object_set_new(o, "rank", json_integer(one->process.rank));
      json_object_set_new(o, "pid", json_integer(one->process.pid));
    }
    json_array_append_new(list, o);
  }
  return list;
}

static void put_note(struct siox_msg_totals *t, const struct siox__finding *one) {
  if (t->notes == SIOX_TOTALS_NOTES)
    return;
  char *text = t->note[t->notes++];
  const char *whose = one->process.pid > 0 ? "" : "node: ";
  const char *colon = *one->subject ? ": " : "";
  if (one->verdict)
    snprintf(text, sizeof t->note[0], "%s%s: %.80s%s%s (%llu cycles)", whose, one->what,
             one->subject, colon, one->evidence, (unsigned long long)one->times);
  else
    snprintf(text, sizeof t->note[0], "%s%s, %s: %.80s%s%s (%llu times)", whose, one->what,
             siox_condition_name(one->severity), one->subject, colon, one->evidence,
             (unsigned long long)one->times);
}

void siox__findings_of(const struct siox__findings *f, int32_t pid, int64_t since_ns, bool all,
                       struct siox_msg_totals *totals) {
  for (int verdicts = 1; verdicts >= 0; verdicts--)
    for (uint32_t i = 0; i < f->n; i++) {
      const struct siox__finding *one = &f->list[i];
      const bool own = one->process.pid == pid, nodes = one->process.pid <= 0;
      if (one->verdict != (verdicts != 0) || one->last_ns < since_ns || !(own || (all && nodes)))
        continue;
      totals->findings++;
      put_note(totals, one);
    }
}

static bool is_network(const struct siox_metric *m) {
  return (siox__is_named(m, "net_bytes_received") || siox__is_named(m, "net_bytes_sent")) &&
         strcmp(m->where, "lo") != 0;
}

void siox__domains_take(struct siox__domains *d, const struct siox_cycle *cycle) {
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    const enum siox_domain domain = s->metric.domain;
    const double amount = s->last.state == SIOX_SAMPLE_VALID ? s->last.amount : 0;
    if (!s->gone && is_network(&s->metric)) {
      d->networks = true;
      d->network_bytes += amount;
    }
    if (s->gone || !s->best || domain <= SIOX_DOMAIN_NONE || domain >= SIOX_NDOMAINS)
      continue;
    d->of[domain].metered = true;
    d->of[domain].estimated |= (s->metric.flags & SIOX_METRIC_ESTIMATED) != 0;
    d->of[domain].joules += amount;
  }
}

void siox__domains_json(const struct siox__domains *d, json_t *o) {
  json_t *list = json_array();
  for (int i = SIOX_DOMAIN_NONE + 1; i < SIOX_NDOMAINS; i++)
    if (d->of[i].metered)
      json_array_append_new(list, json_pack("{s:s, s:f, s:b}", "domain",
                                            siox_domain_name((enum siox_domain)i), "joules",
                                            d->of[i].joules, "estimated", d->of[i].estimated));
  json_object_set_new(o, "domains", list);
  json_object_set_new(o, "network_bytes", d->networks ? json_real(d->network_bytes) : json_null());
}
