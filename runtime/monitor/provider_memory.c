/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /proc/meminfo: how much memory there is and what it holds. */
#include "monitor/builtin.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *line, *metric;
  enum siox_polarity polarity;
} rows[] = {
    {"MemTotal", "mem_total", SIOX_NEITHER_IS_BETTER},
    {"MemFree", "mem_free", SIOX_NEITHER_IS_BETTER}, /* full of cache is as good as free */
    {"MemAvailable", "mem_available", SIOX_MORE_IS_BETTER},
    {"Cached", "mem_cached", SIOX_NEITHER_IS_BETTER},
    {"Dirty", "mem_dirty", SIOX_LESS_IS_BETTER},
    {"Writeback", "mem_writeback", SIOX_NEITHER_IS_BETTER},
    {"SwapTotal", "swap_total", SIOX_NEITHER_IS_BETTER},
    {"SwapFree", "swap_free", SIOX_MORE_IS_BETTER},
};
enum { NROWS = sizeof rows / sizeof rows[0] };

struct memory {
  struct siox__input meminfo;
  struct siox__metrics metrics;
};

static void close_memory(void *state) {
  struct memory *m = state;
  siox__input_close(&m->meminfo);
  siox__metrics_free(&m->metrics);
  free(m);
}

static int open_memory(const struct siox_provider_env *env, void **state, struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  char text[8192];
  int e = siox__settings_known(env, "memory", known, diag);
  if (e < 0)
    return e;
  struct memory *m = calloc(1, sizeof *m);
  if (!m)
    return SIOX_ENOMEM;
  e = siox__input_at(&m->meminfo, env->root, "/proc/meminfo");
  if (e == 0)
    e = siox__input_again(&m->meminfo, text, sizeof text);
  for (int i = 0; e >= 0 && i < NROWS; i++) {
    struct siox_metric *added =
        siox__metrics_add(&m->metrics, SIOX_METRIC_GAUGE, rows[i].metric, "", "B");
    if (added)
      added->polarity = rows[i].polarity;
    else
      e = SIOX_ENOMEM;
  }
  if (e < 0) {
    snprintf(diag->text, sizeof diag->text, "%s: %s", m->meminfo.path, siox_strerror(e));
    close_memory(m);
    return e;
  }
  *state = m;
  return 0;
}

static size_t metrics_of_memory(void *state, const struct siox_metric **out) {
  struct memory *m = state;
  *out = m->metrics.list;
  return m->metrics.n;
}

/* "NAME:   N kB" at the beginning of a line. */
static int value_of(const char *text, const char *name, double *bytes) {
  const size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    if (strncmp(line, name, length) != 0 || line[length] != ':')
      continue;
    const char *at = line + length + 1;
    uint64_t kib;
    at += strspn(at, " \t");
    if (!siox__input_number(&at, &kib) || strncmp(at, " kB", 3) != 0)
      return SIOX_ESYNTAX;
    *bytes = (double)kib * 1024;
    return 0;
  }
  return SIOX_ENOENT;
}

static int read_memory(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct memory *m = state;
  char text[8192]; /* 1.5 KB on today's kernels */
  (void)now_ns;
  const int n = siox__input_again(&m->meminfo, text, sizeof text);
  if (n < 0)
    return n;
  for (int i = 0; i < NROWS; i++) {
    readings[i] = (struct siox_reading){0};
    readings[i].error = value_of(text, rows[i].line, &readings[i].value);
  }
  return 0;
}

static void probe_memory(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, "/proc/meminfo", probe);
}

const struct siox_provider siox__provider_memory = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "memory",
    .about = "memory: available, cached, dirty, being written, swap (/proc/meminfo)",
    .probe = probe_memory,
    .open = open_memory,
    .metrics = metrics_of_memory,
    .read = read_memory,
    .close = close_memory,
};
