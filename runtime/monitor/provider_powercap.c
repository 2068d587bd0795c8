/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linux powercap: RAPL zones of Intel and AMD processors as files. Zones are a tree that their
 * names tell: intel-rapl:1 is a package (or psys), intel-rapl:1:0 a part of it. The class directory
 * lists all of them flat, the device's directory as a tree; both are walked, and each zone is taken
 * once.
 *
 * Each joule once: a package contains core and uncore, memory lies outside it, psys contains all
 * (siox/domains.def). intel-rapl-mmio shows packages of intel-rapl a second time through other
 * registers: it counts only where the other one has no such package. Mirrored dies: meters.h. */
#include "monitor/builtin.h"
#include "monitor/meters.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ZONES = 256, DEEPEST = 4 };
static const int64_t LOOK_AGAIN_NS = 1000000000; /* for packages that come or go */
static const char *const bases[] = {"/sys/class/powercap", "/sys/devices/virtual/powercap"};
static const char msr[] = "intel-rapl", mmio[] = "intel-rapl-mmio";

struct zone {
  char id[48]; /* "intel-rapl:0:1" */
  char path[144];
};
struct zones {
  struct zone list[MOST_ZONES];
  size_t n;
};
struct powercap {
  char *root;
  struct zones zones, seen;
  struct siox__meters meters;
  int64_t looked_ns;
  /* psys and what the packages had when it last moved */
  size_t psys; /* index of its metric; SIZE_MAX: none */
  uint64_t psys_count, packages_count;
};

/* "intel-rapl:0:1": a control type that meters, and numbers. Others (idle_inject, dtpm) have no
 * meter or only model one. */
static bool is_zone(const char *name) {
  const size_t type = strcspn(name, ":");
  if (!(type == sizeof msr - 1 && strncmp(name, msr, type) == 0) &&
      !(type == sizeof mmio - 1 && strncmp(name, mmio, type) == 0))
    return false;
  const char *p = name + type;
  while (*p == ':' && isdigit((unsigned char)p[1]))
    for (p++; isdigit((unsigned char)*p);)
      p++;
  return *p == 0 && p > name + type && strlen(name) < sizeof((struct zone *)0)->id;
}

static const struct zone *zone_of(const struct zones *z, const char *id) {
  for (size_t i = 0; i < z->n; i++)
    if (strcmp(z->list[i].id, id) == 0)
      return &z->list[i];
  return NULL;
}

/* The zones below a directory; a link that leads back ends at DEEPEST or where a name repeats. */
static int walk(struct zones *z, const char *root, const char *path, int depth) {
  char **names;
  size_t n;
  int e = siox__input_names(root, path, &names, &n);
  for (size_t i = 0; e >= 0 && i < n; i++) {
    char below[144];
    const bool zone = is_zone(names[i]);
    if ((!zone && strcmp(names[i], msr) != 0 && strcmp(names[i], mmio) != 0) ||
        (zone && zone_of(z, names[i])) ||
        snprintf(below, sizeof below, "%s/%s", path, names[i]) >= (int)sizeof below)
      continue;
    if (zone && z->n < MOST_ZONES) {
      struct zone *added = &z->list[z->n++];
      snprintf(added->id, sizeof added->id, "%s", names[i]);
      snprintf(added->path, sizeof added->path, "%s", below);
    }
    if (depth < DEEPEST)
      walk(z, root, below, depth + 1);
  }
  siox__input_names_free(names, n);
  return e;
}

static bool is_mmio(const struct zone *z) { return strncmp(z->id, mmio, sizeof mmio - 1) == 0; }

static int by_id(const void *a, const void *b) {
  const int later = is_mmio(a) - is_mmio(b);
  return later ? later : strverscmp(((const struct zone *)a)->id, ((const struct zone *)b)->id);
}

