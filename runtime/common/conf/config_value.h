/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Settings by type: text to field, and release of a field. Internal to config*.c. */
#ifndef SIOX_COMMON_CONF_CONFIG_VALUE_H
#define SIOX_COMMON_CONF_CONFIG_VALUE_H
#include "siox/config.h"

enum siox__config_kind {
  SIOX__KIND_policy,
  SIOX__KIND_path,
  SIOX__KIND_database,
  SIOX__KIND_word,
  SIOX__KIND_servers,
  SIOX__KIND_count,
  SIOX__KIND_list,
  SIOX__KIND_rule,
  SIOX__KIND_scale,
  SIOX__KIND_factor,
  SIOX__KIND_amount,
  SIOX__KIND_percent,
  SIOX__KIND_seconds,
  SIOX__KIND_speed,
  SIOX__KIND_layout,
  SIOX__KIND_clock,
  SIOX__KIND_record,
  SIOX__KIND_extent,
  SIOX__KIND_level,
};

struct siox__config_reader {
  const char *directory; /* relative paths start here; NULL: they stay as they are */
  uint32_t ndisks;       /* for layouts */
  struct siox_array array; /* that their nodes are, unless a text says otherwise */
  char what[256];        /* why a value was refused */
};

/* Replaces *field, which holds a valid value of the kind (zeroed is valid). On an error it keeps
 * its value. */
int siox__config_convert(struct siox__config_reader *in, enum siox__config_kind kind,
                         const char *text, void *field);
/* config_text.c: the value as text (siox_config_text); freed by the caller. */
char *siox__config_format(enum siox__config_kind kind, const void *field);
void siox__config_release(enum siox__config_kind kind, void *field);

/* Names of values, by their numbers; NULL last. */
extern const char *const siox__record_names[], *const siox__extent_names[];

#endif
