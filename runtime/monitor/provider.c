/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of built-in providers. */
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
