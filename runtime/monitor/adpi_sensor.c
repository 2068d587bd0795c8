/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "As any system operation will consume energy, a reported value of 0 J will clearly signify a
 * sensor problem" (paper, section 5): of meters, never of models.
 *
 * A meter may move less often than once a cycle, so what counts is a time without a joule: longer
 * than `after` and than twice the longest time that it took to move so far. That is known after
 * LEARN moves. A time without joules is the meter's own pace, and raises the longest one, if the
 * move that ends it makes up for it: at least half of what the meter gave a second before. A meter
 * that was dead goes on where it stood. One that never moved is told after `never`. */
#include "monitor/adpi.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEARN = 3 }; /* moves */

struct meter {
  double still_s;         /* since it moved, in valid samples */
  double longest_s;       /* between two moves */
  double joules, seconds; /* while it worked */
  uint32_t moves;
  bool gap; /* samples were lost: what it gave meanwhile is not known */
};
struct sensor {
  double after, never;
  const char *domains;
  struct siox__slots slots;
};

/* Graphics (uncore), accelerators, and what nobody knows the use of (other) may be off for hours.
 */
static const char *const always_on = "node psys package cores dram disk";

static bool are_domains(const char *list) {
  size_t length;
  for (const char *one; (one = siox__list_next(&list, &length));) {
    const enum siox_domain d = siox_domain_find(one, length);
    if (d == SIOX_DOMAIN_NONE || d == SIOX_NDOMAINS)
      return false;
  }
  return true;
}

static int open_sensor(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"after", offsetof(struct sensor, after), 1, 0, 1e6},
      {"never", offsetof(struct sensor, never), 60, 0, 1e6},
  };
  static const char *const texts[] = {"domains", NULL};
  struct sensor *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  const int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "sensor", numbers,
                                   sizeof numbers / sizeof numbers[0], s, texts, &s->domains, diag);
  if (e < 0) {
    free(s);
    return e;
  }
  for (size_t i = 0; s->domains && i < env->nsettings; i++)
    if (strcmp(env->settings[i].key, "domains") == 0 && !are_domains(s->domains)) {
      snprintf(diag->text, sizeof diag->text, "%s:%u: domains: '%s' are not all domains of energy",
               env->origin, env->settings[i].line, s->domains);
      free(s);
      return SIOX_EINVAL;
    }
  if (!s->domains)
    s->domains = always_on;
  *state = s;
  return 0;
}

static void close_sensor(void *state) {
  struct sensor *s = state;
  siox__slots_free(&s->slots);
  free(s);
}

static double patience(const struct sensor *set, const struct meter *m) {
  return m->moves < LEARN ? set->never : fmax(set->after, 2 * m->longest_s);
}

/* Seconds without a joule where they are too many, else 0. */
static double watch(const struct sensor *set, struct meter *m, double joules, double dt_s) {
  m->still_s += dt_s;
  if (joules == 0)
    return m->still_s > patience(set, m) * (1 + 1e-9) ? m->still_s : 0;
  const bool own_pace = m->moves < LEARN || m->still_s <= patience(set, m) ||
                        joules * m->seconds >= 0.5 * m->joules * m->still_s;
  /* The first move ends a time of unknown length. */
  if (own_pace && m->moves > 0) {
    m->longest_s = fmax(m->longest_s, m->still_s);
    m->joules += joules;
    m->seconds += m->still_s;
  }
  m->moves += m->moves < LEARN;
  m->still_s = 0;
  return 0;
}

static int cycle_sensor(void *state, const struct siox_adpi_input *input, struct siox_issue *list,
                        size_t max) {
  struct sensor *set = state;
  const struct siox_cycle *cycle = input->cycle;
  struct siox__issues issues = {.list = list, .max = max};
  const int e = siox__slots_series(&set->slots, cycle, sizeof(struct meter));
  if (e < 0)
    return e;
  for (size_t i = siox_cycle_next(cycle, 0); i < cycle->nseries;
       i = siox_cycle_next(cycle, i + 1)) {
    const struct siox_series *s = &cycle->series[i];
    if (!siox__is_meter(s) || s->gone ||
        !siox__listed(set->domains, siox_domain_name(s->metric.domain)))
      continue;
    struct meter *m = (struct meter *)set->slots.at + i;
    if (!siox__is_sample(&s->last)) {
      m->still_s = 0;
      m->gap = true;
      continue;
    }
    if (m->gap) { /* this difference spans more than the cycle */
      m->gap = false;
      continue;
    }
    const double dt = (double)cycle->dt_ns * 1e-9;
    const double joules =
        s->metric.kind == SIOX_METRIC_COUNTER ? s->last.amount : s->last.value * dt;
    const double still = watch(set, m, joules, dt);
    if (still == 0)
      continue;
    struct siox_issue spare, *issue = siox__issue(&issues, &spare);
    char name[112];
    siox__series_name(s, name, sizeof name);
    issue->detector = siox__adpi_sensor.name;
    issue->kind = SIOX_ISSUE_SENSOR;
    issue->severity = SIOX_ABNORMAL_OTHER;
    issue->category = SIOX_CATEGORY_ENERGY;
    issue->series = i;
    issue->low = m->seconds > 0 ? m->joules / m->seconds * 1e-3 : 0;
    issue->high = INFINITY;
    if (m->moves >= LEARN)
      snprintf(issue->evidence, sizeof issue->evidence,
               "%s (%s) gave no joule for %.3g s, and moved every %.3g s or sooner before: the "
               "sensor fails",
               name, s->provider->name, still, m->longest_s);
    else
      snprintf(issue->evidence, sizeof issue->evidence,
               "%s (%s) gives no joules, for %.3g s now: the sensor fails", name, s->provider->name,
               still);
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_sensor = {
    .abi = SIOX_ADPI_ABI,
    .name = "sensor",
    .about = "meters of energy that give 0 J",
    .open = open_sensor,
    .cycle = cycle_sensor,
    .close = close_sensor,
};
