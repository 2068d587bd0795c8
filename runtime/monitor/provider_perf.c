/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernel's `power` PMU: RAPL's counters through perf_event_open. The kernel reads the 32-bit
 * registers often enough and adds up 64 bits of 2^-32 J, so that these counters never wrap.
 *
 * Each joule once: which processors mirror others perf_tree.h tells; the platform (psys) is one,
 * whichever package shows it. */
#include "monitor/builtin.h"
#include "monitor/meters.h"
#include "monitor/perf.h"
#include "monitor/perf_tree.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MASK_SIZE = 512 };
static const int64_t LOOK_AGAIN_NS = 1000000000; /* for processors that come or go */

static const struct {
  const char *name, *part; /* of the event; below the package */
  enum siox_domain domain;
} events[] = {{"energy-pkg", "", SIOX_DOMAIN_PACKAGE},
              {"energy-cores", "/core", SIOX_DOMAIN_CORES},
              {"energy-gpu", "/uncore", SIOX_DOMAIN_UNCORE},
              {"energy-ram", "/dram", SIOX_DOMAIN_DRAM},
              {"energy-psys", "psys", SIOX_DOMAIN_PSYS}};
enum { NEVENTS = sizeof events / sizeof events[0] };

struct perf {
  const struct siox__perf_calls *calls;
  char *root;
  uint64_t type;
  char mask[MASK_SIZE];
  struct siox__metrics metrics;
  int *fds; /* of each metric; negative: why it has none */
  int64_t looked_ns;
  bool closed; /* to be opened again: */
  int error;   /* negative: once a second, since this was so; 0: now */
};

static int call_open(void *context, const struct perf_event_attr *attr, int cpu) {
  (void)context;
  const long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? siox__input_error(errno) : (int)fd;
}
static int call_read(void *context, int fd, uint64_t *count) {
  (void)context;
  const ssize_t n = read(fd, count, sizeof *count);
  /* Nothing at all: the processor went offline. */
  return n == (ssize_t)sizeof *count ? 0 : n < 0 ? siox__input_error(errno) : SIOX_ENOENT;
}
static void call_close(void *context, int fd) {
  (void)context;
  close(fd);
}
static const struct siox__perf_calls kernel = {call_open, call_read, call_close, NULL};

static void close_counters(struct perf *p) {
  for (size_t i = 0; i < p->metrics.n; i++)
    if (p->fds && p->fds[i] >= 0)
      p->calls->close(p->calls->context, p->fds[i]);
  p->metrics.n = 0;
}

static int add_counter(struct perf *p, size_t event, const struct siox__perf_event *e,
                       const struct siox__perf_cpu *cpu, bool first) {
  char where[56];
  const bool psys = events[event].domain == SIOX_DOMAIN_PSYS;
  snprintf(where, sizeof where, "%s%s%s", psys ? events[event].part : cpu->where,
           psys ? (first ? "" : "@") : events[event].part, psys && !first ? cpu->where : "");
  int *fds = realloc(p->fds, (p->metrics.n + 1) * sizeof *fds);
  if (!fds)
    return SIOX_ENOMEM;
  p->fds = fds;
  struct siox_metric *m = siox__metrics_add(&p->metrics, SIOX_METRIC_COUNTER, "energy", where, "J");
  if (!m)
    return SIOX_ENOMEM;
  m->domain = events[event].domain;
  m->polarity = SIOX_LESS_IS_BETTER;
  m->scale = e->scale;
  m->bound = siox__meter_most(m->domain);
  m->flags = (psys ? !first : cpu->mirror) ? SIOX_METRIC_PART : 0;
  struct perf_event_attr attr = {
      .type = (uint32_t)p->type, .size = sizeof attr, .config = e->config};
  fds[p->metrics.n - 1] = p->calls->open(p->calls->context, &attr, cpu->number);
  return 0;
}

/* Opens all counters; an error where none of them opens. */
static int open_counters(struct perf *p, char *why, size_t size) {
  struct siox__perf_cpu cpus[SIOX__PERF_CPUS];
  size_t ncpus, working = 0;
  int first = SIOX_ENOENT;
  snprintf(why, size, "%s" SIOX__PERF_PMU "/events: no energy-* in joules", p->root);
  int e = siox__perf_cpus(p->root, p->mask, cpus, &ncpus);
  if (e < 0) {
    snprintf(why, size, "%s" SIOX__PERF_PMU "/cpumask: %s", p->root, siox_strerror(e));
    return e;
  }
  for (size_t i = 0; i < NEVENTS; i++) {
    struct siox__perf_event event;
    if (siox__perf_event(p->root, events[i].name, &event) < 0)
      continue;
    for (size_t k = 0; k < ncpus; k++) {
      if ((e = add_counter(p, i, &event, &cpus[k], k == 0)) < 0)
        return e;
      const int fd = p->fds[p->metrics.n - 1];
      working += fd >= 0;
      if (fd < 0 && first == SIOX_ENOENT) {
        first = fd;
        snprintf(why, size, "perf_event_open of %s on cpu%d: %s", events[i].name, cpus[k].number,
                 siox_strerror(fd));
      }
    }
  }
  return working > 0 ? 0 : first;
}

