/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the region graph to each disk's least time to next use, and from that to hints. */
#include "client/predict.h"
#include <stdlib.h>

/* A lead is given so much sooner: a hint is on its way for a moment, and a tick can be late. */
static const int64_t SLACK_NS = 1000000;

/* A change of need_by smaller than this is not worth a message: 0.5 % of what is left, at least 200
 * us. */
static int64_t tolerance(int64_t left) { return left / 200 > 200000 ? left / 200 : 200000; }

static void use_at(struct siox__predictor *p, const struct siox_mask *mask, int64_t time) {
  for (uint32_t d = siox_mask_next(mask, 0); d < p->env.ndisks; d = siox_mask_next(mask, d + 1))
    if (time < p->next_use[d])
      p->next_use[d] = time;
}

/* Unknown code runs at `time`: it can only know the files that are open or were. */
static void anything_open_at(struct siox__predictor *p, int64_t time) {
  siox_mask_zero(&p->scratch);
  for (uint32_t i = 0; i < p->nfiles; i++) {
    siox_layout_disks(&p->file[i].layout, &p->scratch);
    siox__predict_shared(&p->file[i], &p->scratch);
  }
  use_at(p, &p->scratch, time);
}

/* The site will be used at `time`; where nobody can tell with which file, with any. */
static void use_site_at(struct siox__predictor *p, const struct siox__context *c,
                        struct siox_site *site, uint32_t j, enum siox__place where, int64_t time) {
  int64_t soonest = siox__when_use(siox__when_of(site), p->from, time);
  time = time < soonest ? soonest : time;
  siox_mask_zero(&p->scratch);
  if (siox__predict_mask(p, c, site, j, where, &p->scratch)) {
    use_at(p, &p->scratch, time);
  } else if (p->settled && !(site->flags & SIOX_SITE_WHOLE_ORIGINS)) {
    anything_open_at(p, time); /* a handle of unknown origin: a file opened so far, most likely */
  } else {
    siox_mask_fill(&p->scratch);
    use_at(p, &p->scratch, time);
  }
}

static void use_sites_after(struct siox__predictor *p, struct siox_region *region,
                            const struct siox__lists *lists, int64_t time) {
  struct siox__region_state *s = region->state;
  int64_t steps_left = siox__steps_wait(region, time);
  bool experienced = siox__experienced(region);
  for (uint32_t i = 0; i < s->nafter; i++) {
    const struct siox__context *c = &s->after[i];
    if (experienced && !c->ever)
      continue;
    enum siox__place where = siox__place_of_site(lists, region, c->site);
    uint32_t period = 1;
    if ((where == SIOX__INSIDE || where == SIOX__FOLLOWS) && siox__when_of(c->site))
      where = SIOX__SCHEDULED;
    else
      siox__history_files(c, 1, &period);
    for (uint32_t j = siox__history_first(c, period); j <= period; j++) {
      int64_t later = where == SIOX__OUTSIDE ? steps_left : 0;
      later += j > 1 && s->cycle > 0 ? s->cycle * (j - 1) : 0;
      use_site_at(p, c, c->site, j, where, time + later);
    }
    /* The loop's end leads to files of its own, whatever the site does inside. */
    if ((where == SIOX__INSIDE || where == SIOX__SCHEDULED) && c->given_outside &&
        c->given_by == p->uses) {
      siox_mask_zero(&p->scratch);
      siox__predict_given(p, c->given_outside, &p->scratch);
      use_at(p, &p->scratch, time + steps_left);
    }
  }
  if (region->flags & SIOX_REGION_OPEN_END && !experienced)
    anything_open_at(p, time + (region->flags & SIOX_REGION_OPEN_LATER ? steps_left : 0));
}

/* Time until a site or region that is not part of what the gap `owner` led to so far can follow it,
 * after a region r: what a loop did in every iteration it is believed to do again, so the rest
 * waits for its end. Of another function's region the compiler tells what follows any call of it,
 * so that one iteration speaks against it; what stands in the loop itself is expected for longer.
 */
