/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernel's `power` PMU: RAPL's counters through perf_event_open. The kernel reads the 32-bit
 * registers often enough and adds up 64 bits of 2^-32 J, so that these counters never wrap.
 *
 * cpumask names one processor a package, or one a die. Each joule once: processors of the same die
 * are one meter; AMD's registers are a package's, so that dies of one package mirror each other;
 * the platform (psys) is one, whichever package shows it. */
#include "monitor/builtin.h"
#include "monitor/meters.h"
#include "monitor/perf.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU "/sys/bus/event_source/devices/power"
enum { MOST_CPUS = 64, MASK_SIZE = 512 };
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

struct event { /* as /sys describes it */
  uint64_t config;
  double scale; /* J a count */
};
struct cpu {
  int number;
  uint64_t package, die;
  bool known;  /* where it is */
  bool mirror; /* of an earlier one */
  char where[40];
};
struct perf {
  const struct siox__perf_calls *calls;
  char *root;
  uint64_t type;
  char mask[MASK_SIZE];
  struct siox__metrics metrics;
  int *fds; /* of each metric; negative: why it has none */
  int64_t looked_ns;
  bool closed; /* to be opened again */
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

/* "event=0x02,umask=1": each term's bits stand where format/TERM says ("config:0-7"). */
static int config_of(const char *root, const char *text, uint64_t *config) {
  *config = 0;
  for (const char *p = text; *p;) {
    const size_t length = strcspn(p, "=,");
    char path[128], format[32];
    uint64_t value = 1, low, high;
    snprintf(path, sizeof path, PMU "/format/%.*s", (int)length, p);
    const int n = siox__input_text(root, path, format, sizeof format);
    if (length == 0 || length > 32 || n < 0)
      return n < 0 ? n : SIOX_ESYNTAX;
    p += length;
    if (*p == '=') {
      char *end;
      errno = 0;
      value = isalnum((unsigned char)*++p) ? strtoull(p, &end, 0) : (end = (char *)p, 0);
      if (end == p || errno != 0)
        return SIOX_ESYNTAX;
      p = end;
    }
    const char *at = format + strlen("config:");
    if (strncmp(format, "config:", strlen("config:")) != 0 || !siox__input_number(&at, &low))
      return SIOX_ESYNTAX;
    high = low;
    if (*at == '-' && (at++, !siox__input_number(&at, &high)))
      return SIOX_ESYNTAX;
    if (*at != 0 || low > high || high > 63 || (high - low < 63 && value >> (high - low + 1) != 0))
      return SIOX_ESYNTAX;
    *config |= value << low;
    if (*p == ',')
      p++;
    else if (*p != 0)
      return SIOX_ESYNTAX;
  }
  return text[0] ? 0 : SIOX_ESYNTAX;
}

static int event_of(const char *root, const char *name, struct event *e) {
  char path[128], text[96], *end;
  snprintf(path, sizeof path, PMU "/events/%s", name);
  int n = siox__input_text(root, path, text, sizeof text);
  if (n < 0 || (n = config_of(root, text, &e->config)) < 0)
    return n;
  snprintf(path, sizeof path, PMU "/events/%s.unit", name);
  if ((n = siox__input_text(root, path, text, sizeof text)) < 0)
    return n;
  if (strcmp(text, "Joules") != 0)
    return SIOX_ESYNTAX;
  snprintf(path, sizeof path, PMU "/events/%s.scale", name);
  if ((n = siox__input_text(root, path, text, sizeof text)) < 0)
    return n;
  e->scale = isdigit((unsigned char)text[0]) ? strtod(text, &end) : (end = text, 0);
  return *end == 0 && e->scale > 0 && e->scale < 1 ? 0 : SIOX_ESYNTAX;
}

static bool of_cpu(const char *root, int cpu, const char *file, uint64_t *value) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, file);
  return siox__input_u64(root, path, value) == 0;
}

/* AMD's and Hygon's registers are a package's. */
static bool dies_mirror(const char *root) {
  char text[512];
  siox__input_text(root, "/proc/cpuinfo", text, sizeof text);
  return strstr(text, "AuthenticAMD") || strstr(text, "HygonGenuine");
}

