/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detectors of the node, and what they and the reasoners say. */
#include "daemon/watch.h"
#include "monitor/clock_max.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ISSUES = 128 }; /* looked at in one cycle; all are counted */

struct detector {
  const struct siox_adpi *adpi;
  void *state;
  struct siox_adpi_library *library; /* NULL: built in */
};
struct siox__watch {
  struct detector *detector;
  size_t ndetectors;
  struct siox__reasoners *reasoners;
  double clock_max_hz;
  struct siox_issue issues[MOST_ISSUES];
  size_t nissues;
  struct siox_issue before[MOST_ISSUES]; /* of series, in the cycle before */
  uint32_t generation[MOST_ISSUES];      /* of theirs */
  size_t nbefore;
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

int siox__watch_new(struct siox__watch **out, const struct siox_modules *modules, const char *root,
                    const char *node, int64_t period_ns, struct siox_diag *diag) {
  char name[64] = "";
  struct siox__watch *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w)
    return SIOX_ENOMEM;
  if (node)
    snprintf(name, sizeof name, "%s", node);
  else
    (void)gethostname(name, sizeof name - 1);
  w->clock_max_hz = siox__clock_max(root);
  int e = siox__reasoners_new(&w->reasoners, modules && modules->file ? modules : NULL, name, diag);
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
  siox__reasoners_free(w->reasoners);
  free(w->detector);
  free(w);
}

static void remember(struct siox__watched *seen, const struct siox__reasoners_input *about,
                     const struct siox_issue *issue) {
  const struct siox_cycle *cycle = about->cycle;
  struct siox__seen_issue *at = &seen->seen[seen->kept++ % SIOX__ISSUES_KEPT];
  seen->issues++;
  *at = (struct siox__seen_issue){.time_ns = cycle->now_ns, .issue = *issue};
  snprintf(at->detector, sizeof at->detector, "%s", issue->detector);
  siox__printable(at->detector);
  if (issue->series < cycle->nseries) {
    snprintf(at->name, sizeof at->name, "%s", cycle->series[issue->series].metric.name);
    snprintf(at->where, sizeof at->where, "%s", cycle->series[issue->series].metric.where);
    const struct siox__process *p =
        siox__process_of_place(at->where, about->processes, about->nprocesses);
    if (p)
      at->process = *p;
  } else if (about->activities && issue->activity < about->activities->nkinds) {
    snprintf(at->name, sizeof at->name, "%s", about->activities->kinds[issue->activity].call);
    snprintf(at->where, sizeof at->where, "%s", about->activities->kinds[issue->activity].layer);
  }
}

/* What was told of a series that is not read in each cycle holds until it is read again: it does
 * not come and go with the turns. The number of issues then. */
static size_t hold(struct siox__watch *w, const struct siox_cycle *cycle, size_t n) {
  for (size_t i = 0; i < w->nbefore && n < MOST_ISSUES; i++) {
    const struct siox_series *s = &cycle->series[w->before[i].series];
    if (s->gone || s->generation != w->generation[i] || s->last.state != SIOX_SAMPLE_HELD)
      continue;
    w->issues[n] = w->before[i];
    w->issues[n++].held = 1;
  }
  w->nbefore = 0;
  for (size_t i = 0; i < n; i++) {
    if (w->issues[i].series >= cycle->nseries)
      continue;
    w->before[w->nbefore] = w->issues[i];
    w->generation[w->nbefore++] = cycle->series[w->issues[i].series].generation;
  }
  return n;
}

void siox__watch_cycle(struct siox__watch *w, const struct siox__reasoners_input *given,
                       struct siox__watched *seen, const struct siox__log *log) {
  const struct siox_adpi_input input = {.cycle = given->cycle, .activities = given->activities};
  size_t n = 0;
  for (size_t i = 0; i < w->ndetectors; i++) {
    const int found =
        w->detector[i].adpi->cycle(w->detector[i].state, &input, w->issues + n, MOST_ISSUES - n);
    const size_t there = found < 0 ? 0 : (size_t)found;
    seen->issues += there > MOST_ISSUES - n ? there - (MOST_ISSUES - n)
                                            : 0; /* those that there is no room for */
    seen->unjudged += found < 0;
    for (size_t k = n; k < MOST_ISSUES && k < n + there; k++) {
      siox__printable(w->issues[k].evidence); /* detectors may be anybody's */
      w->issues[k].held = 0;
    }
    n = there < MOST_ISSUES - n ? n + there : MOST_ISSUES;
  }
  n = hold(w, given->cycle, n);
  struct siox__reasoners_input about = *given;
  about.issues = w->issues;
  about.nissues = w->nissues = n;
  about.clock_max_hz = w->clock_max_hz;
  siox__reasoners_cycle(w->reasoners, &about, &seen->levels);
  const struct siox_report *node = &seen->levels.node;
  seen->cycles++;
  seen->abnormal += node->state != SIOX_GOOD;
  for (size_t i = 0; i < n; i++)
    if (!w->issues[i].held)
      remember(seen, &about, &w->issues[i]);
  for (uint32_t i = 0; i < node->noverloaded; i++)
    remember(seen, &about, &node->overloaded[i]);
  if (node->verdict != w->said && node->verdict != SIOX_VERDICT_NONE)
    siox__log(log, SIOX__LOG_INFO, "%s: %s%s%s", siox_verdict_name(node->verdict), node->subject,
              *node->subject ? ": " : "", node->evidence);
  w->said = node->verdict;
}

