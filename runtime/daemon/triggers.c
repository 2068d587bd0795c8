/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Triggers in the daemon: which fire, and who does what they ask for. */
#include "daemon/triggers.h"
#include "common/clock.h"
#include "daemon/trigger_file.h"
#include "monitor/metrics.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOLD = 64 }; /* triggers in the status */

struct siox__triggers {
  const char *file;
  const struct siox__log *log;
  const struct siox_knowledge *knowledge;
  bool *told; /* lessons that the log knows */
  uint64_t advised;
  char host[64];
  struct siox__rules rules;
  struct siox_trigger *trigger; /* beside rules */
  struct siox__act *act;
  int64_t period_ns, period_until; /* of the last one that asked */
  enum siox_record mode;
  int64_t mode_until;
};

/* What cannot be run is said when it should be; whoever wrote it down wants to know before. It may
 * come later. */
static void look_at_commands(const struct siox__rules *rules, const char *file,
                             const struct siox__log *log) {
  for (size_t i = 0; i < rules->n; i++)
    for (size_t k = 0; k < rules->rule[i].nactions; k++) {
      const struct siox__action *a = &rules->rule[i].action[k];
      if (a->kind != SIOX__ACTION_COMMAND || access(a->argv[0], X_OK) == 0)
        continue;
      const int number = errno;
      char path[256];
      snprintf(path, sizeof path, "%s", a->argv[0]);
      siox__printable(path);
      siox__log(log, SIOX__LOG_WARN, "%s:%u: command: %s cannot be run now (%s)", file, a->line,
                path, strerror(number));
    }
}

int siox__triggers_new(struct siox__triggers **out, const char *file, const char *root,
                       const struct siox_knowledge *knowledge, const struct siox__log *log,
                       struct siox_diag *diag) {
  struct siox__rules rules = {0};
  *out = NULL;
  int e = file ? siox__rules_load(&rules, file, diag) : 0;
  if (e < 0 || rules.n == 0)
    return e;
  struct siox__triggers *t = calloc(1, sizeof *t);
  struct siox_trigger *trigger = calloc(rules.n, sizeof *trigger);
  if (!t || !trigger) {
    siox__rules_free(&rules);
    free(t);
    free(trigger);
    return SIOX_ENOMEM;
  }
  t->file = file;
  t->log = log;
  t->knowledge = knowledge;
  t->told = calloc(knowledge->n + 1, sizeof *t->told);
  t->rules = rules;
  t->trigger = trigger;
  (void)gethostname(t->host, sizeof t->host - 1);
  for (size_t i = 0; e == 0 && i < rules.n; i++)
    e = siox_trigger_start(&trigger[i], &rules.rule[i].when);
  if (e == 0 && !t->told)
    e = SIOX_ENOMEM;
  if (e == 0)
    e = siox__act_new(&t->act, file, root, log);
  if (e == 0)
    look_at_commands(&t->rules, file, log);
  if (e < 0)
    siox__triggers_free(t);
  else
    *out = t;
  return e;
}

void siox__triggers_free(struct siox__triggers *t) {
  if (!t)
    return;
  siox__act_free(t->act);
  siox__rules_free(&t->rules);
  free(t->trigger);
  free(t->told);
  free(t);
}

/* Node, system, processes: what triggers look at, and where the rest of each stands. */
struct looked_at {
  struct siox_trigger_report report[2 + SIOX__PROCESSES_TOLD];
  const struct siox_report *whole[2];
  size_t n;
};

static void look(const struct siox__levels *levels, struct looked_at *l) {
  l->whole[0] = &levels->node;
  l->whole[1] = &levels->system;
  for (l->n = 0; l->n < 2; l->n++) {
    const struct siox_report *r = l->whole[l->n];
    l->report[l->n] = (struct siox_trigger_report){r->level, r->state, r->verdict, r->category};
  }
  for (uint32_t i = 0; i < levels->ntold; i++) {
    const struct siox__judged_process *p = &levels->told[i];
    l->report[l->n++] =
        (struct siox_trigger_report){SIOX_LEVEL_PROCESS, p->state, p->verdict, p->category};
  }
}

static struct siox__event event_of(const struct siox__triggers *t, const struct siox__rule *rule,
                                   const struct siox__levels *levels, const struct looked_at *l,
                                   size_t which) {
  const struct siox_trigger_report *r = &l->report[which];
  struct siox__event e = {.line = rule->line,
                          .wall_ns = siox__wall_ns(),
                          .level = r->level,
                          .state = r->state,
                          .verdict = r->verdict,
                          .category = r->category,
                          .rank = -1};
  memcpy(e.host, t->host, sizeof e.host);
  if (which < 2) {
    memcpy(e.subject, l->whole[which]->subject, sizeof e.subject);
    memcpy(e.evidence, l->whole[which]->evidence, sizeof e.evidence);
  } else {
    const struct siox__judged_process *p = &levels->told[which - 2];
    memcpy(e.subject, p->subject, sizeof e.subject);
    memcpy(e.evidence, p->evidence, sizeof e.evidence);
    memcpy(e.job, p->process.name, sizeof e.job);
    e.rank = p->process.rank;
    e.pid = p->process.pid;
  }
  siox__printable(e.subject); /* names of devices may be any bytes */
  siox__printable(e.evidence);
  return e;
}