static void close_perf(void *state) {
  struct perf *p = state;
  close_counters(p);
  siox__metrics_free(&p->metrics);
  free(p->fds);
  free(p->root);
  free(p);
}

static int start(struct perf *p, char *why, size_t size) {
  if (p->calls == &kernel && p->root[0]) {
    snprintf(why, size, "%s: counters open on the machine itself only", p->root);
    return SIOX_ENOENT;
  }
  int e = siox__input_u64(p->root, SIOX__PERF_PMU "/type", &p->type);
  if (e == 0 && p->type > UINT32_MAX)
    e = SIOX_ERANGE;
  if (e < 0) {
    snprintf(why, size, "%s" SIOX__PERF_PMU "/type: %s%s", p->root, siox_strerror(e),
             e == SIOX_ENOENT ? " (the kernel has no power PMU for this processor)" : "");
    return e;
  }
  if ((e = siox__input_text(p->root, SIOX__PERF_PMU "/cpumask", p->mask, sizeof p->mask)) < 0) {
    snprintf(why, size, "%s" SIOX__PERF_PMU "/cpumask: %s", p->root, siox_strerror(e));
    return e;
  }
  return open_counters(p, why, size);
}

static int begin(const struct siox_provider_env *env, const struct siox__perf_calls *calls,
                 struct perf **out, char *why, size_t size) {
  struct perf *p = calloc(1, sizeof *p);
  if (!p || !(p->root = strdup(env->root))) {
    free(p);
    return SIOX_ENOMEM;
  }
  p->calls = calls ? calls : &kernel;
  p->looked_ns = INT64_MIN;
  const int e = start(p, why, size);
  if (e < 0)
    close_perf(p);
  else
    *out = p;
  return e;
}

int siox__perf_open(const struct siox_provider_env *env, const struct siox__perf_calls *calls,
                    void **state, struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  struct perf *p;
  int e = siox__settings_known(env, "perf", known, diag);
  if (e == 0 && (e = begin(env, calls, &p, diag->text, sizeof diag->text)) == 0)
    *state = p;
  return e;
}

void siox__perf_probe(const struct siox_provider_env *env, const struct siox__perf_calls *calls,
                      struct siox_probe *probe) {
  struct perf *p;
  *probe = (struct siox_probe){.resolution_s = 0.05}; /* as powercap's: the same registers */
  probe->error = begin(env, calls, &p, probe->why, sizeof probe->why);
  if (probe->error == 0) {
    probe->why[0] = 0;
    close_perf(p);
  }
  if (probe->error == SIOX_EPERM)
    snprintf(probe->grant, sizeof probe->grant,
             "sudo setcap cap_perfmon+ep $(command -v sioxd)  # or, for everybody: sudo sysctl "
             "kernel.perf_event_paranoid=0; whoever reads power can spy on others' computations "
             "(CVE-2020-8694)");
}

/* 1: other processors count now. Counters that are opened again begin at 0: the list is empty in
 * between, so that nobody takes a difference to what they were. */
static int look_again(struct perf *p, int64_t now_ns) {
  char mask[MASK_SIZE], why[256];
  if (p->looked_ns == INT64_MIN)
    p->looked_ns = now_ns;
  if (p->closed && (p->error == 0 || now_ns - p->looked_ns >= LOOK_AGAIN_NS)) {
    p->looked_ns = now_ns;
    /* Another mask while none of these opened is the one to take. */
    if (p->error < 0)
      (void)siox__input_text(p->root, SIOX__PERF_PMU "/cpumask", p->mask, sizeof p->mask);
    p->error = open_counters(p, why, sizeof why);
    p->closed = p->error < 0;
    if (p->closed)
      close_counters(p);
    return p->closed ? p->error : 1;
  }
  if (p->closed)
    return p->error;
  if (now_ns - p->looked_ns < LOOK_AGAIN_NS)
    return 0;
  p->looked_ns = now_ns;
  if (siox__input_text(p->root, SIOX__PERF_PMU "/cpumask", mask, sizeof mask) < 0 ||
      strcmp(mask, p->mask) == 0)
    return 0;
  memcpy(p->mask, mask, sizeof mask);
  close_counters(p);
  p->closed = true;
  p->error = 0;
  return 1;
}

static int read_perf(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct perf *p = state;
  const int looked = look_again(p, now_ns);
  if (looked != 0)
    return looked;
  for (size_t i = 0; i < p->metrics.n; i++) {
    readings[i] = (struct siox_reading){.error = p->fds[i] < 0 ? p->fds[i] : 0};
    if (p->fds[i] >= 0)
      readings[i].error = p->calls->read(p->calls->context, p->fds[i], &readings[i].count);
  }
  return 0;
}

static size_t metrics_of_perf(void *state, const struct siox_metric **out) {
  struct perf *p = state;
  *out = p->metrics.list;
  return p->metrics.n;
}
static int open_perf(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  return siox__perf_open(env, NULL, state, diag);
}
static void probe_perf(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__perf_probe(env, NULL, probe);
}

const struct siox_provider siox__provider_perf = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "perf",
    .about = "energy of packages, cores, memory, platform (perf_event_open: the power PMU)",
    .priority = 60,
    .probe = probe_perf,
    .open = open_perf,
    .metrics = metrics_of_perf,
    .read = read_perf,
    .close = close_perf,
};
