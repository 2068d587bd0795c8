/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The cheapest way through one gap. Besides the prepared ways there are two that depend on the
 * gap's length: a ramp turned round midway, so that the gap is filled exactly, and at the end of
 * the run a change still under way, which the disk model cuts there on a ramp and lets go on
 * without one. That turning round at other depths, or at several places, gains nothing is argued in
 * docs/oracle.md. */
#include "energy/oracle_internal.h"
#include <math.h>

static double speed_of(const struct siox__graph *g, uint32_t level) {
  return g->drive->level[level].speed;
}
static double idle(const struct siox__graph *g, uint32_t level, int64_t ns) {
  return g->drive->level[level].idle_w * (double)ns * 1e-9;
}

/* Joules of a change, INFINITY when the profile lacks it. */
static double change_j(const struct siox__graph *g, double from, double to) {
  double joules;
  if (from == to)
    return 0;
  return siox_drive_transition_j(g->drive, from, to, &joules) < 0 ? INFINITY : joules;
}

/* The disk model's speed some time after leaving a level for another. */
static double speed_after(const struct siox__graph *g, uint32_t from, uint32_t to, int64_t ns) {
  double a = speed_of(g, from), b = speed_of(g, to);
  int64_t all = siox_drive_transition_ns(g->drive, a, b);
  return ns < all ? a + (b - a) * ((double)ns / (double)all) : b;
}

/* Joules of leaving `from` for the lowest level, turning round after `turn` and going straight to
 * `to`; INFINITY when that takes longer than the gap. */
static double turned(const struct siox__graph *g, uint32_t from, uint32_t to, int64_t gap,
                     int64_t turn) {
  double deepest = speed_after(g, from, 0, turn);
  int64_t back = siox_drive_transition_ns(g->drive, deepest, speed_of(g, to));
  if (back < 0 || turn + back > gap)
    return INFINITY;
  return change_j(g, speed_of(g, from), deepest) + change_j(g, deepest, speed_of(g, to)) +
         idle(g, to, gap - turn - back);
}

static void try_turn(const struct siox__graph *g, uint32_t from, uint32_t to, int64_t gap,
                     struct siox__plan *best) {
  /* Rule a charges both parts at their upper ends: standing there costs the same. */
  if (g->kind == SIOX_ORACLE_DIRECT || !g->drive->ramp || g->drive->rule == SIOX_RULE_A ||
      from == 0)
    return;
  double rise = (speed_of(g, to) - speed_of(g, from)) * g->drive->ramp_ns_per_speed;
  int64_t turn = (int64_t)floor(((double)gap - rise) / 2), least = (int64_t)ceil(-rise);
  if (turn <= 0 || turn < least ||
      (double)turn > siox_drive_transition_ns(g->drive, speed_of(g, from), speed_of(g, 0)))
    return;
  for (int64_t t = turn; t > 0 && t + 2 >= turn; t--) { /* rounding of both parts */
    double joules = turned(g, from, to, gap, t);
    if (isinf(joules))
      continue;
    if (joules < best->joules)
      *best = (struct siox__plan){.joules = joules, .turn_ns = t, .to = to};
    return;
  }
}

struct siox__plan siox__plan_gap(const struct siox__graph *g, uint32_t from, uint32_t to,
                                 int64_t gap) {
  struct siox__plan best = {.joules = INFINITY, .to = to};
  const struct siox__way_list *ways = &g->ways[from][to];
  for (uint32_t i = 0; i < ways->count; i++) {
    const struct siox__way *w = &ways->way[i];
    if (w->ns > gap)
      continue;
    double joules = w->joules + idle(g, w->rest, gap - w->ns);
    if (joules < best.joules) {
      best.joules = joules;
      best.way = w;
    }
  }
  try_turn(g, from, to, gap, &best);
  return best;
}

