/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/places.h"
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint64_t mix(uint64_t hash, const char *text) {
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

static size_t begin(const struct siox__places *p, const struct siox_metric *m) {
  const uint64_t hash = mix(mix(UINT64_C(0xcbf29ce484222325), m->name) + 1, m->where);
  return (size_t)(hash ^ hash >> 32) & p->mask;
}

void siox__places_add(struct siox__places *p, const struct siox_metric *metric, size_t at) {
  size_t i = begin(p, metric);
  while (p->slot[i])
    i = (i + 1) & p->mask;
  p->slot[i] = at + 1;
}

int siox__places_new(struct siox__places *p, const struct siox_series *series, size_t n,
                     const struct siox_provider *provider, size_t more) {
  size_t size = 16;
  for (size_t i = 0; i < n; i++)
    more += series[i].provider == provider;
  while (size < 2 * more)
    size *= 2;
  *p = (struct siox__places){calloc(size, sizeof *p->slot), size - 1};
  if (!p->slot)
    return SIOX_ENOMEM;
  for (size_t i = 0; i < n; i++)
    if (series[i].provider == provider)
      siox__places_add(p, &series[i].metric, i);
  return 0;
}

size_t siox__places_find(const struct siox__places *p, const struct siox_series *series,
                         const struct siox_metric *metric) {
  for (size_t i = begin(p, metric); p->slot[i]; i = (i + 1) & p->mask) {
    const struct siox_metric *m = &series[p->slot[i] - 1].metric;
    if (strcmp(m->name, metric->name) == 0 && strcmp(m->where, metric->where) == 0)
      return p->slot[i] - 1;
  }
  return SIZE_MAX;
}

void siox__places_free(struct siox__places *p) { free(p->slot); }
