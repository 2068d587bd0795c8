/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Readings of a source become samples of its series. */
#include "common/fetch.h"
#include "monitor/collector.h"
#include <math.h>
#include <string.h>

enum {
  MAX_CHANGES = 4, /* of a provider's list in one cycle */
  AHEAD = 3,       /* samples that are fetched from memory meanwhile */
};

/* The sample that a reading makes. */
static struct siox_sample sample_of(const struct siox_cycle *cycle, const struct siox_metric *m,
                                    const struct siox__before *before,
                                    const struct siox_reading *r) {
  struct siox_sample s = {.state = SIOX_SAMPLE_VALID, .error = r->error};
  if (r->error < 0) {
    s.state = SIOX_SAMPLE_LOST;
  } else if (m->kind == SIOX_METRIC_COUNTER) {
    uint64_t gain = 0;
    const int64_t dt = cycle->now_ns - before->time_ns;
    if (!before->known)
      s.state = SIOX_SAMPLE_FIRST;
    else if (before->slept || cycle->suspended)
      s.state = SIOX_SAMPLE_SUSPENDED;
    else if ((s.error = siox_counter_gain(m, before->count, r->count, dt, &gain)) < 0)
      s.state = SIOX_SAMPLE_LOST;
    else
      s.amount = (double)gain * m->scale, s.value = s.amount * 1e9 / (double)dt, s.span_ns = dt;
  } else {
    s.value = r->value;
    s.span_ns = before->held ? cycle->now_ns - before->time_ns : cycle->dt_ns;
    if (!isfinite(s.value) || (m->bound > 0 && s.value > m->bound) ||
        (s.value < 0 && m->domain != SIOX_DOMAIN_NONE))
      s = (struct siox_sample){.state = SIOX_SAMPLE_LOST, .error = SIOX_ERANGE};
    else if (m->kind == SIOX_METRIC_SAMPLED && cycle->dt_ns == 0)
      s.state = SIOX_SAMPLE_FIRST;
    else if (m->domain != SIOX_DOMAIN_NONE && strcmp(m->unit, "W") == 0 && !cycle->suspended)
      s.amount = s.value * 1e-9 * (double)cycle->dt_ns;
  }
  if (!isfinite(s.value) || !isfinite(s.amount))
    s = (struct siox_sample){.state = SIOX_SAMPLE_LOST, .error = SIOX_ERANGE};
  return s;
}

static bool in_crowd(const struct siox_cycle *cycle, size_t i) {
  return i >= cycle->crowd_from && i < cycle->crowd_to;
}

/* It was not its turn: what it was last holds. */
static void hold(const struct siox_cycle *cycle, struct siox_series *series,
                 struct siox__before *before) {
  const struct siox_sample *last = &series->last;
  const bool told =
      last->state == SIOX_SAMPLE_VALID || (last->state == SIOX_SAMPLE_HELD && last->error == 0);
  series->last = (struct siox_sample){.state = SIOX_SAMPLE_HELD,
                                      .error = told ? 0 : SIOX_EUNKNOWN,
                                      .value = told ? last->value : 0};
  before->held = before->known;
  before->slept |= cycle->suspended;
}

/* The sample of reading i of a source that could be read (e 0) or not. */
static void take_reading(struct siox_collector *c, struct siox__source *s, size_t i, int e) {
  const bool was_held = s->held[i];
  if (s->index[i] == SIZE_MAX ||
      (s->readings[i].error == SIOX_READING_HELD && was_held && e == 0 && !c->cycle.suspended))
    return;
  struct siox_series *series = &c->series[s->index[i]];
  struct siox__before *before = &c->before[s->index[i]];
  if (e < 0)
    s->readings[i].error = e;
  if (in_crowd(&c->cycle, s->index[i]))
    c->moved[c->cycle.nmoved++] = (uint32_t)s->index[i];
  s->held[i] = s->readings[i].error == SIOX_READING_HELD;
  if (s->held[i]) {
    hold(&c->cycle, series, before);
    return;
  }
  series->last = sample_of(&c->cycle, &series->metric, before, &s->readings[i]);
  series->total += series->last.amount;
  const bool lost = series->last.state == SIOX_SAMPLE_LOST;
  series->lost += lost;
  series->silent = lost ? series->silent + 1 : 0;
  if (!lost)
    before->heard_ns = c->cycle.now_ns;
  /* What cannot be read says nothing; what makes no sense is where the next difference begins. */
  if (s->readings[i].error == 0)
    *before = (struct siox__before){
        .known = true, .time_ns = c->cycle.now_ns, .count = s->readings[i].count};
  else if (c->cycle.suspended)
    before->slept = true;
}

static void fetch_series(const struct siox_collector *c, size_t i) {
  if (i == SIZE_MAX)
    return;
  siox__fetch(&c->series[i], sizeof c->series[i]);
  siox__fetch(&c->before[i], sizeof c->before[i]);
}

/* Only those that were read now or in the cycle before: all others are held, as they were. */
static void take_written(struct siox_collector *c, struct siox__source *s, int32_t unread) {
  const uint32_t *written;
  const size_t n = s->provider->written(s->state, &written);
  for (size_t k = 0; k < s->nfresh; k++)
    if (s->readings[s->fresh[k]].error == unread)
      take_reading(c, s, s->fresh[k], 0);
  for (size_t k = 0; k < n; k++) {
    if (k + 2 * AHEAD < n)
      siox__fetch(&s->index[written[k + 2 * AHEAD]], sizeof *s->index);
    if (k + AHEAD < n)
      fetch_series(c, s->index[written[k + AHEAD]]);
    take_reading(c, s, written[k], 0);
    s->fresh[k] = written[k];
    s->readings[written[k]] = (struct siox_reading){.error = unread};
  }
  s->nfresh = n;
}

static void take_all(struct siox_collector *c, struct siox__source *s, int e) {
  s->nfresh = 0;
  for (size_t i = 0; i < s->n; i++) {
    take_reading(c, s, i, e);
    if (!s->held[i])
      s->fresh[s->nfresh++] = (uint32_t)i;
  }
}

void siox__collector_read(struct siox_collector *c, struct siox__source *s) {
  const int32_t unread =
      s->provider->flags & SIOX_PROVIDER_OF_PROCESSES ? SIOX_READING_HELD : SIOX_ENOENT;
  int e = 1;
  const struct siox_metric *list;
  /* A provider that failed while it made a new list may have another one than it had. */
  if (s->provider->metrics(s->state, &list) != s->n && siox__collector_list(c, s) < 0)
    return;
  bool few = false;
  for (int tries = 0; e > 0 && tries < MAX_CHANGES; tries++) {
    few = s->untouched && !c->cycle.suspended;
    for (size_t i = 0; !s->untouched && i < s->n; i++)
      s->readings[i] = (struct siox_reading){.error = unread};
    s->untouched = false;
    e = s->provider->read(s->state, c->cycle.now_ns, s->readings);
    if (e > 0 && siox__collector_list(c, s) < 0)
      e = SIOX_ENOMEM;
  }
  if (e > 0)
    e = SIOX_EIO; /* it changes faster than it can be read */
  if (few && e == 0) {
    take_written(c, s, unread);
    s->untouched = true;
    return;
  }
  take_all(c, s, e);
  if (e == 0 && s->provider->written && unread == SIOX_READING_HELD) {
    for (size_t k = 0; k < s->nfresh; k++)
      s->readings[s->fresh[k]] = (struct siox_reading){.error = unread};
    s->untouched = true;
  }
}
