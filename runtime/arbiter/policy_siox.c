/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox: claims that say when a disk is needed next. While anybody needs a disk it runs at
 * what is asked. In the gap before the next need it goes to the level that costs least joules from
 * where it is until then, the way back included, and starts back so that the level is reached
 * exactly when it is needed; earlier by the time that requests at the low level keep it, and by a
 * quantile of how early the uses that this site predicted have come (limits.early). A gap that does
 * not pay changes nothing. A release that names no next use goes to the speed it names. */
#include "arbiter/budget.h"
#include "arbiter/claims.h"
#include "arbiter/history.h"
#include "arbiter/share.h"
#include "arbiter/want.h"
#include <math.h>

struct state {
  struct siox__rule rule;
  struct siox__history history;
  struct siox__share share;
  struct siox__budget budget;
  int64_t *busy; /* per disk: the longest that one request kept it since it was slowed */
};

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + siox__budget_size(ndisks) +
         ndisks * (sizeof(int64_t) + sizeof(struct siox__promise)) + siox__rule_size(ndisks) +
         siox__share_size(ndisks);
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  (void)argument; /* read by limits() */
  siox__budget_init(&state->budget, state + 1, view);
  state->busy = (int64_t *)(state->budget.disk + view->ndisks);
  state->history.promise = (struct siox__promise *)(state->busy + view->ndisks);
  state->history.ndisks = view->ndisks;
  char *rest = (char *)(state->history.promise + view->ndisks);
  siox__rule_init(&state->rule, rest, view, true);
  siox__share_init(&state->share, rest + siox__rule_size(view->ndisks), view);
  state->rule.greatest = !state->budget.on && !state->share.most;
  state->history.quantile = view->limits.early;
  return 0;
}

static int limits(const char *argument, struct siox_limits *limits) {
  static const struct siox__key keys[] = {{"delay", 0, 100}, {"early", 0, 100}, {"share", 0, 100}};
  double value[] = {-1, -1, -1};
  double *field[] = {&limits->delay_budget, &limits->early, &limits->user_share};
  int rc = siox__arguments(argument, keys, 3, value);
  for (int i = 0; i < 3 && rc == 0; i++)
    if (value[i] >= 0)
      *field[i] = value[i] / 100;
  return rc;
}

struct need { /* what the claims on one disk come to */
  bool any;
  uint32_t floor; /* needed now, or preferred until an unknown time; 0: none */
  uint32_t floor_job;
  int64_t next; /* earliest need ahead */
  uint32_t next_level, next_job;
  bool withheld;    /* somebody's claims do not count: over its share */
  uint32_t claimed; /* greatest level in force, withheld ones included */
};

static double speed_of(const struct siox_disk_view *v, uint32_t level) {
  return v->drive->level[level].speed;
}

/* Where the disk can next be turned to another level, and its speed then. */
static void standpoint(const struct siox_disk_view *v, int64_t now, int64_t *at, double *speed) {
  *speed = speed_of(v, v->level);
  *at = v->free_at > now ? v->free_at : now;
  if (v->drive->ramp && v->move_end == v->free_at && v->move_start < now && now < v->move_end) {
    *speed = v->move_from + (*speed - v->move_from) * (double)(now - v->move_start) /
                                (double)(v->move_end - v->move_start);
    *at = now;
  }
}

/* As siox__entry_demand, and earlier by the margin of the hint's site. */
static bool demand_of(const struct state *state, const struct siox_drive *drive, uint32_t client,
                      const struct siox_claim_entry *entry, int64_t *from, uint32_t *level) {
  if (!siox__entry_demand(drive, entry, true, from, level))
    return false;
  int64_t margin = siox__history_margin(&state->history, client, entry);
  *from = *from > margin ? *from - margin : 0;
  return true;
}

/* The user whose needs do not count on this disk, because it holds its share of others already. */
static uint32_t withheld_user(struct state *state, int64_t now, uint32_t disk,
                              const struct siox_view *view) {
  if (!state->share.most)
    return SIOX_NOBODY;
  uint32_t top = SIOX_NOBODY, top_level = 0, other_level = 0, level, client, job;
  bool others = false;
  struct siox_claim_entry entry;
  int64_t from;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t cursor = 0;
    while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry)) {
      if (siox__entry_end(view, disk, &entry) <= now)
        continue;
      bool in_force =
          demand_of(state, view->disk[disk].drive, client, &entry, &from, &level) && from <= now;
      if (pass == 0 && in_force && (top == SIOX_NOBODY || level > top_level)) {
        top = view->user[job];
        top_level = level;
      } else if (pass == 1 && view->user[job] != top) {
        others = true;
        if (in_force && level > other_level)
          other_level = level;
      }
    }
  }
  bool contested = top != SIOX_NOBODY && others && other_level < top_level;
  return siox__share_judge(&state->share, &state->rule.due, now, disk, top, contested);
}

