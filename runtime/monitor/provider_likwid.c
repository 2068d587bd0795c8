/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RAPL's registers through likwid, where the kernel shows no zones of a processor that likwid
 * knows.
 *
 * likwid is GPL: it is never linked, only loaded at run time where it is installed. It is a library
 * for tools, and three of its habits are kept away from us:
 * - It ends the process, and forks a daemon within it, unless it reads registers itself: direct
 *   access is set last before anything reads, since its own initialisation sets another mode.
 * - It writes complaints to stderr where the registers' device is not there: that is looked at
 *   first, and without it likwid is not loaded.
 * - It stays in the process, with handlers of its own: only a process of Siox may load it, never an
 *   application. The daemon's configuration says so (allow: daemon), and nothing is loaded without.
 *
 * Registers have 32 bits and wrap within minutes. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/likwid.h"
#include "monitor/meters.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const known[] = {"allow", "library", "group", NULL};

#ifdef SIOX_LIKWID
/* Its structures change from one minor version to the next: the one whose header this was built
 * with, and no other. */
static const char usual_library[] = SIOX_LIKWID;

static const struct {
  PowerType type;
  const char *part;
  enum siox_domain domain;
} domains[] = {{PKG, "", SIOX_DOMAIN_PACKAGE},
               {PP0, "/core", SIOX_DOMAIN_CORES},
               {PP1, "/uncore", SIOX_DOMAIN_UNCORE},
               {DRAM, "/dram", SIOX_DOMAIN_DRAM},
               {PLATFORM, "psys", SIOX_DOMAIN_PSYS}};
enum { NDOMAINS = sizeof domains / sizeof domains[0], MOST_SOCKETS = 64 };

struct socket {
  uint32_t package, die;
  int cpu; /* one of its processors */
};
struct meter {
  int cpu;
  PowerType type;
};
struct likwid {
  struct siox__likwid_functions call;
  bool started; /* power_init was called */
  struct siox__metrics metrics;
  struct meter *meters; /* of each metric but the group's, which come last */
  size_t nmeters;
  struct siox__likwid_group *group; /* NULL: none was asked for */
};

/* May the registers of a processor be read? likwid opens them for writing too. */
static int look_at_msr(const char *root, int cpu, char *why, size_t size) {
  static const char *const devices[] = {"/dev/cpu/%d/msr", "/dev/cpu/%d/msr_safe", "/dev/msr%d"};
  int result = SIOX_ENOENT;
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
    char path[256], device[32];
    snprintf(device, sizeof device, devices[i], cpu);
    snprintf(path, sizeof path, "%s%s", root, device);
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
      close(fd);
      return 0;
    }
    const int e = siox__input_error(errno);
    if (i == 0 || e != SIOX_ENOENT) {
      result = e;
      snprintf(why, size, "%s: %s%s", path, siox_strerror(e),
               e == SIOX_ENOENT ? " (modprobe msr makes it)" : "");
    }
  }
  return result;
}

/* Everything that must be right before likwid is loaded. */
static int look(const struct siox_provider_env *env, char *why, size_t size) {
  const char *allow = siox__setting(env, "allow");
  if (!allow || strcmp(allow, "daemon") != 0) {
    snprintf(why, size,
             "likwid is loaded where its settings say \"allow: daemon\" only: it may end "
             "the process that loads it");
    return SIOX_EPERM;
  }
  if (env->root[0] && !siox__setting(env, "library")) {
    snprintf(why, size, "%s: likwid reads the machine itself only", env->root);
    return SIOX_ENOENT;
  }
  return look_at_msr(env->root, 0, why, size);
}

