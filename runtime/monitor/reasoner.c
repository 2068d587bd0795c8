/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* States of reasoners: Listing 2 of the paper.
 *
 * The listing as scanned lacks words in its lines 10 and 11. Line 10 reads "if (currentState !=
 * GOOD && currentState ABNORMAL_GOOD)": with "==" the first half would say nothing, and only what
 * is better than usual would be searched for overload, so it is "!=": overload is looked for in
 * ABNORMAL_BAD and ABNORMAL_OTHER. Line 11 is a "for". A cycle without issues is GOOD, since the
 * state is one of the last cycle's issues; what the text adds is that an abnormal state is kept for
 * one more cycle.
 *
 * A child in an abnormal state counts as one issue of that kind. Only fresh states go up and are
 * counted, or every level would keep what the one below keeps, and the system would be abnormal for
 * three more cycles. What the parent says goes down and never up again, or two neighbours would
 * keep each other abnormal for ever. Overload issues are not counted in the next cycle for the same
 * reason. */
#include "monitor/reasoner.h"
#include "monitor/adpi.h"
#include "monitor/metrics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int siox_reasoner_limits(struct siox_reasoner_limits *limits, const char *origin,
                         const struct siox_option *settings, size_t nsettings,
                         struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
#define SIOX_REASONER_LIMIT(name, value, least, most, what)                                        \
  {#name, offsetof(struct siox_reasoner_limits, name), value, least, most},
#include "siox/reasoner.def"
#undef SIOX_REASONER_LIMIT
  };
  return siox__numbers_read(origin, settings, nsettings, "reasoner", numbers,
                            sizeof numbers / sizeof numbers[0], limits, NULL, NULL, diag);
}

const char *siox_verdict_name(enum siox_verdict verdict) {
  static const char *const names[] = {"nothing", "high load", "fault", "misconfiguration",
                                      "unclear"};
  return verdict <= SIOX_VERDICT_UNCLEAR ? names[verdict] : "unknown";
}

void siox_cycle_utilisation(const struct siox_cycle *cycle, double utilisation[SIOX_NCATEGORIES]) {
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    utilisation[c] = -1;
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || s->last.state != SIOX_SAMPLE_VALID || !siox__is_named(&s->metric, "utilisation"))
      continue;
    for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
      if (strcmp(s->metric.where, siox_category_name(c)) == 0)
        utilisation[c] = s->last.value;
  }
}

int siox_reasoner_new(enum siox_reasoner_level level, const struct siox_reasoner_limits *limits,
                      struct siox_reasoner **out) {
  struct siox_reasoner *r = calloc(1, sizeof *r);
  if (!r)
    return SIOX_ENOMEM;
  r->level = level;
  r->limits = *limits;
  *out = r;
  return 0;
}

void siox_reasoner_free(struct siox_reasoner *r) { free(r); }

static void count(struct siox_report *report, enum siox_condition c) {
  report->bad += c == SIOX_ABNORMAL_BAD;
  report->good += c == SIOX_ABNORMAL_GOOD;
  report->other += c == SIOX_ABNORMAL_OTHER;
}

/* Lines 2 to 8. */
static enum siox_condition state_of(const struct siox_reasoner_limits *k,
                                    const struct siox_report *n) {
  if (n->bad + n->good + n->other == 0)
    return SIOX_GOOD;
  if (n->bad > k->threshold && n->bad > k->ratio * n->good)
    return SIOX_ABNORMAL_BAD;
  if (n->good > k->threshold && n->good > k->ratio * n->bad)
    return SIOX_ABNORMAL_GOOD;
  return SIOX_ABNORMAL_OTHER;
}

/* Lines 10 to 13. */
static void raise_overload(const struct siox_reasoner_limits *k,
                           const struct siox_reasoner_input *input, struct siox_report *report) {
  if (report->state == SIOX_GOOD || report->state == SIOX_ABNORMAL_GOOD)
    return;
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++) {
    if (!(input->utilisation[c] > k->max_load))
      continue;
    struct siox_issue *i = &report->overloaded[report->noverloaded++];
    *i = (struct siox_issue){.detector = "reasoner",
                             .kind = SIOX_ISSUE_OVERLOADED,
                             .severity = SIOX_ABNORMAL_BAD,
                             .category = c,
                             .series = SIOX_NO_INDEX,
                             .activity = SIOX_NO_INDEX,
                             .value = input->utilisation[c],
                             .low = 0,
                             .high = k->max_load};
    snprintf(i->evidence, sizeof i->evidence, "%s is overloaded: %.0f %% of it are in use",
             siox_category_name(c), 100 * i->value);
  }
}

static enum siox_condition worse(enum siox_condition a, enum siox_condition b) {
  static const int rank[] = {[SIOX_GOOD] = 0,
                             [SIOX_ABNORMAL_GOOD] = 1,
                             [SIOX_ABNORMAL_OTHER] = 2,
                             [SIOX_ABNORMAL_BAD] = 3};
  return rank[a] >= rank[b] ? a : b;
}

void siox_reasoner_cycle(struct siox_reasoner *r, const struct siox_reasoner_input *input,
                         struct siox_report *report) {
  *report = (struct siox_report){.level = r->level, .category = SIOX_NCATEGORIES};
  for (size_t i = 0; i + input->nbelow < input->nissues; i++)
    count(report, input->issues[i].severity);
  for (size_t i = 0; i < input->nchildren; i++) {
    count(report, input->children[i].state);
    report->bad_children += input->children[i].state == SIOX_ABNORMAL_BAD;
  }
  report->children = (uint32_t)input->nchildren;
  report->fresh = state_of(&r->limits, report);
  report->held = report->fresh == SIOX_GOOD && r->before != SIOX_GOOD;
  report->state = report->held ? r->before : report->fresh;
  report->down = worse(report->fresh, input->parent);
  r->before = report->fresh;
  raise_overload(&r->limits, input, report);
  siox__habits_learn(&r->habits, &r->limits, input);
  if (!report->held)
    siox__verdict(r, input, report, &r->last);
  report->verdict = r->last.verdict;
  report->category = r->last.category;
  memcpy(report->subject, r->last.subject, sizeof report->subject);
  memcpy(report->evidence, r->last.evidence, sizeof report->evidence);
}