/* Adds a processor of the mask, unless one of the same die is there already. */
static void add_cpu(const char *root, int number, struct cpu *cpus, size_t *n) {
  struct cpu one = {.number = number};
  one.known = of_cpu(root, number, "physical_package_id", &one.package);
  of_cpu(root, number, "die_id", &one.die);
  for (size_t i = 0; one.known && i < *n; i++)
    if (cpus[i].known && cpus[i].package == one.package && cpus[i].die == one.die)
      return;
  cpus[(*n)++] = one;
}

/* "package-0"; "package-0-die-1" where a package has several; "cpu3" where nobody says. */
static void name_cpus(const char *root, struct cpu *cpus, size_t n) {
  const bool mirror = dies_mirror(root);
  for (size_t i = 0; i < n; i++) {
    struct cpu *c = &cpus[i];
    bool first = true, alone = true;
    for (size_t k = 0; k < n; k++)
      if (k != i && cpus[k].known && c->known && cpus[k].package == c->package) {
        alone = false;
        first &= k > i;
      }
    c->mirror = mirror && !first;
    if (!c->known)
      snprintf(c->where, sizeof c->where, "cpu%d", c->number);
    else if (alone)
      snprintf(c->where, sizeof c->where, "package-%u", (unsigned)c->package);
    else
      snprintf(c->where, sizeof c->where, "package-%u-die-%u", (unsigned)c->package,
               (unsigned)c->die);
  }
}

/* "0,18" or "0-1": the processors to count on. */
static int cpus_of(const char *root, const char *mask, struct cpu cpus[MOST_CPUS], size_t *n) {
  const char *p = mask;
  *n = 0;
  do {
    uint64_t first, last;
    if (!siox__input_number(&p, &first))
      return SIOX_ESYNTAX;
    last = first;
    if (*p == '-' && (p++, !siox__input_number(&p, &last)))
      return SIOX_ESYNTAX;
    if (last < first || last > 1 << 20)
      return SIOX_ESYNTAX;
    for (; first <= last; first++) {
      if (*n == MOST_CPUS)
        return SIOX_ERANGE;
      add_cpu(root, (int)first, cpus, n);
    }
  } while (*p == ',' && *++p);
  name_cpus(root, cpus, *n);
  return *p == 0 ? 0 : SIOX_ESYNTAX;
}

static void close_counters(struct perf *p) {
  for (size_t i = 0; i < p->metrics.n; i++)
    if (p->fds && p->fds[i] >= 0)
      p->calls->close(p->calls->context, p->fds[i]);
  p->metrics.n = 0;
}

static int add_counter(struct perf *p, size_t event, const struct event *e, const struct cpu *cpu,
                       bool first) {
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
  struct cpu cpus[MOST_CPUS];
  size_t ncpus, working = 0;
  int first = SIOX_ENOENT;
  snprintf(why, size, "%s" PMU "/events: no energy-* in joules", p->root);
  int e = cpus_of(p->root, p->mask, cpus, &ncpus);
  if (e < 0) {
    snprintf(why, size, "%s" PMU "/cpumask: %s", p->root, siox_strerror(e));
    return e;
  }
  for (size_t i = 0; i < NEVENTS; i++) {
    struct event event;
    if (event_of(p->root, events[i].name, &event) < 0)
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
  int e = siox__input_u64(p->root, PMU "/type", &p->type);
  if (e == 0 && p->type > UINT32_MAX)
    e = SIOX_ERANGE;
  if (e < 0) {
    snprintf(why, size, "%s" PMU "/type: %s%s", p->root, siox_strerror(e),
             e == SIOX_ENOENT ? " (the kernel has no power PMU for this processor)" : "");
    return e;
  }
  if ((e = siox__input_text(p->root, PMU "/cpumask", p->mask, sizeof p->mask)) < 0) {
    snprintf(why, size, "%s" PMU "/cpumask: %s", p->root, siox_strerror(e));
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
  if (p->closed) {
    p->closed = false;
    const int e = open_counters(p, why, sizeof why);
    return e < 0 && p->metrics.n == 0 ? e : 1;
  }
  if (p->looked_ns == INT64_MIN)
    p->looked_ns = now_ns;
  if (now_ns - p->looked_ns < LOOK_AGAIN_NS)
    return 0;
  p->looked_ns = now_ns;
  if (siox__input_text(p->root, PMU "/cpumask", mask, sizeof mask) < 0 ||
      strcmp(mask, p->mask) == 0)
    return 0;
  memcpy(p->mask, mask, sizeof mask);
  close_counters(p);
  p->closed = true;
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