/* All zones, intel-rapl's before intel-rapl-mmio's, parents before children. */
static int find_zones(struct zones *z, const char *root) {
  int e = SIOX_ENOENT;
  z->n = 0;
  for (size_t i = 0; i < sizeof bases / sizeof bases[0] && z->n == 0; i++) {
    const int walked = walk(z, root, bases[i], 0);
    if (walked != SIOX_ENOENT)
      e = walked;
  }
  qsort(z->list, z->n, sizeof z->list[0], by_id);
  return z->n > 0 ? 0 : e < 0 ? e : SIOX_ENOENT;
}

/* The zone's name ("package-0", "dram"); its id where there is none to show. */
static void name_of(const char *root, const struct zone *zone, char name[28]) {
  char path[192];
  snprintf(path, sizeof path, "%s/name", zone->path);
  const int n = siox__input_text(root, path, name, 28);
  bool fine = n > 0;
  for (int i = 0; i < n; i++)
    fine &= isalnum((unsigned char)name[i]) || (name[i] != 0 && strchr("-_.", name[i]));
  if (!fine)
    snprintf(name, 28, "%.27s", zone->id);
}

static enum siox_domain domain_of(const char *name) {
  static const struct {
    const char *name;
    enum siox_domain domain;
  } known[] = {{"package-", SIOX_DOMAIN_PACKAGE},
               {"core", SIOX_DOMAIN_CORES},
               {"uncore", SIOX_DOMAIN_UNCORE},
               {"dram", SIOX_DOMAIN_DRAM},
               {"psys", SIOX_DOMAIN_PSYS}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (i == 0 ? strncmp(name, known[i].name, 8) == 0 : strcmp(name, known[i].name) == 0)
      return known[i].domain;
  return SIOX_DOMAIN_OTHER;
}

/* Watts that the zone cannot exceed for as long as a cycle. Its limits are means over windows of up
 * to seconds, and turbo goes to two or three times the long-term one meanwhile: four times the
 * greatest limit that can be read. Limits that were never set read 0, opened ones thousands of
 * watts, so that stays between a quarter of the domain's most and twice that; where there is none,
 * as with AMD, it is that most. The bound also tells when a counter may have wrapped twice: 65 kJ
 * at 2 kW last 32 s. */
static double bound_of(const char *root, const struct zone *zone, enum siox_domain domain) {
  const double most = siox__meter_most(domain == SIOX_DOMAIN_OTHER ? SIOX_DOMAIN_PACKAGE : domain);
  static const char *const limits[] = {"max_power_uw", "power_limit_uw"};
  uint64_t greatest = 0;
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < 2; k++) {
      char path[192];
      uint64_t uw;
      snprintf(path, sizeof path, "%s/constraint_%d_%s", zone->path, i, limits[k]);
      if (siox__input_u64(root, path, &uw) == 0 && uw > greatest)
        greatest = uw;
    }
  const double bound = greatest > 0 ? 4e-6 * (double)greatest : most;
  return bound < most / 4 ? most / 4 : bound > 2 * most ? 2 * most : bound;
}

/* The number of counts, from the last of them; a range that cannot be read, or makes no sense, is
 * never guessed. */
static uint64_t wrap_of(const char *root, const struct zone *zone) {
  char path[192];
  uint64_t range;
  snprintf(path, sizeof path, "%s/max_energy_range_uj", zone->path);
  const int e = siox__input_u64(root, path, &range);
  return e < 0 || range == 0 || range >= UINT64_MAX - 1 ? SIOX_WRAP_UNKNOWN : range + 1;
}