uint32_t siox__most_choices(const struct siox__graph *g) {
  uint32_t most = 0;
  for (uint32_t a = 0; a < g->drive->nlevels; a++)
    for (uint32_t b = 0; b < g->drive->nlevels; b++)
      most = g->ways[a][b].count > most ? g->ways[a][b].count : most;
  return most + 1;
}

uint32_t siox__choices(const struct siox__graph *g, uint32_t from, uint32_t to, int64_t gap,
                       struct siox__choice *out) {
  struct siox__plan timely = siox__plan_gap(g, from, to, gap);
  const struct siox__way_list *ways = &g->ways[from][to];
  uint32_t n = 0;
  if (!isinf(timely.joules))
    out[n++] = (struct siox__choice){timely.joules, 0};
  for (uint32_t i = 0; i < ways->count; i++) {
    const struct siox__way *w = &ways->way[i];
    if (w->ns > gap && w->joules < timely.joules)
      out[n++] = (struct siox__choice){w->joules, (double)(w->ns - gap) * 1e-9};
  }
  return n;
}

/* After a way to `at` that leaves `rest` ns, of which the last `last` go into a change that the end
 * cuts. */
static double cut(const struct siox__graph *g, const struct siox__way *w, uint32_t at, uint32_t to,
                  uint32_t end_level, int64_t rest, int64_t last) {
  double speed = g->drive->ramp ? speed_after(g, at, to, last) : speed_of(g, to);
  return w->joules + idle(g, w->rest, rest - last) + change_j(g, speed_of(g, at), speed) +
         change_j(g, speed, speed_of(g, end_level));
}

/* The best length of a cut change. The cost has at most one hollow on either side of end_level, so
 * a scan finds the hollow and a golden-section search its ground. */
static void try_cut_ramp(const struct siox__graph *g, const struct siox__way *w, uint32_t at,
                         uint32_t to, uint32_t end_level, int64_t rest, struct siox__plan *best) {
  enum { STEPS = 64 };
  int64_t all = siox_drive_transition_ns(g->drive, speed_of(g, at), speed_of(g, to));
  int64_t most = all < rest ? all : rest, at_least = 0;
  double least = INFINITY;
  for (int i = 1; i <= STEPS; i++) {
    int64_t last = (int64_t)((double)most * i / STEPS);
    double joules = cut(g, w, at, to, end_level, rest, last);
    if (joules < least) {
      least = joules;
      at_least = last;
    }
  }
  int64_t low = at_least - most / STEPS, high = at_least + most / STEPS;
  low = low > 1 ? low : 1;
  high = high < most ? high : most;
  while (high - low > 2) {
    int64_t third = (high - low) / 3, a = low + third, b = high - third;
    if (cut(g, w, at, to, end_level, rest, a) <= cut(g, w, at, to, end_level, rest, b))
      high = b;
    else
      low = a;
  }
  for (int64_t last = low; last <= high; last++) {
    double joules = cut(g, w, at, to, end_level, rest, last);
    if (joules < least) {
      least = joules;
      at_least = last;
    }
  }
  if (at_least > 0 && least < best->joules)
    *best = (struct siox__plan){
        .joules = least, .way = w, .last_ns = at_least, .to = at, .last_level = to};
}

static void try_cut(const struct siox__graph *g, const struct siox__way *w, uint32_t at,
                    uint32_t end_level, int64_t gap, struct siox__plan *best) {
  int64_t rest = gap - w->ns;
  uint32_t top = g->drive->nlevels - 1;
  if (rest <= 0)
    return;
  if (g->drive->ramp) {
    if (at > 0)
      try_cut_ramp(g, w, at, 0, end_level, rest, best);
    if (at < top)
      try_cut_ramp(g, w, at, top, end_level, rest, best);
    return;
  }
  for (uint32_t to = 0; to <= top; to++) {
    int64_t ns = siox_drive_transition_ns(g->drive, speed_of(g, at), speed_of(g, to));
    if (to == at || ns <= rest) /* unknown, or a way of its own */
      continue;
    double joules = cut(g, w, at, to, end_level, rest, rest);
    if (joules < best->joules)
      *best = (struct siox__plan){
          .joules = joules, .way = w, .last_ns = rest, .to = at, .last_level = to};
  }
}

