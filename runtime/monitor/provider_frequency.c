/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* /sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq: the clock of each processor. Virtual
 * machines have no cpufreq; there /proc/cpuinfo's "cpu MHz" would be what the hypervisor once said,
 * and is not taken. */
#include "monitor/builtin.h"
#include "monitor/clock_max.h"
#include "monitor/input.h"
#include "monitor/metrics.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cpus[] = "/sys/devices/system/cpu";

struct frequency {
  struct siox__metrics metrics;
  struct siox__input *inputs; /* beside metrics */
};

static void close_frequency(void *state) {
  struct frequency *f = state;
  for (size_t i = 0; f->inputs && i < f->metrics.n; i++)
    siox__input_close(&f->inputs[i]);
  free(f->inputs);
  siox__metrics_free(&f->metrics);
  free(f);
}

static int add(struct frequency *f, const char *root, const char *cpu) {
  char path[256];
  uint64_t kHz;
  snprintf(path, sizeof path, "%s/%s/cpufreq/scaling_cur_freq", cpus, cpu);
  if (strncmp(cpu, "cpu", 3) != 0 || !isdigit((unsigned char)cpu[3]) ||
      siox__input_u64(root, path, &kHz) == SIOX_ENOENT)
    return 0;
  struct siox__input *inputs = realloc(f->inputs, (f->metrics.n + 1) * sizeof *inputs);
  if (!inputs)
    return SIOX_ENOMEM;
  f->inputs = inputs;
  const int e = siox__input_at(&inputs[f->metrics.n], root, path);
  if (e < 0)
    return e;
  struct siox_metric *m = siox__metrics_add(&f->metrics, SIOX_METRIC_GAUGE, "frequency", cpu, "Hz");
  if (!m)
    return SIOX_ENOMEM;
  m->bound = 20e9;
  return 0;
}

static int open_frequency(const struct siox_provider_env *env, void **state,
                          struct siox_diag *diag) {
  static const char *const known[] = {NULL};
  char **names = NULL;
  size_t n = 0;
  int e = siox__settings_known(env, "frequency", known, diag);
  if (e < 0)
    return e;
  struct frequency *f = calloc(1, sizeof *f);
  if (!f)
    return SIOX_ENOMEM;
  e = siox__input_names(env->root, cpus, &names, &n);
  for (size_t i = 0; e >= 0 && i < n; i++)
    e = add(f, env->root, names[i]);
  siox__input_names_free(names, n);
  if (e >= 0 && f->metrics.n == 0)
    e = SIOX_ENOENT;
  if (e < 0) {
    snprintf(diag->text, sizeof diag->text, "%s%s: no cpufreq: %s", env->root, cpus,
             siox_strerror(e));
    close_frequency(f);
    return e;
  }
  *state = f;
  return 0;
}

static size_t metrics_of_frequency(void *state, const struct siox_metric **out) {
  struct frequency *f = state;
  *out = f->metrics.list;
  return f->metrics.n;
}

static int read_frequency(void *state, int64_t now_ns, struct siox_reading *readings) {
  struct frequency *f = state;
  (void)now_ns;
  for (size_t i = 0; i < f->metrics.n; i++) {
    uint64_t kHz = 0;
    readings[i] = (struct siox_reading){.error = siox__input_again_u64(&f->inputs[i], &kHz)};
    readings[i].value = 1e3 * (double)kHz;
  }
  return 0;
}

static void probe_frequency(const struct siox_provider_env *env, struct siox_probe *probe) {
  siox__probe_file(env, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", probe);
}

double siox__clock_max(const char *root) {
  char **names = NULL, path[256];
  size_t n = 0;
  uint64_t most = 0, kHz;
  if (siox__input_names(root, cpus, &names, &n) < 0)
    return 0;
  for (size_t i = 0; i < n; i++) {
    snprintf(path, sizeof path, "%s/%.64s/cpufreq/cpuinfo_max_freq", cpus, names[i]);
    if (strncmp(names[i], "cpu", 3) == 0 && isdigit((unsigned char)names[i][3]) &&
        siox__input_u64(root, path, &kHz) == 0 && kHz > most)
      most = kHz;
  }
  siox__input_names_free(names, n);
  return 1e3 * (double)most;
}

const struct siox_provider siox__provider_frequency = {
    .abi = SIOX_PROVIDER_ABI,
    .name = "frequency",
    .about = "the clock of each processor (cpufreq)",
    .probe = probe_frequency,
    .open = open_frequency,
    .metrics = metrics_of_frequency,
    .read = read_frequency,
    .close = close_frequency,
};
