/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "For long-running applications, any major discrepancy between recent consumption and average
 * behavior over the last hours or days will most likely indicate a problem" (paper, section 5).
 *
 * Time is cut into buckets of a fifth of `recent`. The average of the last BUCKETS buckets is
 * compared, whenever one is full, with the mean of such averages over `long`, which does not
 * contain them, and with their standard deviation: an average of minutes scatters less than samples
 * do, and how much less depends on how they hang together, so the averages themselves are learned.
 * Abnormal is what lies beyond k deviations and beyond `least` of the mean; it is said until the
 * next bucket is full. A series takes the same few bytes whatever `long` is. Estimated energy is
 * refused. */
#include "monitor/adpi.h"
#include "monitor/moments.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 5 };

struct bucket {
  double sum, seconds; /* of values times seconds, and of seconds with a sample */
};
struct course {
  struct bucket last[BUCKETS], now;
  double since_s;                 /* of wall time in the bucket that fills */
  uint32_t n;                     /* full buckets in last[] */
  struct bucket leaving[BUCKETS]; /* behind last[]: make the next average that is learned */
  uint32_t nleaving;
  struct siox__moments average;
  int side;
  double recent, reach, mean; /* side != 0 */
};
struct drift {
  double recent_s, long_s, k, least, stabilisation;
  const char *metrics;
  struct siox__slots slots;
};

static int open_drift(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"recent", offsetof(struct drift, recent_s), 300, 0.5, 1e7},
      {"long", offsetof(struct drift, long_s), 86400, 1, 1e9},
      {"k", offsetof(struct drift, k), 4, 0.1, 100},
      {"least", offsetof(struct drift, least), 0.05, 0, 100},
      {"stabilisation", offsetof(struct drift, stabilisation), 12, 3, 1e6},
  };
  static const char *const texts[] = {"metrics", NULL};
  struct drift *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "drift", numbers,
                             sizeof numbers / sizeof numbers[0], s, texts, &s->metrics, diag);
  if (e == 0 && s->long_s < s->stabilisation * s->recent_s) {
    snprintf(diag->text, sizeof diag->text,
             "%s: drift: 'long' (%g s) is less than %g times 'recent' (%g s)", env->origin,
             s->long_s, s->stabilisation, s->recent_s);
    e = SIOX_ERANGE;
  }
  if (e < 0) {
    free(s);
    return e;
  }
  *state = s;
  return 0;
}

static void close_drift(void *state) {
  struct drift *s = state;
  siox__slots_free(&s->slots);
  free(s);
}

/* Mean over full buckets; false: less than half of their time has samples. */
static bool average_of(const struct bucket *b, double bucket_s, double *average) {
  struct bucket all = {0};
  for (int i = 0; i < BUCKETS; i++) {
    all.sum += b[i].sum;
    all.seconds += b[i].seconds;
  }
  *average = all.seconds > 0 ? all.sum / all.seconds : 0;
  return all.seconds >= 0.5 * BUCKETS * bucket_s;
}

/* A bucket is full: the oldest of the last ones leaves, and five that left are an average to learn.
 */
static void turn(struct course *c, const struct drift *set) {
  const double bucket_s = set->recent_s / BUCKETS;
  if (c->n == BUCKETS) {
    c->leaving[c->nleaving++] = c->last[0];
    for (int i = 1; i < BUCKETS; i++)
      c->last[i - 1] = c->last[i];
    c->n--;
  }
  c->last[c->n++] = c->now;
  c->now = (struct bucket){0};
  double average;
  if (c->nleaving == BUCKETS) {
    c->nleaving = 0;
    const double memory = set->long_s / set->recent_s;
    if (average_of(c->leaving, bucket_s, &average)) {
      if (c->average.n >= set->stabilisation)
        siox__moments_learn(&c->average, average, 0.01 * fabs(c->average.mean), memory);
      else
        siox__moments_add(&c->average, average, memory);
    }
  }
  c->side = 0;
  if (c->n < BUCKETS || c->average.n < set->stabilisation ||
      !average_of(c->last, bucket_s, &average))
    return;
  c->mean = c->average.mean;
  c->reach = fmax(siox__moments_reach(&c->average, set->k), set->least * fabs(c->mean)) +
             1e-9 * fabs(c->mean);
  c->recent = average;
  c->side = average > c->mean + c->reach ? 1 : average < c->mean - c->reach ? -1 : 0;
}

static void follow(struct course *c, const struct drift *set, const struct siox_sample *sample,
                   double dt_s) {
  if (siox__is_sample(sample)) {
    c->now.sum += sample->value * dt_s;
    c->now.seconds += dt_s;
  }
  c->since_s += dt_s;
  /* Cycles of a tenth do not add up to whole seconds. */
  if (c->since_s >= set->recent_s / BUCKETS * (1 - 1e-9)) {
    c->since_s = 0;
    turn(c, set);
  }
}

static int cycle_drift(void *state, const struct siox_adpi_input *input, struct siox_issue *list,
                       size_t max) {
  struct drift *set = state;
  const struct siox_cycle *cycle = input->cycle;
  struct siox__issues issues = {.list = list, .max = max};
  const int e = siox__slots_series(&set->slots, cycle, sizeof(struct course));
  if (e < 0)
    return e;
  /* A meter is no process'. */
  for (size_t i = set->metrics ? 0 : siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = set->metrics ? i + 1 : siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (s->metric.flags & SIOX_METRIC_ESTIMATED ||
        !(set->metrics ? siox__listed(set->metrics, s->metric.name) : siox__is_meter(s)))
      continue;
    struct course *c = (struct course *)set->slots.at + i;
    struct siox_sample sample = s->last;
    if (s->gone)
      sample.state = SIOX_SAMPLE_LOST;
    follow(c, set, &sample, (double)cycle->dt_ns * 1e-9);
    if (c->side == 0 || !siox__is_sample(&sample))
      continue;
    struct siox_issue spare, *issue = siox__issue(&issues, &spare);
    char name[112];
    siox__series_name(s, name, sizeof name);
    issue->detector = siox__adpi_drift.name;
    issue->severity = siox__severity(s->metric.polarity, c->side);
    issue->category = siox_category_of(s);
    issue->series = i;
    issue->value = c->recent;
    issue->low = c->mean - c->reach;
    issue->high = c->mean + c->reach;
    snprintf(issue->evidence, sizeof issue->evidence,
             "%s was %.6g over the last %.4g s, %.6g over %.3g h before", name, c->recent,
             set->recent_s, c->mean, c->average.n * set->recent_s / 3600);
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_drift = {
    .abi = SIOX_ADPI_ABI,
    .name = "drift",
    .about = "the average of the last minutes against that of hours or days",
    .open = open_drift,
    .cycle = cycle_drift,
    .close = close_drift,
};
