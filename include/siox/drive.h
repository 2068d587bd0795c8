/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Drive profiles: what a drive's levels cost in watts, service time and transitions. A profile is data
 * (share/drives/NAME.yaml); nothing about a drive is known anywhere else. Levels are ordered from the lowest (0) to
 * the highest (nlevels - 1). Durations are nanoseconds of *wall* time and energies are joules of *model* time: a
 * profile loaded with time_scale s has its durations divided by s and its watts and rates multiplied by s, so all
 * other code works in wall time and the joules come out right (energy = watts * wall seconds). That is the only
 * place where time_scale exists. Pure; read-only use is thread-safe. Source of the 36Z15 figures: paper Table I. */
#ifndef SIOX_DRIVE_H
#define SIOX_DRIVE_H
#include "siox/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_MAX_LEVELS 16
#define SIOX_NEVER INT64_MAX

/* Speeds as the API names them (RPM for a spinning drive, otherwise the profile's own number, growing with level). */
#define SIOX_SPEED_LOWEST 0         /* lowest level that still serves */
#define SIOX_SPEED_FULL INT32_MAX   /* highest level */

/* Energy of a speed change on a ramp (docs/drives.md has the closed forms of the three rules):
 * a: idle power of the higher RPM over the ramp; b: idle power integrated along the linear RPM ramp (default);
 * c: kinetic, profile joules * |w1^2 - w2^2| / wmax^2 split between up and down, at least the electronics' watts. */
enum siox_transition_rule { SIOX_RULE_A, SIOX_RULE_B, SIOX_RULE_C };

struct siox_level {
  int32_t speed;         /* RPM, or the profile's number; strictly growing */
  bool serves;           /* serves I/O at this level */
  double idle_w;         /* watts (times time_scale) */
  double active_w;
  double rate;           /* bytes per wall second; 0 when it does not serve */
  double rotation_ns;    /* average rotational delay */
};

struct siox_transition { /* table entry, used where the profile has no ramp */
  int64_t ns;            /* < 0: this change is not known */
  double joules;
};

struct siox_drive {
  char name[64];
  uint32_t nlevels;
  struct siox_level level[SIOX_MAX_LEVELS];
  double seek_ns;        /* paid by a request that does not continue the previous one */
  bool ramp;             /* speed changes follow a linear ramp and can be turned round midway */
  double ramp_ns_per_speed; /* wall ns per unit of speed */
  /* idle power as a function of speed on the ramp: base_w + span_w * (speed / full speed)^2 */
  double base_w, span_w;
  enum siox_transition_rule rule;
  double kinetic_j, kinetic_up_share; /* rule c */
  struct siox_transition table[SIOX_MAX_LEVELS][SIOX_MAX_LEVELS]; /* [from][to], when !ramp */
  bool has_standby;      /* spindle stopped; reached from and left to the highest level. Without a ramp it is level 0, of
                          * speed 0, too */
  double standby_w;
  struct siox_transition spin_down, spin_up;
  double start_stop_per_day, load_unload_per_day; /* wear limits, 0: none stated */
  double time_scale;     /* >= 1; informational: everything above is already scaled */
  char assumed[160];     /* which of its figures nobody has published; "": none. Not in traces */
};

/* Reads share/drives/NAME.yaml (or a path with a slash); in siox_conf, not in siox_core. diag names file, line and key:
 * SIOX_ENOENT, SIOX_EIO, SIOX_ESYNTAX, SIOX_EINVAL, SIOX_ERANGE, SIOX_EEXIST (a change given twice), SIOX_EUNKNOWN (a
 * figure that emulation needs is not stated), SIOX_ENOMEM. */
int siox_drive_load(struct siox_drive *d, const char *name_or_path, double time_scale, struct siox_diag *diag);
const char *siox_rule_name(enum siox_transition_rule rule);        /* "a", "b", "c" */
int siox_rule_parse(const char *text, enum siox_transition_rule *rule); /* SIOX_EINVAL */

/* The lowest level whose speed is at least the one asked for (never slower than asked); FULL and LOWEST as above. */
uint32_t siox_drive_level(const struct siox_drive *d, int32_t speed);
/* The level that serves at exactly this speed, SIOX_EUNKNOWN: none does. And the speeds of all that serve, "6000 9000",
 * as far as there is room; returns the text's length. */
int siox_drive_level_at(const struct siox_drive *d, int32_t speed);
size_t siox_drive_speeds(const struct siox_drive *d, char *text, size_t size);

/* Wall ns to serve bytes at a level, rounded to the nearest: seek (unless sequential) + rotation + transfer.
 * SIOX_EINVAL for a level that does not serve. */
int64_t siox_drive_service_ns(const struct siox_drive *d, uint32_t level, uint64_t bytes, bool sequential);

/* Speed changes between speeds, so that a ramp can be left midway: for table drives both must be level speeds.
 * SIOX_EUNKNOWN when the profile does not state the change. */
int64_t siox_drive_transition_ns(const struct siox_drive *d, double from_speed, double to_speed);
int siox_drive_transition_j(const struct siox_drive *d, double from_speed, double to_speed, double *joules);

/* Shortest gap in ns for which full -> level -> full uses no more energy than staying at full and fits in the gap:
 * max(round trip, break-even) as in paper Fig. 8; SIOX_NEVER if it can never pay. full = highest level. */
int64_t siox_drive_min_gap(const struct siox_drive *d, uint32_t level);
/* The level that fits and saves most over gap_ns with full speed before and after; the highest level when none pays. */
uint32_t siox_drive_best_level(const struct siox_drive *d, int64_t gap_ns);
/* Joules saved by full -> level -> full inside a gap against staying at full; negative when it loses, -INFINITY when the
 * changes are not known or do not fit in the gap. */
double siox_drive_gap_saving(const struct siox_drive *d, uint32_t level, int64_t gap_ns);
/* What going to a level wears out: the spindle's starts and stops where it stands (speed 0), loading and unloading of
 * heads at any other level that does not serve. Nothing on a drive without moving parts: one whose profile names
 * neither ramp, standby, rotational delay nor wear limits. */
enum siox_wear { SIOX_WEAR_NONE, SIOX_WEAR_LOAD, SIOX_WEAR_START, SIOX_NWEAR };
enum siox_wear siox_drive_wear(const struct siox_drive *d, uint32_t level);
/* Least siox_drive_min_gap over the levels below full: the unit of `hold`. SIOX_NEVER when nothing pays. */
int64_t siox_drive_break_even(const struct siox_drive *d);
/* Gap in wall seconds from which on stopping the spindle and starting it again takes less than idling at full speed, as
 * in paper Fig. 8: (joules of both - standby watts * their time) / (idle - standby watts). Only energy is compared: a drive
 * may take longer than that to stop and start. NAN: the profile has no standby, or it saves nothing. */
double siox_drive_stop_break_even_s(const struct siox_drive *d);

#ifdef __cplusplus
}
#endif
#endif
