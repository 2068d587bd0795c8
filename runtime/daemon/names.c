/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "daemon/names.h"
#include "monitor/adpi.h"
#include "monitor/builtin.h"
#include "monitor/metrics.h"
#include "siox/adpi.h"
#include <stdio.h>
#include <string.h>

/* Processes come later, but what is measured of them is known. */
static bool is_measured(const struct siox_modules *modules, const struct siox_cycle *cycle,
                        const char *name) {
  for (size_t i = 0; i < cycle->nseries; i++)
    if (strcmp(cycle->series[i].metric.name, name) == 0)
      return true;
  bool processes = !modules->has_providers;
  for (size_t i = 0; i < modules->nproviders; i++)
    processes |= strcmp(modules->provider[i].plugin, siox__provider_processes.name) == 0;
  return processes && siox__processes_measure(name);
}

static void tell(const struct siox_modules *modules, const struct siox_cycle *cycle,
                 const struct siox_option *setting, const struct siox__log *log) {
  const char *list = setting->value;
  size_t length;
  for (const char *one; (one = siox__list_next(&list, &length));) {
    char name[sizeof((struct siox_metric){0}).name];
    snprintf(name, sizeof name, "%.*s", (int)length, one);
    if (length < sizeof name && is_measured(modules, cycle, name))
      continue;
    siox__printable(name);
    siox__log(log, SIOX__LOG_WARN,
              "%s:%u: %s: nothing here measures %s; siox providers lists what there is",
              modules->file, setting->line, setting->key, name);
  }
}

void siox__names_tell(const struct siox_modules *modules, const struct siox_cycle *cycle,
                      const struct siox__log *log) {
  for (size_t i = 0; i < modules->ndetectors; i++) {
    const struct siox_module *m = &modules->detector[i];
    for (size_t k = 0; siox_adpi_find(m->plugin) && k < m->nsettings; k++)
      if (strcmp(m->settings[k].key, "metrics") == 0 || strcmp(m->settings[k].key, "work") == 0)
        tell(modules, cycle, &m->settings[k], log);
  }
}
