/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration: one YAML document of flat keys (siox/config.def), the environment over it, the command line over
 * both. Every value given anywhere is checked, also one that is overridden. Messages are "FILE:LINE: KEY: what" or
 * "ORIGIN: KEY: what". In siox_conf (libcyaml), not in siox_core. Thread-safe as long as nobody changes the environment. */
#ifndef SIOX_CONFIG_H
#define SIOX_CONFIG_H
#include "siox/drive.h"
#include "siox/error.h"
#include "siox/keep.h"
#include "siox/layout.h"
#include "siox/policy.h"
#include <stdbool.h>
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif

enum siox_config_clock { SIOX_CLOCK_MONOTONIC, SIOX_CLOCK_STAMPED };

/* Which activities a trace has: all, or those that the database gets too. */
enum siox_config_extent { SIOX_EXTENT_ALL, SIOX_EXTENT_KEPT };

struct siox_config_list {
  char **item;
  uint32_t count;
};

/* C types of the types in config.def. A path in a file is relative to the file's directory, elsewhere to the working
 * directory; unset paths are NULL. */
#define SIOX_CONFIG_TYPE_policy char * /* as siox_policy_find takes it; not NULL */
#define SIOX_CONFIG_TYPE_path char *
#define SIOX_CONFIG_TYPE_database char * /* a path, csv:DIRECTORY, or a URL, which may have a password in it */
#define SIOX_CONFIG_TYPE_word char *     /* 1 .. 63 of A-Z a-z 0-9 . _ -; NULL: unset */
#define SIOX_CONFIG_TYPE_servers struct siox_config_list /* http[s]://HOST[:PORT], at most 32 */
#define SIOX_CONFIG_TYPE_count uint32_t  /* 1 .. SIOX_MAX_DISKS */
#define SIOX_CONFIG_TYPE_list struct siox_config_list
#define SIOX_CONFIG_TYPE_rule enum siox_transition_rule
#define SIOX_CONFIG_TYPE_scale double    /* 1 .. 1000 */
#define SIOX_CONFIG_TYPE_factor double   /* > 0 */
#define SIOX_CONFIG_TYPE_amount double   /* 0 .. 1e9 */
#define SIOX_CONFIG_TYPE_percent double  /* 0 .. 100 */
#define SIOX_CONFIG_TYPE_seconds double  /* >= 0, or -1: never */
#define SIOX_CONFIG_TYPE_speed int32_t   /* SIOX_SPEED_LOWEST, SIOX_SPEED_FULL or a speed */
#define SIOX_CONFIG_TYPE_layout struct siox_layout /* over `disks` disks */
#define SIOX_CONFIG_TYPE_clock enum siox_config_clock
#define SIOX_CONFIG_TYPE_record enum siox_record
#define SIOX_CONFIG_TYPE_extent enum siox_config_extent
#define SIOX_CONFIG_TYPE_level int       /* 0 error, 1 warn, 2 info, 3 debug */

/* The settings in the order of config.def. */
enum siox_setting {
#define SIOX_CONFIG(type, key, initial, environment, help) SIOX_SETTING_##key,
#include "siox/config.def"
#undef SIOX_CONFIG
  SIOX_NSETTINGS
};

struct siox_config {
#define SIOX_CONFIG(type, key, initial, environment, help) SIOX_CONFIG_TYPE_##type key;
#include "siox/config.def"
#undef SIOX_CONFIG
  char *file; /* the file read, NULL: none */
  /* Asked for by whoever loads it: on the command line, in the environment or in a file that either names. */
  bool given[SIOX_NSETTINGS];
  char *origin[SIOX_NSETTINGS]; /* of each value, for messages: "FILE:LINE", "--set"; NULL: the default */
};

/* One setting from a command line. */
struct siox_config_override {
  const char *text;   /* "key=value"; a list separates its items by commas */
  const char *origin; /* for messages: "--policy" */
};

/* path NULL: $SIOX_CONFIG, else /etc/siox/siox.yaml if it is there, else no file. On an error *config is empty and diag
 * says which value of which origin is wrong. SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX, SIOX_EINVAL, SIOX_ERANGE, SIOX_ENOMEM. */
int siox_config_load(struct siox_config *config, const char *path, const struct siox_config_override *overrides,
                     size_t noverrides, struct siox_diag *diag);
void siox_config_free(struct siox_config *config); /* harmless on a zeroed object */

/* A setting's key, and its value as text that would be read as the same value; "" unset. Paths are absolute, URLs without
 * their passwords. The caller frees the value; NULL: no memory. */
const char *siox_config_key(enum siox_setting setting);
char *siox_config_text(const struct siox_config *config, enum siox_setting setting);

/* For what shows only later to be wrong: "[ORIGIN: ]KEY: what" to diag; returns code. */
int siox_config_refuse(const struct siox_config *config, enum siox_setting setting, struct siox_diag *diag, int code,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The drives that a configuration asks for: each profile loaded once, with time scale and rule applied. */
struct siox_config_drives {
  uint32_t ndisks, nprofiles;
  struct siox_drive *profile;
  const struct siox_drive **disk; /* ndisks, as siox_bank_options wants them */
  uint32_t *initial_level;        /* ndisks */
};
/* Errors as siox_config_refuse has them; also for a policy static:SPEED whose speed no drive has. */
int siox_config_drives(struct siox_config_drives *drives, const struct siox_config *config, struct siox_diag *diag);
void siox_config_drives_free(struct siox_config_drives *drives);
/* Parts of it for one drive: the rule, SIOX_EUNKNOWN when it lacks what the rule needs; the initial level. */
int siox_config_rule(struct siox_drive *d, const struct siox_config *config, struct siox_diag *diag);
int siox_config_level(const struct siox_drive *d, const struct siox_config *config, uint32_t *level,
                      struct siox_diag *diag);

/* What a configuration bounds, as siox_bank_options wants it. */
struct siox_limits siox_config_limits(const struct siox_config *config);

/* A table of every setting, its default, environment name and help, for --help and the manual. */
void siox_config_describe(FILE *out);

#ifdef __cplusplus
}
#endif
#endif
