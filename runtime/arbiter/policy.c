/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policies by name, from the one list of them. */
#include "arbiter/rule.h"
#include <string.h>

static const struct siox_policy *const policies[] = {
#define SIOX_POLICY(name, argument, what) &siox__policy_##name,
#include "siox/policies.def"
#undef SIOX_POLICY
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
  static const char *const names[] = {
#define SIOX_POLICY(name, argument, what) #name argument,
#include "siox/policies.def"
#undef SIOX_POLICY
      NULL};
  return names;
}
