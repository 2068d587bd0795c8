/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One performance group of likwid's on all processors. likwid gives rates since the last reading;
 * added up over its own times they are counts, which are read late, twice or never without being
 * wrong. Of a package all processors' rates are added: what is counted once a socket, one of them
 * has. */
#include "monitor/likwid.h"
#ifdef SIOX_LIKWID
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *theirs, *name, *unit;
  double factor, most;
} kinds[] = {
#define SIOX_LIKWID_METRIC(theirs, name, unit, factor, most) {theirs, name, unit, factor, most},
#include "monitor/likwid_metrics.def"
#undef SIOX_LIKWID_METRIC
};
enum { NKINDS = sizeof kinds / sizeof *kinds, MOST_METRICS = 16 };

struct siox__likwid_group {
  const struct siox__likwid_functions *call;
  bool begun, started;
  int id, ncpus;
  int *cpus;
  uint32_t *package; /* of each processor: its place in the list of packages */
  uint32_t npackages;
  struct {
    int theirs; /* metric of the group */
    size_t kind;
  } metric[MOST_METRICS];
  size_t nmetrics;
  double *counts; /* by metric and package: units so far */
};

/* All processors, and the packages by rising number. */
static int find_processors(struct siox__likwid_group *g, uint32_t **packages) {
  const CpuTopology_t t = g->call->get_cpuTopology();
  const uint32_t n = t->numHWThreads;
  g->cpus = calloc(n + 1, sizeof *g->cpus);
  g->package = calloc(n + 1, sizeof *g->package);
  *packages = calloc(n + 1, sizeof **packages);
  if (!g->cpus || !g->package || !*packages)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < n; i++) {
    const HWThread *h = &t->threadPool[i];
    uint32_t at = 0;
    while (at < g->npackages && (*packages)[at] != h->packageId)
      at++;
    if (at == g->npackages)
      (*packages)[g->npackages++] = h->packageId;
    g->cpus[g->ncpus] = (int)h->apicId;
    g->package[g->ncpus++] = at;
  }
  return g->ncpus > 0 ? 0 : SIOX_ENOENT;
}

static int begin(struct siox__likwid_group *g, const char *name, char *why, size_t size) {
  g->call->perfmon_setVerbosity(0);
  g->call->HPMmode(ACCESSMODE_DIRECT); /* whatever was called before may have set another */
  if (g->call->perfmon_init(g->ncpus, g->cpus) != 0) {
    snprintf(why, size, "likwid cannot count on these processors");
    return SIOX_EIO;
  }
  g->begun = true;
  if ((g->id = g->call->perfmon_addEventSet(name)) < 0) {
    snprintf(why, size,
             "group: %.40s: likwid has no such group for this processor "
             "(likwid-perfctr -a lists them)",
             name);
    return SIOX_ENOENT;
  }
  for (int i = 0; i < g->call->perfmon_getNumberOfMetrics(g->id); i++) {
    const char *theirs = g->call->perfmon_getMetricName(g->id, i);
    for (size_t k = 0; theirs && k < NKINDS && g->nmetrics < MOST_METRICS; k++)
      if (!strcmp(theirs, kinds[k].theirs)) {
        g->metric[g->nmetrics].theirs = i;
        g->metric[g->nmetrics++].kind = k;
      }
  }
  if (g->nmetrics == 0) {
    snprintf(why, size,
             "group: %.40s: counts neither floating-point operations nor bytes to memory", name);
    return SIOX_ENOENT;
  }
  if (g->call->perfmon_setupCounters(g->id) < 0 || g->call->perfmon_startCounters() < 0) {
    snprintf(why, size, "group: %.40s: the counters do not start", name);
    return SIOX_EIO;
  }
  g->started = true;
  return 0;
}

static int add_metrics(struct siox__likwid_group *g, const uint32_t *packages,
                       struct siox__metrics *metrics) {
  g->counts = calloc(g->nmetrics * g->npackages, sizeof *g->counts);
  if (!g->counts)
    return SIOX_ENOMEM;
  for (size_t i = 0; i < g->nmetrics; i++)
    for (uint32_t k = 0; k < g->npackages; k++) {
      char where[56];
      snprintf(where, sizeof where, "package-%u", packages[k]);
      struct siox_metric *m =
          siox__metrics_add(metrics, SIOX_METRIC_COUNTER, kinds[g->metric[i].kind].name, where,
                            kinds[g->metric[i].kind].unit);
      if (!m)
        return SIOX_ENOMEM;
      m->scale = 1;
      m->bound = kinds[g->metric[i].kind].most;
    }
  return 0;
}

int siox__likwid_group_start(const struct siox__likwid_functions *call, const char *name,
                             struct siox__metrics *metrics, struct siox__likwid_group **out,
                             char *why, size_t size) {
  struct siox__likwid_group *g = calloc(1, sizeof *g);
  uint32_t *packages = NULL;
  if (!g)
    return SIOX_ENOMEM;
  g->call = call;
  int e = find_processors(g, &packages);
  if (e == 0)
    e = begin(g, name, why, size);
  if (e == 0)
    e = add_metrics(g, packages, metrics);
  free(packages);
  if (e < 0)
    siox__likwid_group_stop(g);
  else
    *out = g;
  return e;
}

void siox__likwid_group_read(struct siox__likwid_group *g, struct siox_reading *readings) {
  const size_t n = g->nmetrics * g->npackages;
  const double seconds = g->call->perfmon_readGroupCounters(g->id) == 0
                             ? g->call->perfmon_getLastTimeOfGroup(g->id)
                             : -1;
  for (size_t i = 0; i < n; i++)
    readings[i] = (struct siox_reading){.error = seconds > 0 ? 0 : SIOX_EIO};
  for (size_t i = 0; seconds > 0 && i < g->nmetrics; i++)
    for (int k = 0; k < g->ncpus; k++) {
      const double rate = g->call->perfmon_getLastMetric(g->id, g->metric[i].theirs, k);
      double *count = &g->counts[i * g->npackages + g->package[k]];
      if (isfinite(rate) && rate >= 0)
        *count += rate * kinds[g->metric[i].kind].factor * seconds;
      else /* an overflow, or a division by nothing: what it was is not known */
        readings[i * g->npackages + g->package[k]].error = SIOX_ERANGE;
    }
  for (size_t i = 0; i < n; i++)
    readings[i].count = (uint64_t)g->counts[i];
}

void siox__likwid_group_stop(struct siox__likwid_group *g) {
  if (!g)
    return;
  if (g->started)
    g->call->perfmon_stopCounters();
  if (g->begun)
    g->call->perfmon_finalize();
  free(g->cpus);
  free(g->package);
  free(g->counts);
  free(g);
}
#endif
