/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the monitor reads. */
#include "daemon/drives.h"
#include "daemon/monitor_internal.h"
#include "monitor/metrics.h"
#include <stdio.h>
#include <string.h>

/* What does not work here is told and left out; what is wrong in its settings is an error. */
static int add(struct siox__monitor *m, const struct siox_provider *p,
               const struct siox_module *module, const char *root, struct siox_diag *out) {
  const struct siox_provider_env env = {.root = root,
                                        .origin = m->modules.file,
                                        .settings = module ? module->settings : NULL,
                                        .nsettings = module ? module->nsettings : 0,
                                        .period_ns = m->period_ns,
                                        .own = p == &siox__provider_drives ? m->drives : NULL};
  struct siox_diag diag = {""};
  const int e = siox_collector_add(m->collector, p, &env, &diag);
  if (e < 0 && !*diag.text)
    snprintf(diag.text, sizeof diag.text, "%s", siox_strerror(e));
  siox__printable(diag.text); /* of paths */
  if (e < 0)
    siox__log(m->log, module ? SIOX__LOG_WARN : SIOX__LOG_DEBUG, "provider %s: %s", p->name,
              diag.text);
  json_array_append_new(m->sources, json_pack("{s:s, s:b, s:s?}", "name", p->name, "works", e == 0,
                                              "why", e < 0 ? diag.text : NULL));
  const bool wrong =
      module && (e == SIOX_EINVAL || e == SIOX_ERANGE || e == SIOX_ESYNTAX || e == SIOX_EEXIST);
  if (wrong)
    *out = diag;
  return wrong ? e : 0;
}

int siox__monitor_add_providers(struct siox__monitor *m, const struct siox_config *config,
                                const char *root, struct siox_diag *diag) {
  int e = config->monitor ? siox_modules_load(&m->modules, config->monitor, diag) : 0;
  if (e == SIOX_ENOENT)
    e = siox_config_refuse(config, SIOX_SETTING_monitor, diag, e, "%s", diag->text);
  if (e == 0 && !m->modules.has_providers) {
    for (const struct siox_provider *const *p = siox_providers(); *p; p++) {
      struct siox_probe probe;
      (*p)->probe(&(struct siox_provider_env){.root = root, .period_ns = m->period_ns}, &probe);
      if (probe.error == 0)
        (void)add(m, *p, NULL, root, diag);
    }
    (void)add(m, &siox__provider_drives, NULL, root, diag);
    return 0;
  }
  for (size_t i = 0; e == 0 && i < m->modules.nproviders; i++) {
    const struct siox_module *module = &m->modules.provider[i];
    const struct siox_provider *p = strcmp(module->plugin, siox__provider_drives.name) == 0
                                        ? &siox__provider_drives
                                        : siox_provider_find(module->plugin);
    size_t before = 0;
    while (before < i && strcmp(m->modules.provider[before].plugin, module->plugin) != 0)
      before++;
    if (before < i) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %s: stands there already, in line %u",
               m->modules.file, module->line, module->plugin, m->modules.provider[before].line);
      e = SIOX_EINVAL;
      continue;
    }
    if (p) {
      e = add(m, p, module, root, diag);
      continue;
    }
    snprintf(diag->text, sizeof diag->text,
             "%.200s:%u: %.200s: no such provider; siox providers lists them", m->modules.file,
             module->line, module->plugin);
    e = SIOX_EINVAL;
  }
  return e;
}