static int64_t unless_again(const struct siox_region *owner, const struct siox_region *r) {
  const struct siox__region_state *o = owner->state;
  uint64_t enough = r->function == owner->function ? SIOX__PASSED_BY : 1;
  return owner->steps && o->bursts >= enough && o->nfollowed ? siox__steps_wait(owner, o->dist) : 0;
}

/* Time until what waits for the end of the STEPS loop around r can follow it. */
static int64_t loop_over(const struct siox_region *owner, const struct siox_region *r) {
  const struct siox_region *timed = owner->steps == r->steps ? owner : r;
  return siox__steps_wait(timed, ((const struct siox__region_state *)timed->state)->dist);
}

/* A brief region is part of the burst of its owner, which knows its sites from experience; only
 * what was never seen there is left to say. */
static void use_sites_of_brief(struct siox__predictor *p, struct siox_region *region,
                               const struct siox__lists *lists, struct siox_region *owner,
                               int64_t time) {
  const struct siox__region_state *o = owner->state, *s = region->state;
  for (uint32_t i = 0; i < lists->nnext; i++) {
    const struct siox__context *own = NULL;
    bool seen = false;
    for (uint32_t k = 0; k < o->nafter && !seen; k++)
      seen = o->after[k].site == lists->next[i] && o->after[k].ever;
    for (uint32_t k = 0; k < s->nafter && !own; k++)
      if (s->after[k].site == lists->next[i])
        own = &s->after[k];
    if (seen || siox__experienced(owner))
      continue;
    int64_t wait = unless_again(owner, region);
    if (siox__place_of_site(lists, region, lists->next[i]) == SIOX__OUTSIDE)
      wait = loop_over(owner, region);
    use_site_at(p, own, lists->next[i], 1, SIOX__FOLLOWS, time + wait);
  }
  /* Unknown code that did nothing in one iteration of a loop is believed to do nothing in more. */
  if (region->flags & SIOX_REGION_OPEN_END && !siox__experienced(owner))
    anything_open_at(p, time + (region->flags & SIOX_REGION_OPEN_LATER ? loop_over(owner, region)
                                : owner->steps && o->bursts ? siox__steps_wait(owner, o->dist)
                                                            : 0));
}

/* Time until the i-th successor of r can follow, once r or, for a brief r, its owner is over. */
static int64_t successor_waits(const struct siox__predictor *p, const struct siox_region *r,
                               const struct siox__lists *lists, const struct siox_region *owner,
                               uint32_t i) {
  const struct siox__region_state *o = owner->state;
  if (r->steps && i >= lists->nsuccinside)
    return loop_over(owner, r);
  if (siox__region_brief(p, lists->succ[i]) || o->nfollowed == SIOX__FOLLOWED)
    return 0;
  for (uint32_t k = 0; k < o->nfollowed; k++)
    if (o->followed[k] == lists->succ[i])
      return 0;
  return unless_again(owner, r);
}

static struct siox_region *nearest(struct siox__predictor *p) {
  struct siox_region *best = NULL;
  for (struct siox_region *r = p->regions; r; r = ((struct siox__region_state *)r->state)->link) {
    struct siox__region_state *s = r->state;
    if (s->visit == p->visit && !s->done &&
        (!best || s->dist < ((struct siox__region_state *)best->state)->dist))
      best = r;
  }
  return best;
}

