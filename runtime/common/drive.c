/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Closed forms of a drive profile; see siox/drive.h and docs/drives.md. All times in are wall
 * nanoseconds, all powers are already scaled, so joules = watts * wall seconds whatever the time
 * scale. */
#include "siox/drive.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *siox_rule_name(enum siox_transition_rule rule) {
  switch (rule) {
  case SIOX_RULE_A:
    return "a";
  case SIOX_RULE_B:
    return "b";
  case SIOX_RULE_C:
    return "c";
  }
  return "?";
}

int siox_rule_parse(const char *text, enum siox_transition_rule *rule) {
  for (int r = SIOX_RULE_A; r <= SIOX_RULE_C; r++)
    if (strcmp(text, siox_rule_name((enum siox_transition_rule)r)) == 0) {
      *rule = (enum siox_transition_rule)r;
      return 0;
    }
  return SIOX_EINVAL;
}

static double full_speed(const struct siox_drive *d) { return d->level[d->nlevels - 1].speed; }

/* To the nearest nanosecond, as llround does for ns >= 0; what does not fit in 63 bits is never. */
static int64_t to_ns(double ns) {
  if (!(ns < 9.2e18))
    return SIOX_NEVER;
  int64_t whole = (int64_t)ns;
  return whole + (ns - (double)whole >= 0.5);
}

uint32_t siox_drive_level(const struct siox_drive *d, int32_t speed) {
  uint32_t top = d->nlevels - 1;
  for (uint32_t l = 0; l < top; l++)
    if (speed <= SIOX_SPEED_LOWEST ? d->level[l].serves : d->level[l].speed >= speed)
      return l;
  return top;
}

int64_t siox_drive_service_ns(const struct siox_drive *d, uint32_t level, uint64_t bytes,
                              bool sequential) {
  if (level >= d->nlevels || !d->level[level].serves)
    return SIOX_EINVAL;
  const struct siox_level *l = &d->level[level];
  return to_ns((sequential ? 0 : d->seek_ns) + l->rotation_ns + (double)bytes * 1e9 / l->rate);
}

static double idle_at(const struct siox_drive *d, double speed) {
  double w = speed / full_speed(d);
  return d->base_w + d->span_w * w * w;
}

static int level_of(const struct siox_drive *d, double speed) {
  for (uint32_t l = 0; l < d->nlevels; l++)
    if (d->level[l].speed == speed)
      return (int)l;
  return -1;
}

/* A transition's exact duration (not rounded to ns) and joules. */
struct change {
  double ns, joules;
};

static int table_change(const struct siox_drive *d, double from, double to, struct change *out) {
  int f = level_of(d, from), t = level_of(d, to);
  if (f < 0 || t < 0)
    return SIOX_EUNKNOWN;
  *out = (struct change){0};
  if (f == t)
    return 0;
  const struct siox_transition *entry = &d->table[f][t];
  if (entry->ns < 0)
    return SIOX_EUNKNOWN;
  *out = (struct change){.ns = (double)entry->ns, .joules = entry->joules};
  return 0;
}

static int change_of(const struct siox_drive *d, double from, double to, struct change *out) {
  if (!d->ramp)
    return table_change(d, from, to, out);
  double w1 = from / full_speed(d), w2 = to / full_speed(d);
  if (!(w1 >= 0 && w1 <= 1 && w2 >= 0 && w2 <= 1))
    return SIOX_EUNKNOWN;
  out->ns = fabs(to - from) * d->ramp_ns_per_speed;
  double seconds = out->ns * 1e-9;
  switch (d->rule) {
  case SIOX_RULE_A:
    out->joules = idle_at(d, fmax(from, to)) * seconds;
    return 0;
  case SIOX_RULE_B: /* mean of base + span w^2 over w1..w2 */
    out->joules = (d->base_w + d->span_w * (w1 * w1 + w1 * w2 + w2 * w2) / 3) * seconds;
    return 0;
  case SIOX_RULE_C: {
    double share = to > from ? d->kinetic_up_share : 1 - d->kinetic_up_share;
    out->joules = fmax(d->kinetic_j * fabs(w1 * w1 - w2 * w2) * share, d->base_w * seconds);
    return 0;
  }
  }
  return SIOX_EINVAL;
}

int64_t siox_drive_transition_ns(const struct siox_drive *d, double from_speed, double to_speed) {
  struct change c;
  int rc = change_of(d, from_speed, to_speed, &c);
  return rc ? rc : to_ns(c.ns);
}

