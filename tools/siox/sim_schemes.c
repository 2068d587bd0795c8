/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which schemes a comparison has. */
#include "sim.h"
#include "siox/bank.h"
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

static int no_scheme(const char *scheme, struct siox_diag *diag) {
  int n =
      snprintf(diag->text, sizeof diag->text, "there is no scheme \"%.80s\"; there are", scheme);
  for (const char *const *name = siox_policy_names(); *name && n < (int)sizeof diag->text; name++)
    n += snprintf(diag->text + n, sizeof diag->text - (size_t)n, " %s", *name);
  return SIOX_ENOENT;
}

/* A bank that is thrown away takes the argument or does not. */
static int try_bank(const struct sim_scenario *s, const char *scheme) {
  struct siox_drive any;
  const struct siox_drive *one = &any;
  struct siox_bank *bank = NULL;
  struct siox_diag diag;
  struct siox_bank_options o = {.ndisks = 1, .drive = &one, .policy = scheme};
  if (s) {
    o.ndisks = s->ndisks;
    o.drive = s->drive;
    o.initial_level = s->initial_level;
    o.hold_factor = s->hold_factor;
    o.limits = s->limits;
  } else if (siox_drive_load(&any, "36Z15", 1, &diag)) {
    return 0; /* it shows when there are disks */
  }
  int rc = siox_bank_create(&bank, &o);
  siox_bank_destroy(bank);
  return rc;
}

static int no_speed(const struct sim_scenario *s, const char *scheme, struct siox_diag *diag) {
  int32_t speed = -1;
  char name[SIM_STATIC_NAME];
  int n = snprintf(diag->text, sizeof diag->text,
                   "\"%.80s\": no disk serves at this speed; they do at", scheme);
  while (sim_static_next(s, &speed, name) && n < (int)sizeof diag->text)
    n += snprintf(diag->text + n, sizeof diag->text - (size_t)n, " %d", speed);
  return SIOX_EINVAL;
}

int sim_scheme_check(const struct sim_scenario *s, const char *scheme, struct siox_diag *diag) {
  const struct siox_policy *policy = siox_policy_find(scheme, NULL);
  if (!policy)
    return no_scheme(scheme, diag);
  int rc = try_bank(s, scheme);
  if (rc == SIOX_ENOMEM) {
    snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(rc));
    return rc;
  }
  if (rc) {
    const char *form = policy->name;
    for (const char *const *known = siox_policy_names(); *known; known++)
      if (strcspn(*known, "[:") == strlen(policy->name) &&
          !strncmp(*known, policy->name, strlen(policy->name)))
        form = *known;
    snprintf(diag->text, sizeof diag->text, "\"%.80s\": its form is %s", scheme, form);
    return SIOX_EINVAL;
  }
  if (!s || strncmp(scheme, "static:", 7) != 0)
    return 0;
  int32_t speed = -1;
  char name[SIM_STATIC_NAME];
  while (sim_static_next(s, &speed, name))
    if (!strcmp(name, scheme))
      return 0;
  return no_speed(s, scheme, diag);
}
