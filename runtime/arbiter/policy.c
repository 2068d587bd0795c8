/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policies by name. */
#include "arbiter/rule.h"
#include <string.h>

static const struct siox_policy *const policies[] = {
    &siox__policy_base,   &siox__policy_static, &siox__policy_rt,
    &siox__policy_claims, &siox__policy_siox,
};

const struct siox_policy *siox_policy_find(const char *spec, const char **argument) {
  const char *colon = strchr(spec, ':');
  size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
    if (strlen(policies[i]->name) == length && memcmp(policies[i]->name, spec, length) == 0) {
      if (argument)
        *argument = colon ? colon + 1 : NULL;
      return policies[i];
    }
  return NULL;
}

const char *const *siox_policy_names(void) {
  static const char *const names[] = {"base", "static:SPEED", "rt", "claims", "siox", NULL};
  return names;
}
