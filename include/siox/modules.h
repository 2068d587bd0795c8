/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which modules of the monitor run, and with which settings: monitor.yaml (setting `monitor`).
 *
 *   providers:
 *     - powercap
 *     - {plugin: scripted, config: {file: night.txt}}
 *     - plugin: model
 *       config:
 *         idle_watts: 60
 *         dynamic_watts: 140
 *
 *   detectors: [sensor, {plugin: statistics, config: {tail: 0.02}}, ./mine.so]
 *   reasoners: {process: {threshold: 1}, node: {max_load: 95 %}}
 *
 * A list that is not there is that of all that work here. A module is a built-in one by its name;
 * detectors may be .so files, by a path with a slash in it. Its settings are its own to judge. Not
 * thread-safe per object. */
#ifndef SIOX_MODULES_H
#define SIOX_MODULES_H
#include "siox/provider.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

struct siox_module {
  char *plugin;
  struct siox_option *settings;
  size_t nsettings;
  unsigned line;
};
struct siox_modules {
  char *file;
  struct siox_module *provider;
  size_t nproviders;
  struct siox_module *detector;
  size_t ndetectors;
  bool has_providers, has_detectors;
  struct siox_module reasoner[3]; /* by enum siox_reasoner_level; plugin: its name or NULL */
};
/* SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX, SIOX_EINVAL with file, line and key; SIOX_ENOMEM. On an
 * error *modules is empty. */
int siox_modules_load(struct siox_modules *modules, const char *path, struct siox_diag *diag);
void siox_modules_free(struct siox_modules *modules); /* harmless on a zeroed object */

#ifdef __cplusplus
}
#endif
#endif
