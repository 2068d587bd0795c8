/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/perf_tree.h"
#include "monitor/input.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "event=0x02,umask=1": each term's bits stand where format/TERM says ("config:0-7"). */
static int config_of(const char *root, const char *text, uint64_t *config) {
  *config = 0;
  for (const char *p = text; *p;) {
    const size_t length = strcspn(p, "=,");
    char path[128], format[32];
    uint64_t value = 1, low, high;
    snprintf(path, sizeof path, SIOX__PERF_PMU "/format/%.*s", (int)length, p);
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

int siox__perf_event(const char *root, const char *name, struct siox__perf_event *e) {
  char path[128], text[96], *end;
  snprintf(path, sizeof path, SIOX__PERF_PMU "/events/%s", name);
  int n = siox__input_text(root, path, text, sizeof text);
  if (n < 0 || (n = config_of(root, text, &e->config)) < 0)
    return n;
  snprintf(path, sizeof path, SIOX__PERF_PMU "/events/%s.unit", name);
  if ((n = siox__input_text(root, path, text, sizeof text)) < 0)
    return n;
  if (strcmp(text, "Joules") != 0)
    return SIOX_ESYNTAX;
  snprintf(path, sizeof path, SIOX__PERF_PMU "/events/%s.scale", name);
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
static void add_cpu(const char *root, int number, struct siox__perf_cpu *cpus, size_t *n) {
  struct siox__perf_cpu one = {.number = number};
  one.known = of_cpu(root, number, "physical_package_id", &one.package);
  of_cpu(root, number, "die_id", &one.die);
  for (size_t i = 0; one.known && i < *n; i++)
    if (cpus[i].known && cpus[i].package == one.package && cpus[i].die == one.die)
      return;
  cpus[(*n)++] = one;
}

/* Gives them their places. */
static void name_cpus(const char *root, struct siox__perf_cpu *cpus, size_t n) {
  const bool mirror = dies_mirror(root);
  for (size_t i = 0; i < n; i++) {
    struct siox__perf_cpu *c = &cpus[i];
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

int siox__perf_cpus(const char *root, const char *mask, struct siox__perf_cpu cpus[SIOX__PERF_CPUS],
                    size_t *n) {
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
      if (*n == SIOX__PERF_CPUS)
        return SIOX_ERANGE;
      add_cpu(root, (int)first, cpus, n);
    }
  } while (*p == ',' && *++p);
  name_cpus(root, cpus, *n);
  return *p == 0 ? 0 : SIOX_ESYNTAX;
}
