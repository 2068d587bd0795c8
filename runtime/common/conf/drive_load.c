/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Drive profiles from share/drives/NAME.yaml; keys and forms are described in docs/drives.md. A
 * figure that the profile leaves out and emulation needs is an error that names the key, never a
 * guess. */
#include "common/conf/data_dir.h"
#include "common/conf/drive_schema.h"
#include "siox/drive.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_W 1e6
#define MAX_S 1e6
#define MAX_RATE 1e15
#define MAX_J 1e9

/* One load under way. After an error rc is set and every further reading does nothing. */
struct loader {
  struct siox__yaml yaml;
  struct siox_diag *diag;
  int rc;
};

static void fail(struct loader *in, int code, const char *key, const char *what) {
  if (in->rc == 0)
    in->rc = siox__yaml_fail(&in->yaml, in->diag, code, key, "%s", what);
}

/* A number that may be left out: then fallback, which must lie in the range, or an error if it does
 * not. */
static double number(struct loader *in, const char *key, const char *text, double low, double high,
                     double fallback) {
  double v = fallback;
  if (in->rc)
    return 0;
  if (text)
    in->rc = siox__yaml_number(&in->yaml, key, text, low, high, &v, in->diag);
  else if (!(fallback >= low))
    fail(in, SIOX_EUNKNOWN, key, "the profile does not state it, and emulation needs it");
  return v;
}
#define NEEDED (-1.0) /* below every range used here */

