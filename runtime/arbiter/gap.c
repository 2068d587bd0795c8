/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See gap.h. */
#include "arbiter/gap.h"
#include <math.h>

struct siox__stand siox__stand_of(const struct siox_disk_view *v, int64_t now) {
  struct siox__stand s = {.at = v->free_at > now ? v->free_at : now,
                          .speed = v->drive->level[v->level].speed};
  if (v->drive->ramp && v->move_end == v->free_at && v->move_start <= now && now < v->move_end) {
    s.speed = v->move_from + (s.speed - v->move_from) * (double)(now - v->move_start) /
                                 (double)(v->move_end - v->move_start);
    s.at = now;
  }
  return s;
}

static int straight(const struct siox_drive *drive, double from, double to, int64_t *ns,
                    double *joules) {
  *ns = siox_drive_transition_ns(drive, from, to);
  return *ns < 0 ? (int)*ns : siox_drive_transition_j(drive, from, to, joules);
}

/* Is a walk over the levels in between cheaper than going straight? */
static bool stepwise(const struct siox_drive *drive) {
  return drive->ramp && drive->rule == SIOX_RULE_A;
}

uint32_t siox__walk_step(const struct siox_drive *drive, double from, uint32_t to) {
  if (!stepwise(drive))
    return to;
  uint32_t step = to;
  if (drive->level[to].speed < from) {
    while (step + 1 < drive->nlevels && drive->level[step + 1].speed < from)
      step++;
  } else {
    while (step > 0 && drive->level[step - 1].speed > from)
      step--;
  }
  return step;
}

int siox__walk(const struct siox_drive *drive, double from, double to, int64_t *ns,
               double *joules) {
  if (!stepwise(drive))
    return straight(drive, from, to, ns, joules);
  double step_joules, at = from;
  int64_t step_ns;
  *ns = 0;
  *joules = 0;
  for (uint32_t i = 0; i < drive->nlevels; i++) {
    uint32_t l = to > from ? i : drive->nlevels - 1 - i;
    double speed = drive->level[l].speed;
    bool between = to > from ? speed > from && speed <= to : speed < from && speed >= to;
    if (!between)
      continue;
    int rc = straight(drive, at, speed, &step_ns, &step_joules);
    if (rc < 0)
      return rc;
    *ns += step_ns;
    *joules += step_joules;
    at = speed;
  }
  return 0;
}

/* Down and straight up again, so that the time is filled. */
static double turned(const struct siox_drive *drive, double from, double then, int64_t left) {
  double depth = (from + then - (double)left / drive->ramp_ns_per_speed) / 2, down, up;
  if (depth > from || depth > then || siox_drive_transition_j(drive, from, depth, &down) < 0 ||
      siox_drive_transition_j(drive, depth, then, &up) < 0)
    return INFINITY;
  return down + up;
}

double siox__gap_joules(const struct siox_drive *drive, const struct siox__stand *stand,
                        uint32_t level, int64_t end, uint32_t then) {
  double there = drive->level[level].speed, back = drive->level[then].speed, down, up;
  int64_t down_ns, up_ns;
  if (siox__walk(drive, stand->speed, there, &down_ns, &down) < 0 ||
      siox__walk(drive, there, back, &up_ns, &up) < 0)
    return INFINITY;
  int64_t left = end - stand->at;
  if (left < down_ns + up_ns)
    return drive->ramp && there < stand->speed && there < back
               ? turned(drive, stand->speed, back, left)
               : INFINITY;
  return down + up + drive->level[level].idle_w * (double)(left - down_ns - up_ns) * 1e-9;
}

void siox__find_ways(const struct siox_drive *drive, const struct siox__stand *stand,
                     uint32_t on_way_to, uint32_t level, struct siox__ways *ways) {
  double joules;
  ways->level = level;
  ways->there = drive->level[on_way_to].speed;
  ways->back = drive->level[level].speed;
  ways->any = siox__walk(drive, stand->speed, ways->there, &ways->on_ns, &joules) >= 0 &&
              siox__walk(drive, ways->there, ways->back, &ways->up_ns, &joules) >= 0;
}

int64_t siox__start_for(const struct siox_drive *drive, const struct siox__stand *stand,
                        const struct siox__ways *ways, int64_t end) {
  if (!ways->any)
    return end;
  double there = ways->there, back = ways->back;
  int64_t on_ns = ways->on_ns, up_ns = ways->up_ns;
  if (end - up_ns >= stand->at + on_ns || !drive->ramp)
    return end - up_ns;
  /* Turned on the way: down until the time that is left is that of the way back. A nanosecond
   * early, for both parts are rounded. */
  double k = drive->ramp_ns_per_speed, fall = stand->speed > there ? 1 : -1;
  if (fall < 0)
    return stand->at + (int64_t)((double)(end - stand->at) - k * (back - stand->speed)) - 1;
  return stand->at + (int64_t)(((double)(end - stand->at) - k * (back - stand->speed)) / 2) - 1;
}
