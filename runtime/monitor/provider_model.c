/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Estimated watts where nothing meters: idle_watts + dynamic_watts x utilisation, for each package,
 * or for the node (per: node). The watts are the user's, calibrated with an outside meter: idle,
 * and what full load adds; nothing is assumed for him. All it shows is marked as estimated.
 *
 * A package's utilisation is one minus the share of its processors' time that was idle or waited
 * for I/O, as /proc/stat counts it. Where a processor's sample is lost, so is the package's. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CPUS = 8192, MOST_PACKAGES = 64 };
static const double MOST_WATTS = 30000;

struct package {
  uint64_t id;
  double idle;          /* processors' seconds a second */
  unsigned cpus, parts; /* parts: counts that were taken in */
  int error;
};
struct model {
  struct siox_provider_env env;
  double idle_watts, dynamic_watts;
  bool node;
  short of[MOST_CPUS]; /* index of the package of each processor; -1: not looked at */
  struct package packages[MOST_PACKAGES];
  size_t npackages;
  struct siox__metrics metrics;
  bool changed;
  int error;
};

static int list(struct model *m) {
  m->metrics.n = 0;
  for (size_t i = 0; i < m->npackages; i++) {
    char where[56] = "";
    if (!m->node)
      snprintf(where, sizeof where, "package-%llu", (unsigned long long)m->packages[i].id);
    struct siox_metric *metric =
        siox__metrics_add(&m->metrics, SIOX_METRIC_SAMPLED, "power", where, "W");
    if (!metric)
      return SIOX_ENOMEM;
    metric->domain = m->node ? SIOX_DOMAIN_NODE : SIOX_DOMAIN_PACKAGE;
    metric->polarity = SIOX_LESS_IS_BETTER;
    metric->flags = SIOX_METRIC_ESTIMATED;
    metric->bound = m->idle_watts + m->dynamic_watts;
  }
  return 0;
}

/* The package of a processor, as an index; a new one changes the list. */
static int package_of(struct model *m, uint64_t cpu) {
  char path[128];
  uint64_t id = 0;
  if (cpu >= MOST_CPUS)
    return SIOX_ERANGE;
  if (m->of[cpu] >= 0)
    return m->of[cpu];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
           (unsigned)cpu);
  const int e = m->node ? 0 : siox__input_u64(m->env.root, path, &id);
  if (e < 0)
    return e;
  size_t i = 0;
  while (i < m->npackages && m->packages[i].id != id)
    i++;
  if (i == MOST_PACKAGES)
    return SIOX_ERANGE;
  if (i == m->npackages) {
    m->packages[m->npackages++] = (struct package){.id = id};
    m->changed = true;
  }
  return m->of[cpu] = (short)i;
}

/* Packages of the machine, in their order. */
static int find_packages(struct model *m) {
  char **names;
  size_t n;
  if (m->node)
    return package_of(m, 0) < 0 ? SIOX_ERANGE : 0;
  int e = siox__input_names(m->env.root, "/sys/devices/system/cpu", &names, &n);
  for (size_t i = 0; e >= 0 && i < n; i++) {
    const char *p = names[i] + 3;
    uint64_t cpu;
    if (strncmp(names[i], "cpu", 3) != 0 || !siox__input_number(&p, &cpu) || *p)
      continue;
    const int found = package_of(m, cpu);
    if (found == SIOX_ENOENT)
      continue; /* it is offline */
    e = found < 0 ? found : 0;
  }
  siox__input_names_free(names, n);
  return e < 0 ? e : m->npackages > 0 ? 0 : SIOX_ENOENT;
}

static void close_model(void *state) {
  struct model *m = state;
  siox__metrics_free(&m->metrics);
  free(m);
}

static int complain(const struct siox_provider_env *env, const char *key, const char *what,
                    struct siox_diag *diag) {
  unsigned line = 0;
  for (size_t i = 0; i < env->nsettings; i++)
    if (strcmp(env->settings[i].key, key) == 0)
      line = env->settings[i].line;
  snprintf(diag->text, sizeof diag->text, "%s:%u: %s: %s", env->origin ? env->origin : "settings",
           line, key, what);
  return SIOX_EINVAL;
}

static int watts(const struct siox_provider_env *env, const char *key, double *value,
                 struct siox_diag *diag) {
  const char *text = siox__setting(env, key);
  char *end = NULL;
  errno = 0;
  *value = text ? strtod(text, &end) : 0;
  if (text && end != text && *end == 0 && errno == 0 && isfinite(*value) && *value >= 0 &&
      *value <= MOST_WATTS)
    return 0;
  if (text)
    return complain(env, key, "expected watts, from 0 to 30000", diag);
  snprintf(diag->text, sizeof diag->text,
           "%s is not set: measure the watts of an idle machine (idle_watts) and what full load "
           "adds (dynamic_watts) with an outside meter, a package each or with \"per: node\"",
           key);
  return SIOX_ENOENT;
}

