/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* monitor.yaml. The settings of a module have no schema here, so the file is read from libyaml's
 * tree. */
#include "siox/modules.h"
#include "common/conf/yaml.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 }; /* modules, and settings of one */

/* The keys of a mapping must be among these; NULL last. */
static int known_keys(struct siox__yaml *y, const char *at, const char *const *known,
                      struct siox_diag *diag) {
  const yaml_node_t *map = *at ? siox__yaml_find(y, at) : yaml_document_get_root_node(&y->tree);
  for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_document_get_node(&y->tree, p->key);
    const char *name = key->type == YAML_SCALAR_NODE ? (const char *)key->data.scalar.value : "?";
    char path[300];
    bool found = false;
    for (const char *const *k = known; *k && !found; k++)
      found = strcmp(*k, name) == 0;
    snprintf(path, sizeof path, "%s%s%.200s", at, *at ? "." : "", name);
    if (!found)
      return siox__yaml_fail(y, diag, SIOX_EINVAL, path, "no such key");
    for (const yaml_node_pair_t *q = map->data.mapping.pairs.start; q < p; q++) {
      const yaml_node_t *other = yaml_document_get_node(&y->tree, q->key);
      if (other->type == YAML_SCALAR_NODE &&
          strcmp((const char *)other->data.scalar.value, name) == 0)
        return siox__yaml_fail(y, diag, SIOX_EINVAL, path, "stands there twice");
    }
  }
  return 0;
}

static int take_settings(struct siox__yaml *y, const char *at, struct siox_module *m,
                         struct siox_diag *diag) {
  const yaml_node_t *map = siox__yaml_find(y, at);
  if (!map)
    return 0;
  if (map->type != YAML_MAPPING_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, at, "expected settings, key: value");
  const size_t n = (size_t)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
  if (n > MOST)
    return siox__yaml_fail(y, diag, SIOX_ERANGE, at, "more than %d settings", MOST);
  if (!(m->settings = calloc(n + 1, sizeof *m->settings)))
    return SIOX_ENOMEM;
  for (size_t i = 0; i < n; i++) {
    const yaml_node_pair_t *p = &map->data.mapping.pairs.start[i];
    const yaml_node_t *key = yaml_document_get_node(&y->tree, p->key),
                      *value = yaml_document_get_node(&y->tree, p->value);
    if (key->type != YAML_SCALAR_NODE || value->type != YAML_SCALAR_NODE)
      return siox__yaml_fail(y, diag, SIOX_EINVAL, at, "expected single values, key: value");
    for (size_t k = 0; k < m->nsettings; k++)
      if (strcmp(m->settings[k].key, (const char *)key->data.scalar.value) == 0)
        return siox__yaml_fail(y, diag, SIOX_EINVAL, at, "%.200s stands there twice",
                               m->settings[k].key);
    struct siox_option *o = &m->settings[m->nsettings++];
    o->line = (unsigned)key->start_mark.line + 1;
    o->key = strdup((const char *)key->data.scalar.value);
    o->value = strdup((const char *)value->data.scalar.value);
    if (!o->key || !o->value)
      return SIOX_ENOMEM;
  }
  return 0;
}

/* "name", or {plugin: NAME, config: {...}}. */
static int take_module(struct siox__yaml *y, const char *at, struct siox_module *m,
                       struct siox_diag *diag) {
  static const char *const known[] = {"plugin", "config", NULL};
  char key[128];
  const yaml_node_t *node = siox__yaml_find(y, at);
  m->line = (unsigned)siox__yaml_line(y, at);
  if (node->type == YAML_MAPPING_NODE) {
    int e = known_keys(y, at, known, diag);
    snprintf(key, sizeof key, "%s.config", at);
    if (e == 0)
      e = take_settings(y, key, m, diag);
    if (e < 0)
      return e;
    snprintf(key, sizeof key, "%s.plugin", at);
    node = siox__yaml_find(y, key);
  } else {
    snprintf(key, sizeof key, "%s", at);
  }
  if (!node || node->type != YAML_SCALAR_NODE || !node->data.scalar.value[0])
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key,
                           "expected the name of a module, or {plugin: NAME, config: {...}}");
  return (m->plugin = strdup((const char *)node->data.scalar.value)) ? 0 : SIOX_ENOMEM;
}

