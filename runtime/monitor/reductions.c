/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A ring of intervals for each series and length. */
#include "monitor/reductions.h"
#include <stdbool.h>
#include <stdlib.h>

static const struct {
  const char *text;
  int64_t ns;
  size_t kept;
} lengths[] = {
#define SIOX_REDUCTION(name, text, ns, kept) {text, INT64_C(ns), kept},
#include "siox/reductions.def"
#undef SIOX_REDUCTION
};
enum {
  SLOTS = 0
#define SIOX_REDUCTION(name, text, ns, kept) +(kept)
#include "siox/reductions.def"
#undef SIOX_REDUCTION
};

struct slot {
  int64_t number; /* start over length */
  float min, max;
  double weighted, seconds; /* value times seconds, and how many */
  double sum;
  uint32_t samples; /* 0: empty */
};

struct siox_reductions {
  uint32_t *generation; /* of the series that each is of */
  struct slot *
      *series; /* SLOTS each, those of one length after the other; NULL: no sample came yet */
  size_t n;
};

int64_t siox_reduction_ns(enum siox_reduction length) { return lengths[length].ns; }
const char *siox_reduction_text(enum siox_reduction length) { return lengths[length].text; }

static bool same_text(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == ' ')
      a++;
    while (*b == ' ')
      b++;
    if (*a != *b || !*a)
      return *a == *b;
  }
}

enum siox_reduction siox_reduction_find(const char *text) {
  enum siox_reduction l = 0;
  while (l < SIOX_NREDUCTIONS && !same_text(text, lengths[l].text))
    l++;
  return l;
}

int siox_reductions_new(struct siox_reductions **out) {
  *out = calloc(1, sizeof **out);
  return *out ? 0 : SIOX_ENOMEM;
}

void siox_reductions_free(struct siox_reductions *r) {
  for (size_t i = 0; r && i < r->n; i++)
    free(r->series[i]);
  if (r) {
    free(r->series);
    free(r->generation);
  }
  free(r);
}

int64_t siox__interval_number(int64_t ns, int64_t length) {
  return ns / length - (ns % length < 0);
}

int64_t siox__sample_at(const struct siox_cycle *cycle, const struct siox_series *s,
                        double *seconds) {
  /* After readings that were lost it stands for the time of all of them. */
  const int64_t span = s->last.span_ns > 0 ? s->last.span_ns : cycle->dt_ns;
  *seconds = span > 0 ? 1e-9 * (double)span : 1e-9;
  return s->metric.kind != SIOX_METRIC_GAUGE ? cycle->now_ns - span / 2 : cycle->now_ns;
}

static void take(struct slot *slots, int64_t at_ns, double seconds, const struct siox_sample *s) {
  for (size_t l = 0; l < SIOX_NREDUCTIONS; slots += lengths[l++].kept) {
    const int64_t number = siox__interval_number(at_ns, lengths[l].ns),
                  kept = (int64_t)lengths[l].kept;
    struct slot *slot = &slots[((number % kept) + kept) % kept];
    const float value = (float)s->value;
    if (slot->samples == 0 || slot->number != number)
      *slot = (struct slot){.number = number, .min = value, .max = value};
    slot->min = value < slot->min ? value : slot->min;
    slot->max = value > slot->max ? value : slot->max;
    slot->weighted += s->value * seconds;
    slot->seconds += seconds;
    slot->sum += s->amount;
    slot->samples++;
  }
}

int siox_reductions_take(struct siox_reductions *r, const struct siox_cycle *cycle) {
  if (r->n < cycle->nseries) {
    struct slot **more = realloc(r->series, cycle->nseries * sizeof *more);
    if (more)
      r->series = more;
    uint32_t *generation = realloc(r->generation, cycle->nseries * sizeof *generation);
    if (generation)
      r->generation = generation;
    if (!more || !generation)
      return SIOX_ENOMEM;
    for (size_t i = r->n; i < cycle->nseries; i++) {
      more[i] = NULL;
      generation[i] = cycle->series[i].generation;
    }
    r->n = cycle->nseries;
  }
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *s = &cycle->series[i];
    if (r->generation[i] != s->generation) {
      free(r->series[i]); /* of a place that went away */
      r->series[i] = NULL;
      r->generation[i] = s->generation;
    }
    if (s->last.state != SIOX_SAMPLE_VALID || s->gone)
      continue;
    if (!r->series[i] && !(r->series[i] = calloc(SLOTS, sizeof **r->series)))
      return SIOX_ENOMEM;
    double seconds;
    const int64_t at = siox__sample_at(cycle, s, &seconds);
    take(r->series[i], at, seconds, &s->last);
  }
  return 0;
}

size_t siox_reductions_read(const struct siox_reductions *r, size_t series,
                            enum siox_reduction length, int64_t from_ns, int64_t to_ns,
                            struct siox_interval *out, size_t room) {
  if (series >= r->n || !r->series[series] || (unsigned)length >= SIOX_NREDUCTIONS ||
      from_ns >= to_ns)
    return 0;
  const struct slot *slots = r->series[series];
  for (enum siox_reduction l = 0; l < length; l++)
    slots += lengths[l].kept;
  const int64_t ns = lengths[length].ns, kept = (int64_t)lengths[length].kept;
  int64_t first = siox__interval_number(from_ns - 1, ns) + 1,
          last = siox__interval_number(to_ns - 1, ns), newest = INT64_MIN;
  for (int64_t i = 0; i < kept; i++)
    if (slots[i].samples > 0 && slots[i].number > newest)
      newest = slots[i].number;
  if (newest == INT64_MIN)
    return 0;
  first = first > newest - kept + 1 ? first : newest - kept + 1;
  last = last < newest ? last : newest;
  size_t n = 0;
  for (int64_t number = first; number <= last && n < room; number++) {
    const struct slot *slot = &slots[((number % kept) + kept) % kept];
    if (slot->samples == 0 || slot->number != number)
      continue;
    out[n++] = (struct siox_interval){.start_ns = number * ns,
                                      .samples = slot->samples,
                                      .min = slot->min,
                                      .max = slot->max,
                                      .average = slot->weighted / slot->seconds,
                                      .sum = slot->sum};
  }
  return n;
}
