/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See statistics.h. An interval is put when the next sample that comes as it should lies behind it.
 * One that comes later, after readings that were lost, counts for the interval that is open then:
 * no interval is put twice, and the sums are those of the meters. */
#include "daemon/statistics.h"
#include "monitor/reductions.h"
#include <stdlib.h>
#include <string.h>

struct open {
  int64_t number, next; /* of the interval, and the first that was not put yet */
  uint32_t samples;     /* 0: it is empty */
  double min, max, weighted, seconds, sum;
};
struct reduced {
  uint32_t generation;
  int64_t number; /* in the store; 0: not told yet */
  struct siox_metric metric;
  const char *provider;
  struct open open[SIOX_NREDUCTIONS];
};
struct siox__statistics {
  struct siox__store *store;
  bool wanted[SIOX_NREDUCTIONS];
  struct reduced **series; /* NULL: no sample came yet */
  size_t n;
  int64_t numbers; /* given to series */
};

static int read_lengths(struct siox__statistics *s, const struct siox_config *config,
                        struct siox_diag *diag) {
  const struct siox_config_list *list = &config->statistics;
  for (uint32_t i = 0; i < list->count; i++) {
    const enum siox_reduction l = siox_reduction_find(list->item[i]);
    if (list->count == 1 && !strcmp(list->item[i], "off"))
      return 0;
    if (l == SIOX_NREDUCTIONS)
      return siox_config_refuse(
          config, SIOX_SETTING_statistics, diag, SIOX_EINVAL,
          "\"%.40s\" is not one of 100ms, 1s, 10s, 1min, 10min, nor off by itself", list->item[i]);
    s->wanted[l] = true;
  }
  return 0;
}

int siox__statistics_new(struct siox__statistics **out, const struct siox_config *config,
                         struct siox__store *store, struct siox_diag *diag) {
  struct siox__statistics *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s)
    return SIOX_ENOMEM;
  s->store = store;
  int r = read_lengths(s, config, diag);
  bool any = false;
  for (int l = 0; l < SIOX_NREDUCTIONS; l++)
    any |= s->wanted[l];
  if (r < 0 || !any || !config->database) {
    free(s);
    return r;
  }
  *out = s;
  return 0;
}

static void put_metric(struct siox__statistics *s, struct reduced *r) {
  r->number = ++s->numbers;
  siox__store_put(
      s->store,
      &(struct siox__store_row){
          .kind = SIOX__ROW_METRIC,
          .number = {r->number, (r->metric.flags & SIOX_METRIC_ESTIMATED) != 0},
          .text = {r->provider, r->metric.name, r->metric.where, r->metric.unit,
                   siox_metric_kind_name(r->metric.kind), siox_domain_name(r->metric.domain)}});
}

static void put_interval(struct siox__statistics *s, struct reduced *r, enum siox_reduction l) {
  struct open *o = &r->open[l];
  const int64_t ns = siox_reduction_ns(l);
  if (o->samples == 0)
    return;
  if (r->number == 0)
    put_metric(s, r);
  siox__store_put(s->store,
                  &(struct siox__store_row){
                      .kind = SIOX__ROW_STATISTIC,
                      .number = {r->number, ns, o->number * ns, o->samples},
                      .real = {o->seconds, o->min, o->max, o->weighted / o->seconds, o->sum}});
  *o = (struct open){.next = o->number + 1};
}

static void put_all(struct siox__statistics *s, struct reduced *r) {
  for (enum siox_reduction l = 0; r && l < SIOX_NREDUCTIONS; l++)
    put_interval(s, r, l);
}

static void take(struct siox__statistics *s, struct reduced *r, const struct siox_cycle *cycle,
                 const struct siox_series *series) {
  double seconds;
  const int64_t at = siox__sample_at(cycle, series, &seconds);
  const struct siox_sample *v = &series->last;
  for (enum siox_reduction l = 0; l < SIOX_NREDUCTIONS; l++) {
    struct open *o = &r->open[l];
    int64_t number = siox__interval_number(at, siox_reduction_ns(l));
    if (!s->wanted[l])
      continue;
    number = number < o->next ? o->next : number;
    if (o->samples > 0 && number > o->number)
      put_interval(s, r, l);
    if (o->samples == 0)
      o->number = number, o->min = o->max = v->value;
    o->min = v->value < o->min ? v->value : o->min;
    o->max = v->value > o->max ? v->value : o->max;
    o->weighted += v->value * seconds;
    o->seconds += seconds;
    o->sum += v->amount;
    o->samples++;
  }
}

static struct reduced *begin_series(const struct siox_series *series) {
  struct reduced *r = calloc(1, sizeof *r);
  if (r) {
    r->generation = series->generation;
    r->metric = series->metric;
    r->provider = series->provider->name;
    for (int l = 0; l < SIOX_NREDUCTIONS; l++)
      r->open[l].next = INT64_MIN;
  }
  return r;
}

void siox__statistics_cycle(struct siox__statistics *s, const struct siox_cycle *cycle) {
  if (!s)
    return;
  if (s->n < cycle->nseries) {
    struct reduced **more = realloc(s->series, cycle->nseries * sizeof *more);
    if (more) {
      memset(more + s->n, 0, (cycle->nseries - s->n) * sizeof *more);
      s->series = more;
      s->n = cycle->nseries;
    }
  }
  for (size_t i, k = 0; (i = siox_cycle_moved(cycle, &k)) < cycle->nseries;) {
    if (i >= s->n) /* no memory */
      continue;
    const struct siox_series *series = &cycle->series[i];
    struct reduced **r = &s->series[i];
    if (*r && (series->gone || (*r)->generation != series->generation)) {
      put_all(s, *r);
      free(*r);
      *r = NULL;
    }
    if (series->gone || series->last.state != SIOX_SAMPLE_VALID)
      continue;
    if (!*r)
      *r = begin_series(series);
    if (*r)
      take(s, *r, cycle, series);
  }
}

void siox__statistics_free(struct siox__statistics *s) {
  for (size_t i = 0; s && i < s->n; i++) {
    put_all(s, s->series[i]);
    free(s->series[i]);
  }
  if (s)
    free(s->series);
  free(s);
}
