/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A detector on series that the test writes: no collector, no provider, no clock. */
#ifndef SIOX_TEST_ADPI_SUPPORT_H
#define SIOX_TEST_ADPI_SUPPORT_H
#include "siox/adpi.h"
#include "support.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

enum { LAB_SERIES = 32, LAB_ISSUES = 16 };
static const struct siox_provider lab_meter = {
    .abi = SIOX_PROVIDER_ABI, .name = "meter", .priority = 5};
static const struct siox_provider lab_better = {
    .abi = SIOX_PROVIDER_ABI, .name = "better", .priority = 9};
static const struct siox_provider lab_plain = {.abi = SIOX_PROVIDER_ABI, .name = "plain"};

struct lab {
  const struct siox_adpi *adpi;
  void *state;
  struct siox_series series[LAB_SERIES];
  struct siox_cycle cycle;
  const struct siox_activity_summary *activities;
  struct siox_issue issues[LAB_ISSUES];
};

/* Opens a detector with "key=value" settings, NULL last; cycles of 100 ms. */
static inline struct lab *lab_open(const char *name, const char *const *settings) {
  struct lab *lab = calloc(1, sizeof *lab);
  struct siox_option list[8];
  char text[8][64];
  struct siox_adpi_env env = {.origin = "test.yaml", .settings = list, .period_ns = 100000000};
  for (; settings && settings[env.nsettings]; env.nsettings++) {
    char *t = text[env.nsettings];
    snprintf(t, sizeof text[0], "%s", settings[env.nsettings]);
    char *equals = strchr(t, '=');
    assert_non_null(equals);
    *equals = 0;
    /* Texts live as long as the detector: those of the test are literals. */
    list[env.nsettings] = (struct siox_option){.key = t,
                                               .value = settings[env.nsettings] + (equals + 1 - t),
                                               .line = (unsigned)env.nsettings + 1};
  }
  struct siox_diag diag = {{0}};
  lab->adpi = siox_adpi_find(name);
  assert_non_null(lab->adpi);
  const int e = lab->adpi->open(&env, &lab->state, &diag);
  if (e < 0)
    print_error("%s: %s\n", name, diag.text);
  assert_int_equal(e, 0);
  lab->cycle.series = lab->series;
  return lab;
}
static inline void lab_close(struct lab *lab) {
  lab->adpi->close(lab->state);
  free(lab);
}

static inline size_t lab_series(struct lab *lab, const struct siox_provider *provider,
                                enum siox_metric_kind kind, const char *name, const char *where,
                                const char *unit) {
  assert_true(lab->cycle.nseries < LAB_SERIES);
  struct siox_series *s = &lab->series[lab->cycle.nseries];
  *s = (struct siox_series){.provider = provider, .metric = {.kind = kind, .scale = 1}};
  snprintf(s->metric.name, sizeof s->metric.name, "%s", name);
  snprintf(s->metric.where, sizeof s->metric.where, "%s", where);
  snprintf(s->metric.unit, sizeof s->metric.unit, "%s", unit);
  return lab->cycle.nseries++;
}
/* A counter of joules of a domain, of 1 uJ. */
static inline size_t lab_energy(struct lab *lab, const char *where, enum siox_domain domain) {
  const size_t i = lab_series(lab, &lab_meter, SIOX_METRIC_COUNTER, "energy", where, "J");
  lab->series[i].metric.domain = domain;
  lab->series[i].metric.polarity = SIOX_LESS_IS_BETTER;
  lab->series[i].metric.scale = 1e-6;
  lab->series[i].best = lab->series[i].counts = true;
  return i;
}

