/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What providers ask of others in each cycle. The same questions come in the same order each time,
 * so where their answers stand is kept until a place comes or goes. */
#include "monitor/collector.h"
#include "monitor/metrics.h"
#include <stdlib.h>

enum { MOST = 64 }; /* different questions; the built-in providers have some dozen */

struct siox__found {
  char name[sizeof((struct siox_metric *)0)->name], where[sizeof((struct siox_metric *)0)->where];
  bool anywhere;
  uint64_t lists; /* when the series were these */
  uint32_t *series;
  size_t n, room;
};

void siox__collector_forget(struct siox_collector *c) {
  for (size_t i = 0; i < c->nfound; i++)
    free(c->found[i].series);
  free(c->found);
  c->found = NULL;
  c->nfound = 0;
}

static bool is_asked(const struct siox__found *f, const char *name, const char *where) {
  return strcmp(f->name, name) == 0 && f->anywhere == !where &&
         (!where || strcmp(f->where, where) == 0);
}

/* The question, as it was asked before or as a new one; NULL: there is no room for it. */
static struct siox__found *question(struct siox_collector *c, const char *name, const char *where) {
  for (size_t i = 0; i < c->nfound; i++) {
    const size_t at = (c->next_found + i) % c->nfound;
    if (is_asked(&c->found[at], name, where)) {
      c->next_found = at + 1;
      return &c->found[at];
    }
  }
  if (c->nfound == MOST || strlen(name) >= sizeof c->found->name ||
      (where && strlen(where) >= sizeof c->found->where))
    return NULL;
  if (!c->found && !(c->found = calloc(MOST, sizeof *c->found)))
    return NULL;
  struct siox__found *f = &c->found[c->nfound++];
  *f = (struct siox__found){.anywhere = !where};
  memcpy(f->name, name, strlen(name));
  if (where)
    memcpy(f->where, where, strlen(where));
  return f;
}

static bool take(struct siox__found *f, size_t i) {
  if (f->n == f->room) {
    const size_t room = f->room ? 2 * f->room : 8;
    uint32_t *more = realloc(f->series, room * sizeof *more);
    if (!more)
      return false;
    f->series = more;
    f->room = room;
  }
  f->series[f->n++] = (uint32_t)i;
  return true;
}

static bool is_asked_for(const struct siox_series *s, const char *name, const char *where) {
  return !s->gone && siox__is_named(&s->metric, name) &&
         (!where || strcmp(s->metric.where, where) == 0);
}

/* The series that answer, kept; NULL: they have to be looked for. */
static const struct siox__found *find(struct siox_collector *c, const char *name,
                                      const char *where) {
  const struct siox_cycle *cycle = &c->cycle;
  struct siox__found *f = question(c, name, where);
  if (!f || f->lists == cycle->lists)
    return f;
  f->n = 0;
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries; i = siox_cycle_next(cycle, i + 1))
    if (is_asked_for(&cycle->series[i], name, where) && !take(f, i)) {
      f->lists = 0;
      return NULL;
    }
  f->lists = cycle->lists;
  return f;
}

/* The k-th series that answers, or the next one from *i on; nseries: there are no more. */
static size_t next(const struct siox_cycle *cycle, const struct siox__found *f, size_t *k, size_t i,
                   const char *name, const char *where) {
  if (f)
    return *k < f->n ? f->series[(*k)++] : cycle->nseries;
  for (i = siox_cycle_next(cycle, i); i < cycle->nseries; i = siox_cycle_next(cycle, i + 1))
    if (is_asked_for(&cycle->series[i], name, where))
      break;
  return i;
}

int siox__collector_sample(void *collector, const char *name, const char *where, double *value) {
  struct siox_collector *c = collector;
  const struct siox__found *f = find(c, name, where);
  int result = SIOX_ENOENT;
  *value = 0;
  for (size_t k = 0, i = 0; (i = next(&c->cycle, f, &k, i, name, where)) < c->cycle.nseries; i++) {
    const struct siox_sample *last = &c->cycle.series[i].last;
    if (last->state != SIOX_SAMPLE_VALID)
      return SIOX_EUNKNOWN;
    *value += last->value;
    result = 0;
  }
  return result;
}

void siox__collector_each(void *collector, const char *name,
                          void (*take_one)(void *, const char *, double, int), void *context) {
  struct siox_collector *c = collector;
  const struct siox__found *f = find(c, name, NULL);
  for (size_t k = 0, i = 0; (i = next(&c->cycle, f, &k, i, name, NULL)) < c->cycle.nseries; i++) {
    const struct siox_series *s = &c->cycle.series[i];
    take_one(context, s->metric.where, s->last.value,
             s->last.state == SIOX_SAMPLE_VALID ? 0 : SIOX_EUNKNOWN);
  }
}
