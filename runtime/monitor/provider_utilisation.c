/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of what the node has is in use, from 0 to 1, by category; derived from what others
 * measured in the same cycle, so where one of them has no sample there is none here. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include "monitor/processor_time.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPU, MEMORY, DISK, NETWORK, NCATEGORIES };
static const char *const categories[NCATEGORIES] = {"cpu", "memory", "disk", "network"};

/* Links change their speed when somebody plugs them in elsewhere. */
static const int64_t LOOK_AGAIN_NS = INT64_C(2000000000);
struct link {
  char where[56];
  double most; /* bytes a second; 0: it has no speed */
};
struct utilisation {
  struct siox_provider_env env;
  struct siox__metrics metrics;
  struct link *links;
  size_t nlinks, room, next;
  int64_t looked_ns;
};

static void close_utilisation(void *state) {
  struct utilisation *u = state;
  siox__metrics_free(&u->metrics);
  free(u->links);
  free(u);
}

static int open_utilisation(const struct siox_provider_env *env, void **state,
                            struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  int e = siox__settings_known(env, "utilisation", known, diag);
  if (e < 0)
    return e;
  struct utilisation *u = calloc(1, sizeof *u);
  if (!u)
    return SIOX_ENOMEM;
  u->env = *env;
  for (int i = 0; e == 0 && i < NCATEGORIES; i++) {
    struct siox_metric *m =
        siox__metrics_add(&u->metrics, SIOX_METRIC_SAMPLED, "utilisation", categories[i], "1");
    e = m ? 0 : SIOX_ENOMEM;
  }
  if (e < 0)
    close_utilisation(u);
  else
    *state = u;
  return e;
}

static size_t metrics_of_utilisation(void *state, const struct siox_metric **out) {
  struct utilisation *u = state;
  *out = u->metrics.list;
  return u->metrics.n;
}

static double share(double part, double whole) {
  return part <= 0 ? 0 : part >= whole ? 1 : part / whole;
}

static int of_processors(const struct utilisation *u, double *value) {
  double used = 0, unused = 0, v = 0;
  int e = 0;
  for (int i = 0; e == 0 && i < SIOX__NPROCESSOR_TIMES; i++) {
    e = u->env.sample(u->env.collector, siox__processor_times[i].metric, "", &v);
    *(siox__processor_times[i].kind == SIOX__PROCESSOR_IDLE ? &unused : &used) += v;
  }
  if (e == 0 && used + unused <= 0)
    e = SIOX_EUNKNOWN; /* the cycle is shorter than a tick */
  *value = e == 0 ? share(used, used + unused) : 0;
  return e;
}

static int of_memory(const struct utilisation *u, double *value) {
  double total = 0, available = 0;
  int e = u->env.sample(u->env.collector, "mem_total", "", &total);
  if (e == 0)
    e = u->env.sample(u->env.collector, "mem_available", "", &available);
  if (e == 0 && total <= 0)
    e = SIOX_ERANGE;
  *value = e == 0 ? share(total - available, total) : 0;
  return e;
}

/* The fullest place: one busy disk is what a program waits for, however many idle ones stand beside
 * it. */
struct fullest {
  struct utilisation *of;
  double value;
  int error; /* SIOX_ENOENT until a place has said something */
};

static void take_disk(void *context, const char *where, double busy, int error) {
  struct fullest *f = context;
  (void)where;
  if (error < 0 || f->error == SIOX_EUNKNOWN) {
    f->error = SIOX_EUNKNOWN; /* it may be the fullest */
    return;
  }
  f->error = 0;
  if (share(busy, 1) > f->value)
    f->value = share(busy, 1);
}

/* Which lo and bridges do not have. */
static double speed_of(struct utilisation *u, const char *where) {
  for (size_t i = 0; i < u->nlinks; i++) { /* they come in one order */
    const size_t at = (u->next + i) % u->nlinks;
    if (strcmp(u->links[at].where, where) == 0) {
      u->next = at + 1;
      return u->links[at].most;
    }
  }
  char path[128];
  uint64_t megabits = 0;
  snprintf(path, sizeof path, "/sys/class/net/%s/speed", where);
  if (strchr(where, '/') || siox__input_u64(u->env.root, path, &megabits) < 0)
    megabits = 0;
  const double most = 1e6 / 8 * (double)megabits;
  if (u->nlinks == u->room) {
    struct link *more = realloc(u->links, (2 * u->room + 8) * sizeof *more);
    if (!more)
      return most;
    u->links = more;
    u->room = 2 * u->room + 8;
  }
  struct link *added = &u->links[u->nlinks++];
  added->most = most;
  snprintf(added->where, sizeof added->where, "%s", where);
  return most;
}

/* Bytes a second over the link's speed. */
static void take_interface(void *context, const char *where, double bytes, int error) {
  struct fullest *f = context;
  const double most = speed_of(f->of, where);
  if (most > 0)
    take_disk(context, where, error < 0 ? 0 : bytes / most, error);
}

static int read_utilisation(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct utilisation *u = state;
  if (now_ns - u->looked_ns >= LOOK_AGAIN_NS) {
    u->looked_ns = now_ns;
    u->nlinks = 0;
  }
  if (!u->env.sample || !u->env.each)
    return SIOX_EINVAL;
  struct fullest disk = {u, 0, SIOX_ENOENT}, sent = disk, received = disk;
  u->env.each(u->env.collector, "disk_busy_time", take_disk, &disk);
  u->env.each(u->env.collector, "net_bytes_sent", take_interface, &sent);
  u->env.each(u->env.collector, "net_bytes_received", take_interface, &received);
  readings[CPU].error = of_processors(u, &readings[CPU].value);
  readings[MEMORY].error = of_memory(u, &readings[MEMORY].value);
  readings[DISK] = (struct siox_reading){.error = disk.error, .value = disk.value};
  /* Links carry both ways at once. */
  const struct fullest *fuller = sent.value > received.value ? &sent : &received;
  readings[NETWORK] = (struct siox_reading){.error = fuller->error, .value = fuller->value};
  return 0;
}

static void probe_utilisation(const struct siox_provider_env *env, struct siox_probe *probe) {
  (void)env;
  *probe = (struct siox_probe){0}; /* made of what others measure */
}

const struct siox_provider siox__provider_utilisation = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "utilisation",
    .about = "share in use of processors, memory, the busiest disk and the busiest link",
    .phase = 1,
    .probe = probe_utilisation,
    .open = open_utilisation,
    .metrics = metrics_of_utilisation,
    .read = read_utilisation,
    .close = close_utilisation,
};
