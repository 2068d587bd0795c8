/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cycles: providers are read one after the other, and samples go to those who asked. */
#include "siox/collector.h"
#include "monitor/collector.h"
#include "monitor/places.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLEPT_NS = 100000000, /* the clocks are read one after the other, with a preemption in between at
                           worst */
};
/* Whoever wants to know what a place that went away had said has so long. */
static const int64_t KEPT_NS = INT64_C(600000000000);

int siox_collector_new(struct siox_collector **out) {
  *out = calloc(1, sizeof **out);
  return *out ? 0 : SIOX_ENOMEM;
}

void siox_collector_free(struct siox_collector *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->nsources; i++) {
    c->sources[i].provider->close(c->sources[i].state);
    free(c->sources[i].index);
    free(c->sources[i].readings);
    free(c->sources[i].held);
    free(c->sources[i].fresh);
  }
  free(c->sources);
  free(c->series);
  free(c->before);
  free(c->moved);
  free(c->listeners);
  free(c->pids);
  siox__collector_forget(c);
  free(c);
}

/* The first series from *from on downwards whose place went away long ago, or the one behind the
 * last. */
static size_t free_place(const struct siox_collector *c, size_t *from) {
  for (size_t i = *from; i-- > 0;)
    if (c->series[i].gone && c->cycle.now_ns - c->before[i].gone_ns > KEPT_NS) {
      *from = i;
      return i;
    }
  *from = 0;
  return c->cycle.nseries;
}

/* The longest row of series of processes. */
static void find_crowd(struct siox_collector *c) {
  struct siox_cycle *cycle = &c->cycle;
  cycle->lists++;
  cycle->crowd_from = cycle->crowd_to = 0;
  for (size_t i = 0, from = 0; i < cycle->nseries; i++) {
    if (!(c->series[i].provider->flags & SIOX_PROVIDER_OF_PROCESSES))
      from = i + 1;
    else if (i + 1 - from > cycle->crowd_to - cycle->crowd_from)
      cycle->crowd_from = from, cycle->crowd_to = i + 1;
  }
}

/* A series for each of the provider's metrics: the one it had, or a new one. */
static int take_metrics(struct siox_collector *c, struct siox__source *s) {
  const struct siox_metric *list;
  const size_t n = s->provider->metrics(s->state, &list);
  size_t *index = realloc(s->index, (n + 1) * sizeof *index);
  if (index)
    s->index = index;
  struct siox_reading *readings = realloc(s->readings, (n + 1) * sizeof *readings);
  if (readings)
    s->readings = readings;
  bool *held = realloc(s->held, (n + 1) * sizeof *held);
  if (held)
    s->held = memset(held, 0, (n + 1) * sizeof *held);
  uint32_t *fresh = realloc(s->fresh, (n + 1) * sizeof *fresh);
  if (fresh)
    s->fresh = fresh;
  s->untouched = false;
  if (!index || !readings || !held || !fresh)
    return SIOX_ENOMEM;
  struct siox__places places;
  s->n = s->n < n ? s->n : n;
  if (siox__places_new(&places, c->series, c->cycle.nseries, s->provider, n) < 0)
    return SIOX_ENOMEM;
  s->lists++;
  s->n = n;
  size_t gone_from = c->cycle.nseries;
  for (size_t i = 0; i < n; i++) {
    size_t at = siox__places_find(&places, c->series, &list[i]);
    const bool found = at != SIZE_MAX;
    s->index[i] = at;
    if (found && c->before[at].list == s->lists) {
      s->index[i] = SIZE_MAX; /* it stands in the list already */
      continue;
    }
    if (!found)
      at = free_place(c, &gone_from);
    if (at == c->room) {
      const size_t room = c->room ? 2 * c->room : 64;
      struct siox_series *series = realloc(c->series, room * sizeof *series);
      if (series)
        c->cycle.series = c->series = series;
      struct siox__before *before = realloc(c->before, room * sizeof *before);
      if (before)
        c->before = before;
      uint32_t *moved = realloc(c->moved, room * sizeof *moved);
      if (moved)
        c->cycle.moved = c->moved = moved;
      if (!series || !before || !moved) {
        s->n = i;
        siox__places_free(&places);
        return SIOX_ENOMEM;
      }
      c->room = room;
    }
    if (at == c->cycle.nseries)
      c->series[c->cycle.nseries++] = (struct siox_series){.provider = s->provider, .gone = true};
    else if (!found)
      c->series[at] = (struct siox_series){
          .provider = s->provider, .gone = true, .generation = c->series[at].generation + 1};
    /* Nothing is known of what it was while it was away. */
    if (c->series[at].gone) {
      c->before[at] = (struct siox__before){.heard_ns = c->cycle.now_ns};
      c->series[at].last = (struct siox_sample){.state = SIOX_SAMPLE_FIRST};
    }
    c->before[at].list = s->lists;
    c->series[at].gone = false;
    c->series[at].metric = list[i];
    s->index[i] = at;
    if (!found)
      siox__places_add(&places, &list[i], at);
  }
  siox__places_free(&places);
  for (size_t i = 0; i < c->cycle.nseries; i++)
    if (c->series[i].provider == s->provider && c->before[i].list != s->lists &&
        !c->series[i].gone) {
      c->series[i].gone = true;
      c->series[i].last = (struct siox_sample){.state = SIOX_SAMPLE_LOST, .error = SIOX_ENOENT};
      c->before[i].gone_ns = c->cycle.now_ns;
    }
  return 0;
}

