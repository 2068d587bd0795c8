/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Energy efficiency (paper, Listing 3): processor seconds per joule are "a constant for any given
 * clock speed", so there is a mean and a standard deviation for each bin of clock frequencies, and
 * a ratio further than k deviations from its mean is abnormal. With `work: flops` it is operations
 * per joule, where somebody counts them.
 *
 * Where this goes beyond the listing:
 * - the listing learns a value before it judges it; here a value does not vouch for itself, and
 * what lies far out is learned as if it lay near (siox__moments_learn), so that anomalies do not
 * become what is normal;
 * - k deviations are widened while few values are known (siox__moments_reach);
 * - counters move in steps, processor time in ticks of 10 ms and energy about once a millisecond
 * (RAPL: 976 us, paper section 3.1). The true ratio is between (work - ticks) / (joules + steps)
 * and (work + ticks) / (joules - steps); only an interval that lies wholly beyond counts. So a
 * constant ratio never fires, however coarse the counters.
 * - energy that is modelled from processor time has a constant ratio by construction: it is
 * refused. */
#include "monitor/adpi.h"
#include "monitor/moments.h"
#include "monitor/processor_time.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 64, WORDS = 16 };

struct efficiency {
  double k, stabilisation, memory, bin_hz, least_work, energy_step_s;
  const char *work; /* NULL: processor time */
  enum siox_domain domain;
  bool gap; /* a sample was lost in the cycle before: differences span different times */
  struct siox__moments bins[BINS];
};

/* A memory that ends before the distribution is stable would never judge. */
static int check_memory(const struct siox_adpi_env *env, const struct efficiency *s,
                        struct siox_diag *diag) {
  if (s->memory > s->stabilisation)
    return 0;
  unsigned line = 0;
  for (size_t i = 0; i < env->nsettings; i++)
    if (!strcmp(env->settings[i].key, "memory") || !strcmp(env->settings[i].key, "stabilisation"))
      line = env->settings[i].line;
  snprintf(diag->text, sizeof diag->text,
           "%s:%u: memory: %g values are forgotten before the %g of stabilisation are there",
           env->origin, line, s->memory, s->stabilisation);
  return SIOX_ERANGE;
}

static int open_efficiency(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"k", offsetof(struct efficiency, k), 4, 0.1, 100},
      {"stabilisation", offsetof(struct efficiency, stabilisation), 100, 3, 1e9},
      {"memory", offsetof(struct efficiency, memory), 36000, 10, 1e12},
      {"bin", offsetof(struct efficiency, bin_hz), 100e6, 1e6, 1e12},
      {"least_work", offsetof(struct efficiency, least_work), 0.05, 0, 1e18},
      {"energy_step", offsetof(struct efficiency, energy_step_s), 1e-3, 0, 10},
  };
  static const char *const texts[] = {"work", "domain", NULL};
  const char *text[2];
  struct efficiency *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "efficiency", numbers,
                             sizeof numbers / sizeof numbers[0], s, texts, text, diag);
  if (e == 0)
    e = check_memory(env, s, diag);
  s->work = text[0];
  s->domain = SIOX_DOMAIN_PACKAGE;
  for (size_t i = 0; e == 0 && text[1] && i < env->nsettings; i++) {
    if (strcmp(env->settings[i].key, "domain") != 0)
      continue;
    s->domain = siox_domain_find(env->settings[i].value, strlen(env->settings[i].value));
    if (s->domain == SIOX_DOMAIN_NONE || s->domain == SIOX_NDOMAINS) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: domain: '%s' is no domain of energy",
               env->origin, env->settings[i].line, env->settings[i].value);
      e = SIOX_EINVAL;
    }
  }
  if (e < 0) {
    free(s);
    return e;
  }
  *state = s;
  return 0;
}

static void close_efficiency(void *state) { free(state); }

/* A sum over series: unit a second, and by how much it may be wrong to either side. */
struct sum {
  double value, step;
  size_t n;
  bool lost;
};

static void add(struct sum *sum, const struct siox_series *s, double dt_s, double step_s) {
  sum->n++;
  sum->lost |= !siox__is_sample(&s->last);
  sum->value += s->last.value;
  if (s->metric.kind == SIOX_METRIC_COUNTER)
    sum->step += s->metric.scale / dt_s + fabs(s->last.value) * step_s / dt_s;
}

/* Of each metric of the list the series of the whole node, or, where there is none, of all places.
 */
