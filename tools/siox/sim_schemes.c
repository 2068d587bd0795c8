/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which schemes a comparison has. */
#include "sim.h"
#include "siox/policy.h"
#include <stdlib.h>
#include <string.h>

static void name_all(FILE *out, const struct sim_scenario *s) {
  for (char *const *one = s->scheme; one && *one; one++)
    fprintf(out, "%s,", *one);
  for (const char *const *name = siox_policy_names(); !s->scheme && *name; name++)
    if (strncmp(*name, "static", 6) != 0 && strncmp(*name, "base", 4) != 0) /* always there */
      fprintf(out, "%.*s,", (int)strcspn(*name, "[:"), *name);
}

char **sim_schemes(const char *asked, const struct sim_scenario *s) {
  char *text = NULL, **list = NULL;
  size_t size = 0, n = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  if (asked)
    fputs(asked, out);
  else
    name_all(out, s);
  if (fclose(out) == 0)
    list = calloc(1, (size + 2) * sizeof *list + size + 1);
  if (list) {
    char *rest = (char *)(list + size + 2);
    memcpy(rest, text, size);
    for (char *one; (one = strsep(&rest, ",")) != NULL;) {
      if (n && strchr(one, '=') && !siox_policy_find(one, NULL))
        one[-1] = ','; /* an argument may hold commas: "hw:n=250,ut=15" */
      else if (*one)
        list[n++] = one;
    }
  }
  free(text);
  return list;
}

bool sim_static_next(const struct sim_scenario *s, int32_t *speed, char name[SIM_STATIC_NAME]) {
  int32_t next = INT32_MAX;
  for (uint32_t d = 0; d < s->ndisks; d++)
    for (uint32_t l = 0; l < s->drive[d]->nlevels; l++) {
      const struct siox_level *level = &s->drive[d]->level[l];
      if (level->serves && level->speed > *speed && level->speed < next)
        next = level->speed;
    }
  if (next == INT32_MAX)
    return false;
  *speed = next;
  snprintf(name, SIM_STATIC_NAME, "static:%d", next);
  return true;
}

const char *sim_schemes_unknown(char *const *scheme) {
  const char *argument;
  for (; *scheme; scheme++)
    if (!siox_policy_find(*scheme, &argument))
      return *scheme;
  return NULL;
}
