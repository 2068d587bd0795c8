/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Jobs' joules, cycle by cycle: what waits for a meter, and who gets it. */
#include "monitor/ledger.h"
#include "monitor/metrics.h"
#include "monitor/processor_time.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A second of the daemon's cycles: processor time that stays away is not waited for any longer. */
enum { HELD_MOST = 10 };

void siox__ledger_free(struct siox__ledger *l) {
  free(l->job);
  free(l->share);
  free(l->busy);
  free(l->at);
  *l = (struct siox__ledger){0};
}

static int look_for(struct siox__ledger *l, uint32_t job);

/* The job's place, made when it is asked for first; SIOX_ENOMEM. */
static inline int place_of(struct siox__ledger *l, uint32_t job) {
  if (l->last < l->njobs && l->job[l->last].job == job)
    return (int)l->last; /* neighbours are of one job as a rule */
  return look_for(l, job);
}

static int look_for(struct siox__ledger *l, uint32_t job) {
  for (size_t i = 0; i < l->njobs; i++)
    if (l->job[i].job == job) {
      l->last = i;
      return (int)i;
    }
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

/* What the meters of packages and the processors say in a cycle. */
struct said {
  double joules,
      span_s; /* of the packages that gave a sample, and the longest time one stands for */
  bool any, all,
      anew; /* packages with a sample; anew: one begins again, what is waiting gets no joules */
  double cores, busy_s;
  bool busy_lost; /* the processors' time of this cycle comes with the next reading */
};

static void take_package(struct siox__ledger *l, const struct siox_series *s, struct said *t) {
  const bool valid = s->last.state == SIOX_SAMPLE_VALID;
  l->metered = true;
  l->source = s->provider->name;
  l->estimated |= (s->metric.flags & SIOX_METRIC_ESTIMATED) != 0;
  t->any |= valid;
  t->all &= valid;
  t->anew |= s->last.state == SIOX_SAMPLE_FIRST || s->last.state == SIOX_SAMPLE_SUSPENDED;
  if (valid) {
    t->joules += s->last.amount;
    t->span_s = fmax(t->span_s, 1e-9 * (double)s->last.span_ns);
  }
}

static struct said said_in(struct siox__ledger *l, const struct siox_cycle *cycle) {
  struct said t = {.all = true};
  l->metered = l->estimated = false;
  l->source = NULL;
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone)
      continue;
    if (s->best && s->metric.domain == SIOX_DOMAIN_PACKAGE)
      take_package(l, s, &t);
    if (siox__is_named(&s->metric, "cpu_user") && s->metric.where[0])
      t.cores++;
    if (siox__is_busy_time(s->metric.name) && !s->metric.where[0]) {
      t.busy_s += s->last.state == SIOX_SAMPLE_VALID ? s->last.amount : 0;
      t.busy_lost |= s->last.state == SIOX_SAMPLE_LOST;
    }
  }
  return t;
}

/* Which series are processes' times now; what is known of those that were so before is kept.
 * SIOX_ENOMEM: it is as it was. */
static int follow(struct siox__ledger *l, const struct siox_cycle *cycle) {
  if (cycle->lists > 0 && cycle->lists == l->lists)
    return 0;
  size_t n = 0;
  for (size_t i = 0; i < cycle->nseries; i++)
    n += siox__is_named(&cycle->series[i].metric, "process_cpu");
  struct siox__ledger_busy *busy = malloc((n + 1) * sizeof *busy);
  uint32_t *at = calloc(cycle->nseries + 1, sizeof *at);
  if (!busy || !at) {
    free(busy);
    free(at);
    return SIOX_ENOMEM;
  }
  n = 0;
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    if (!siox__is_named(&s->metric, "process_cpu"))
      continue;
    const uint32_t was = i < l->nat ? l->at[i] : 0;
    if (was > 0 && l->busy[was - 1].generation == s->generation)
      busy[n] = l->busy[was - 1];
    else
      busy[n] = (struct siox__ledger_busy){.series = (uint32_t)i, .generation = s->generation};
    busy[n].pid = (int32_t)strtol(s->metric.where, NULL, 10); /* PID@START */
    at[i] = (uint32_t)++n;
  }
  free(l->busy);
  free(l->at);
  l->busy = busy;
  l->nbusy = n;
  l->at = at;
  l->nat = cycle->nseries;
  l->lists = cycle->lists;
  return 0;
}

/* Its series was read in this cycle, or was not and had been in the one before: what its sample
 * says, without what it was taken to use while it was not read; or what it is taken to use. */
static void move(struct siox__ledger_busy *b, const struct siox_series *s) {
  const bool held = s->last.state == SIOX_SAMPLE_HELD;
  if (b->generation != s->generation)
    *b =
        (struct siox__ledger_busy){.series = b->series, .generation = s->generation, .pid = b->pid};
  b->held = false;
  b->busy_s = 0;
  if (s->gone || (s->last.state != SIOX_SAMPLE_VALID && !held)) {
    b->ahead_s = 0; /* what makes up for it never comes */
  } else if (held) {
    b->held = true;
    b->rate = s->last.error == 0 ? s->last.value : 0;
  } else {
    const double more = s->last.amount - b->ahead_s;
    b->ahead_s = more < 0 ? -more : 0;
    b->busy_s = more < 0 ? 0 : more;
  }
}