/* What a series gives in the next cycle: of a counter the amount, else the value. */
static inline void lab_set(struct lab *lab, size_t i, double value) {
  struct siox_series *s = &lab->series[i];
  s->last = (struct siox_sample){.value = value};
  if (s->metric.kind == SIOX_METRIC_COUNTER)
    s->last.amount = value, s->last.value = value / 0.1;
}
static inline void lab_lose(struct lab *lab, size_t i, enum siox_sample_state state) {
  lab->series[i].last =
      (struct siox_sample){.state = state, .error = state == SIOX_SAMPLE_LOST ? SIOX_EIO : 0};
}
/* A cycle of so many ms: the number of issues. */
static inline int lab_cycle_ms(struct lab *lab, int64_t ms) {
  lab->cycle.dt_ns = ms * 1000000;
  lab->cycle.now_ns += lab->cycle.dt_ns;
  lab->cycle.number++;
  const int n = lab->adpi->cycle(
      lab->state, &(struct siox_adpi_input){&lab->cycle, lab->activities}, lab->issues, LAB_ISSUES);
  assert_true(n >= 0);
  for (int i = 0; i < n && i < LAB_ISSUES; i++) {
    assert_ptr_equal(lab->issues[i].detector, lab->adpi->name);
    assert_int_not_equal(lab->issues[i].severity, SIOX_GOOD);
    assert_true(strlen(lab->issues[i].evidence) > 10);
  }
  return n;
}
static inline int lab_cycle(struct lab *lab) { return lab_cycle_ms(lab, 100); }

/* In [0, 1). */
static inline double test_uniform(uint64_t *state) {
  return (double)(test_random(state) >> 11) * 0x1p-53;
}
/* Normal (Box and Muller 1958). */
static inline double test_normal(uint64_t *state) {
  const double u = 1 - test_uniform(state), v = test_uniform(state);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Anomalies at random times over a share of a run, in episodes of `least` to `most` cycles, none
 * before `from`. */
static inline bool *test_injected(uint64_t *state, size_t n, size_t from, double share,
                                  size_t least, size_t most) {
  bool *injected = calloc(n, sizeof *injected);
  const size_t wanted = (size_t)(share * (double)n);
  for (size_t done = 0; done < wanted;) {
    const size_t length = least + test_below(state, most - least + 1);
    if (from + length + 1 >= n)
      break;
    const size_t at = from + test_below(state, n - from - length);
    bool free_here = !injected[at - 1];
    for (size_t i = at; i <= at + length && i < n; i++)
      free_here = free_here && !injected[i];
    if (!free_here)
      continue;
    for (size_t i = at; i < at + length; i++)
      injected[i] = true;
    done += length;
  }
  return injected;
}

/* Recall: of what was abnormal (cycles, or episodes), how much was told. Precision: of the cycles
 * that were told, how many were abnormal. */
struct score {
  size_t hit, missed, right, false_alarm;
};
static inline void score_told(struct score *s, bool told, bool abnormal) {
  s->right += told && abnormal;
  s->false_alarm += told && !abnormal;
}
static inline void score_episode(struct score *s, bool found) {
  s->hit += found;
  s->missed += !found;
}
static inline void score_add(struct score *s, bool injected, bool told) {
  score_told(s, told, injected);
  if (injected)
    score_episode(s, told);
}
static inline double score_precision(const struct score *s) {
  return s->right ? (double)s->right / (double)(s->right + s->false_alarm) : 0;
}
/* All of several runs: recall of each, precision of the worst and of all. */
struct scores {
  const char *what;
  struct score all;
  double worst;
  int runs;
};
static inline void scores_add(struct scores *all, const struct score *s) {
  const double p = score_precision(s);
  if (all->runs++ == 0 || p < all->worst)
    all->worst = p;
  all->all.hit += s->hit;
  all->all.missed += s->missed;
  all->all.right += s->right;
  all->all.false_alarm += s->false_alarm;
}
static inline void scores_check(const struct scores *s) {
  const double recall = (double)s->all.hit / (double)(s->all.hit + s->all.missed);
  print_message(
      "%s: %d runs, %zu abnormal: recall %.2f %%, precision %.1f %% (worst run %.1f %%)\n", s->what,
      s->runs, s->all.hit + s->all.missed, 100 * recall, 100 * score_precision(&s->all),
      100 * s->worst);
  assert_int_equal(s->all.missed, 0);
  assert_true(s->worst >= 0.9);
}

#endif
