/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A drive profile as it stands in YAML: texts, NULL where a key is left out. Internal to drive_*.c.
 */
#ifndef SIOX_COMMON_CONF_DRIVE_SCHEMA_H
#define SIOX_COMMON_CONF_DRIVE_SCHEMA_H
#include "common/conf/yaml.h"

struct siox__drive_level_text {
  char *speed, *serves, *idle_w, *active_w, *rate, *rotation_ms;
};
struct siox__drive_change_text {
  char *from, *to, *seconds, *joules;
};
struct siox__drive_spindle_text {
  char *idle_base_w, *idle_span_w, *active_extra_w, *full_rate, *full_ramp_s;
  char *kinetic_j, *kinetic_up, *kinetic_down;
};
struct siox__drive_standby_text {
  char *watts, *spin_down_s, *spin_down_j, *spin_up_s, *spin_up_j;
};
struct siox__drive_wear_text {
  char *start_stop_per_day, *load_unload_per_day;
};
struct siox__drive_text {
  char *name, *assumed, *seek_ms, *transition_rule;
  struct siox__drive_spindle_text *spindle;
  struct siox__drive_level_text *levels;
  unsigned levels_count;
  struct siox__drive_change_text *transitions;
  unsigned transitions_count;
  struct siox__drive_standby_text *standby;
  struct siox__drive_wear_text *wear;
};

extern const cyaml_schema_value_t siox__drive_schema;

#endif
