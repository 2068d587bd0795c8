/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cray and HPE Cray EX: a node controller writes energies and powers of the node, its processors,
 * memory and accelerators ten times a second, as "61234 J" and "245 W", newer versions with the
 * time behind ("245 W 1619457281013246 us").
 *
 * `freshness` grows with each writing: where it moves while the files are read they are of two
 * writings and read again, and where it stands still nothing new is there: such a sample is lost,
 * and the counters' next difference covers the time. `startup` changes where the controller began
 * anew, and the counters with it. `generation` tells of power caps, which change no counter's
 * meaning. */
#include "monitor/builtin.h"
#include "monitor/meters.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS "/sys/cray/pm_counters"
enum { MOST_UNITS = 16, TRIES = 3 };

/* A file, or one for each unit where there is a %d. The whole's powers and parts of it are of
 * energies that count already. */
static const struct kind {
  const char *file, *where;
  enum siox_domain domain;
} kinds[] = {{"", "", SIOX_DOMAIN_NODE},
             {"cpu_", "cpu", SIOX_DOMAIN_PACKAGE},
             {"cpu%d_", "package-%d", SIOX_DOMAIN_PACKAGE},
             {"memory_", "memory", SIOX_DOMAIN_DRAM},
             {"accel%d_", "accelerator-%d", SIOX_DOMAIN_ACCELERATOR}};

struct cray {
  struct siox__input freshness, startup;
  struct siox__metrics metrics;
  struct siox__input *inputs; /* of each metric */
  char *root;
  uint64_t last_freshness, last_startup;
  bool read_before, restarted;
};

/* "61234 J", and perhaps a time. */
static int quantity(const char *text, const char *unit, uint64_t *value) {
  const char *p = text;
  uint64_t us;
  const size_t length = strlen(unit);
  if (!siox__input_number(&p, value) || *p++ != ' ' || strncmp(p, unit, length) != 0)
    return SIOX_ESYNTAX;
  p += length;
  if (*p == 0)
    return 0;
  return *p++ == ' ' && siox__input_number(&p, &us) && strcmp(p, " us") == 0 ? 0 : SIOX_ESYNTAX;
}

static int read_quantity(struct siox__input *in, const char *unit, uint64_t *value) {
  char text[64];
  const int n = siox__input_again(in, text, sizeof text);
  return n < 0 ? n : strlen(text) == (size_t)n ? quantity(text, unit, value) : SIOX_ESYNTAX;
}

/* Adds the file if it is there: 1; 0: it is not. */
static int add(struct cray *c, const char *file, const char *where, enum siox_domain domain,
               bool energy, bool part) {
  struct siox__input in;
  char path[128], text[4];
  snprintf(path, sizeof path, COUNTERS "/%s", file);
  int e = siox__input_at(&in, c->root, path);
  if (e < 0)
    return e;
  e = siox__input_again(&in, text, sizeof text); /* cut, mostly */
  if (e == SIOX_ENOENT)
    return 0;
  struct siox__input *inputs = realloc(c->inputs, (c->metrics.n + 1) * sizeof *inputs);
  if (inputs)
    c->inputs = inputs;
  struct siox_metric *m =
      inputs ? siox__metrics_add(&c->metrics, energy ? SIOX_METRIC_COUNTER : SIOX_METRIC_GAUGE,
                                 energy ? "energy" : "power", where, energy ? "J" : "W")
             : NULL;
  if (!m) {
    siox__input_close(&in);
    return SIOX_ENOMEM;
  }
  inputs[c->metrics.n - 1] = in;
  m->domain = domain;
  m->polarity = SIOX_LESS_IS_BETTER;
  m->wrap = energy ? SIOX_WRAP_UNKNOWN : 0;
  m->bound = siox__meter_most(domain);
  m->flags = part ? SIOX_METRIC_PART : 0;
  return 1;
}

/* Energy and power of one thing. */
static int add_both(struct cray *c, const char *prefix, const char *where, enum siox_domain domain,
                    bool part) {
  char file[48];
  snprintf(file, sizeof file, "%senergy", prefix);
  const int energy = add(c, file, where, domain, true, part);
  if (energy < 0)
    return energy;
  snprintf(file, sizeof file, "%spower", prefix);
  const int power = add(c, file, where, domain, false, part || energy > 0);
  return power < 0 ? power : energy > 0 || power > 0;
}