static void copy_levels(struct siox__levels *to, const struct siox__levels *from) {
  memcpy(to, from, offsetof(struct siox__levels, told));
  memcpy(to->told, from->told, from->ntold * sizeof *to->told);
  to->ntold = from->ntold;
}

void siox__watched_copy(struct siox__watched *to, const struct siox__watched *from) {
  const uint64_t oldest = from->kept < SIOX__ISSUES_KEPT ? 0 : from->kept - SIOX__ISSUES_KEPT;
  for (uint64_t i = to->kept > oldest ? to->kept : oldest; i < from->kept; i++)
    to->seen[i % SIOX__ISSUES_KEPT] = from->seen[i % SIOX__ISSUES_KEPT];
  copy_levels(&to->levels, &from->levels);
  to->cycles = from->cycles;
  to->abnormal = from->abnormal;
  to->issues = from->issues;
  to->unjudged = from->unjudged;
  to->kept = from->kept;
}

struct siox__reasoners *siox__watch_reasoners(struct siox__watch *w) { return w->reasoners; }

struct siox_issue *siox__watch_issues(struct siox__watch *w, size_t *n) {
  *n = w->nissues;
  return w->issues;
}

/* JSON has no infinity. */
static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *report_json(const struct siox_report *r) {
  return json_pack("{s:s, s:s, s:s, s:s, s:s}", "state", siox_condition_name(r->state), "verdict",
                   siox_verdict_name(r->verdict), "category", siox_category_name(r->category),
                   "subject", r->subject, "evidence", r->evidence);
}

static void add_process(json_t *o, const struct siox__process *p) {
  json_object_set_new(o, "job", json_string(p->name));
  json_object_set_new(o, "rank", json_integer(p->rank));
  json_object_set_new(o, "pid", json_integer(p->pid));
}

static json_t *issues_json(const struct siox__watched *seen, int64_t now_ns) {
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
    if (s->process.pid > 0)
      add_process(o, &s->process);
    json_array_append_new(issues, o);
  }
  return issues;
}

static json_t *processes_json(const struct siox__levels *levels, bool all) {
  json_t *o = json_pack("{s:s, s:I, s:I, s:I}", "state", siox_condition_name(levels->worst),
                        "count", (json_int_t)levels->processes, "judged",
                        (json_int_t)levels->judged, "abnormal", (json_int_t)levels->abnormal);
  json_t *list = all ? json_array() : NULL;
  for (uint32_t i = 0; list && i < levels->ntold; i++) {
    const struct siox__judged_process *p = &levels->told[i];
    json_t *one =
        json_pack("{s:s, s:s, s:s, s:s}", "state", siox_condition_name(p->state), "verdict",
                  siox_verdict_name(p->verdict), "subject", p->subject, "evidence", p->evidence);
    add_process(one, &p->process);
    json_array_append_new(list, one);
  }
  if (list)
    json_object_set_new(o, "list", list);
  return o;
}

void siox__watched_json(const struct siox__watched *seen, int64_t now_ns, bool all, json_t *o) {
  json_t *node = report_json(&seen->levels.node), *system = report_json(&seen->levels.system);
  json_object_set_new(node, "cycles", json_integer((json_int_t)seen->cycles));
  json_object_set_new(node, "abnormal_cycles", json_integer((json_int_t)seen->abnormal));
  json_object_set_new(node, "issues_seen", json_integer((json_int_t)seen->issues));
  if (all)
    json_object_set_new(node, "issues", issues_json(seen, now_ns));
  json_object_set_new(system, "nodes", json_integer(seen->levels.nodes));
  json_object_set_new(system, "bad_nodes", json_integer(seen->levels.system.bad_children));
  json_object_set_new(o, "node", node);
  json_object_set_new(o, "system", system);
  json_object_set_new(o, "processes", processes_json(&seen->levels, all));
}