static size_t find(const struct siox__ledger_process *processes, size_t n, int32_t pid) {
  size_t low = 0;
  for (size_t high = n; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (processes[middle].pid < pid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Adds what each job's processes used to its share. */
static void add_busy(struct siox__ledger *l, const struct siox_cycle *cycle,
                     const struct siox__ledger_process *processes, size_t n) {
  const double dt_s = 1e-9 * (double)cycle->dt_ns;
  for (size_t i, k = 0; (i = siox_cycle_moved(cycle, &k)) < cycle->nseries;)
    if (l->at[i] > 0)
      move(&l->busy[l->at[i] - 1], &cycle->series[i]);
  for (size_t k = 0; k < l->nbusy; k++) {
    struct siox__ledger_busy *b = &l->busy[k];
    if (b->held) {
      b->busy_s = b->rate * dt_s;
      b->ahead_s += b->busy_s;
    }
    if (b->place >= n || processes[b->place].pid != b->pid)
      b->place = (uint32_t)find(processes, n, b->pid);
    if (b->place < n && processes[b->place].pid == b->pid)
      l->share[place_of(l, processes[b->place].job)].busy_s += b->busy_s;
    b->busy_s = 0;
  }
}

/* The joules that the meters gave, over the time that they stand for. */
static int attribute(struct siox__ledger *l, const struct said *t) {
  const double joules = l->waiting_j + t->joules,
               seconds = fmin(l->waiting_s, l->waiting_span_s + t->span_s),
               part = seconds / l->waiting_s;
  struct siox_cpu_interval interval = {
      .joules = joules, .seconds = seconds, .cores = t->cores, .busy_s = part * l->waiting_busy_s};
  struct siox_cpu_rest rest;
  if (!(seconds > 0))
    return 0;
  if (t->all && part > 0.99) /* else one package's joules are of a longer time than another's */
    siox_idle_power_take(&l->idle_power, joules, seconds, interval.busy_s / (t->cores * seconds));
  interval.static_w = l->idle_power.watts;
  for (size_t i = 0; i < l->njobs; i++)
    l->share[i].busy_s *= part;
  const int e = siox_attribute_cpu(&interval, l->share, l->njobs, &rest);
  if (e < 0)
    return e;
  for (size_t i = 0; i < l->njobs; i++)
    l->job[i].joules += l->share[i].dynamic_j + l->share[i].static_j;
  l->waiting_j = 0;
  l->joules += joules;
  l->idle_j += rest.idle_j;
  l->unattributed_j += rest.unattributed_j;
  l->joules_lost_s += l->waiting_s - seconds;
  return 0;
}

int siox__ledger_take(struct siox__ledger *l, const struct siox_cycle *cycle,
                      const struct siox__ledger_process *processes, size_t n) {
  const struct said t = said_in(l, cycle);
  const int followed = follow(l, cycle);
  if (followed < 0)
    return followed;
  for (size_t i = 0; i < l->njobs; i++) {
    l->share[i].cores = 0;
    l->job[i].busy_s -= l->share[i].busy_s; /* what waits is counted again below */
  }
  for (size_t i = 0; i < n; i++) {
    const int at = place_of(l, processes[i].job);
    if (at < 0)
      return at;
    l->share[at].cores++;
  }
  add_busy(l, cycle, processes, n);
  for (size_t i = 0; i < l->njobs; i++)
    l->job[i].busy_s += l->share[i].busy_s;
  l->waiting_s += 1e-9 * (double)cycle->dt_ns;
  l->waiting_busy_s += t.busy_s;
  if (l->metered && !t.any && !t.anew)
    return 0; /* the next reading has the joules of this time, too */
  if (t.any && t.busy_lost && l->held < HELD_MOST) {
    l->held++;
    l->waiting_j += t.joules;
    l->waiting_span_s += t.span_s;
    return 0;
  }
  const int e = t.any && t.cores > 0 && l->waiting_s > 0 ? attribute(l, &t) : 0;
  if (!t.any && l->metered)
    l->joules_lost_s += l->waiting_s;
  l->joules += l->waiting_j; /* nobody can tell whose they are */
  l->unattributed_j += l->waiting_j;
  l->waiting_s = l->waiting_busy_s = l->waiting_j = l->waiting_span_s = 0;
  l->held = 0;
  for (size_t i = 0; i < l->njobs; i++)
    l->share[i].busy_s = 0;
  return e;
}

void siox__ledger_forget(struct siox__ledger *l, uint32_t job) {
  for (size_t i = 0; i < l->njobs; i++)
    if (l->job[i].job == job) {
      l->forgotten_j += l->job[i].joules;
      l->job[i] = l->job[--l->njobs];
      l->share[i] = l->share[l->njobs];
      return;
    }
}

int siox__ledger_copy(struct siox__ledger *to, const struct siox__ledger *from) {
  struct siox__ledger_job *jobs = malloc((from->njobs + 1) * sizeof *jobs);
  if (!jobs)
    return SIOX_ENOMEM;
  if (from->njobs > 0)
    memcpy(jobs, from->job, from->njobs * sizeof *jobs);
  siox__ledger_free(to);
  *to = *from;
  to->job = jobs;
  to->share = NULL;
  to->busy = NULL;
  to->nbusy = 0;
  to->at = NULL;
  to->nat = 0;
  to->room = 0;
  to->lists = 0;
  return 0;
}
