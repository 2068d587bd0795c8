/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "For most metrics available, values within the top or bottom 5 % of the possible range mark
 * anomalous behavior" (paper, section 5): good or bad by the metric's polarity, OTHER without.
 *
 * The range is learned: least and greatest value of the last WINDOWS windows of `learning` samples,
 * of which the first one passes before anything is said. Two things keep it from being what one
 * stray value makes of it:
 * - what lies further beyond the range than `tail` of its width is no part of the next one, unless
 * more than half of a window lies beyond: that is a new normal, and is taken whole. What a window
 * took is forgotten with it;
 * - a tail in which more than `rare` of the values lie is where this metric usually is (0 bytes of
 * a disk that sleeps, a counter of coarse ticks), and only what lies beyond the range by more than
 * `tail` of its width is told there. rare: 100 % is the paper's rule alone. Of a hundred metrics
 * there is always one that is where it seldom is. So each of n metrics has its n-th part of `rare`,
 * and what lies beyond a range without being that rare must lie beyond by 1 + log2 n times `tail`:
 * the greatest of n values with exponential tails grows with the logarithm of n. */
#include "monitor/adpi.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 8 };

struct extremes {
  double low, high;
};
struct learned {
  struct extremes past[WINDOWS], range, taken, all; /* taken, all: of this window */
  uint32_t npast, next, n, beyond, ntaken;          /* the last three: samples of this window */
  double counted, low, high; /* values, and those in the tails; the older ones fade */
};
struct statistics {
  double tail, learning, rare, each_processor;
  const char *metrics;
  struct siox__slots slots;
  double nmetrics; /* that are watched, counted when the lists were these */
  uint64_t lists;
};

static int open_statistics(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"tail", offsetof(struct statistics, tail), 0.05, 0, 0.5},
      {"learning", offsetof(struct statistics, learning), 600, 2, 1e9},
      {"rare", offsetof(struct statistics, rare), 0.02, 0, 1},
      {"each_processor", offsetof(struct statistics, each_processor), 0, 0, 1},
  };
  static const char *const texts[] = {"metrics", NULL};
  struct statistics *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  const int e =
      siox__numbers_read(env->origin, env->settings, env->nsettings, "statistics", numbers,
                         sizeof numbers / sizeof numbers[0], s, texts, &s->metrics, diag);
  if (e < 0) {
    free(s);
    return e;
  }
  *state = s;
  return 0;
}

static void close_statistics(void *state) {
  struct statistics *s = state;
  siox__slots_free(&s->slots);
  free(s);
}

static void widen(struct extremes *e, double low, double high, bool first) {
  e->low = first ? low : fmin(e->low, low);
  e->high = first ? high : fmax(e->high, high);
}

/* A window is full: it is one of those that make the range. */
static void turn(struct learned *l) {
  l->past[l->next] = 2 * l->beyond > l->n || l->ntaken == 0 ? l->all : l->taken;
  l->next = (l->next + 1) % WINDOWS;
  l->npast += l->npast < WINDOWS;
  for (uint32_t i = 0; i < l->npast; i++)
    widen(&l->range, l->past[i].low, l->past[i].high, i == 0);
  l->n = l->beyond = l->ntaken = 0;
}

/* As long as it is not known to be rare it is not. */
static bool is_rare(const struct learned *l, double in_tail, double rare) {
  return rare >= 1 || in_tail + 1 <= rare * (l->counted + 1);
}

/* +1: in the top tail or above the range; -1: in the bottom tail or below; 0: neither, or nothing
 * is known yet. */
