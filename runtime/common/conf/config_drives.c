/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The drives a configuration asks for; see siox/config.h. */
#include "siox/config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct siox_diag *diag, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int refuse(struct siox_diag *diag, int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(diag->text, sizeof diag->text, format, args);
  va_end(args);
  return code;
}

/* Index among the items of the first one with the same name, so that each profile is read once. */
static uint32_t first_of(const struct siox_config_list *names, uint32_t i) {
  uint32_t k = 0;
  while (strcmp(names->item[k], names->item[i]) != 0)
    k++;
  return k;
}

static int load_profile(struct siox_drive *d, const char *name, const struct siox_config *config,
                        struct siox_diag *diag) {
  int rc = siox_drive_load(d, name, config->time_scale, diag);
  if (rc)
    return rc;
  d->rule = config->transition_rule;
  if (d->rule == SIOX_RULE_C && d->ramp && !(d->kinetic_j > 0))
    return refuse(
        diag, SIOX_EUNKNOWN,
        "%s: transition_rule: c needs spindle.kinetic_j, which the profile does not state", name);
  return 0;
}

static int initial_level(const struct siox_drive *d, int32_t speed, uint32_t *level,
                         struct siox_diag *diag) {
  *level = siox_drive_level(d, speed);
  if (speed == SIOX_SPEED_FULL || speed == SIOX_SPEED_LOWEST || d->level[*level].speed == speed)
    return 0;
  return refuse(diag, SIOX_EINVAL, "initial_level: %d is not a speed of %s", speed, d->name);
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
    rc = refuse(diag, SIOX_ENOMEM, "drives: %s", siox_strerror(SIOX_ENOMEM));
  for (uint32_t i = 0; rc == 0 && i < n; i++) {
    uint32_t first = first_of(&config->drive, i);
    place[i] = first < i ? place[first] : drives->nprofiles++;
    if (first == i)
      rc = load_profile(&drives->profile[place[i]], config->drive.item[i], config, diag);
  }
  for (uint32_t d = 0; rc == 0 && d < config->disks; d++) {
    drives->disk[d] = &drives->profile[place[n == 1 ? 0 : d]];
    rc = initial_level(drives->disk[d], config->initial_level, &drives->initial_level[d], diag);
  }
  free(place);
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