/* Straight to one level and nothing more. */
static struct siox__plan end_direct(const struct siox__graph *g, uint32_t from, uint32_t end_level,
                                    int64_t gap) {
  struct siox__plan best = {.joules = INFINITY};
  const struct siox__way *stay = &g->ways[from][from].way[0];
  for (uint32_t i = 0; i < g->ways[from][from].count; i++)
    if (g->ways[from][from].way[i].ns == 0)
      stay = &g->ways[from][from].way[i];
  for (uint32_t i = 0; i < g->drive->nlevels; i++) {
    uint32_t to = i ? (i <= from ? i - 1 : i) : from; /* staying first */
    int64_t ns = siox_drive_transition_ns(g->drive, speed_of(g, from), speed_of(g, to));
    if (ns < 0 || (to != from && gap <= 0))
      continue;
    double there = speed_of(g, to);
    if (ns > gap && g->drive->ramp)
      there = speed_after(g, from, to, gap);
    double joules = change_j(g, speed_of(g, from), there) + (ns < gap ? idle(g, to, gap - ns) : 0) +
                    change_j(g, there, speed_of(g, end_level));
    if (joules < best.joules)
      best = (struct siox__plan){.joules = joules,
                                 .way = stay,
                                 .to = from,
                                 .last_ns = to == from ? 0 : gap,
                                 .last_level = to};
  }
  return best;
}

struct siox__plan siox__plan_end(const struct siox__graph *g, uint32_t from, uint32_t end_level,
                                 int64_t gap) {
  if (g->kind == SIOX_ORACLE_DIRECT)
    return end_direct(g, from, end_level, gap);
  struct siox__plan best = {.joules = INFINITY};
  for (uint32_t at = 0; at < g->drive->nlevels; at++) {
    struct siox__plan plan = siox__plan_gap(g, from, at, gap);
    plan.joules += change_j(g, speed_of(g, at), speed_of(g, end_level));
    if (plan.joules < best.joules)
      best = plan;
  }
  for (uint32_t at = 0; at < g->drive->nlevels; at++)
    for (uint32_t i = 0; i < g->ways[from][at].count; i++)
      try_cut(g, &g->ways[from][at].way[i], at, end_level, gap, &best);
  return best;
}

struct teller {
  siox__command_fn command;
  void *context;
  uint32_t count;
};
static void tell(struct teller *t, int64_t at, uint32_t level) {
  t->count++;
  if (t->command)
    t->command(t->context, at, level);
}

/* The changes of a walk; when its last one ends. */
static void tell_walk(struct teller *t, const struct siox__walks *walks, uint32_t walk,
                      int64_t start) {
  uint32_t before = walks->walk[walk].before;
  if (before == SIOX__NO_WALK)
    return;
  tell_walk(t, walks, before, start);
  tell(t, start + walks->walk[before].ns, walks->walk[walk].level);
}

uint32_t siox__plan_tell(const struct siox__graph *g, uint32_t from, const struct siox__plan *plan,
                         int64_t start, int64_t end, siox__command_fn command, void *context) {
  struct teller t = {command, context, 0};
  if (plan->turn_ns > 0) {
    tell(&t, start, 0);
    tell(&t, start + plan->turn_ns, plan->to);
    return t.count;
  }
  const struct siox__walks *back = &g->walks[plan->way->rest];
  tell_walk(&t, &g->walks[from], plan->way->there, start);
  tell_walk(&t, back, plan->way->back, end - plan->last_ns - back->walk[plan->way->back].ns);
  if (plan->last_ns > 0)
    tell(&t, end - plan->last_ns, plan->last_level);
  return t.count;
}
