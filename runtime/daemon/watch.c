/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detectors and the reasoner of the node. */
#include "daemon/watch.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ISSUES = 128 }; /* looked at in one cycle; all are counted */

struct detector {
  const struct siox_adpi *adpi;
  void *state;
  struct siox_adpi_library *library; /* NULL: built in */
};
struct siox__watch {
  struct detector *detector;
  size_t ndetectors;
  struct siox_reasoner *reasoner;
  struct siox_issue issues[MOST_ISSUES];
  enum siox_verdict said;
};

static int add(struct siox__watch *w, const struct siox_adpi *adpi,
               struct siox_adpi_library *library, const struct siox_adpi_env *env,
               struct siox_diag *diag) {
  struct detector *more = realloc(w->detector, (w->ndetectors + 1) * sizeof *more);
  if (more)
    w->detector = more;
  void *state = NULL;
  const int e = more ? adpi->open(env, &state, diag) : SIOX_ENOMEM;
  if (e < 0) {
    siox_adpi_unload(library);
    return e;
  }
  w->detector[w->ndetectors++] = (struct detector){adpi, state, library};
  return 0;
}

/* One of monitor.yaml: built in by its name, or a file where there is a slash in it. */
static int add_module(struct siox__watch *w, const struct siox_modules *modules,
                      const struct siox_module *m, int64_t period_ns, struct siox_diag *diag) {
  const struct siox_adpi_env env = {modules->file, m->settings, m->nsettings, period_ns};
  const struct siox_adpi *adpi = siox_adpi_find(m->plugin);
  struct siox_adpi_library *library = NULL;
  struct siox_diag why = {""};
  if (!adpi && strchr(m->plugin, '/')) {
    char path[4096];
    int e = siox__beside(modules->file, m->plugin, path, sizeof path);
    if (e < 0)
      snprintf(why.text, sizeof why.text, "%.300s: %s", m->plugin, siox_strerror(e));
    else
      e = siox_adpi_load(path, &library, &adpi, &why);
    if (e < 0) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %.400s", modules->file, m->line, why.text);
      return e;
    }
  }
  if (adpi)
    return add(w, adpi, library, &env, diag);
  snprintf(diag->text, sizeof diag->text,
           "%s:%u: %s: no such detector; docs/monitoring.md lists them", modules->file, m->line,
           m->plugin);
  return SIOX_EINVAL;
}

int siox__watch_new(struct siox__watch **out, const struct siox_modules *modules, int64_t period_ns,
                    struct siox_diag *diag) {
  struct siox_reasoner_limits limits;
  struct siox__watch *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w)
    return SIOX_ENOMEM;
  int e = siox_reasoner_limits(&limits, NULL, NULL, 0, diag);
  if (e == 0)
    e = siox_reasoner_new(SIOX_LEVEL_NODE, &limits, &w->reasoner);
  if (modules && modules->has_detectors)
    for (size_t i = 0; e == 0 && i < modules->ndetectors; i++)
      e = add_module(w, modules, &modules->detector[i], period_ns, diag);
  else
    for (const struct siox_adpi *const *a = siox_adpis(); e == 0 && *a; a++)
      e = add(w, *a, NULL, &(struct siox_adpi_env){"defaults", NULL, 0, period_ns}, diag);
  if (e < 0)
    siox__watch_free(w);
  else
    *out = w;
  return e;
}

void siox__watch_free(struct siox__watch *w) {
  if (!w)
    return;
  for (size_t i = 0; i < w->ndetectors; i++) {
    w->detector[i].adpi->close(w->detector[i].state);
    siox_adpi_unload(w->detector[i].library);
  }
  siox_reasoner_free(w->reasoner);
  free(w->detector);
  free(w);
}