static int take_list(struct siox__yaml *y, const char *key, struct siox_module **list, size_t *n,
                     struct siox_diag *diag) {
  const yaml_node_t *node = siox__yaml_find(y, key);
  if (!node)
    return 0;
  if (node->type != YAML_SEQUENCE_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, key, "expected a list of modules");
  const size_t items = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  if (items > MOST)
    return siox__yaml_fail(y, diag, SIOX_ERANGE, key, "more than %d modules", MOST);
  if (!(*list = calloc(items + 1, sizeof **list)))
    return SIOX_ENOMEM;
  int e = 0;
  for (size_t i = 0; e == 0 && i < items; i++) {
    char at[64];
    snprintf(at, sizeof at, "%s[%zu]", key, i);
    e = take_module(y, at, &(*list)[(*n)++], diag);
  }
  return e;
}

/* "reasoners: {node: {max_load: 95 %}}". */
static int take_reasoners(struct siox__yaml *y, struct siox_modules *modules,
                          struct siox_diag *diag) {
  static const char *const levels[] = {"process", "node", "system", NULL};
  const yaml_node_t *map = siox__yaml_find(y, "reasoners");
  if (!map)
    return 0;
  if (map->type != YAML_MAPPING_NODE)
    return siox__yaml_fail(y, diag, SIOX_EINVAL, "reasoners",
                           "expected process:, node: or system: and settings");
  int e = known_keys(y, "reasoners", levels, diag);
  for (size_t i = 0; e == 0 && levels[i]; i++) {
    char at[64];
    snprintf(at, sizeof at, "reasoners.%s", levels[i]);
    e = take_settings(y, at, &modules->reasoner[i], diag);
  }
  return e;
}

int siox_modules_load(struct siox_modules *modules, const char *path, struct siox_diag *diag) {
  static const char *const known[] = {"providers", "detectors", "reasoners", "triggers",
                                      NULL}; /* triggers: the daemon's */
  struct siox__yaml y;
  *modules = (struct siox_modules){0};
  int e = siox__yaml_open(&y, path, diag);
  if (e < 0)
    return e;
  if (!(modules->file = strdup(path)))
    e = SIOX_ENOMEM;
  else if (yaml_document_get_root_node(&y.tree)->type != YAML_MAPPING_NODE)
    e = siox__yaml_fail(&y, diag, SIOX_EINVAL, "",
                        "expected providers:, detectors:, reasoners: or triggers:");
  if (e == 0)
    e = known_keys(&y, "", known, diag);
  if (e == 0)
    e = take_list(&y, "providers", &modules->provider, &modules->nproviders, diag);
  if (e == 0)
    e = take_list(&y, "detectors", &modules->detector, &modules->ndetectors, diag);
  if (e == 0)
    e = take_reasoners(&y, modules, diag);
  modules->has_providers = modules->provider != NULL;
  modules->has_detectors = modules->detector != NULL;
  siox__yaml_close(&y);
  if (e < 0)
    siox_modules_free(modules);
  return e;
}

static void free_module(struct siox_module *m) {
  for (size_t k = 0; k < m->nsettings; k++) {
    free((void *)m->settings[k].key);
    free((void *)m->settings[k].value);
  }
  free(m->settings);
  free(m->plugin);
}

static void free_list(struct siox_module *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    free_module(&list[i]);
  free(list);
}

void siox_modules_free(struct siox_modules *modules) {
  free_list(modules->provider, modules->nproviders);
  free_list(modules->detector, modules->ndetectors);
  for (size_t i = 0; i < sizeof modules->reasoner / sizeof *modules->reasoner; i++)
    free_module(&modules->reasoner[i]);
  free(modules->file);
  *modules = (struct siox_modules){0};
}
