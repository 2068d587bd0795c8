/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The drives a configuration asks for; see siox/config.h. */
#include "siox/config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Index among the items of the first one with the same name, so that each profile is read once. */
static uint32_t first_of(const struct siox_config_list *names, uint32_t i) {
  uint32_t k = 0;
  while (strcmp(names->item[k], names->item[i]) != 0)
    k++;
  return k;
}

int siox_config_rule(struct siox_drive *d, const struct siox_config *config,
                     struct siox_diag *diag) {
  d->rule = config->transition_rule;
  if (d->rule == SIOX_RULE_C && d->ramp && !(d->kinetic_j > 0))
    return siox_config_refuse(config, SIOX_SETTING_transition_rule, diag, SIOX_EUNKNOWN,
                              "c needs spindle.kinetic_j, which the profile %s does not state",
                              d->name);
  return 0;
}

static int load_profile(struct siox_drive *d, const char *name, const struct siox_config *config,
                        struct siox_diag *diag) {
  struct siox_diag why = {""};
  int rc = siox_drive_load(d, name, config->time_scale, &why);
  return rc ? siox_config_refuse(config, SIOX_SETTING_drive, diag, rc, "%s", why.text)
            : siox_config_rule(d, config, diag);
}

int siox_config_level(const struct siox_drive *d, const struct siox_config *config, uint32_t *level,
                      struct siox_diag *diag) {
  int32_t speed = config->initial_level;
  *level = siox_drive_level(d, speed);
  if (speed == SIOX_SPEED_FULL || speed == SIOX_SPEED_LOWEST || d->level[*level].speed == speed)
    return 0;
  return siox_config_refuse(config, SIOX_SETTING_initial_level, diag, SIOX_EINVAL,
                            "%d is not a speed of %s", speed, d->name);
}

/* static:SPEED means a level: a speed that no drive has is a slip, not a wish for the next one. */
static int check_static(const struct siox_config_drives *drives, const struct siox_config *config,
                        struct siox_diag *diag) {
  static const char prefix[] = "static:";
  char speeds[256] = "", *end = speeds, *rest;
  if (!config->policy || strncmp(config->policy, prefix, sizeof prefix - 1))
    return 0;
  long speed = strtol(config->policy + sizeof prefix - 1, &rest, 10);
  for (uint32_t p = 0; p < drives->nprofiles && !*rest && speed <= INT32_MAX; p++)
    if (siox_drive_level_at(&drives->profile[p], (int32_t)speed) >= 0)
      return 0;
  for (uint32_t p = 0; p < drives->nprofiles && end < speeds + sizeof speeds - 80; p++) {
    end += snprintf(end, 60, "%s%.40s has ", p ? "; " : "", drives->profile[p].name);
    end += siox_drive_speeds(&drives->profile[p], end, sizeof speeds - (size_t)(end - speeds));
  }
  return siox_config_refuse(config, SIOX_SETTING_policy, diag, SIOX_EINVAL,
                            "\"%.80s\": static takes a speed of the drive: %s", config->policy,
                            speeds);
}

int siox_config_drives(struct siox_config_drives *drives, const struct siox_config *config,
                       struct siox_diag *diag) {
  uint32_t n = config->drive.count;
  diag->text[0] = '\0';
  *drives = (struct siox_config_drives){.ndisks = config->disks};
  uint32_t *place = calloc(n, sizeof *place); /* item -> profile */
  drives->profile = calloc(n, sizeof *drives->profile);
  drives->disk = calloc(config->disks, sizeof *drives->disk);
  drives->initial_level = calloc(config->disks, sizeof *drives->initial_level);
  int rc = 0;
  if (!place || !drives->profile || !drives->disk || !drives->initial_level)
    rc = siox_config_refuse(config, SIOX_SETTING_drive, diag, SIOX_ENOMEM, "%s",
                            siox_strerror(SIOX_ENOMEM));
  for (uint32_t i = 0; rc == 0 && i < n; i++) {
    uint32_t first = first_of(&config->drive, i);
    place[i] = first < i ? place[first] : drives->nprofiles++;
    if (first == i)
      rc = load_profile(&drives->profile[place[i]], config->drive.item[i], config, diag);
  }
  for (uint32_t d = 0; rc == 0 && d < config->disks; d++) {
    drives->disk[d] = &drives->profile[place[n == 1 ? 0 : d]];
    rc = siox_config_level(drives->disk[d], config, &drives->initial_level[d], diag);
  }
  free(place);
  if (rc == 0)
    rc = check_static(drives, config, diag);
  if (rc)
    siox_config_drives_free(drives);
  return rc;
}

void siox_config_drives_free(struct siox_config_drives *drives) {
  free(drives->profile);
  free(drives->disk);
  free(drives->initial_level);
  *drives = (struct siox_config_drives){0};
}