int siox_drive_transition_j(const struct siox_drive *d, double from_speed, double to_speed,
                            double *joules) {
  struct change c;
  int rc = change_of(d, from_speed, to_speed, &c);
  if (rc == 0)
    *joules = c.joules;
  return rc;
}

/* full -> level -> full. */
static int round_trip(const struct siox_drive *d, uint32_t level, struct change *out) {
  if (level >= d->nlevels)
    return SIOX_EINVAL;
  struct change down, up;
  double full = full_speed(d), speed = d->level[level].speed;
  int rc = change_of(d, full, speed, &down);
  if (rc == 0)
    rc = change_of(d, speed, full, &up);
  if (rc == 0)
    *out = (struct change){.ns = down.ns + up.ns, .joules = down.joules + up.joules};
  return rc;
}

int64_t siox_drive_min_gap(const struct siox_drive *d, uint32_t level) {
  struct change trip;
  if (round_trip(d, level, &trip))
    return SIOX_NEVER;
  if (level == d->nlevels - 1)
    return 0;
  double low = d->level[level].idle_w, saved_w = d->level[d->nlevels - 1].idle_w - low;
  if (!(saved_w > 0))
    return SIOX_NEVER;
  double even = (trip.joules * 1e9 - low * trip.ns) / saved_w;
  return to_ns(fmax(trip.ns, even));
}

double siox_drive_gap_saving(const struct siox_drive *d, uint32_t level, int64_t gap_ns) {
  struct change trip;
  if (round_trip(d, level, &trip) || (double)gap_ns < floor(trip.ns))
    return -INFINITY;
  double stay = d->level[d->nlevels - 1].idle_w * (double)gap_ns;
  double low = d->level[level].idle_w * ((double)gap_ns - trip.ns);
  return (stay - low) * 1e-9 - trip.joules;
}

uint32_t siox_drive_best_level(const struct siox_drive *d, int64_t gap_ns) {
  uint32_t best = d->nlevels - 1;
  double most = 0;
  for (uint32_t l = d->nlevels - 1; l-- > 0;) {
    double saving = siox_drive_gap_saving(d, l, gap_ns);
    if (saving > most) {
      most = saving;
      best = l;
    }
  }
  return best;
}

int64_t siox_drive_break_even(const struct siox_drive *d) {
  int64_t least = SIOX_NEVER;
  for (uint32_t l = 0; l + 1 < d->nlevels; l++) {
    int64_t gap = siox_drive_min_gap(d, l);
    if (gap < least)
      least = gap;
  }
  return least;
}

double siox_drive_stop_break_even_s(const struct siox_drive *d) {
  double full_w = d->level[d->nlevels - 1].idle_w;
  double moving = (double)(d->spin_down.ns + d->spin_up.ns) / 1e9;
  if (!d->has_standby || full_w <= d->standby_w)
    return NAN;
  return (d->spin_down.joules + d->spin_up.joules - d->standby_w * moving) /
         (full_w - d->standby_w);
}

int siox_drive_level_at(const struct siox_drive *d, int32_t speed) {
  for (uint32_t l = 0; l < d->nlevels; l++)
    if (d->level[l].serves && d->level[l].speed == speed)
      return (int)l;
  return SIOX_EUNKNOWN;
}

size_t siox_drive_speeds(const struct siox_drive *d, char *text, size_t size) {
  size_t used = 0;
  *text = 0;
  for (uint32_t l = 0; l < d->nlevels; l++) {
    char speed[16];
    int n = snprintf(speed, sizeof speed, "%s%d", used ? " " : "", (int)d->level[l].speed);
    if (!d->level[l].serves || used + (size_t)n >= size)
      continue;
    memcpy(text + used, speed, (size_t)n + 1);
    used += (size_t)n;
  }
  return used;
}

enum siox_wear siox_drive_wear(const struct siox_drive *d, uint32_t level) {
  bool moves = d->ramp || d->has_standby || d->start_stop_per_day > 0 || d->load_unload_per_day > 0;
  for (uint32_t l = 0; l < d->nlevels && !moves; l++)
    moves = d->level[l].rotation_ns > 0;
  if (!moves || d->level[level].serves)
    return SIOX_WEAR_NONE;
  return d->level[level].speed == 0 ? SIOX_WEAR_START : SIOX_WEAR_LOAD;
}