/* Claims that only name a use after this time do not matter beside a need that is next. */
static int64_t reach(const struct state *state, int64_t now, int64_t next) {
  return siox__later(next > now ? next : now, state->history.most);
}

static struct need gather(struct state *state, int64_t now, uint32_t disk,
                          const struct siox_event *event, const struct siox_view *view,
                          struct siox__wish *wish) {
  const struct siox_drive *drive = view->disk[disk].drive;
  struct need need = {.next = SIOX_NEVER, .floor_job = SIOX_NOBODY, .next_job = SIOX_NOBODY};
  uint32_t cursor = 0, client, job, level, without = withheld_user(state, now, disk, view);
  struct siox_claim_entry entry;
  while (siox__claims_next(view->claims, disk, reach(state, now, need.next), &cursor, &client, &job,
                           &entry)) {
    int64_t end = siox__entry_end(view, disk, &entry), from = now;
    if (end <= now)
      continue;
    bool demand = demand_of(state, drive, client, &entry, &from, &level);
    if (!demand)
      level = siox__level_for(drive, entry.speed);
    need.any = true;
    wish->wake = siox__sooner(wish->wake, end);
    if (from <= now && demand && level > need.claimed)
      need.claimed = level;
    if (from <= now && demand && view->user && view->user[job] == without) {
      need.withheld = true;
      continue;
    }
    if (from <= now) {
      if (level > need.floor || need.floor_job == SIOX_NOBODY) {
        need.floor = level;
        need.floor_job = job;
      }
      wish->withheld |= client != event->client;
      continue;
    }
    if (from < need.next || (from == need.next && level > need.next_level)) {
      need.next = from;
      need.next_level = level;
      need.next_job = job;
    }
  }
  return need;
}

/* Joules from the standpoint over a level to the next need, or infinity when it cannot be done in
 * time. */
static double cost(const struct siox_disk_view *v, int64_t at, double speed, uint32_t level,
                   int64_t next, uint32_t next_level) {
  double there = speed_of(v, level), then = speed_of(v, next_level), down, up;
  int64_t down_ns = siox_drive_transition_ns(v->drive, speed, there);
  int64_t up_ns = siox_drive_transition_ns(v->drive, there, then);
  if (down_ns < 0 || up_ns < 0 || siox_drive_transition_j(v->drive, speed, there, &down) < 0 ||
      siox_drive_transition_j(v->drive, there, then, &up) < 0)
    return INFINITY;
  if (level == v->level && v->move_end == v->free_at && v->move_end > at)
    down_ns = v->move_end - at; /* it is on its way there: no rounding twice */
  int64_t rest = next - at - down_ns - up_ns;
  if (rest < 0)
    return INFINITY;
  return down + up + v->drive->level[level].idle_w * (double)rest * 1e-9;
}

/* Does wear forbid to go down to a level now? */
static bool worn(const struct siox_disk_view *v, int64_t now, uint32_t level) {
  for (int w = SIOX_WEAR_LOAD; level < v->level && w < SIOX_NWEAR; w++)
    if (v->wear_from[w] > now && (int)siox_drive_wear(v->drive, level) >= w &&
        (int)siox_drive_wear(v->drive, v->level) < w)
      return true;
  return false;
}

/* The level for the gap that ends at need.next. Staying wins ties, so that nothing changes without
 * profit. *asked: 1 + the level it would be if nothing wore, where that is another one. */
static uint32_t plan(int64_t now, const struct siox_disk_view *v, const struct need *need,
                     uint32_t *asked) {
  int64_t at;
  double speed;
  standpoint(v, now, &at, &speed);
  uint32_t lowest = siox__lowest(v->drive);
  uint32_t first = need->floor > lowest ? need->floor : lowest;
  uint32_t last = need->next_level > first ? need->next_level : first;
  uint32_t best = v->level >= first ? v->level : first, ideal = best;
  double least = cost(v, at, speed, best, need->next, need->next_level), most = least;
  for (uint32_t level = first; level <= last; level++) {
    double joules =
        level == best ? INFINITY : cost(v, at, speed, level, need->next, need->next_level);
    if (joules < most - 1e-9 * fabs(joules)) {
      most = joules;
      ideal = level;
    }
    if (joules < least - 1e-9 * fabs(joules) && !worn(v, now, level)) {
      least = joules;
      best = level;
    }
  }
  *asked = ideal != best ? ideal + 1 : 0;
  return isinf(least) ? last : best;
}

