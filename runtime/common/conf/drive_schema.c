/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which keys a drive profile may have. Every figure is optional here: what a use of the profile
 * needs is checked there, so that a profile can leave out what nobody has published. */
#include "common/conf/drive_schema.h"
#include "siox/drive.h"

#define TEXT(type, member)                                                                         \
  CYAML_FIELD_STRING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, 0,       \
                         CYAML_UNLIMITED)
#define PART(type, member, fields)                                                                 \
  CYAML_FIELD_MAPPING_PTR(#member, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, type, member, fields)

#define T struct siox__drive_level_text
static const cyaml_schema_field_t level_fields[] = {
    TEXT(T, speed), TEXT(T, serves),      TEXT(T, idle_w), TEXT(T, active_w),
    TEXT(T, rate),  TEXT(T, rotation_ms), CYAML_FIELD_END,
};
static const cyaml_schema_value_t level = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, T, level_fields)};
#undef T
#define T struct siox__drive_change_text
static const cyaml_schema_field_t change_fields[] = {
    TEXT(T, from), TEXT(T, to), TEXT(T, seconds), TEXT(T, joules), CYAML_FIELD_END,
};
static const cyaml_schema_value_t change = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, T, change_fields)};
#undef T
#define T struct siox__drive_spindle_text
static const cyaml_schema_field_t spindle_fields[] = {
    TEXT(T, idle_base_w), TEXT(T, idle_span_w),  TEXT(T, active_extra_w),
    TEXT(T, full_rate),   TEXT(T, full_ramp_s),  TEXT(T, kinetic_j),
    TEXT(T, kinetic_up),  TEXT(T, kinetic_down), CYAML_FIELD_END,
};
#undef T
#define T struct siox__drive_standby_text
static const cyaml_schema_field_t standby_fields[] = {
    TEXT(T, watts),     TEXT(T, spin_down_s), TEXT(T, spin_down_j),
    TEXT(T, spin_up_s), TEXT(T, spin_up_j),   CYAML_FIELD_END,
};
#undef T
#define T struct siox__drive_wear_text
static const cyaml_schema_field_t wear_fields[] = {
    TEXT(T, start_stop_per_day),
    TEXT(T, load_unload_per_day),
    CYAML_FIELD_END,
};
#undef T
#define T struct siox__drive_text
static const cyaml_schema_field_t drive_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, T, name, 1, 63),
    TEXT(T, assumed),
    TEXT(T, seek_ms),
    TEXT(T, transition_rule),
    PART(T, spindle, spindle_fields),
    CYAML_FIELD_SEQUENCE("levels", CYAML_FLAG_POINTER, T, levels, &level, 1, SIOX_MAX_LEVELS),
    CYAML_FIELD_SEQUENCE("transitions", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, T, transitions,
                         &change, 0, SIOX_MAX_LEVELS *SIOX_MAX_LEVELS),
    PART(T, standby, standby_fields),
    PART(T, wear, wear_fields),
    CYAML_FIELD_END,
};
const cyaml_schema_value_t siox__drive_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, T, drive_fields)};