/* Reads the settings. */
static int configure(struct model *m, struct siox_diag *diag) {
  static const char *const known[] = {"idle_watts", "dynamic_watts", "per", NULL};
  int e = siox__settings_known(&m->env, "model", known, diag);
  if (e == 0)
    e = watts(&m->env, "idle_watts", &m->idle_watts, diag);
  if (e == 0)
    e = watts(&m->env, "dynamic_watts", &m->dynamic_watts, diag);
  if (e < 0)
    return e;
  if (m->idle_watts + m->dynamic_watts <= 0)
    return complain(&m->env, "dynamic_watts", "a machine that takes nothing is none", diag);
  const char *per = siox__setting(&m->env, "per");
  m->node = per && strcmp(per, "node") == 0;
  return per && !m->node && strcmp(per, "package") != 0
             ? complain(&m->env, "per", "expected package or node", diag)
             : 0;
}

static int open_model(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  struct model *m = calloc(1, sizeof *m);
  if (!m)
    return SIOX_ENOMEM;
  m->env = *env;
  for (size_t i = 0; i < MOST_CPUS; i++)
    m->of[i] = -1;
  int e = configure(m, diag);
  if (e == 0 && (e = find_packages(m)) < 0)
    snprintf(diag->text, sizeof diag->text,
             "%s/sys/devices/system/cpu/cpu*/topology/physical_package_id: %s; \"per: node\" does "
             "without",
             env->root, siox_strerror(e));
  if (e == 0)
    e = list(m);
  m->changed = false;
  if (e < 0)
    close_model(m);
  else
    *state = m;
  return e;
}

static size_t metrics_of_model(void *state, const struct siox_metric **out) {
  struct model *m = state;
  *out = m->metrics.list;
  return m->metrics.n;
}

/* The package of "cpuN"; NULL: of "", all together, or of nobody knows which. */
static struct package *place(struct model *m, const char *where) {
  uint64_t cpu;
  const char *p = where + 3;
  if (strncmp(where, "cpu", 3) != 0 || !siox__input_number(&p, &cpu) || *p)
    return NULL;
  const int i = package_of(m, cpu);
  if (i < 0)
    m->error = i;
  return i < 0 ? NULL : &m->packages[i];
}
static void take(void *context, const char *where, double idle, int error) {
  struct package *p = place(context, where);
  if (!p)
    return;
  p->idle += idle;
  p->parts++;
  if (error < 0)
    p->error = error;
}
static void take_idle(void *context, const char *where, double idle, int error) {
  struct package *p = place(context, where);
  if (p)
    p->cpus++;
  take(context, where, idle, error);
}

/* Ticks are coarse: a processor may seem idle for a little more than all of the time. */
static double utilisation(const struct package *p) {
  const double busy = 1 - p->idle / p->cpus;
  return busy < 0 ? 0 : busy > 1 ? 1 : busy;
}

static int read_model(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct model *m = state;
  (void)now_ns;
  if (!m->env.each)
    return SIOX_EINVAL;
  for (size_t i = 0; i < m->npackages; i++)
    m->packages[i] = (struct package){.id = m->packages[i].id};
  m->error = 0;
  m->env.each(m->env.collector, "cpu_idle", take_idle, m);
  m->env.each(m->env.collector, "cpu_iowait", take, m);
  if (m->changed) {
    const int e = list(m);
    m->changed = false;
    return e < 0 ? e : 1;
  }
  if (m->error < 0)
    return m->error; /* a processor of an unknown package: anybody's */
  for (size_t i = 0; i < m->npackages; i++) {
    const struct package *p = &m->packages[i];
    const int e = p->error < 0                              ? p->error
                  : p->cpus == 0 || p->parts != 2 * p->cpus ? SIOX_ENOENT
                                                            : 0;
    readings[i] = (struct siox_reading){.error = e};
    if (e == 0)
      readings[i].value = m->idle_watts + m->dynamic_watts * utilisation(p);
  }
  return 0;
}

static void probe_model(const struct siox_provider_env *env, struct siox_probe *probe) {
  struct siox_diag diag = {{0}};
  void *state;
  *probe = (struct siox_probe){.resolution_s = 0.1}; /* ten ticks of /proc/stat */
  probe->error = open_model(env, &state, &diag);
  if (probe->error == 0)
    close_model(state);
  else
    snprintf(probe->why, sizeof probe->why, "%.255s", diag.text);
}

const struct siox_provider siox__provider_model = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "model",
    .about = "estimated watts of packages or node: idle_watts + dynamic_watts x utilisation",
    .phase = 1,
    .priority = 1,
    .probe = probe_model,
    .open = open_model,
    .metrics = metrics_of_model,
    .read = read_model,
    .close = close_model,
};