/* "package-0", "package-0/core", "package-0@mmio"; a second zone of that name gets its id. */
static void where_of(const struct powercap *p, const struct zone *zone, const char *name,
                     char where[56]) {
  char parent_id[48], parent_name[28];
  snprintf(parent_id, sizeof parent_id, "%s", zone->id);
  *strrchr(parent_id, ':') = 0;
  const struct zone *parent = zone_of(&p->zones, parent_id);
  const char *at = is_mmio(zone) ? "@mmio" : "";
  if (parent) {
    name_of(p->root, parent, parent_name);
    snprintf(where, 56, "%.22s/%.22s%s", parent_name, name, at);
  } else {
    snprintf(where, 56, "%s%s", name, at);
  }
  for (size_t i = 0; i < p->meters.metrics.n; i++)
    if (strcmp(p->meters.metrics.list[i].where, where) == 0)
      snprintf(where, 56, "%s", zone->id);
}

/* Is its energy in another metric's, as far as names tell? A part without a name that we know may
 * be of its package, and then it must not be added; nor must a zone without any name. */
static bool is_part(const struct powercap *p, const char *where, enum siox_domain domain) {
  if (domain == SIOX_DOMAIN_OTHER)
    return true;
  const char *at = strstr(where, "@mmio");
  for (size_t i = 0; at && i < p->meters.metrics.n; i++) {
    const char *other = p->meters.metrics.list[i].where;
    if (strlen(other) == (size_t)(at - where) && strncmp(other, where, (size_t)(at - where)) == 0)
      return true;
  }
  return false;
}

static int add_zone(struct powercap *p, const struct zone *zone) {
  char name[28], where[56], path[192];
  name_of(p->root, zone, name);
  where_of(p, zone, name, where);
  const enum siox_domain domain = domain_of(name);
  const bool part = is_part(p, where, domain);
  snprintf(path, sizeof path, "%s/energy_uj", zone->path);
  struct siox_metric *m =
      siox__meters_add(&p->meters, p->root, path, SIOX_METRIC_COUNTER, "energy", where, "J");
  if (!m)
    return SIOX_ENOMEM;
  if (domain == SIOX_DOMAIN_PSYS && p->psys == SIZE_MAX)
    p->psys = p->meters.metrics.n - 1;
  m->domain = domain;
  m->polarity = SIOX_LESS_IS_BETTER;
  m->flags = part ? SIOX_METRIC_PART : 0;
  m->scale = 1e-6;
  m->wrap = wrap_of(p->root, zone);
  m->bound = bound_of(p->root, zone, domain);
  return 0;
}

static int build(struct powercap *p) {
  siox__meters_free(&p->meters);
  p->psys = SIZE_MAX;
  p->psys_count = 0;
  for (size_t i = 0; i < p->zones.n; i++) {
    const int e = add_zone(p, &p->zones.list[i]);
    if (e < 0)
      return e;
  }
  siox__meters_settle(&p->meters);
  return 0;
}

static void close_powercap(void *state) {
  struct powercap *p = state;
  siox__meters_free(&p->meters);
  free(p->root);
  free(p);
}

/* What is wrong where no zone can be read; 0: one can. */
static int trouble(const struct zones *z, const char *root, char *why, size_t size) {
  int first = 0;
  for (size_t i = 0; i < z->n; i++) {
    char path[192];
    uint64_t count;
    snprintf(path, sizeof path, "%s/energy_uj", z->list[i].path);
    const int e = siox__input_u64(root, path, &count);
    if (e >= 0)
      return 0;
    if (first == 0 || e == SIOX_EPERM) {
      first = e;
      snprintf(why, size, "%s%s: %s", root, path, siox_strerror(e));
    }
  }
  return first;
}

static int find(struct zones *z, const char *root, char *why, size_t size) {
  const int e = find_zones(z, root);
  if (e < 0) {
    snprintf(why, size,
             "%s%s: %s (no intel-rapl zones: the kernel has no driver for this processor, or a "
             "container hides them)",
             root, bases[0], siox_strerror(e));
    return e;
  }
  return trouble(z, root, why, size);
}

