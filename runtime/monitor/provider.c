/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The tables of built-in providers and of domains. */
#include "monitor/builtin.h"
#include <string.h>

static const struct siox_provider *const table[] = {
#define SIOX_PROVIDER(name) &siox__provider_##name,
#include "siox/providers.def"
#undef SIOX_PROVIDER
    NULL,
};

const struct siox_provider *const *siox_providers(void) { return table; }

const struct siox_provider *siox_provider_find(const char *name) {
  for (const struct siox_provider *const *p = table; *p; p++)
    if (strcmp((*p)->name, name) == 0)
      return *p;
  return NULL;
}

const char *siox_metric_kind_name(enum siox_metric_kind kind) {
  static const char *const names[] = {[SIOX_METRIC_COUNTER] = "counter",
                                      [SIOX_METRIC_GAUGE] = "gauge",
                                      [SIOX_METRIC_SAMPLED] = "sampled"};
  return (unsigned)kind <= SIOX_METRIC_SAMPLED ? names[kind] : "?";
}

static const char *const domains[SIOX_NDOMAINS] = {
#define SIOX_DOMAIN(name, text, part_of, what) text,
#include "siox/domains.def"
#undef SIOX_DOMAIN
};

const char *siox_domain_name(enum siox_domain domain) {
  return (unsigned)domain < SIOX_NDOMAINS ? domains[domain] : "?";
}

enum siox_domain siox_domain_find(const char *name, size_t length) {
  enum siox_domain d = SIOX_DOMAIN_NONE;
  while (d < SIOX_NDOMAINS &&
         (strlen(domains[d]) != length || strncmp(domains[d], name, length) != 0))
    d++;
  return d;
}
