/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/ledger.h"
#include <stdlib.h>
#include <string.h>

void siox__ledger_free(struct siox__ledger *l) {
  free(l->job);
  free(l->share);
  *l = (struct siox__ledger){0};
}

/* The job's place, made when it is asked for first; SIOX_ENOMEM. */
static int place_of(struct siox__ledger *l, uint32_t job) {
  for (size_t i = 0; i < l->njobs; i++)
    if (l->job[i].job == job)
      return (int)i;
  if (l->njobs == l->room) {
    const size_t room = l->room ? 2 * l->room : 16;
    struct siox__ledger_job *jobs = realloc(l->job, room * sizeof *jobs);
    if (jobs)
      l->job = jobs;
    struct siox_cpu_share *shares = realloc(l->share, room * sizeof *shares);
    if (shares)
      l->share = shares;
    if (!jobs || !shares)
      return SIOX_ENOMEM;
    l->room = room;
  }
  l->share[l->njobs] = (struct siox_cpu_share){0};
  l->job[l->njobs] = (struct siox__ledger_job){.job = job};
  return (int)l->njobs++;
}

/* What the packages took, how many cores there are and how long they were busy. False: nobody can
 * say. */
static bool interval_of(struct siox__ledger *l, const struct siox_cycle *cycle,
                        struct siox_cpu_interval *t) {
  static const char *const busy[] = {"cpu_user", "cpu_nice",    "cpu_system",
                                     "cpu_irq",  "cpu_softirq", "cpu_steal"};
  bool said = false, whole = true;
  *t = (struct siox_cpu_interval){.seconds = 1e-9 * (double)cycle->dt_ns};
  l->metered = l->estimated = false;
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    const bool valid = s->last.state == SIOX_SAMPLE_VALID;
    if (s->gone)
      continue;
    if (s->best && s->metric.domain == SIOX_DOMAIN_PACKAGE) {
      l->metered = true;
      l->source = s->provider->name;
      l->estimated |= (s->metric.flags & SIOX_METRIC_ESTIMATED) != 0;
      whole &= valid;
      t->joules += valid ? s->last.amount : 0;
    }
    if (strcmp(s->metric.name, "cpu_user") == 0 && s->metric.where[0])
      t->cores++;
    for (size_t k = 0; k < sizeof busy / sizeof busy[0]; k++)
      if (strcmp(s->metric.name, busy[k]) == 0 && !s->metric.where[0] && valid) {
        t->busy_s += s->last.amount;
        said = true;
      }
  }
  if (!l->metered)
    l->source = NULL;
  else if (!whole && cycle->dt_ns > 0)
    l->joules_lost_s += t->seconds;
  return l->metered && whole && said && t->cores > 0 && cycle->dt_ns > 0;
}

/* Adds what each job's processes used to its share. */
static void add_busy(struct siox__ledger *l, const struct siox_cycle *cycle,
                     const struct siox__ledger_process *processes, size_t n) {
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || s->last.state != SIOX_SAMPLE_VALID ||
        (strcmp(s->metric.name, "process_user") != 0 &&
         strcmp(s->metric.name, "process_system") != 0))
      continue;
    const long pid = strtol(s->metric.where, NULL, 10); /* PID@START */
    size_t low = 0;
    for (size_t high = n; low < high;) {
      const size_t middle = low + (high - low) / 2;
      if (processes[middle].pid < pid)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < n && processes[low].pid == pid)
      l->share[place_of(l, processes[low].job)].busy_s += s->last.amount;
  }
}

int siox__ledger_take(struct siox__ledger *l, const struct siox_cycle *cycle,
                      const struct siox__ledger_process *processes, size_t n) {
  struct siox_cpu_interval t;
  struct siox_cpu_rest rest;
  const bool known = interval_of(l, cycle, &t);
  for (size_t i = 0; i < l->njobs; i++)
    l->share[i] = (struct siox_cpu_share){0};
  for (size_t i = 0; i < n; i++) {
    const int at = place_of(l, processes[i].job);
    if (at < 0)
      return at;
    l->share[at].cores++;
  }
  add_busy(l, cycle, processes, n);
  for (size_t i = 0; i < l->njobs; i++)
    l->job[i].busy_s += l->share[i].busy_s;
  if (!known)
    return 0;
  siox_idle_power_take(&l->idle_power, t.joules, t.seconds, t.busy_s / (t.cores * t.seconds));
  t.static_w = l->idle_power.watts;
  const int e = siox_attribute_cpu(&t, l->share, l->njobs, &rest);
  if (e < 0)
    return e;
  for (size_t i = 0; i < l->njobs; i++)
    l->job[i].joules += l->share[i].dynamic_j + l->share[i].static_j;
  l->joules += t.joules;
  l->idle_j += rest.idle_j;
  l->unattributed_j += rest.unattributed_j;
  return 0;
}

void siox__ledger_forget(struct siox__ledger *l, uint32_t job) {
  for (size_t i = 0; i < l->njobs; i++)
    if (l->job[i].job == job) {
      l->forgotten_j += l->job[i].joules;
      l->job[i] = l->job[--l->njobs];
      return;
    }
}