static int learn(struct learned *l, const struct statistics *set, double nmetrics, double v) {
  const uint32_t full = (uint32_t)set->learning;
  const bool speaks = l->npast > 0, half = l->n >= full / 2;
  const struct extremes r = speaks ? l->range : l->all;
  const double width = r.high - r.low, tail = set->tail * width;
  /* Sums and quotients of the same counts differ in their last digits. */
  const double noise = 1e-9 * fmax(fabs(r.low), fabs(r.high));
  const bool above = v > r.high + noise, below = v < r.low - noise;
  const bool high = v >= r.high - tail, low = v <= r.low + tail;
  const bool far = v > r.high + tail + noise || v < r.low - tail - noise;
  const double rare = set->rare < 1 ? set->rare / nmetrics : 1,
               margin = tail * (1 + log2(nmetrics)) + noise;
  int side = 0;
  if (speaks && (v > r.high + margin || v < r.low - margin))
    side = v > r.high ? 1 : -1;
  else if (speaks && width > 2 * noise)
    side = high && is_rare(l, l->high, rare) ? 1 : low && is_rare(l, l->low, rare) ? -1 : 0;
  /* The first half of the learning period has no tails yet. */
  if ((speaks || half) && !(speaks && far)) {
    const double memory = set->learning * WINDOWS;
    const double keep = l->counted < memory ? 1 : 1 - 1 / memory;
    l->counted = l->counted * keep + 1;
    l->high = l->high * keep + high;
    l->low = l->low * keep + low;
  }
  if (!(speaks && far)) {
    widen(&l->taken, v, v, l->ntaken == 0);
    l->ntaken++;
  }
  widen(&l->all, v, v, l->n == 0);
  l->beyond += speaks && (above || below);
  if (++l->n >= full)
    turn(l);
  return side;
}

static void tell(const struct statistics *set, const struct siox_cycle *cycle, size_t i, int side,
                 struct extremes r, struct siox__issues *issues) {
  const struct siox_series *s = &cycle->series[i];
  struct siox_issue spare, *issue = siox__issue(issues, &spare);
  char name[112];
  siox__series_name(s, name, sizeof name);
  const double tail = set->tail * (r.high - r.low);
  issue->detector = siox__adpi_statistics.name;
  issue->severity = siox__severity(s->metric.polarity, side);
  issue->category = siox_category_of(s);
  issue->series = i;
  issue->value = s->last.value;
  issue->low = r.low + tail;
  issue->high = r.high - tail;
  snprintf(issue->evidence, sizeof issue->evidence,
           "%s is %.6g, in the %s %g %% of %.6g to %.6g or beyond", name, issue->value,
           side > 0 ? "top" : "bottom", 100 * set->tail, r.low, r.high);
}

static bool watched(const struct statistics *set, const struct siox_series *s) {
  if (s->gone || (set->metrics && !siox__listed(set->metrics, s->metric.name)))
    return false;
  const char *where = s->metric.where;
  return set->each_processor != 0 || strncmp(where, "cpu", 3) != 0 ||
         !isdigit((unsigned char)where[3]);
}

static void count(struct statistics *set, const struct siox_cycle *cycle) {
  if (cycle->lists > 0 && cycle->lists == set->lists)
    return;
  set->lists = cycle->lists;
  set->nmetrics = 0;
  for (size_t i = 0; i < cycle->nseries; i++)
    set->nmetrics += watched(set, &cycle->series[i]);
}

static int cycle_statistics(void *state, const struct siox_adpi_input *input,
                            struct siox_issue *list, size_t max) {
  struct statistics *set = state;
  const struct siox_cycle *cycle = input->cycle;
  struct siox__issues issues = {.list = list, .max = max};
  const int e = siox__slots_series(&set->slots, cycle, sizeof(struct learned));
  if (e < 0)
    return e;
  count(set, cycle);
  for (size_t i, k = 0; (i = siox_cycle_moved(cycle, &k)) < cycle->nseries;) {
    const struct siox_series *s = &cycle->series[i];
    if (!siox__is_sample(&s->last) || !watched(set, s))
      continue;
    struct learned *l = (struct learned *)set->slots.at + i;
    const struct extremes range = l->range; /* before this value can turn the window */
    const int side = learn(l, set, set->nmetrics, s->last.value);
    if (side != 0)
      tell(set, cycle, i, side, range, &issues);
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_statistics = {
    .abi = SIOX_ADPI_ABI,
    .name = "statistics",
    .about = "values in the top or bottom 5 % of the range that a metric had",
    .open = open_statistics,
    .cycle = cycle_statistics,
    .close = close_statistics,
};