/* Each lesson about a program that runs here, once while the daemon lives. */
static void advise(struct siox__triggers *t, const struct siox__process *processes, size_t n) {
  for (size_t i = 0; i < t->knowledge->n; i++) {
    const struct siox_lesson *l = &t->knowledge->lesson[i];
    char text[1536];
    for (size_t p = 0; p < n && !t->told[i]; p++) {
      if (processes[p].ranks != l->situation.ranks ||
          strcmp(processes[p].program, l->situation.program) != 0)
        continue;
      t->told[i] = true;
      t->advised++;
      siox_lesson_text(l, text, sizeof text);
      siox__log(t->log, SIOX__LOG_WARN, "advice: %s", text);
    }
  }
}

static void act(struct siox__triggers *t, const struct siox__action *a, int64_t now_ns,
                const struct siox__event *event, struct siox__wishes *wishes) {
  const int64_t until = now_ns + (int64_t)(a->seconds * 1e9);
  switch (a->kind) {
  case SIOX__ACTION_RECORD:
    if ((uint64_t)a->value > wishes->window)
      wishes->window = (uint64_t)a->value;
    break;
  case SIOX__ACTION_INTERVAL:
    t->period_ns = (int64_t)(a->value * 1e9);
    t->period_until = until;
    break;
  case SIOX__ACTION_DETAIL: /* of two the greater detail, and the later end */
    t->mode = t->mode_until > now_ns && t->mode > a->mode ? t->mode : a->mode;
    t->mode_until = until > t->mode_until ? until : t->mode_until;
    break;
  default:
    siox__act_do(t->act, a, event);
  }
}

void siox__triggers_cycle(struct siox__triggers *t, int64_t now_ns,
                          const struct siox__levels *levels, const struct siox__process *processes,
                          size_t nprocesses, struct siox__wishes *wishes) {
  struct looked_at l;
  *wishes = (struct siox__wishes){.mode = SIOX_RECORD_OFF};
  if (!t)
    return;
  look(levels, &l);
  for (size_t i = 0; i < t->rules.n; i++) {
    const struct siox__rule *rule = &t->rules.rule[i];
    const ptrdiff_t which = siox_trigger_cycle(&t->trigger[i], now_ns, l.report, l.n);
    if (which < 0)
      continue;
    const struct siox__event event = event_of(t, rule, levels, &l, (size_t)which);
    siox__log(t->log, SIOX__LOG_INFO, "%s:%u: trigger: %s %s, %s%s%s", t->file, rule->line,
              siox__level_name(event.level), siox_condition_name(event.state),
              siox_verdict_name(event.verdict), *event.subject ? " of " : "", event.subject);
    for (size_t k = 0; k < rule->nactions; k++)
      if (rule->action[k].kind == SIOX__ACTION_ADVISE)
        advise(t, processes, nprocesses);
      else
        act(t, &rule->action[k], now_ns, &event, wishes);
  }
  if (now_ns < t->period_until)
    wishes->period_ns = t->period_ns;
  if (now_ns < t->mode_until)
    wishes->mode = t->mode;
}

json_t *siox__triggers_json(struct siox__triggers *t, int64_t now_ns) {
  if (!t)
    return json_null();
  const struct siox__act_counts c = siox__act_counts(t->act);
  json_t *list = json_array();
  uint64_t fired = 0;
  for (size_t i = 0; i < t->rules.n; i++) {
    const struct siox_trigger *g = &t->trigger[i];
    fired += g->count;
    if (i >= TOLD)
      continue;
    json_t *o = json_pack("{s:i, s:I, s:I}", "line", (int)t->rules.rule[i].line, "fired",
                          (json_int_t)g->count, "held_back", (json_int_t)g->late);
    json_object_set_new(
        o, "seconds_ago",
        g->count > 0
            ? json_real(1e-9 * (double)(now_ns - g->time[(g->count - 1) % SIOX_TRIGGER_TIMES]))
            : json_null());
    json_array_append_new(list, o);
  }
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "advised", (json_int_t)t->advised,
                   "count", (json_int_t)t->rules.n, "fired", (json_int_t)fired, "done",
                   (json_int_t)c.done, "failed", (json_int_t)c.failed, "dropped",
                   (json_int_t)c.dropped, "waiting", (json_int_t)c.waiting, "list", list);
}