static int open_powercap(const struct siox_provider_env *env, void **state,
                         struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  int e = siox__settings_known(env, "powercap", known, diag);
  if (e < 0)
    return e;
  struct powercap *p = calloc(1, sizeof *p);
  if (!p)
    return SIOX_ENOMEM;
  if (!(p->root = strdup(env->root)))
    e = SIOX_ENOMEM;
  if (e == 0)
    e = find(&p->zones, p->root, diag->text, sizeof diag->text);
  if (e == 0)
    e = build(p);
  if (e < 0) {
    close_powercap(p);
    return e;
  }
  p->looked_ns = INT64_MIN;
  *state = p;
  return 0;
}

static size_t metrics_of_powercap(void *state, const struct siox_metric **out) {
  struct powercap *p = state;
  *out = p->meters.metrics.list;
  return p->meters.metrics.n;
}

/* 1: zones came or went, and the list is new. */
static int look_again(struct powercap *p, int64_t now_ns) {
  if (p->looked_ns == INT64_MIN)
    p->looked_ns = now_ns;
  if (now_ns - p->looked_ns < LOOK_AGAIN_NS)
    return 0;
  p->looked_ns = now_ns;
  const int e = find_zones(&p->seen, p->root);
  if (e < 0 && e != SIOX_ENOENT)
    return e;
  bool same = p->seen.n == p->zones.n;
  for (size_t i = 0; same && i < p->seen.n; i++)
    same = strcmp(p->seen.list[i].id, p->zones.list[i].id) == 0;
  if (same)
    return 0;
  p->zones = p->seen;
  const int built = build(p);
  return built < 0 ? built : 1;
}

/* psys contains the packages: where they went on by a joule and it did not move, it is no meter
 * (some firmware never updates it), and the packages must count instead. */
static void judge_psys(struct powercap *p, struct siox_reading *readings) {
  if (p->psys == SIZE_MAX || readings[p->psys].error < 0)
    return;
  uint64_t packages = 0;
  for (size_t i = 0; i < p->meters.metrics.n; i++)
    if (p->meters.metrics.list[i].domain == SIOX_DOMAIN_PACKAGE && readings[i].error == 0)
      packages += readings[i].count;
  struct siox_reading *psys = &readings[p->psys];
  if (psys->count != p->psys_count || packages < p->packages_count) {
    p->psys_count = psys->count;
    p->packages_count = packages;
  } else if (packages - p->packages_count > 1000000) {
    psys->error = SIOX_EIO;
  }
}

static int read_powercap(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct powercap *p = state;
  int e = look_again(p, now_ns);
  if (e != 0)
    return e;
  e = siox__meters_read(&p->meters, readings);
  if (e == 0)
    judge_psys(p, readings);
  return e;
}

static void probe_powercap(const struct siox_provider_env *env, struct siox_probe *probe) {
  /* Zones are refreshed about every millisecond; below 50 ms that is more than 5 % of what came. */
  *probe = (struct siox_probe){.resolution_s = 0.05};
  struct zones *z = malloc(sizeof *z);
  if (!z) {
    probe->error = SIOX_ENOMEM;
    snprintf(probe->why, sizeof probe->why, "%s", siox_strerror(SIOX_ENOMEM));
    return;
  }
  probe->error = find(z, env->root, probe->why, sizeof probe->why);
  if (probe->error == SIOX_EPERM)
    snprintf(probe->grant, sizeof probe->grant,
             "cd /sys/class/powercap && sudo chgrp $(id -g) intel-rapl*:*/energy_uj && sudo chmod "
             "g+r intel-rapl*:*/energy_uj  # until reboot; whoever reads them can spy on others' "
             "computations by their power (CVE-2020-8694)");
  free(z);
}

const struct siox_provider siox__provider_powercap = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "powercap",
    .about = "energy of packages, cores, memory, platform (RAPL: /sys/class/powercap)",
    .priority = 70,
    .probe = probe_powercap,
    .open = open_powercap,
    .metrics = metrics_of_powercap,
    .read = read_powercap,
    .close = close_powercap,
};