static struct sum work_of(const struct efficiency *set, const struct siox_cycle *cycle,
                          double dt_s) {
  struct sum sum = {0};
  for (size_t i = set->work ? 0 : siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = set->work ? i + 1 : siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || !(set->work ? siox__listed(set->work, s->metric.name) != 0
                               : siox__is_busy_time(s->metric.name)))
      continue;
    bool contained = false;
    for (size_t j = 0; s->metric.where[0] && !contained && j < cycle->nseries; j++)
      contained = !cycle->series[j].gone && !cycle->series[j].metric.where[0] &&
                  strcmp(cycle->series[j].metric.name, s->metric.name) == 0;
    if (!contained)
      add(&sum, s, dt_s, 0);
  }
  return sum;
}

/* Of the domain's best source, as in sums over a node; none where that one is a model. */
static struct sum watts_of(const struct efficiency *set, const struct siox_cycle *cycle,
                           double dt_s) {
  struct sum sum = {0};
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->gone || !s->best || s->metric.domain != set->domain ||
        (s->metric.flags & SIOX_METRIC_PART))
      continue;
    if (s->metric.flags & SIOX_METRIC_ESTIMATED)
      return (struct sum){0};
    if (siox__is_meter(s))
      add(&sum, s, dt_s, set->energy_step_s);
  }
  return sum;
}

/* The bin of the mean clock of the processors; 0 where nobody measures it, negative where it was
 * lost. */
static int bin_of(const struct efficiency *set, const struct siox_cycle *cycle) {
  struct sum clock = {0};
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (!s->gone && strcmp(s->metric.unit, "Hz") == 0 && siox_category_of(s) == SIOX_CATEGORY_CPU)
      add(&clock, s, 1, 0);
  }
  if (clock.lost || clock.value < 0)
    return -1;
  return clock.n == 0 ? 0 : (int)fmin(clock.value / (double)clock.n / set->bin_hz, BINS - 1);
}

static void tell(const struct efficiency *set, int side, double ratio, double mean, double reach,
                 struct siox__issues *issues) {
  struct siox_issue spare, *issue = siox__issue(issues, &spare);
  issue->detector = siox__adpi_efficiency.name;
  issue->severity = side > 0 ? SIOX_ABNORMAL_GOOD : SIOX_ABNORMAL_BAD;
  issue->category = SIOX_CATEGORY_ENERGY;
  issue->value = ratio;
  issue->low = mean - reach;
  issue->high = mean + reach;
  snprintf(issue->evidence, sizeof issue->evidence,
           "%.4g %s per joule of %s where %.4g to %.4g were usual at this clock", ratio,
           set->work ? set->work : "processor seconds", siox_domain_name(set->domain), issue->low,
           issue->high);
}

static int cycle_efficiency(void *state, const struct siox_adpi_input *input,
                            struct siox_issue *list, size_t max) {
  struct efficiency *set = state;
  const struct siox_cycle *cycle = input->cycle;
  struct siox__issues issues = {.list = list, .max = max};
  const double dt = (double)cycle->dt_ns * 1e-9;
  if (cycle->dt_ns <= 0)
    return 0;
  const struct sum work = work_of(set, cycle, dt), watts = watts_of(set, cycle, dt);
  const int bin = bin_of(set, cycle);
  const bool lost = work.lost || watts.lost || bin < 0, gap = set->gap;
  set->gap = lost;
  if (lost || gap || work.n == 0 || watts.n == 0 || work.value <= set->least_work ||
      watts.value <= 0)
    return 0;
  struct siox__moments *m = &set->bins[bin];
  const double ratio = work.value / watts.value;
  const double least = fmax(0, work.value - work.step) / (watts.value + watts.step);
  const double most =
      watts.value > watts.step ? (work.value + work.step) / (watts.value - watts.step) : INFINITY;
  if (m->n > set->stabilisation) {
    const double reach = siox__moments_reach(m, set->k) + 1e-9 * m->mean;
    const int side = least > m->mean + reach ? 1 : most < m->mean - reach ? -1 : 0;
    if (side != 0)
      tell(set, side, ratio, m->mean, reach, &issues);
    siox__moments_learn(m, ratio, 0.01 * m->mean, set->memory);
  } else {
    siox__moments_add(m, ratio, set->memory);
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_efficiency = {
    .abi = SIOX_ADPI_ABI,
    .name = "efficiency",
    .about = "processor time (or operations) per metered joule, for each clock frequency",
    .open = open_efficiency,
    .cycle = cycle_efficiency,
    .close = close_efficiency,
};