static bool truth(struct loader *in, const char *key, const char *text, bool fallback) {
  if (!text)
    return fallback;
  if (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0)
    return true;
  if (strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
    fail(in, SIOX_EINVAL, key, "expected true or false");
  return false;
}

static int32_t speed_of(struct loader *in, const char *key, const char *text) {
  double v = number(in, key, text, 1, INT32_MAX - 1, NEEDED);
  if (in->rc == 0 && v != (int32_t)v)
    fail(in, SIOX_EINVAL, key, "a speed is a whole number");
  return in->rc ? 0 : (int32_t)v;
}

static void load_spindle(struct loader *in, const struct siox__drive_spindle_text *t,
                         struct siox_drive *d) {
  d->base_w = number(in, "spindle.idle_base_w", t->idle_base_w, 0, MAX_W, NEEDED);
  d->span_w = number(in, "spindle.idle_span_w", t->idle_span_w, 0, MAX_W, NEEDED);
  d->ramp = t->full_ramp_s != NULL;
  double ramp_s = number(in, "spindle.full_ramp_s", t->full_ramp_s, 0, MAX_S, 0);
  d->ramp_ns_per_speed = ramp_s * 1e9 / d->level[d->nlevels - 1].speed;
  if (!t->kinetic_j && !t->kinetic_up && !t->kinetic_down)
    return;
  d->kinetic_j = number(in, "spindle.kinetic_j", t->kinetic_j, 0, MAX_J, NEEDED);
  double up = number(in, "spindle.kinetic_up", t->kinetic_up, 0, MAX_J, NEEDED);
  double down = number(in, "spindle.kinetic_down", t->kinetic_down, 0, MAX_J, NEEDED);
  if (up + down <= 0)
    fail(in, SIOX_ERANGE, "spindle.kinetic_up", "kinetic_up and kinetic_down are both 0");
  d->kinetic_up_share = up / (up + down);
}

static void load_level(struct loader *in, const struct siox__drive_text *t, unsigned i,
                       struct siox_level *l, struct siox_drive *d) {
  const struct siox__drive_level_text *lt = &t->levels[i];
  const struct siox__drive_spindle_text *s = t->spindle;
  char key[64];
#define KEY(field) (snprintf(key, sizeof key, "levels[%u]." field, i), key)
  double w = (double)l->speed / d->level[d->nlevels - 1].speed;
  l->serves = truth(in, KEY("serves"), lt->serves, true);
  double idle = s ? d->base_w + d->span_w * w * w : NEEDED;
  l->idle_w = number(in, KEY("idle_w"), lt->idle_w, 0, MAX_W, idle);
  if (!l->serves) {
    if (lt->active_w || lt->rate || lt->rotation_ms)
      fail(in, SIOX_EINVAL,
           lt->active_w ? KEY("active_w")
           : lt->rate   ? KEY("rate")
                        : KEY("rotation_ms"),
           "this level does not serve");
    return;
  }
  bool derived = s && s->active_extra_w;
  double extra =
      number(in, "spindle.active_extra_w", derived ? s->active_extra_w : NULL, 0, MAX_W, 0);
  l->active_w =
      number(in, KEY("active_w"), lt->active_w, 0, MAX_W, derived ? l->idle_w + extra : NEEDED);
  if (l->active_w < l->idle_w)
    fail(in, SIOX_ERANGE, KEY("active_w"), "less than idle_w");
  derived = s && s->full_rate;
  double full = number(in, "spindle.full_rate", derived ? s->full_rate : NULL, 1, MAX_RATE, 1);
  l->rate = number(in, KEY("rate"), lt->rate, 1, MAX_RATE, derived ? full * w : NEEDED);
  double half_turn_ms = s ? 30e3 / l->speed : 0;
  l->rotation_ns = 1e6 * number(in, KEY("rotation_ms"), lt->rotation_ms, 0, MAX_S, half_turn_ms);
#undef KEY
}

/* Where a drive has no ramp to a stopped spindle, standby is a level of its own. */
static bool standby_is_level(const struct siox__drive_text *t) {
  return t->standby && !(t->spindle && t->spindle->full_ramp_s);
}

static void load_levels(struct loader *in, const struct siox__drive_text *t, struct siox_drive *d) {
  char key[64];
  unsigned below = standby_is_level(t);
  struct siox_level *level = d->level + below; /* those of the list */
  if (t->levels_count + below > SIOX_MAX_LEVELS)
    fail(in, SIOX_ERANGE, "levels", "too many beside standby");
  for (unsigned i = 0; in->rc == 0 && i < t->levels_count; i++) {
    snprintf(key, sizeof key, "levels[%u].speed", i);
    level[i].speed = speed_of(in, key, t->levels[i].speed);
    if (i > 0 && level[i].speed <= level[i - 1].speed)
      fail(in, SIOX_ERANGE, key, "speeds must grow from level to level");
  }
  if (in->rc)
    return;
  d->nlevels = t->levels_count + below;
  if (t->spindle)
    load_spindle(in, t->spindle, d);
  for (unsigned i = 0; in->rc == 0 && i < t->levels_count; i++)
    load_level(in, t, i, &level[i], d);
  snprintf(key, sizeof key, "levels[%u].serves", t->levels_count - 1);
  if (in->rc == 0 && !d->level[d->nlevels - 1].serves)
    fail(in, SIOX_EINVAL, key, "the highest level must serve");
}

static int find_level(const struct siox_drive *d, int32_t speed) {
  for (uint32_t l = 0; l < d->nlevels; l++)
    if (d->level[l].speed == speed)
      return (int)l;
  return -1;
}

static void load_transitions(struct loader *in, const struct siox__drive_text *t,
                             struct siox_drive *d) {
  for (int f = 0; f < SIOX_MAX_LEVELS; f++)
    for (int to = 0; to < SIOX_MAX_LEVELS; to++)
      d->table[f][to].ns = f == to ? 0 : -1;
  if (t->transitions_count && d->ramp)
    fail(in, SIOX_EINVAL, "transitions",
         "a drive with spindle.full_ramp_s has no table of changes");
  char key[64];
#define KEY(field) (snprintf(key, sizeof key, "transitions[%u]." field, i), key)
  for (unsigned i = 0; in->rc == 0 && i < t->transitions_count; i++) {
    const struct siox__drive_change_text *c = &t->transitions[i];
    int from = find_level(d, speed_of(in, KEY("from"), c->from));
    if (from < 0)
      fail(in, SIOX_EINVAL, KEY("from"), "no level has this speed");
    int to = find_level(d, speed_of(in, KEY("to"), c->to));
    if (to < 0)
      fail(in, SIOX_EINVAL, KEY("to"), "no level has this speed");
    double seconds = number(in, KEY("seconds"), c->seconds, 0, MAX_S, NEEDED);
    double joules = number(in, KEY("joules"), c->joules, 0, MAX_J, NEEDED);
    if (in->rc)
      return;
    if (from == to || d->table[from][to].ns >= 0)
      fail(in, SIOX_EEXIST, KEY("to"),
           from == to ? "the same as from" : "this change is given already");
    d->table[from][to] = (struct siox_transition){
        .ns = (int64_t)(seconds * 1e9 / d->time_scale + 0.5), .joules = joules};
  }
#undef KEY
}

static void load_standby(struct loader *in, const struct siox__drive_standby_text *t, bool level,
                         struct siox_drive *d) {
  d->has_standby = true;
  d->standby_w = number(in, "standby.watts", t->watts, 0, MAX_W, NEEDED);
  double down = number(in, "standby.spin_down_s", t->spin_down_s, 0, MAX_S, NEEDED);
  d->spin_down.joules = number(in, "standby.spin_down_j", t->spin_down_j, 0, MAX_J, NEEDED);
  double up = number(in, "standby.spin_up_s", t->spin_up_s, 0, MAX_S, NEEDED);
  d->spin_up.joules = number(in, "standby.spin_up_j", t->spin_up_j, 0, MAX_J, NEEDED);
  d->spin_down.ns = (int64_t)(down * 1e9 / d->time_scale + 0.5);
  d->spin_up.ns = (int64_t)(up * 1e9 / d->time_scale + 0.5);
  if (!level)
    return;
  uint32_t full = d->nlevels - 1;
  d->level[0].idle_w = d->standby_w; /* of speed 0; does not serve */
  d->table[full][0] = d->spin_down;
  d->table[0][full] = d->spin_up;
}

/* Whoever needs a disk sends it to the highest level: it must get there from wherever it is sent.
 */
static void check_ways(struct loader *in, const struct siox_drive *d) {
  char what[96];
  const uint32_t top = d->nlevels - 1;
  for (uint32_t l = 0; l < top && !d->ramp && in->rc == 0; l++)
    for (uint32_t from = 0; from < d->nlevels && in->rc == 0; from++)
      if (from != l && d->table[from][l].ns >= 0 && d->table[l][top].ns < 0) {
        snprintf(what, sizeof what, "a disk can go to speed %d, but not from there to the highest",
                 d->level[l].speed);
        fail(in, SIOX_EINVAL, "transitions", what);
      }
}

/* The one place where time_scale acts; transitions of a table were scaled before they were rounded
 * to ns. */
static void scale(struct siox_drive *d) {
  double s = d->time_scale;
  for (uint32_t l = 0; l < d->nlevels; l++) {
    d->level[l].idle_w *= s;
    d->level[l].active_w *= s;
    d->level[l].rate *= s;
    d->level[l].rotation_ns /= s;
  }
  d->seek_ns /= s;
  d->ramp_ns_per_speed /= s;
  d->base_w *= s;
  d->span_w *= s;
  d->standby_w *= s;
  d->start_stop_per_day *= s; /* a wall day is s of the drive's days */
  d->load_unload_per_day *= s;
}

static void load_all(struct loader *in, const struct siox__drive_text *t, double time_scale,
                     struct siox_drive *d) {
  snprintf(d->name, sizeof d->name, "%s", t->name);
  if (t->assumed && strlen(t->assumed) >= sizeof d->assumed)
    fail(in, SIOX_ERANGE, "assumed", "longer than 159 bytes");
  snprintf(d->assumed, sizeof d->assumed, "%s", t->assumed ? t->assumed : "");
  d->time_scale = time_scale;
  load_levels(in, t, d);
  d->seek_ns = 1e6 * number(in, "seek_ms", t->seek_ms, 0, MAX_S, NEEDED);
  load_transitions(in, t, d);
  if (t->standby)
    load_standby(in, t->standby, standby_is_level(t), d);
  check_ways(in, d);
  if (t->wear) {
    d->start_stop_per_day =
        number(in, "wear.start_stop_per_day", t->wear->start_stop_per_day, 0, 1e6, 0);
    d->load_unload_per_day =
        number(in, "wear.load_unload_per_day", t->wear->load_unload_per_day, 0, 1e6, 0);
  }
  d->rule = SIOX_RULE_B;
  if (t->transition_rule && siox_rule_parse(t->transition_rule, &d->rule))
    fail(in, SIOX_EINVAL, "transition_rule", "expected a, b or c");
  if (d->rule == SIOX_RULE_C && d->ramp && !(d->kinetic_j > 0))
    fail(in, SIOX_EUNKNOWN, "spindle.kinetic_j", "rule c needs it");
  scale(d);
}

static int is_profile(const struct dirent *entry) {
  const char *dot = strrchr(entry->d_name, '.');
  return dot && !strcmp(dot, ".yaml");
}

/* The names that there are in a directory, each after a blank. */
static void list_profiles(const char *directory, char *text, size_t size) {
  struct dirent **entry = NULL;
  size_t used = 0;
  int n = scandir(directory, &entry, is_profile, alphasort);
  *text = 0;
  for (int i = 0; i < n; i++) {
    int length = (int)strlen(entry[i]->d_name) - (int)strlen(".yaml");
    if (used + (size_t)length + 2 < size)
      used += (size_t)snprintf(text + used, size - used, " %.*s", length, entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
}

/* share/drives/NAME.yaml */
static int find_profile(const char *name, char *path, size_t size, struct siox_diag *diag) {
  if (strchr(name, '/')) {
    snprintf(path, size, "%s", name);
    return 0;
  }
  char known[128] = "", directory[SIOX__DATA_DIR], beside[SIOX__DATA_DIR];
  const char *dirs[SIOX__NDATA_DIRS];
  siox__data_dirs(dirs, beside);
  for (size_t i = 0; i < SIOX__NDATA_DIRS; i++) {
    if (!dirs[i] || !*dirs[i])
      continue;
    snprintf(path, size, "%s/drives/%s.yaml", dirs[i], name);
    if (access(path, F_OK) == 0)
      return 0;
    snprintf(directory, sizeof directory, "%s/drives", dirs[i]);
    if (!*known)
      list_profiles(directory, known, sizeof known);
  }
  snprintf(diag->text, sizeof diag->text,
           "%.80s: no such drive profile; there are%s; or give a path, or set SIOX_DATA_DIR", name,
           *known ? known : " none");
  return SIOX_ENOENT;
}

int siox_drive_load(struct siox_drive *d, const char *name_or_path, double time_scale,
                    struct siox_diag *diag) {
  struct loader in = {.diag = diag};
  char path[4096];
  memset(d, 0, sizeof *d);
  diag->text[0] = '\0';
  if (!(time_scale >= 1 && time_scale <= 1000)) {
    snprintf(diag->text, sizeof diag->text, "%s: time scale %g is not between 1 and 1000",
             name_or_path, time_scale);
    return SIOX_ERANGE;
  }
  int rc = find_profile(name_or_path, path, sizeof path, diag);
  if (rc == 0)
    rc = siox__yaml_open(&in.yaml, path, diag);
  if (rc)
    return rc;
  void *text = NULL;
  in.rc = siox__yaml_read(&in.yaml, &siox__drive_schema, &text, NULL, diag);
  if (in.rc == 0) {
    load_all(&in, text, time_scale, d);
    siox__yaml_free(&siox__drive_schema, text, 0);
  }
  siox__yaml_close(&in.yaml);
  if (in.rc)
    memset(d, 0, sizeof *d);
  return in.rc;
}