/* For how many bursts at least can every job with a need above a level on this disk afford it? */
static double affordable(const struct state *state, int64_t now, uint32_t disk,
                         const struct siox_view *view, uint32_t at_level) {
  double least = INFINITY;
  uint32_t cursor = 0, client, job, level;
  struct siox_claim_entry entry;
  int64_t from;
  while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry))
    if (siox__entry_end(view, disk, &entry) > now &&
        demand_of(state, view->disk[disk].drive, client, &entry, &from, &level) && level > at_level)
      least = fmin(least, siox__budget_bursts(&state->budget, view, job, now, disk, at_level));
  return least;
}

/* The level, from `base` on, that a need is served at within the delay budgets: the lowest that the
 * jobs earn as fast as it costs, or that they have saved for; one that the disk was just served at
 * goes on until the savings are gone. Lower levels save less for each ns they cost, so what is
 * earned goes first into the level that it pays for always. `gap`: going there must pay at least
 * twice in so many gaps of that length; SIOX_NEVER: the disk is there. */
enum { SAVED = 8 }; /* bursts */
static uint32_t budget_level(const struct state *state, int64_t now, uint32_t disk,
                             const struct siox_view *view, uint32_t base, uint32_t needed,
                             int64_t gap) {
  const struct siox_disk_view *v = &view->disk[disk];
  const struct siox_drive *drive = v->drive;
  if (!state->budget.on)
    return needed;
  for (uint32_t level = base; level < needed; level++) {
    if (!drive->level[level].serves)
      continue;
    if (level < v->level &&
        gap < siox_drive_transition_ns(drive, speed_of(v, v->level), drive->level[level].speed))
      continue; /* the next request would wait for it */
    double bursts = affordable(state, now, disk, view, level);
    bool last = state->budget.disk[disk].level == level + 1;
    if (bursts >= (last ? 1 : SAVED) &&
        (gap == SIOX_NEVER || bursts * (double)gap >= 2 * (double)siox_drive_min_gap(drive, level)))
      return level;
  }
  return needed;
}

/* Raises the wish for every need ahead whose transition must start by now, and wakes for the
 * others. Within a budget a need gets no more than need->next_level, and when it is due perhaps no
 * more than the disk has. */
static void lead(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view,
                 const struct need *need, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  struct siox__budget_disk *b = &state->budget.disk[disk];
  uint32_t base = wish->level, cursor = 0, client, job, asked;
  uint32_t top = v->drive->nlevels - 1;
  if (state->budget.on && need->next_level < top)
    top = need->next_level;
  int64_t from, way = siox_drive_transition_ns(v->drive, speed_of(v, base), speed_of(v, top));
  int64_t until = siox__later(need->next, top > base && way > 0 ? way + state->busy[disk] : 0);
  struct siox_claim_entry entry;
  while (siox__claims_next(view->claims, disk, reach(state, now, until), &cursor, &client, &job,
                           &entry)) {
    if (!demand_of(state, v->drive, client, &entry, &from, &asked) || from <= now)
      continue;
    uint32_t level = state->budget.on && asked > need->next_level ? need->next_level : asked;
    int64_t up = level > base
                     ? siox_drive_transition_ns(v->drive, speed_of(v, base), speed_of(v, level))
                     : 0;
    int64_t start = from - (up > 0 ? up + state->busy[disk] : 0);
    bool stays = level < asked && level <= base; /* nothing will be due for it */
    if (start > now) {
      wish->wake = siox__sooner(wish->wake, start);
      if (!stays)
        continue;
    }
    if (!stays && state->budget.on && !b->serving)
      level = budget_level(state, now, disk, view, base, level, SIOX_NEVER);
    if (level < asked) {
      if (!b->serving || b->level < level + 1)
        b->level = level + 1;
      b->serving = true;
    } else if (!b->serving) {
      b->level = 0;
    }
    wish->wake = siox__sooner(wish->wake, from);
    if (level > wish->level) {
      wish->level = level;
      wish->job = job;
      wish->deadline = from;
    }
  }
}

/* A need in force that is served at the disk's level goes on so until the budget of one of the jobs
 * is spent and the burst has cost as much as the way up. */
