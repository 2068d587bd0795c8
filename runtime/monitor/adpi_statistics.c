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
 * the greatest of n values with exponential tails grows with the logarithm of n.
 *
 * What lies beyond is told at once only if it is known to be that rare. A metric that nearly always
 * rests (bytes that a process has from disk: pages of its program now and then) shows its range by
 * few values, and by none as long as it rests; the next burst is then greater than all before it as
 * likely as not. See reach(). What may be such a burst is told when it lasts longer than one that
 * falls across the end of a cycle does, LASTS; if it is over before that, it is learned.
 *
 * Three more things are no anomalies:
 * - what the steps of a counter explain: ticks that fall into this cycle or the next, some pages;
 * - what a program that was held up catches up: less than the range, and then as much more;
 * - that a gauge of bytes changes by a small part of itself. The possible range of memory begins at
 * 0, so 5 % of it are 5 % of all that was in use, not of what it varied by. What grows slowly is
 * `drift`'s. */
#include "common/fetch.h"
#include "monitor/adpi.h"
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WINDOWS = 8,
  LASTS = 2,
  HELD_UP = 20, /* cycles whose work comes later, at most */
  AHEAD = 3,    /* samples that are fetched from memory meanwhile */
};

struct extremes {
  double low, high;
};
struct learned { /* what each sample needs first: it is thousands of processes' */
  struct extremes range, taken, all; /* taken, all: of this window */
  double counted, low, high;         /* values, and those in the tails; the older ones fade */
  double mean;                       /* of the counted ones */
  double owed;           /* counters: what came short of the range, until it is made up for */
  struct extremes burst; /* the cycles beyond the range that have just been, */
  uint32_t nburst;       /* so many, */
  int side;              /* above or below, */
  bool told;             /* and it was said */
  bool watched;          /* when the lists were the set's */
  uint32_t npast, next, n, beyond, ntaken; /* the last three: samples of this window */
  struct extremes past[WINDOWS];
};
struct statistics {
  double tail, learning, rare, each_processor;
  const char *metrics;
  struct siox__slots slots;
  double nmetrics; /* that are watched, counted when the lists were these */
  double beyond;   /* so many tails must lie beyond what is not that rare, for so many */
  uint64_t lists;
};
/* A value, and what is known of its metric. */
struct judged {
  double value;
  double step;    /* of a counter, as a rate: less says nothing */
  bool is_rate;   /* what it lacks may come later */
  bool from_zero; /* so is its possible range */
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

static double width_of(const struct judged *about, struct extremes r) {
  return about->from_zero ? fmax(r.high, 0) - fmin(r.low, 0) : r.high - r.low;
}

/* How far beyond the end of a range of this width a value is known to be as rare as `rare`, if k of
 * N values were not where the metric rests. Sizes are taken as exponential: the greatest of k is
 * then H(k) = 1 + 1/2 + ... + 1/k times their mean, and of the next one, with the mean known from
 * those k alone, P(> x) = (1 + x / (k mean))^-k (Lomax). That it comes at all has the chance
 * (k + 1) / (N + 1) (Laplace's rule of succession). */
static double reach(const struct learned *l, int side, double width, double rare) {
  const double k = fmax(0, l->counted - (side > 0 ? l->low : l->high)),
               often = (k + 1) / (l->counted + 1), of = fmax(k, 1);
  if (2 * k > l->counted)
    return 0; /* it does not rest, and all its values show its range */
  if (often <= rare)
    return 0; /* that it does not rest is rare enough, whatever its size */
  const double harmonic = log(of) + 0.5772156649 + 0.4227843351 / of; /* H(k) within 2 % */
  return width > 0 ? width * fmax(0, expm1(log(often / rare) / of) * of / harmonic - 1) : INFINITY;
}

/* A counter that was below its range may be above it by as much as it lacked. In cycles that are as
 * usual the debt fades: who catches up does it at once. */
static bool catches_up(struct learned *l, double v, int beyond) {
  const double more = v - l->mean;
  if (beyond < 0) {
    l->owed = fmin(l->owed - more, HELD_UP * fabs(l->mean));
  } else if (beyond == 0) {
    l->owed = l->owed > more ? fmin(l->owed, l->owed - more) / 2 : 0;
  } else if (more <= l->owed) {
    l->owed -= more;
    return true;
  }
  return false;
}

static void take(struct learned *l, double low, double high) {
  widen(&l->taken, low, high, l->ntaken == 0);
  l->ntaken++;
}

/* It is over. One that was not told is how large bursts are, from now on. */
static void end_burst(struct learned *l) {
  if (l->nburst > 0 && !l->told) {
    widen(&l->range, l->burst.low, l->burst.high, false);
    take(l, l->burst.low, l->burst.high);
    l->counted += l->nburst;
  }
  l->nburst = 0;
  l->told = false;
}

/* A value beyond the range by `by`: is it told? */
static bool is_told(struct learned *l, double v, int side, double by, double width, double rare) {
  if (l->side != side)
    end_burst(l);
  l->side = side;
  widen(&l->burst, v, v, l->nburst == 0);
  l->nburst++;
  l->told |= l->nburst > LASTS || by > reach(l, side, width, rare);
  return l->told;
}

static void count(struct learned *l, const struct statistics *set, double v, bool low, bool high) {
  const double memory = set->learning * WINDOWS;
  const double keep = l->counted < memory ? 1 : 1 - 1 / memory;
  l->counted = l->counted * keep + 1;
  l->high = l->high * keep + high;
  l->low = l->low * keep + low;
  l->mean += (v - l->mean) / l->counted;
}

/* +1: in the top tail or above the range; -1: in the bottom tail or below; 0: neither, or nothing
 * is known yet. */
static int learn(struct learned *l, const struct statistics *set, double nmetrics,
                 const struct judged *about) {
  const uint32_t full = (uint32_t)set->learning;
  const bool speaks = l->npast > 0, half = l->n >= full / 2;
  const double v = about->value;
  const struct extremes r = speaks ? l->range : l->all;
  const double width = width_of(about, r), tail = set->tail * width;
  /* Sums and quotients of the same counts differ in their last digits. */
  const double noise = 1e-9 * fmax(fabs(r.low), fabs(r.high));
  const bool above = v > r.high + noise, below = v < r.low - noise;
  const bool high = v >= r.high - tail - noise, low = v <= r.low + tail + noise;
  const bool far = v > r.high + tail + noise || v < r.low - tail - noise;
  const double rare = set->rare < 1 ? set->rare / nmetrics : 1;
  /* Two steps of a counter can be told from one; how long cycles last varies. */
  const double margin = fmax(tail * set->beyond, 1.5 * about->step) + noise;
  const int beyond = !speaks ? 0 : v > r.high + margin ? 1 : v < r.low - margin ? -1 : 0;
  const bool made_up = about->is_rate && speaks && catches_up(l, v, beyond);
  int side = 0;
  if (beyond != 0 && !made_up) {
    const double by = beyond > 0 ? v - r.high : r.low - v, spread = width > 2 * noise ? width : 0;
    side = is_told(l, v, beyond, by, spread, rare) ? beyond : 0;
  } else {
    end_burst(l);
    if (beyond == 0 && speaks && width > 2 * noise)
      side = high && is_rare(l, l->high, rare) ? 1 : low && is_rare(l, l->low, rare) ? -1 : 0;
  }
  /* The first half of the learning period has no tails yet. */
  if ((speaks || half) && !(speaks && far))
    count(l, set, v, low, high);
  if (!(speaks && far))
    take(l, v, v);
  widen(&l->all, v, v, l->n == 0);
  l->beyond += speaks && (above || below);
  if (++l->n >= full)
    turn(l);
  return side;
}

static void tell(const struct statistics *set, const struct siox_cycle *cycle, size_t i, int side,
                 struct extremes r, double width, struct siox__issues *issues) {
  const struct siox_series *s = &cycle->series[i];
  struct siox_issue spare, *issue = siox__issue(issues, &spare);
  char name[112];
  siox__series_name(s, name, sizeof name);
  const double tail = set->tail * width;
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

static void count_metrics(struct statistics *set, const struct siox_cycle *cycle) {
  if (cycle->lists > 0 && cycle->lists == set->lists)
    return;
  struct learned *l = set->slots.at;
  set->lists = cycle->lists;
  set->nmetrics = 0;
  for (size_t i = 0; i < cycle->nseries; i++) {
    l[i].watched = watched(set, &cycle->series[i]);
    set->nmetrics += l[i].watched;
  }
  set->beyond = 1 + log2(set->nmetrics);
}

static struct judged about_sample(const struct siox_series *s) {
  const bool counter = s->metric.kind == SIOX_METRIC_COUNTER;
  const int64_t span_ns = s->last.span_ns;
  const double step = fmax(s->metric.step, s->metric.scale);
  return (struct judged){.value = s->last.value,
                         .step = counter && span_ns > 0 ? step * 1e9 / (double)span_ns : 0,
                         .is_rate = counter,
                         .from_zero = s->metric.kind == SIOX_METRIC_GAUGE &&
                                      strcmp(s->metric.unit, "B") == 0};
}

static int cycle_statistics(void *state, const struct siox_adpi_input *input,
                            struct siox_issue *list, size_t max) {
  struct statistics *set = state;
  const struct siox_cycle *cycle = input->cycle;
  struct siox__issues issues = {.list = list, .max = max};
  const int e = siox__slots_series(&set->slots, cycle, sizeof(struct learned));
  if (e < 0)
    return e;
  count_metrics(set, cycle);
  for (size_t i, k = 0; (i = siox_cycle_moved(cycle, &k)) < cycle->nseries;) {
    size_t later = k + AHEAD;
    const size_t soon = siox_cycle_moved(cycle, &later);
    if (soon < cycle->nseries) {
      siox__fetch(&cycle->series[soon], sizeof cycle->series[soon]);
      siox__fetch((struct learned *)set->slots.at + soon, offsetof(struct learned, past));
    }
    const struct siox_series *s = &cycle->series[i];
    struct learned *l = (struct learned *)set->slots.at + i;
    if (!l->watched || !siox__is_sample(&s->last))
      continue;
    const struct extremes range = l->range; /* before this value can turn the window */
    const struct judged about = about_sample(s);
    const int side = learn(l, set, set->nmetrics, &about);
    if (side != 0)
      tell(set, cycle, i, side, range, width_of(&about, range), &issues);
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