static void walk(struct siox__predictor *p, struct siox_region *from, int64_t end) {
  for (uint32_t d = 0; d < p->env.ndisks; d++)
    p->next_use[d] = SIOX_NEVER;
  p->visit++;
  struct siox__region_state *first = from->state;
  first->visit = p->visit;
  first->done = false;
  first->dist = end;
  for (struct siox_region *r = from; r; r = nearest(p)) {
    struct siox__region_state *s = r->state;
    s->done = true;
    struct siox_region *owner = r != from && siox__region_brief(p, r) ? s->owner : r;
    struct siox__lists lists = siox__lists_of(p, r);
    if (owner != r)
      use_sites_of_brief(p, r, &lists, owner, s->dist);
    else
      use_sites_after(p, r, &lists, s->dist);
    for (uint32_t i = 0; i < lists.nsucc; i++) {
      struct siox_region *next = lists.succ[i];
      struct siox__region_state *n = siox__region_state(p, next);
      if (!n)
        return;
      /* What was never timed, or did I/O itself, counts as no time. */
      int64_t time = n->doubt ? 0 : siox__region_time_or_alike(p, next, end);
      int64_t left = s->dist + (time > 0 ? time : 0) + successor_waits(p, r, &lists, owner, i);
      int64_t soonest = siox__when_time(n->when, from, left);
      left = left < soonest ? soonest : left;
      if (n->visit != p->visit || (!n->done && left < n->dist)) {
        n->visit = p->visit;
        n->done = false;
        n->dist = left;
        n->owner = owner;
      }
    }
  }
}

void siox__predict_next_use(struct siox__predictor *p, struct siox_region *from, int64_t end) {
  if (!siox__region_state(p, from))
    return;
  /* What was closed for good does not come back with code that is not seen. */
  p->opens = siox__experienced(from) ? 2 : 0;
  p->from = from;
  walk(p, from, end);
  int64_t rest = from->steps && !p->threads ? siox__when_any(from->steps, from, end) : 0;
  for (uint32_t d = 0; d < p->env.ndisks; d++)
    p->next_use[d] = siox__flying(p, d) ? 0 : p->next_use[d] < rest ? rest : p->next_use[d];
  p->opens = 0;
}

/* Sends what was wanted, one hint for all disks that want the same. */
static void send_wanted(struct siox__predictor *p) {
  for (uint32_t d = 0; d < p->env.ndisks; d++) {
    struct siox__claimed *c = &p->claimed[d];
    if (!c->want.emit)
      continue;
    siox_mask_zero(&p->group);
    for (uint32_t e = d; e < p->env.ndisks; e++) {
      struct siox__claimed *o = &p->claimed[e];
      if (!o->want.emit || o->want.flag != c->want.flag || o->want.speed != c->want.speed ||
          o->want.need_by != c->want.need_by)
        continue;
      siox_mask_set(&p->group, e);
      if (e != d)
        o->want.emit = false;
      o->state = o->want.flag ? SIOX__NEEDED : SIOX__RELEASED;
      o->need_by = o->want.need_by;
    }
    c->want.emit = false;
    if (!c->want.flag)
      p->releases++;
    int64_t need_by = c->want.need_by == SIOX_NEVER ? 0 : c->want.need_by;
    p->env.hint(p->env.context, &p->group, c->want.speed, c->want.flag, need_by, SIOX_NEVER);
  }
}

static void want(struct siox__claimed *c, int32_t speed, int32_t flag, int64_t need_by) {
  c->want.emit = true;
  c->want.speed = speed;
  c->want.flag = flag;
  c->want.need_by = need_by;
}

static void plan_gap(struct siox__predictor *p, struct siox__claimed *c, int64_t next,
                     int64_t now) {
  int64_t left = next == SIOX_NEVER ? SIOX_NEVER : next - now;
  if (c->state == SIOX__RELEASED) {
    if (next == SIOX_NEVER ? c->need_by != SIOX_NEVER
                           : c->need_by == SIOX_NEVER || llabs(c->need_by - next) > tolerance(left))
      want(c, SIOX_SPEED_LOWEST, 0, next);
  } else if (left >= p->env.min_gap_ns) {
    want(c, SIOX_SPEED_LOWEST, 0, next);
  }
}