static int add_all(struct cray *c) {
  bool processors = false; /* all of them together */
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const struct kind *k = &kinds[i];
    const char *number = strstr(k->file, "%d");
    for (int unit = 0; unit < (number ? MOST_UNITS : 1); unit++) {
      char prefix[32], where[32];
      snprintf(prefix, sizeof prefix, "%.*s", number ? (int)(number - k->file) : 16, k->file);
      snprintf(where, sizeof where, "%.*s", number ? (int)strcspn(k->where, "%") : 16, k->where);
      if (number) {
        const size_t n = strlen(prefix), w = strlen(where);
        snprintf(prefix + n, sizeof prefix - n, "%d_", unit);
        snprintf(where + w, sizeof where - w, "%d", unit);
      }
      const bool part = processors && number && k->domain == SIOX_DOMAIN_PACKAGE;
      const int added = add_both(c, prefix, where, k->domain, part);
      if (added < 0)
        return added;
      processors |= added && !number && k->domain == SIOX_DOMAIN_PACKAGE;
    }
  }
  return c->metrics.n > 0 ? 0 : SIOX_ENOENT;
}

static void close_cray(void *state) {
  struct cray *c = state;
  for (size_t i = 0; i < c->metrics.n; i++)
    siox__input_close(&c->inputs[i]);
  siox__input_close(&c->freshness);
  siox__input_close(&c->startup);
  siox__metrics_free(&c->metrics);
  free(c->inputs);
  free(c->root);
  free(c);
}

/* Opens all there is; why: what is missing. */
static int start(const char *root, struct cray **out, char *why, size_t size) {
  struct cray *c = calloc(1, sizeof *c);
  if (!c)
    return SIOX_ENOMEM;
  c->freshness.fd = c->startup.fd = -1;
  int e = (c->root = strdup(root)) ? 0 : SIOX_ENOMEM;
  if (e == 0 && (e = siox__input_at(&c->freshness, root, COUNTERS "/freshness")) == 0)
    e = siox__input_at(&c->startup, root, COUNTERS "/startup");
  if (e == 0 && (e = siox__input_again_u64(&c->freshness, &c->last_freshness)) < 0)
    snprintf(why, size, "%s: %s", c->freshness.path, siox_strerror(e));
  else if (e == 0 && (e = add_all(c)) < 0)
    snprintf(why, size, "%s" COUNTERS ": neither energy nor power", root);
  if (e < 0)
    close_cray(c);
  else
    *out = c;
  return e;
}

static int open_cray(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  struct cray *c;
  int e = siox__settings_known(env, "cray", known, diag);
  if (e == 0 && (e = start(env->root, &c, diag->text, sizeof diag->text)) == 0)
    *state = c;
  return e;
}

static size_t metrics_of_cray(void *state, const struct siox_metric **out) {
  struct cray *c = state;
  *out = c->metrics.list;
  return c->restarted ? 0 : c->metrics.n;
}

static void read_all(struct cray *c, struct siox_reading *readings) {
  for (size_t i = 0; i < c->metrics.n; i++) {
    const struct siox_metric *m = &c->metrics.list[i];
    uint64_t value = 0;
    readings[i] = (struct siox_reading){.error = read_quantity(&c->inputs[i], m->unit, &value)};
    if (m->kind == SIOX_METRIC_COUNTER)
      readings[i].count = value;
    else
      readings[i].value = (double)value;
  }
}

/* 1: the controller began anew. The list is empty for a moment then, so that nobody takes a
 * difference to the counters of before. */
static int began_anew(struct cray *c) {
  uint64_t startup;
  if (c->restarted) {
    c->restarted = false;
    return 1;
  }
  if (siox__input_again_u64(&c->startup, &startup) < 0)
    return 0; /* old versions have none */
  c->restarted = c->read_before && startup != c->last_startup;
  c->last_startup = startup;
  return c->restarted;
}

static int read_cray(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct cray *c = state;
  (void)now_ns;
  if (began_anew(c))
    return 1;
  for (int tries = 0; tries < TRIES; tries++) {
    uint64_t before, after;
    int e = siox__input_again_u64(&c->freshness, &before);
    if (e < 0)
      return e;
    if (c->read_before && before == c->last_freshness)
      return SIOX_EIO; /* nobody has written since */
    read_all(c, readings);
    if ((e = siox__input_again_u64(&c->freshness, &after)) < 0)
      return e;
    if (before == after) {
      c->last_freshness = after;
      c->read_before = true;
      return 0;
    }
  }
  return SIOX_EIO; /* it is written all the time */
}

static void probe_cray(const struct siox_provider_env *env, struct siox_probe *probe) {
  struct cray *c;
  *probe = (struct siox_probe){.resolution_s = 0.1};
  probe->error = start(env->root, &c, probe->why, sizeof probe->why);
  if (probe->error == 0)
    close_cray(c);
  if (probe->error == SIOX_EPERM)
    snprintf(probe->grant, sizeof probe->grant, "sudo chmod a+r " COUNTERS "/*  # until reboot");
}

const struct siox_provider siox__provider_cray = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "cray",
    .about = "energy of node, processors, memory, accelerators (Cray's /sys/cray/pm_counters)",
    .priority = 40,
    .probe = probe_cray,
    .open = open_cray,
    .metrics = metrics_of_cray,
    .read = read_cray,
    .close = close_cray,
};