static bool goes_on(const struct state *state, int64_t now, uint32_t disk,
                    const struct siox_view *view, const struct need *need) {
  const struct siox_disk_view *v = &view->disk[disk];
  const struct siox__budget_disk *b = &state->budget.disk[disk];
  if (!state->budget.on || !b->serving || v->level >= need->floor || v->target >= need->floor)
    return false;
  int64_t up = siox_drive_transition_ns(v->drive, speed_of(v, v->level), speed_of(v, need->floor));
  bool dear = b->now.cost[v->level] >= up;
  uint32_t cursor = 0, client, job, level;
  struct siox_claim_entry entry;
  int64_t from;
  while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry))
    if (siox__entry_end(view, disk, &entry) > now &&
        demand_of(state, v->drive, client, &entry, &from, &level) && from <= now &&
        level > v->level &&
        (view->job[job].budget <= 0 || (dear && siox__budget_room(view, job, now) < 0)))
      return false;
  return true;
}

/* Says once why the disk stays or goes below a claim in force, with the command that does it. */
static void explain(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view,
                    const struct need *need, bool budget, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  bool *told = &state->budget.disk[disk].told;
  if ((!budget && !need->withheld) || v->target >= need->claimed)
    *told = false;
  if ((budget || need->withheld) && wish->level < need->claimed && !*told &&
      (wish->level >= v->level || v->free_at <= now || v->level < need->claimed)) {
    wish->cause = need->withheld ? SIOX_CAUSE_SHARE : SIOX_CAUSE_BUDGET;
    *told = true;
  }
}

static void wish(void *memory, int64_t now, uint32_t disk, const struct siox_event *event,
                 const struct siox_view *view, struct siox__wish *wish) {
  struct state *state = memory;
  const struct siox_disk_view *v = &view->disk[disk];
  struct need need = gather(state, now, disk, event, view, wish);
  wish->unclaimed = !need.any;
  if (!need.any)
    return;
  struct siox__budget_disk *b = &state->budget.disk[disk];
  bool budget = goes_on(state, now, disk, view, &need);
  if (!budget && (event->kind == SIOX_EVENT_CLAIM || v->level < need.floor))
    b->serving = false; /* another gap, or an end of the budget */
  if (budget) {
    wish->level = v->target > v->level ? v->target : v->level;
    wish->wake = siox__sooner(wish->wake, need.next);
  } else if (need.next == SIOX_NEVER) {
    wish->level = need.floor > siox__lowest(v->drive) ? need.floor : siox__lowest(v->drive);
    wish->job = need.floor_job;
  } else {
    if (b->serving && need.next_level >= b->level)
      need.next_level = b->level - 1;
    else if (state->budget.on)
      need.next_level = budget_level(state, now, disk, view, siox__lowest(v->drive),
                                     need.next_level, need.next - now);
    wish->level = plan(now, v, &need, &wish->asked);
    wish->job = wish->level > need.floor ? need.next_job : need.floor_job;
    lead(state, now, disk, view, &need, wish);
    if (v->free_at > now) /* settled then: there may be more to gain or to lose */
      wish->wake = siox__sooner(wish->wake, v->free_at);
  }
  explain(state, now, disk, view, &need, budget, wish);
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  if (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0 && event->need_by > now) {
    struct siox_claim_entry hint =
        siox_claims_get(view->claims, event->client, siox_mask_next(event->disks, 0));
    siox__history_promise(&state->history, event->client, event->disks, &hint);
  } else if (event->kind == SIOX_EVENT_ACCESS ||
             (event->kind == SIOX_EVENT_CLAIM && event->flag == 1)) {
    siox__history_use(&state->history, event->client, event->disks, now);
  } else if (event->kind == SIOX_EVENT_LEAVE) {
    siox__history_forget(&state->history, event->client);
  }
  return siox__rule_event(&state->rule, state, wish, now, event, view, out);
}

static int64_t served(void *memory, int64_t now, const struct siox_served *s,
                      const struct siox_view *view) {
  struct state *state = memory;
  bool enough = state->budget.on && siox__budget_note(&state->budget, s, view);
  if (s->level + 1 == view->disk[s->disk].drive->nlevels)
    state->busy[s->disk] = 0;
  else if (s->end - s->arrival > state->busy[s->disk])
    state->busy[s->disk] = s->end - s->arrival;
  if (!enough)
    return SIOX_NEVER;
  siox__due_set(&state->rule.due, s->disk, now + 1); /* the budget is spent: look again */
  return now + 1;
}

const struct siox_policy siox__policy_siox = {.name = "siox",
                                              .lead = SIOX_LEAD_GAP,
                                              .state_size = state_size,
                                              .init = init,
                                              .event = event,
                                              .served = served,
                                              .limits = limits};