static void plan_transition(struct siox__predictor *p, struct siox__claimed *c, int64_t next,
                            int64_t now) {
  int64_t left = next == SIOX_NEVER ? SIOX_NEVER : next - now;
  if (c->state != SIOX__RELEASED && left >= p->env.min_gap_ns) {
    int32_t speed = SIOX_SPEED_LOWEST;
    if (p->env.drive && next != SIOX_NEVER) {
      uint32_t level = siox_drive_best_level(p->env.drive, left);
      if (level + 1 == p->env.drive->nlevels)
        return;
      speed = p->env.drive->level[level].speed;
    }
    want(c, speed, 0, next);
  } else if (c->state == SIOX__RELEASED && next != SIOX_NEVER &&
             left <= p->env.lead_ns + SLACK_NS) {
    want(c, SIOX_SPEED_FULL, 1, 0);
  }
  c->due = next == SIOX_NEVER ? SIOX_NEVER : next - p->env.lead_ns - SLACK_NS;
}

void siox__predict_rest(struct siox__predictor *p, int64_t time, int64_t now) {
  if (p->env.lead != SIOX_LEAD_GAP || time <= now)
    return;
  for (uint32_t d = 0; d < p->env.ndisks; d++) {
    struct siox__claimed *c = &p->claimed[d];
    /* What was told after the last iteration is corrected, what is known of a later use stands. */
    bool told = c->state == SIOX__RELEASED && (c->need_by < time || c->need_by == p->rested);
    if (!siox__flying(p, d) &&
        (c->state == SIOX__NEEDED ? time - now >= p->env.min_gap_ns
                                  : told && llabs(c->need_by - time) > tolerance(time - now)))
      want(c, SIOX_SPEED_LOWEST, 0, time);
  }
  p->rested = time;
  send_wanted(p);
}

void siox__predict_emit(struct siox__predictor *p, int64_t now) {
  for (uint32_t d = 0; d < p->env.ndisks; d++) {
    int64_t next = p->next_use[d] < now ? now : p->next_use[d];
    if (p->env.lead == SIOX_LEAD_GAP)
      plan_gap(p, &p->claimed[d], next, now);
    else
      plan_transition(p, &p->claimed[d], next, now);
  }
  send_wanted(p);
}

void siox__predict_need(struct siox__predictor *p, const struct siox_mask *mask) {
  for (uint32_t d = siox_mask_next(mask, 0); d < p->env.ndisks; d = siox_mask_next(mask, d + 1))
    if (p->claimed[d].state != SIOX__NEEDED || p->threads) /* siox__hint knows what a thread said */
      want(&p->claimed[d], SIOX_SPEED_FULL, 1, 0);
  send_wanted(p);
}

void siox__predict_release(struct siox__predictor *p, const struct siox_mask *mask) {
  for (uint32_t d = siox_mask_next(mask, 0); d < p->env.ndisks; d = siox_mask_next(mask, d + 1))
    if (p->claimed[d].state != SIOX__RELEASED && !siox__flying(p, d))
      want(&p->claimed[d], SIOX_SPEED_LOWEST, 0, SIOX_NEVER);
  send_wanted(p);
}

void siox__predictor_told(struct siox__predictor *p, const struct siox_mask *mask, int32_t flag,
                          int64_t need_by, int64_t until) {
  if (siox__predictor_asleep(p))
    return;
  const uint32_t n = mask->ndisks < p->env.ndisks ? mask->ndisks : p->env.ndisks;
  const bool needed = flag && until == SIOX_NEVER;
  for (uint32_t d = siox_mask_next(mask, 0); d < n; d = siox_mask_next(mask, d + 1)) {
    struct siox__claimed *c = &p->claimed[d];
    c->state = needed ? SIOX__NEEDED : flag ? SIOX__UNCLAIMED : SIOX__RELEASED;
    c->need_by = !flag && need_by <= 0 ? SIOX_NEVER : need_by;
  }
  p->releases += !needed;
}
