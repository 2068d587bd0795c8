/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Learning from episodes. Costs are compared as logarithms: they multiply, and a run that was
 * disturbed takes times as long. In a situation the setting that most episodes had is the base (of
 * equals the one that cost more); every other one with enough episodes is a candidate, and the one
 * with the greatest gain is the lesson. Whether its mean is less at all is asked with Welch's t. */
#include "siox/knowledge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The incomplete beta function's continued fraction (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1), f;
  d = 1 / (fabs(d) < tiny ? tiny : d);
  f = d;
  for (int m = 1; m <= 300; m++) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                 odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    const double terms[] = {even, odd};
    double change = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + terms[i] * d;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = 1 + terms[i] / c;
      c = fabs(c) < tiny ? tiny : c;
      change = c * d;
      f *= change;
    }
    if (fabs(change - 1) < 1e-14)
      break;
  }
  return f;
}

static double beta_part(double a, double b, double x) {
  int sign;
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  const double front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) +
                           a * log(x) + b * log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double siox_student(double t, double freedom) {
  if (isinf(t))
    return t > 0 ? 1 : 0;
  const double tail = 0.5 * beta_part(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

static int by_number(long a, long b) { return (a > b) - (a < b); }

static int by_situation(const struct siox_situation *a, const struct siox_situation *b) {
  int r = strcmp(a->program, b->program);
  r = r ? r : by_number(a->ranks, b->ranks);
  r = r ? r : by_number(a->access, b->access);
  r = r ? r : by_number(a->pattern, b->pattern);
  r = r ? r : by_number(a->collective, b->collective);
  return r ? r : by_number(a->size_class, b->size_class);
}

static int by_settings(const struct siox_settings *a, const struct siox_settings *b) {
  int r = strcmp(a->policy, b->policy);
  for (int k = 0; r == 0 && k < SIOX_NADVICE; k++)
    r = strcmp(a->value[k], b->value[k]);
  return r;
}

static int in_order(const void *a, const void *b) {
  const struct siox_episode *x = *(const struct siox_episode *const *)a,
                            *y = *(const struct siox_episode *const *)b;
  const int r = by_situation(&x->situation, &y->situation);
  return r ? r : by_settings(&x->settings, &y->settings);
}

/* Episodes [from, to) of one situation with one setting. */
struct group {
  size_t from, to;
  double n, mean, variance; /* of the logarithms */
};

static struct group group_of(const struct siox_episode *const *e, size_t from, size_t end) {
  struct group g = {.from = from, .to = from};
  double squares = 0;
  while (g.to < end && by_settings(&e[g.to]->settings, &e[from]->settings) == 0) {
    const double x = log(e[g.to++]->cost), before = x - g.mean;
    g.n++;
    g.mean += before / g.n;
    squares += before * (x - g.mean);
  }
  g.variance = g.n > 1 ? squares / (g.n - 1) : 0;
  return g;
}

/* That a costs less than b. */
static double confidence(const struct group *a, const struct group *b) {
  const double va = a->variance / a->n, vb = b->variance / b->n, v = va + vb;
  const double less = b->mean - a->mean;
  if (v <= 1e-18 * (a->mean * a->mean + b->mean * b->mean))
    return less > 0 ? 1 : 0;
  const double freedom = v * v / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
  return siox_student(less / sqrt(v), freedom);
}

static void take_verdict(const struct siox_episode *const *e, const struct group *g,
                         struct siox_lesson *l) {
  for (size_t i = g->from; i < g->to; i++) {
    uint32_t n = 0;
    for (size_t k = g->from; k < g->to; k++)
      n += *e[i]->verdict && strcmp(e[k]->verdict, e[i]->verdict) == 0;
    if (n > l->with_verdict) {
      l->with_verdict = n;
      memcpy(l->verdict, e[i]->verdict, sizeof l->verdict);
    }
  }
}

/* Only what differs is the response. */
static void take_settings(const struct siox_settings *better, const struct siox_settings *base,
                          struct siox_lesson *l) {
  for (int k = 0; k < SIOX_NADVICE; k++)
    if (strcmp(better->value[k], base->value[k]) != 0) {
      memcpy(l->response.value[k], better->value[k], sizeof better->value[k]);
      memcpy(l->base.value[k], base->value[k], sizeof base->value[k]);
    }
  if (strcmp(better->policy, base->policy) != 0) {
    memcpy(l->response.policy, better->policy, sizeof better->policy);
    memcpy(l->base.policy, base->policy, sizeof base->policy);
  }
}

/* The groups of one situation. */
static bool lesson_of(const struct siox_episode *const *e, const struct group *g, size_t n,
                      const struct siox_learning *how, struct siox_lesson *l) {
  const double least = how->least_runs > 2 ? how->least_runs : 2;
  const struct group *base = &g[0], *best = NULL;
  double best_sure = 0;
  for (size_t i = 1; i < n; i++)
    if (g[i].n > base->n || (g[i].n == base->n && g[i].mean > base->mean))
      base = &g[i];
  for (size_t i = 0; i < n && base->n >= least; i++) {
    if (&g[i] == base || g[i].n < least || 1 - exp(g[i].mean - base->mean) < how->least_gain)
      continue;
    const double sure = confidence(&g[i], base);
    if (sure < how->least_confidence || (best && g[i].mean >= best->mean))
      continue;
    best = &g[i];
    best_sure = sure;
  }
  if (!best)
    return false;
  *l = (struct siox_lesson){.situation = e[base->from]->situation,
                            .runs = (uint32_t)best->n,
                            .base_runs = (uint32_t)base->n,
                            .cost = exp(best->mean),
                            .base_cost = exp(base->mean),
                            .gain = 1 - exp(best->mean - base->mean),
                            .confidence = best_sure};
  take_settings(&e[best->from]->settings, &e[base->from]->settings, l);
  take_verdict(e, base, l);
  return true;
}

static int by_gain(const void *a, const void *b) {
  const struct siox_lesson *x = a, *y = b;
  if (x->gain != y->gain)
    return x->gain > y->gain ? -1 : 1;
  return by_situation(&x->situation, &y->situation);
}

int siox_learn(const struct siox_episode *episodes, size_t n, const struct siox_learning *how,
               struct siox_lesson **lessons, size_t *nlessons) {
  const struct siox_episode **e = malloc((n + 1) * sizeof *e);
  struct group *g = malloc((n + 1) * sizeof *g);
  struct siox_lesson *out = calloc(n / 2 + 1, sizeof *out);
  *lessons = NULL;
  *nlessons = 0;
  if (!e || !g || !out) {
    free(e);
    free(g);
    free(out);
    return SIOX_ENOMEM;
  }
  size_t used = 0;
  for (size_t i = 0; i < n; i++)
    if (episodes[i].cost > 0 && isfinite(episodes[i].cost))
      e[used++] = &episodes[i];
  if (used > 0)
    qsort(e, used, sizeof *e, in_order);
  for (size_t from = 0; from < used;) {
    size_t end = from, ngroups = 0;
    while (end < used && by_situation(&e[end]->situation, &e[from]->situation) == 0)
      end++;
    for (size_t at = from; at < end; at = g[ngroups++].to)
      g[ngroups] = group_of(e, at, end);
    *nlessons += lesson_of(e, g, ngroups, how, &out[*nlessons]);
    from = end;
  }
  if (*nlessons > 0)
    qsort(out, *nlessons, sizeof *out, by_gain);
  free(e);
  free(g);
  *lessons = out;
  return 0;
}