int siox__collector_list(struct siox_collector *c, struct siox__source *s) {
  const int e = take_metrics(c, s);
  find_crowd(c);
  return e;
}

static int refuse(struct siox_diag *diag, const struct siox_provider *provider, int code,
                  const char *what) {
  snprintf(diag->text, sizeof diag->text, "%s: %s", provider->name, what);
  return code;
}

int siox_collector_add(struct siox_collector *c, const struct siox_provider *provider,
                       const struct siox_provider_env *env, struct siox_diag *diag) {
  diag->text[0] = 0;
  if (provider->abi != SIOX_PROVIDER_ABI)
    return refuse(diag, provider, SIOX_EVERSION, "is made for another version of Siox");
  for (size_t i = 0; i < c->nsources; i++)
    if (c->sources[i].provider == provider)
      return refuse(diag, provider, SIOX_EEXIST, "is read already");
  struct siox__source *sources = realloc(c->sources, (c->nsources + 1) * sizeof *sources);
  if (!sources)
    return refuse(diag, provider, SIOX_ENOMEM, siox_strerror(SIOX_ENOMEM));
  c->sources = sources;
  struct siox__source s = {.provider = provider};
  struct siox_provider_env own = *env;
  own.sample = siox__collector_sample;
  own.each = siox__collector_each;
  own.processes = siox__collector_watched;
  own.collector = c;
  int e = provider->open(&own, &s.state, diag);
  if (e < 0)
    return *diag->text ? e : refuse(diag, provider, e, siox_strerror(e));
  /* Sources of an earlier phase stand first, and those of one phase as they were added. */
  size_t at = c->nsources;
  for (; at > 0 && c->sources[at - 1].provider->phase > provider->phase; at--)
    c->sources[at] = c->sources[at - 1];
  c->sources[at] = s;
  c->nsources++;
  return siox__collector_list(c, &c->sources[at]) < 0
             ? refuse(diag, provider, SIOX_ENOMEM, siox_strerror(SIOX_ENOMEM))
             : 0;
}

static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

int siox_collector_processes(struct siox_collector *c, const int32_t *pids, size_t n) {
  int32_t *own = realloc(c->pids, (n + 1) * sizeof *own);
  if (!own)
    return SIOX_ENOMEM;
  c->pids = own;
  c->npids = 0;
  if (n == 0)
    return 0;
  memcpy(own, pids, n * sizeof *own);
  qsort(own, n, sizeof *own, by_number);
  for (size_t i = 0; i < n; i++) /* one that is named twice is watched once */
    if (c->npids == 0 || own[c->npids - 1] != own[i])
      own[c->npids++] = own[i];
  return 0;
}

int siox_collector_subscribe(struct siox_collector *c,
                             void (*on_cycle)(void *, const struct siox_cycle *), void *context) {
  struct siox__listener *more = realloc(c->listeners, (c->nlisteners + 1) * sizeof *more);
  if (!more)
    return SIOX_ENOMEM;
  c->listeners = more;
  c->listeners[c->nlisteners++] = (struct siox__listener){on_cycle, context};
  return 0;
}

int siox_collector_cycle(struct siox_collector *c, int64_t now_ns, int64_t boot_ns) {
  struct siox_cycle *cycle = &c->cycle;
  if (cycle->number > 0 && now_ns <= cycle->now_ns)
    return SIOX_EINVAL;
  cycle->dt_ns = cycle->number > 0 ? now_ns - cycle->now_ns : 0;
  cycle->suspended = cycle->number > 0 && boot_ns - c->boot_ns - cycle->dt_ns > SLEPT_NS;
  cycle->now_ns = now_ns;
  cycle->number++;
  c->boot_ns = boot_ns;
  cycle->nmoved = 0;
  const uint64_t lists = cycle->lists;
  for (size_t i = 0; i < c->nsources; i++)
    siox__collector_read(c, &c->sources[i]);
  if (cycle->lists != lists) { /* the crowd may be another one than it was on the way */
    cycle->nmoved = 0;
    for (size_t i = cycle->crowd_from; i < cycle->crowd_to; i++)
      c->moved[cycle->nmoved++] = (uint32_t)i;
  }
  siox__collector_choose(c);
  for (size_t i = 0; i < c->nlisteners; i++)
    c->listeners[i].on_cycle(c->listeners[i].context, cycle);
  return 0;
}

const struct siox_cycle *siox_collector_last(const struct siox_collector *c) { return &c->cycle; }

size_t siox__collector_watched(void *collector, const int32_t **pids) {
  const struct siox_collector *c = collector;
  *pids = c->pids;
  return c->npids;
}

const char *siox_collector_note(const struct siox_collector *c, size_t i, char *text, size_t size) {
  if (size > 0)
    *text = 0;
  if (i >= c->nsources)
    return NULL;
  const struct siox_provider *p = c->sources[i].provider;
  if (p->note && size > 0)
    p->note(c->sources[i].state, text, size);
  return p->name;
}

double siox_cycle_joules(const struct siox_cycle *cycle, bool *estimated) {
  double joules = 0;
  bool modelled = false;
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (!s->counts || s->last.state != SIOX_SAMPLE_VALID)
      continue;
    joules += s->last.amount;
    modelled |= (s->metric.flags & SIOX_METRIC_ESTIMATED) != 0;
  }
  if (estimated)
    *estimated = modelled;
  return joules;
}