static void remember(struct siox__watched *seen, const struct siox_cycle *cycle,
                     const struct siox_issue *issue) {
  struct siox__seen_issue *at = &seen->seen[seen->kept++ % SIOX__ISSUES_KEPT];
  seen->issues++;
  *at = (struct siox__seen_issue){.time_ns = cycle->now_ns, .issue = *issue};
  snprintf(at->detector, sizeof at->detector, "%s", issue->detector);
  siox__printable(at->detector);
  if (issue->series < cycle->nseries) {
    snprintf(at->name, sizeof at->name, "%s", cycle->series[issue->series].metric.name);
    snprintf(at->where, sizeof at->where, "%s", cycle->series[issue->series].metric.where);
  }
}

void siox__watch_cycle(struct siox__watch *w, const struct siox_cycle *cycle, uint32_t ranks,
                       struct siox__watched *seen, const struct siox__log *log) {
  const struct siox_adpi_input input = {.cycle = cycle};
  size_t n = 0;
  for (size_t i = 0; i < w->ndetectors; i++) {
    const int found =
        w->detector[i].adpi->cycle(w->detector[i].state, &input, w->issues + n, MOST_ISSUES - n);
    const size_t there = found < 0 ? 0 : (size_t)found;
    seen->issues += there > MOST_ISSUES - n ? there - (MOST_ISSUES - n)
                                            : 0; /* those that there is no room for */
    seen->unjudged += found < 0;
    for (size_t k = n; k < MOST_ISSUES && k < n + there; k++)
      siox__printable(w->issues[k].evidence); /* detectors may be anybody's */
    n = there < MOST_ISSUES - n ? n + there : MOST_ISSUES;
  }
  struct siox_reasoner_input about = {
      .issues = w->issues, .nissues = n, .cycle = cycle, .ranks = ranks};
  siox_cycle_utilisation(cycle, about.utilisation);
  siox_reasoner_cycle(w->reasoner, &about, &seen->report);
  seen->cycles++;
  seen->abnormal += seen->report.state != SIOX_GOOD;
  for (size_t i = 0; i < n; i++)
    remember(seen, cycle, &w->issues[i]);
  for (uint32_t i = 0; i < seen->report.noverloaded; i++)
    remember(seen, cycle, &seen->report.overloaded[i]);
  if (seen->report.verdict != w->said && seen->report.verdict != SIOX_VERDICT_NONE)
    siox__log(log, SIOX__LOG_INFO, "%s: %s%s%s", siox_verdict_name(seen->report.verdict),
              seen->report.subject, *seen->report.subject ? ": " : "", seen->report.evidence);
  w->said = seen->report.verdict;
}

/* JSON has no infinity. */
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

json_t *siox__watched_json(const struct siox__watched *seen, int64_t now_ns) {
  const struct siox_report *r = &seen->report;
  json_t *issues = json_array();
  const uint64_t told = seen->kept < SIOX__ISSUES_KEPT ? seen->kept : SIOX__ISSUES_KEPT;
  for (uint64_t i = seen->kept - told; i < seen->kept; i++) {
    const struct siox__seen_issue *s = &seen->seen[i % SIOX__ISSUES_KEPT];
    json_t *o = json_pack("{s:f, s:s, s:s, s:s, s:s, s:s, s:s}", "seconds_ago",
                          1e-9 * (double)(now_ns - s->time_ns), "detector", s->detector, "severity",
                          siox_condition_name(s->issue.severity), "category",
                          siox_category_name(s->issue.category), "name", s->name, "where", s->where,
                          "evidence", s->issue.evidence);
    json_object_set_new(o, "value", number(s->issue.value));
    json_object_set_new(o, "low", number(s->issue.low));
    json_object_set_new(o, "high", number(s->issue.high));
    json_array_append_new(issues, o);
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o}", "state",
                   siox_condition_name(r->state), "verdict", siox_verdict_name(r->verdict),
                   "category", siox_category_name(r->category), "subject", r->subject, "evidence",
                   r->evidence, "cycles", (json_int_t)seen->cycles, "abnormal_cycles",
                   (json_int_t)seen->abnormal, "issues_seen", (json_int_t)seen->issues, "issues",
                   issues);
}
