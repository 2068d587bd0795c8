/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A run that joins a daemon gets that daemon's settings. It is refused when it asked for others:
 * figures under settings that nobody asked for are worse than none. */
#include "siox_tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Not of the measurement: where the daemon is, how long it stays, what it logs; the trace and the
 * delay budget are looked at by themselves. */
static bool concerns_the_run(enum siox_setting setting) {
  return setting != SIOX_SETTING_socket && setting != SIOX_SETTING_stop_when_idle &&
         setting != SIOX_SETTING_log_level && setting != SIOX_SETTING_record &&
         setting != SIOX_SETTING_state && setting != SIOX_SETTING_delay_budget;
}

/* Equal, or two names of one file. */
static bool same(const char *a, const char *b) {
  if (!strcmp(a, b))
    return true;
  char *real_a = *a == '/' ? realpath(a, NULL) : NULL;
  char *real_b = *b == '/' ? realpath(b, NULL) : NULL;
  bool equal = real_a && real_b && !strcmp(real_a, real_b);
  free(real_a);
  free(real_b);
  return equal;
}

static const char *or_none(const char *text) { return *text ? text : "(none)"; }

static void say(const struct siox_config *config, const char *key, const char *has,
                const char *wanted) {
  const char *verb = strcmp(key, "policy") ? "has" : "runs";
  fprintf(stderr, "siox run: the daemon on %s %s %s %s, not %s; end it or use --set socket=PATH\n",
          config->socket, verb, key, or_none(has), or_none(wanted));
}

/* A job's budget is its own as far as the site allows. */
static int check_budget(const struct siox_config *config, const json_t *theirs) {
  const char *usual = json_string_value(json_object_get(theirs, "delay_budget"));
  const char *most = json_string_value(json_object_get(theirs, "delay_budget_max"));
  double allowed = fmax(usual ? strtod(usual, NULL) : 0, most ? strtod(most, NULL) : 0);
  if (!config->given[SIOX_SETTING_delay_budget] || config->delay_budget <= allowed)
    return 0;
  fprintf(stderr,
          "siox run: the daemon on %s allows a delay budget of %g %% at most, not %g "
          "(delay_budget_max)\n",
          config->socket, allowed, config->delay_budget);
  return -1;
}

static int check_settings(const struct siox_config *config, const json_t *theirs) {
  int different = 0;
  for (enum siox_setting i = 0; i < SIOX_NSETTINGS; i++) {
    const char *has = json_string_value(json_object_get(theirs, siox_config_key(i)));
    if (!config->given[i] || !concerns_the_run(i) || !has)
      continue;
    char *wanted = siox_config_text(config, i);
    if (wanted && !same(has, wanted)) {
      say(config, siox_config_key(i), has, wanted);
      different = -1;
    }
    free(wanted);
  }
  return different;
}

int siox__join_check(const struct siox_config *config, const char *record, const json_t *status) {
  if (json_is_true(json_object_get(status, "finished"))) {
    fprintf(stderr,
            "siox run: the daemon on %s has finished its measurement; end it (siox admin stop) or "
            "use --set socket=PATH\n",
            config->socket);
    return -1;
  }
  const char *recorded = json_string_value(json_object_get(status, "record"));
  if (record && (!recorded || !same(recorded, record))) {
    fprintf(stderr,
            "siox run: the daemon on %s has record %s, not %s: a daemon writes one trace, set when "
            "it starts; leave the record out, end the daemon or use --set socket=PATH\n",
            config->socket, recorded ? recorded : "(none)", record);
    return -1;
  }
  const json_t *theirs = json_object_get(status, "settings");
  int budget = check_budget(config, theirs);
  return check_settings(config, theirs) < 0 ? -1 : budget;
}
