/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/meters.h"
#include <stdlib.h>

struct siox_metric *siox__meters_add(struct siox__meters *m, const char *root, const char *path,
                                     enum siox_metric_kind kind, const char *name,
                                     const char *where, const char *unit) {
  const size_t n = m->metrics.n;
  if (n == m->room) {
    const size_t room = m->room ? 2 * m->room : 16;
    struct siox__meter *more = realloc(m->list, room * sizeof *more);
    if (!more)
      return NULL;
    m->list = more;
    m->room = room;
  }
  m->list[n] = (struct siox__meter){.twin = -1};
  if (siox__input_at(&m->list[n].in, root, path) < 0)
    return NULL;
  return siox__metrics_add(&m->metrics, kind, name, where, unit);
}

enum same { DIFFERENT, SAME, UNDECIDED };

/* Copies of a counter are written about every millisecond, not all at once: within that, hundreds
 * of watts come to half a joule. */
static const double SKEW_J = 0.5, NOTHING_J = 4 * SKEW_J;

/* One counter behind both files: then what b shows lies between two readings of a around it. Of
 * two counters of kilojoules that happens by chance once in ten thousand looks, and meters that
 * part later are told apart then. Two that have hardly begun tell nothing. */
static enum same same_counter(struct siox__meter *a, struct siox__meter *b, double scale) {
  uint64_t before, between, after;
  if (siox__input_again_u64(&a->in, &before) < 0 || siox__input_again_u64(&b->in, &between) < 0 ||
      siox__input_again_u64(&a->in, &after) < 0 || after < before)
    return UNDECIDED;
  const double now = (double)between * scale;
  if (now < (double)before * scale - SKEW_J || now > (double)after * scale + SKEW_J)
    return DIFFERENT;
  return now <= NOTHING_J ? UNDECIDED : SAME;
}

/* May the meter turn out to show what an earlier one shows? */
static bool is_candidate(const struct siox__meters *m, size_t i) {
  const struct siox_metric *metric = &m->metrics.list[i];
  return metric->kind == SIOX_METRIC_COUNTER && metric->domain != SIOX_DOMAIN_NONE &&
         !(metric->flags & SIOX_METRIC_PART);
}

/* Looks for an earlier meter of the same domain and counter. */
static void find_twin(struct siox__meters *m, size_t i) {
  struct siox__meter *one = &m->list[i];
  one->settled = true;
  for (size_t j = 0; j < i && one->twin < 0; j++) {
    if (!is_candidate(m, j) || m->metrics.list[j].domain != m->metrics.list[i].domain)
      continue;
    const enum same same = same_counter(&m->list[j], one, m->metrics.list[i].scale);
    if (same == SAME)
      one->twin = (int)j;
    else if (same == UNDECIDED)
      one->settled = false;
  }
}

bool siox__meters_settle(struct siox__meters *m) {
  bool changed = false;
  for (size_t i = 0; i < m->metrics.n; i++) {
    struct siox__meter *one = &m->list[i];
    struct siox_metric *metric = &m->metrics.list[i];
    if (one->twin >= 0) {
      if (same_counter(&m->list[one->twin], one, metric->scale) == DIFFERENT) {
        one->twin = -1; /* it was chance */
        one->settled = true;
        metric->flags &= ~(uint32_t)SIOX_METRIC_PART;
        changed = true;
      }
    } else if (!one->settled && is_candidate(m, i)) {
      find_twin(m, i);
      if (one->twin >= 0) {
        metric->flags |= SIOX_METRIC_PART;
        changed = true;
      }
    }
  }
  return changed;
}

int siox__meters_read(struct siox__meters *m, struct siox_reading *readings) {
  if (siox__meters_settle(m))
    return 1;
  for (size_t i = 0; i < m->metrics.n; i++) {
    uint64_t number = 0;
    const int e = siox__input_again_u64(&m->list[i].in, &number);
    readings[i] = (struct siox_reading){.error = e < 0 ? e : 0};
    if (m->metrics.list[i].kind == SIOX_METRIC_COUNTER)
      readings[i].count = number;
    else
      readings[i].value = (double)number * m->metrics.list[i].scale;
  }
  return 0;
}

void siox__meters_free(struct siox__meters *m) {
  for (size_t i = 0; i < m->metrics.n; i++)
    siox__input_close(&m->list[i].in);
  free(m->list);
  siox__metrics_free(&m->metrics);
  *m = (struct siox__meters){0};
}

/* Twice to four times what the greatest ones of today take: nodes with eight accelerators 15 kW,
 * accelerators 1.4 kW, packages 500 W, their memory 24 modules of 10 W. A good sample is never
 * lost, and what a broken counter shows (kilowatts to gigawatts) always. */
double siox__meter_most(enum siox_domain domain) {
  switch (domain) {
  case SIOX_DOMAIN_PACKAGE:
  case SIOX_DOMAIN_CORES:
  case SIOX_DOMAIN_UNCORE:
    return 2000;
  case SIOX_DOMAIN_DRAM:
    return 1000;
  case SIOX_DOMAIN_PSYS:
    return 10000;
  case SIOX_DOMAIN_ACCELERATOR:
    return 4000;
  default:
    return 30000;
  }
}