/* Loads it, for good: it cannot be unloaded without its handlers staying behind. */
static int load(const struct siox_provider_env *env, struct siox__likwid_functions *f, char *why,
                size_t size) {
  const char *name = siox__setting(env, "library");
  char path[4096];
  if (name && strchr(name, '/')) { /* else it is one of the system's */
    const int e = siox__beside(env->origin, name, path, sizeof path);
    if (e < 0) {
      snprintf(why, size, "%.200s: %s", name, siox_strerror(e));
      return e;
    }
    name = path;
  }
  void *library = dlopen(name ? name : usual_library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    snprintf(why, size, "%s", dlerror());
    return SIOX_ENOENT;
  }
#define LIKWID(function)                                                                           \
  if (!(f->function = (__typeof__(f->function))dlsym(library, #function))) {                       \
    snprintf(why, size, "%.160s: no %s", name ? name : usual_library, #function);                  \
    dlclose(library);                                                                              \
    return SIOX_EVERSION;                                                                          \
  }
  SIOX__LIKWID_FUNCTIONS
#undef LIKWID
  dlclose(library); /* RTLD_NODELETE keeps it */
  return 0;
}

/* One processor of each socket, or of each die where dies have registers of their own. */
static size_t find_sockets(const struct likwid *l, struct socket list[MOST_SOCKETS], bool *dies) {
  const CpuTopology_t t = l->call.get_cpuTopology();
  size_t n = 0;
  *dies = l->call.get_cpuInfo()->isIntel && t->numDies > t->numSockets;
  for (uint32_t i = 0; i < t->numHWThreads && n < MOST_SOCKETS; i++) {
    const HWThread *h = &t->threadPool[i];
    const uint32_t die = *dies ? h->dieId : 0;
    size_t k = 0;
    while (k < n && !(list[k].package == h->packageId && list[k].die == die))
      k++;
    if (k == n)
      list[n++] = (struct socket){h->packageId, die, (int)h->apicId};
  }
  return n;
}

static int add(struct likwid *l, size_t domain, const struct socket *s, bool dies, double unit) {
  char place[40], where[56];
  const bool psys = domains[domain].domain == SIOX_DOMAIN_PSYS;
  snprintf(place, sizeof place, dies ? "package-%u-die-%u" : "package-%u", s->package, s->die);
  snprintf(where, sizeof where, "%s%s", psys ? "" : place, domains[domain].part);
  struct meter *meters = realloc(l->meters, (l->metrics.n + 1) * sizeof *meters);
  if (!meters)
    return SIOX_ENOMEM;
  l->meters = meters;
  struct siox_metric *m = siox__metrics_add(&l->metrics, SIOX_METRIC_COUNTER, "energy", where, "J");
  if (!m)
    return SIOX_ENOMEM;
  meters[l->metrics.n - 1] = (struct meter){s->cpu, domains[domain].type};
  m->domain = domains[domain].domain;
  m->polarity = SIOX_LESS_IS_BETTER;
  m->scale = unit;
  m->wrap = UINT64_C(1) << 32;
  m->bound = siox__meter_most(m->domain);
  l->nmeters = l->metrics.n;
  return 0;
}

static int add_all(struct likwid *l, const struct socket *sockets, size_t n, bool dies) {
  const PowerInfo_t info = l->call.get_powerInfo();
  const bool intel = l->call.get_cpuInfo()->isIntel;
  for (size_t d = 0; d < NDOMAINS; d++) {
    const PowerDomain *domain = &info->domains[domains[d].type];
    /* AMD's PP0 is a core's register, not those of all cores; the platform is one. */
    if (!(domain->supportFlags & POWER_DOMAIN_SUPPORT_STATUS) || !(domain->energyUnit > 0) ||
        domain->energyUnit >= 1 || (!intel && domains[d].type == PP0))
      continue;
    for (size_t i = 0; i < (domains[d].domain == SIOX_DOMAIN_PSYS ? 1 : n); i++) {
      const int e = add(l, d, &sockets[i], dies, domain->energyUnit);
      if (e < 0)
        return e;
    }
  }
  return l->metrics.n > 0 ? 0 : SIOX_ENOENT;
}

static int start_meters(struct likwid *l, const struct siox_provider_env *env,
                        const struct socket *sockets, size_t n, bool dies, char *why, size_t size) {
  for (size_t i = 0; i < n; i++) {
    const int e = look_at_msr(env->root, sockets[i].cpu, why, size);
    if (e < 0)
      return e;
    l->call.HPMmode(ACCESSMODE_DIRECT);
    l->started = true;
    if (l->call.power_init(sockets[i].cpu) <= 0 || !l->call.get_powerInfo() ||
        !l->call.get_powerInfo()->hasRAPL) {
      snprintf(why, size, "likwid finds no RAPL registers on cpu%d", sockets[i].cpu);
      return SIOX_ENOENT;
    }
  }
  const int e = n > 0 ? add_all(l, sockets, n, dies) : SIOX_ENOENT;
  if (e == SIOX_ENOENT)
    snprintf(why, size, "likwid knows no meter of this processor");
  return e;
}

/* The order matters: initialisation reads likwid's configuration, whose access mode is the
 * daemon's. */
static int start(struct likwid *l, const struct siox_provider_env *env, char *why, size_t size) {
  struct socket sockets[MOST_SOCKETS];
  bool dies;
  int e = load(env, &l->call, why, size);
  if (e < 0)
    return e;
  snprintf(why, size, "likwid does not know this processor");
  if (l->call.topology_init() != 0 || l->call.numa_init() != 0 || !l->call.get_cpuTopology() ||
      !l->call.get_cpuInfo())
    return SIOX_ENOENT;
  l->call.affinity_init();
  const size_t n = find_sockets(l, sockets, &dies);
  e = start_meters(l, env, sockets, n, dies, why, size);
  const char *group = siox__setting(env, "group");
  if (!group || (e < 0 && e != SIOX_ENOENT))
    return e;
  /* Its events may be there where the meters are not. */
  const CpuTopology_t t = l->call.get_cpuTopology();
  for (uint32_t i = 0; i < t->numHWThreads; i++)
    if ((e = look_at_msr(env->root, (int)t->threadPool[i].apicId, why, size)) < 0)
      return e;
  return siox__likwid_group_start(&l->call, group, &l->metrics, &l->group, why, size);
}

static void close_likwid(void *state) {
  struct likwid *l = state;
  siox__likwid_group_stop(l->group);
  if (l->started)
    l->call.power_finalize();
  siox__metrics_free(&l->metrics);
  free(l->meters);
  free(l);
}

static int begin(const struct siox_provider_env *env, struct likwid **out, char *why, size_t size) {
  int e = look(env, why, size);
  struct likwid *l = e == 0 ? calloc(1, sizeof *l) : NULL;
  if (e == 0)
    e = l ? start(l, env, why, size) : SIOX_ENOMEM;
  if (e < 0 && l)
    close_likwid(l);
  if (e == 0)
    *out = l;
  return e;
}

static size_t metrics_of_likwid(void *state, const struct siox_metric **out) {
  struct likwid *l = state;
  *out = l->metrics.list;
  return l->metrics.n;
}

static int read_likwid(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct likwid *l = state;
  (void)now_ns;
  for (size_t i = 0; i < l->nmeters; i++) {
    PowerData data = {0}; /* whose `before` is the register as it is now */
    const int e = l->call.power_start(&data, l->meters[i].cpu, l->meters[i].type);
    readings[i] = (struct siox_reading){.error = e == 0 ? 0 : SIOX_EIO, .count = data.before};
  }
  if (l->group)
    siox__likwid_group_read(l->group, readings + l->nmeters);
  return 0;
}
#else /* built where likwid is not installed */
struct likwid {
  char none;
};
static int begin(const struct siox_provider_env *env, struct likwid **out, char *why, size_t size) {
  (void)env;
  (void)out;
  snprintf(why, size, "Siox was built where likwid was not installed");
  return SIOX_ENOENT;
}
static void close_likwid(void *state) { (void)state; }
static size_t metrics_of_likwid(void *state, const struct siox_metric **out) {
  (void)state;
  *out = NULL;
  return 0;
}
static int read_likwid(void *state, int64_t now_ns, struct siox_reading *readings) {
  (void)state;
  (void)now_ns;
  (void)readings;
  return SIOX_ENOENT;
}
#endif

static int open_likwid(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  struct likwid *l;
  int e = siox__settings_known(env, "likwid", known, diag);
  if (e == 0 && (e = begin(env, &l, diag->text, sizeof diag->text)) == 0)
    *state = l;
  return e;
}

/* Only loading it tells whether likwid knows the processor; what would make that unsafe is looked
 * at before. */
static void probe_likwid(const struct siox_provider_env *env, struct siox_probe *probe) {
  struct likwid *l;
  *probe = (struct siox_probe){.resolution_s = 0.05}; /* as powercap's: the same registers */
  probe->error = begin(env, &l, probe->why, sizeof probe->why);
  if (probe->error == 0) {
    probe->why[0] = 0;
    close_likwid(l);
  }
  const char *allow = siox__setting(env, "allow");
  if (probe->error == SIOX_EPERM && !(allow && strcmp(allow, "daemon") == 0))
    snprintf(probe->grant, sizeof probe->grant,
             "\"allow: daemon\" in the settings of likwid, for the daemon alone");
  else if (probe->error == SIOX_EPERM)
    snprintf(probe->grant, sizeof probe->grant,
             "sudo setcap cap_sys_rawio,cap_dac_override+ep $(command -v sioxd)  # gives it all "
             "registers of the processors, and with them the machine");
}

const struct siox_provider siox__provider_likwid = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "likwid",
    .about = "energy of packages, cores, memory, platform (RAPL's registers through likwid); with "
             "`group`, operations and bytes to memory",
    .priority = 55,
    .probe = probe_likwid,
    .open = open_likwid,
    .metrics = metrics_of_likwid,
    .read = read_likwid,
    .close = close_likwid,
};
