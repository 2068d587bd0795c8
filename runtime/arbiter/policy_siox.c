/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox: claims that say when a disk is needed next. While anybody needs a disk it runs at
 * what is asked. In the gap before the next need it goes to the level that costs least joules from
 * where it is until then, the way back included, and starts back so that the level is reached
 * exactly when it is needed; earlier by the time that requests at the low level keep it, and by a
 * quantile of how early the uses that this site predicted have come (limits.early). A gap that does
 * not pay changes nothing. A release that names no next use goes to the speed it names. */
#include "arbiter/budget.h"
#include "arbiter/claims.h"
#include "arbiter/gap.h"
#include "arbiter/history.h"
#include "arbiter/share.h"
#include "arbiter/want.h"
#include <math.h>

/* What a claim asks of a disk, in order of time; at most two. */
struct demands {
  int count;
  bool vague; /* the use may come early */
  struct demand {
    int64_t from;
    uint32_t level;
  } at[2];
};

enum { KEPT = 256 }; /* claims of a disk whose demands are not worked out twice */

struct state {
  struct siox__rule rule;
  struct siox__history history;
  struct siox__share share;
  struct siox__budget budget;
  int64_t *busy;    /* per disk: the longest that one request kept it since it was slowed */
  uint32_t *holder; /* per disk: a client whose margin, or use, keeps it at the highest level */
  struct climb {
    const struct siox_drive *drive;
    uint32_t to;
    int64_t ns[SIOX_MAX_LEVELS]; /* from each level below; SIOX_NEVER: it cannot be */
    int64_t least;               /* of these */
  } climb; /* the one that was asked for last: claims on a disk mostly agree */
  struct {
    uint32_t count;
    uint32_t client[KEPT + 1]; /* the last place is for those beyond */
    struct demands of[KEPT + 1];
  } kept; /* what gather() has found, in ascending order of clients */
};

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + siox__budget_size(ndisks) +
         siox__history_places(ndisks) * sizeof(struct siox__promise) +
         ndisks * (sizeof(int64_t) + sizeof(uint32_t)) + siox__rule_size(ndisks) +
         siox__share_size(ndisks) + ndisks * sizeof(struct siox__round);
}

static uint32_t serves(const void *memory, uint32_t disk) {
  return ((const struct state *)memory)->budget.disk[disk].serve;
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  (void)argument; /* read by limits() */
  siox__budget_init(&state->budget, state + 1, view);
  state->busy = (int64_t *)(state->budget.disk + view->ndisks);
  state->history.round = (struct siox__round *)(state->busy + view->ndisks);
  state->history.promise = (struct siox__promise *)(state->history.round + view->ndisks);
  state->history.npromises = siox__history_places(view->ndisks);
  char *rest = (char *)(state->history.promise + state->history.npromises);
  siox__rule_init(&state->rule, rest, view, true);
  rest += siox__rule_size(view->ndisks);
  siox__share_init(&state->share, rest, view);
  state->holder = (uint32_t *)(rest + siox__share_size(view->ndisks));
  for (uint32_t d = 0; d < view->ndisks; d++) {
    state->holder[d] = SIOX_NOBODY;
    state->history.round[d] =
        (struct siox__round){.begun = INT64_MIN, .best = INT64_MIN, .bound = INT64_MIN};
  }
  state->rule.waits = true;
  state->rule.serves = state->budget.on ? serves : NULL;
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

/* Part of what staying takes that a gap must save where its use may come early: a disk that is not
 * ready costs more than its wait, for those who took turns meet in queues afterwards. */
#define WORTH 0.05

struct need { /* what the claims on one disk come to */
  bool any;
  uint32_t floor; /* needed now, or preferred until an unknown time; 0: none */
  uint32_t floor_job;
  uint32_t holder; /* the client that needs the highest level, now and longest */
  int64_t held;    /* until then */
  int64_t next;    /* earliest need ahead */
  uint32_t next_level, next_job;
  bool now;                 /* somebody uses it now, as was said: without margins */
  int64_t said;             /* and next */
  bool known;               /* uses that the next need's site predicted have been judged */
  bool vague;               /* the next use may come early */
  int64_t room;             /* ns that the one with the least may still lose; below 0: no risks */
  bool withheld;            /* somebody's claims do not count: over its share */
  bool ended;               /* a claim for a use ahead is over already */
  uint32_t claimed;         /* greatest level in force, withheld ones included */
  bool untold;              /* all who need it now are in pauses that they did not tell of: */
  struct siox__pause pause; /* of these what holds for all */
};

static double speed_of(const struct siox_disk_view *v, uint32_t level) {
  return v->drive->level[level].speed;
}

/* The lowest level from which a client can bear to wait for another one. */
static uint32_t borne(struct climb *climb, const struct siox_drive *drive, uint32_t level,
                      int64_t wait) {
  if (wait <= 0)
    return level;
  if (climb->drive != drive || climb->to != level) {
    climb->drive = drive;
    climb->to = level;
    climb->least = SIOX_NEVER;
    for (uint32_t l = 0; l < level; l++) {
      int64_t up =
          siox_drive_transition_ns(drive, drive->level[l].speed, drive->level[level].speed);
      climb->ns[l] = up < 0 ? SIOX_NEVER : up;
      climb->least = siox__sooner(climb->least, climb->ns[l]);
    }
  }
  if (wait < climb->least)
    return level;
  uint32_t l = 0;
  while (l < level && climb->ns[l] > wait)
    l++;
  return l;
}

/* As siox__entry_demand, and within a delay budget no more than the level that the disk serves at.
 * As long before as the site's uses have come early, there is to be nothing left to wait for but
 * what the client can bear. */
static void demands_of(struct state *state, const struct siox_view *view, uint32_t disk,
                       uint32_t client, uint32_t job, const struct siox_claim_entry *entry,
                       struct demands *out) {
  const struct siox_drive *drive = view->disk[disk].drive;
  struct demand d;
  out->count = 0;
  out->vague = false;
  if (!siox__entry_demand(drive, entry, true, &d.from, &d.level))
    return;
  if (state->budget.on && view->job[job].budget > 0 && d.level > state->budget.disk[disk].serve)
    d.level = state->budget.disk[disk].serve;
  int64_t margin = siox__history_margin(&state->history, client, entry);
  if (margin > 0) {
    int64_t from = d.from > margin ? d.from - margin : 0;
    int64_t earliest = siox__history_earliest(&state->history, client, disk, from);
    if (earliest > from)
      from = earliest < d.from ? earliest : d.from;
    uint32_t level =
        borne(&state->climb, drive, d.level, siox__history_bears(&state->history, client));
    out->at[out->count++] = (struct demand){from, level};
    out->vague = true;
    if (level >= d.level)
      return;
  }
  out->at[out->count++] = d;
}

/* The user whose needs do not count on this disk, because it holds its share of others already. */
static uint32_t withheld_user(struct state *state, int64_t now, uint32_t disk,
                              const struct siox_view *view) {
  if (!state->share.most)
    return SIOX_NOBODY;
  uint32_t top = SIOX_NOBODY, top_level = 0, other_level = 0, client, job;
  bool others = false;
  struct siox_claim_entry entry;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t cursor = 0;
    while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry)) {
      if (siox__entry_end(view, disk, &entry) <= now)
        continue;
      struct demands d;
      demands_of(state, view, disk, client, job, &entry, &d);
      bool in_force = d.count > 0 && d.at[0].from <= now;
      uint32_t level = d.at[d.count > 1 && d.at[1].from <= now].level;
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

/* A job needs the disk now: it may be silent nevertheless. A use that was named and may come early
 * is no pause. */
static void note_pause(struct state *state, int64_t now, const struct siox_view *view, uint32_t job,
                       bool early, struct need *need) {
  struct siox__pause p = {.next = now, .again = SIOX_NEVER};
  if (!early)
    p = siox__pauses_now(&state->budget.pauses, view, job, now);
  need->pause.next = need->untold ? siox__sooner(need->pause.next, p.next) : p.next;
  need->pause.again = need->untold ? siox__sooner(need->pause.again, p.again) : p.again;
  need->pause.count = need->untold && need->pause.count < p.count ? need->pause.count : p.count;
  need->untold = true;
}

/* Claims that only name a use after this time do not matter beside a need that is next; most: of
 * all margins. */
static int64_t reach(int64_t now, int64_t next, int64_t most) {
  return siox__later(next > now ? next : now, most);
}

static struct need gather(struct state *state, int64_t now, uint32_t disk,
                          const struct siox_event *event, const struct siox_view *view,
                          struct siox__wish *wish) {
  const struct siox_drive *drive = view->disk[disk].drive;
  struct need need = {.room = SIOX_NEVER,
                      .next = SIOX_NEVER,
                      .said = SIOX_NEVER,
                      .holder = SIOX_NOBODY,
                      .floor_job = SIOX_NOBODY,
                      .next_job = SIOX_NOBODY};
  uint32_t without = withheld_user(state, now, disk, view);
  uint32_t last = SIOX_NOBODY;   /* job whose room was looked at */
  uint32_t paused = SIOX_NOBODY; /* and its pause */
  int64_t look_at = state->budget.disk[disk].look_at;
  bool pausing = siox__pause_is_due(look_at, now);
  struct siox__freed freed;
  bool apart = state->rule.greatest && siox__freed(view, disk, now, &freed);
  if (apart && freed.count) {
    need.any = true;
    need.floor = freed.level;
    need.floor_job = freed.job;
    wish->wake = siox__sooner(wish->wake, freed.end);
    wish->withheld |= freed.count > 1 || freed.client != event->client;
  }
  struct siox__claims_walk walk =
      siox__claims_walk(view->claims, disk, apart ? SIOX__SOME_TIME : INT64_MIN);
  const struct siox__claimant *c;
  int64_t most = siox__history_most(&state->history);
  state->kept.count = 0;
  while ((c = siox__claims_next(&walk, reach(now, need.next, most)))) {
    const struct siox_claim_entry *entry = &c->entry;
    uint32_t client = c->client, job = c->job;
    int64_t end = siox__entry_end(view, disk, entry);
    if (end <= now) {
      need.ended |= entry->need_by > now;
      continue;
    }
    uint32_t kept = state->kept.count < KEPT ? state->kept.count++ : KEPT;
    const struct demands *d = &state->kept.of[kept];
    state->kept.client[kept] = client;
    demands_of(state, view, disk, client, job, entry, &state->kept.of[kept]);
    bool demand = d->count > 0;
    struct demands preference; /* from now on */
    if (!demand) {
      preference.count = 1;
      preference.vague = false;
      preference.at[0] = (struct demand){now, siox__level_for(drive, entry->speed)};
      d = &preference;
    }
    need.any = true;
    wish->wake = siox__sooner(wish->wake, end);
    if (state->budget.on && job != last)
      need.room = siox__sooner(need.room, siox__budget_room(view, job, now));
    last = job;
    int64_t said = entry->flag == 1 || entry->need_by <= now ? now : entry->need_by;
    need.now |= demand && said <= now;
    need.said = demand && said > now && said < need.said ? said : need.said;
    for (int i = 0; i < d->count; i++) {
      int64_t from = d->at[i].from;
      uint32_t level = d->at[i].level;
      if (from <= now && demand) {
        uint32_t asked = level;
        int64_t since;
        if (state->budget.on)
          siox__entry_demand(drive, entry, true, &since, &asked);
        need.claimed = asked > need.claimed ? asked : need.claimed;
        if (pausing && (job != paused || said > now)) {
          note_pause(state, now, view, job, said > now, &need);
          paused = job;
        }
      }
      if (from <= now && demand && view->user && view->user[job] == without) {
        need.withheld = true;
        continue;
      }
      if (from <= now) {
        bool first = apart && level == need.floor && client < freed.client;
        if (level > need.floor || need.floor_job == SIOX_NOBODY || first) {
          freed.client = client;
          need.floor = level;
          need.floor_job = job;
        }
        if (demand && level + 1 == drive->nlevels && end > need.held) {
          need.holder = client;
          need.held = end;
        }
        wish->withheld |= client != event->client;
        continue;
      }
      if (from < need.next || (from == need.next && level > need.next_level)) {
        need.next = from;
        need.known = siox__history_knows(&state->history, client, entry);
        need.vague = d->vague;
        need.next_level = level;
        need.next_job = job;
      }
    }
  }
  return need;
}

/* Does wear forbid to go down to a level now? */
static bool worn(const struct siox_disk_view *v, int64_t now, uint32_t level) {
  for (int w = SIOX_WEAR_LOAD; level < v->level && w < SIOX_NWEAR; w++)
    if (v->wear_from[w] > now && (int)siox_drive_wear(v->drive, level) >= w &&
        (int)siox_drive_wear(v->drive, v->level) < w)
      return true;
  return false;
}

/* Would the disk have to be turned on its way to a level to be back in time? Such short gaps save
 * little and are missed by little, so a site's predictions must have been judged before. */
static bool dares(const struct siox_disk_view *v, const struct siox__stand *stand,
                  const struct need *need, uint32_t level) {
  int64_t down = siox_drive_transition_ns(v->drive, stand->speed, speed_of(v, level));
  int64_t up =
      siox_drive_transition_ns(v->drive, speed_of(v, level), speed_of(v, need->next_level));
  bool moving = stand->speed != speed_of(v, v->level);
  return need->known || moving || level >= v->level || need->next - stand->at >= down + up;
}

/* The level for the gap that ends at need.next, from where the disk stands. Staying wins ties, so
 * that nothing changes without profit, and where the use may come early without WORTH.
 * *asked: 1 + the level it would be if nothing wore, where that is another one. Where somebody has
 * let the disk go without saying until when, it keeps serving. */
static uint32_t plan(int64_t now, const struct siox_disk_view *v, const struct siox__stand *stand,
                     const struct need *need, uint32_t *asked) {
  uint32_t first = need->floor_job == SIOX_NOBODY ? 0 : need->floor;
  if (need->room < 0 && need->next_level > first)
    first = need->next_level;
  uint32_t last = need->next_level > first ? need->next_level : first;
  uint32_t best = v->level >= first ? v->level : first, ideal = best;
  double least = siox__gap_joules(v->drive, stand, best, need->next, need->next_level);
  double most = least;
  double enough = isinf(least) ? least : least - (need->vague ? WORTH : 1e-9) * fabs(least);
  for (uint32_t level = first; level <= last; level++) {
    double joules = level == best || !dares(v, stand, need, level)
                        ? INFINITY
                        : siox__gap_joules(v->drive, stand, level, need->next, need->next_level);
    if (joules >= enough)
      continue;
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

/* Raises the wish for every need ahead whose way up must start by now, and wakes for the others.
 * Nothing has changed since gather() looked at the claims. */
static void lead(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view,
                 const struct need *need, const struct siox__stand *stand,
                 struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  uint32_t base = wish->level, top = v->drive->nlevels - 1;
  uint32_t highest = state->budget.on && !view->unbudgeted ? state->budget.disk[disk].serve : top;
  if (base >= highest && !need->ended) { /* nobody ahead asks for more */
    wish->wake = siox__sooner(wish->wake, need->next);
    return;
  }
  int64_t way;
  double joules;
  if (siox__walk(v->drive, speed_of(v, base), speed_of(v, top), &way, &joules) < 0)
    way = 0;
  int64_t until = siox__later(need->next, top > base ? way + state->busy[disk] : 0);
  struct siox__ways ways = {.level = SIOX_NOBODY};
  struct siox__claims_walk walk = siox__claims_walk(view->claims, disk, siox__later(now, 1));
  const struct siox__claimant *c;
  int64_t most = siox__history_most(&state->history);
  uint32_t kept = 0;
  while ((c = siox__claims_next(&walk, reach(now, until, most)))) {
    struct demands other;
    const struct demands *d = &other;
    while (kept < state->kept.count && state->kept.client[kept] < c->client)
      kept++;
    if (kept < state->kept.count && state->kept.client[kept] == c->client)
      d = &state->kept.of[kept];
    else
      demands_of(state, view, disk, c->client, c->job, &c->entry, &other);
    for (int i = 0; i < d->count; i++) {
      int64_t from = d->at[i].from, start = from;
      uint32_t level = d->at[i].level;
      if (from <= now)
        continue;
      if (level > base && level != ways.level)
        siox__find_ways(v->drive, stand, base, level, &ways);
      if (level > base)
        start = siox__start_for(v->drive, stand, &ways, from - state->busy[disk]);
      wish->wake = siox__sooner(wish->wake, start > now ? start : from);
      if (start <= now && level > wish->level) {
        wish->level = level;
        wish->job = c->job;
        wish->deadline = from;
      }
    }
  }
}

/* Says once why the disk stays or goes below a claim in force, with the command that does it. */
static void explain(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view,
                    const struct need *need, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  bool *told = &state->budget.disk[disk].told;
  bool under = need->withheld || need->floor < need->claimed;
  if (!under || v->target >= need->claimed)
    *told = false;
  if (under && !wish->kept && wish->level < need->claimed && !*told &&
      (wish->level >= v->level || v->free_at <= now || v->level < need->claimed)) {
    wish->cause = need->withheld ? SIOX_CAUSE_SHARE : SIOX_CAUSE_BUDGET;
    *told = true;
  }
}

/* A gap: where it goes, and when back. Unless a need is late the disk goes step by step, and the
 * next step is asked for when one is done. */
static void gap(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view,
                const struct need *need, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  struct siox__stand stand = siox__stand_of(v, now);
  wish->level = plan(now, v, &stand, need, &wish->asked);
  /* It is not slowed before it is free, so there is no way back to plan. */
  if (v->free_at > now && wish->level < v->level)
    wish->level = v->level;
  wish->job = wish->level > need->floor ? need->next_job : need->floor_job;
  lead(state, now, disk, view, need, &stand, wish);
  if (v->free_at > now) /* settled then: there may be more to gain or to lose */
    wish->wake = siox__sooner(wish->wake, v->free_at);
  if (need->floor_job != SIOX_NOBODY && wish->level == need->floor)
    return;
  uint32_t step = siox__walk_step(v->drive, stand.speed, wish->level);
  if (step == wish->level || step < need->floor)
    return;
  wish->level = step;
  int64_t ns = siox_drive_transition_ns(v->drive, stand.speed, speed_of(v, step));
  wish->wake = siox__sooner(wish->wake, siox__later(stand.at, ns > 0 ? ns : 0));
}

/* Does anybody need the disk later? */
static bool ahead(struct state *state, int64_t now, uint32_t disk, const struct siox_view *view) {
  struct siox__claims_walk walk = siox__claims_walk(view->claims, disk, siox__later(now, 1));
  const struct siox__claimant *c;
  while ((c = siox__claims_next(&walk, SIOX_NEVER))) {
    struct demands d;
    demands_of(state, view, disk, c->client, c->job, &c->entry, &d);
    if (d.count > 0 && d.at[d.count - 1].from > now && siox__entry_end(view, disk, &c->entry) > now)
      return true;
  }
  return false;
}

/* With budgets, as the rule's stays() without: the disk has the level that it serves all needs at,
 * and another client's claim keeps it there, whatever else is said. Where that claim asks for more,
 * it must have been told already. */
static bool stands(struct state *state, int64_t now, uint32_t disk, const struct siox_event *event,
                   const struct siox_view *view, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  struct siox__budget_disk *b = &state->budget.disk[disk];
  bool highest = v->level + 1 == v->drive->nlevels;
  if (!state->budget.on || state->share.most || v->target != v->level || v->level != b->serve)
    return false;
  int64_t end;
  if ((!highest && (view->unbudgeted || !b->told)) ||
      !siox__rule_witness(&state->rule, now, disk, event, view, !highest, &end))
    return false;
  if (event->kind == SIOX_EVENT_CLAIM && ahead(state, now, disk, view)) {
    siox__budget_choose(&state->budget, view, now, disk, now, now);
    if (b->serve != v->level)
      return false;
  }
  b->told = !highest;
  wish->wake = end;
  wish->withheld = true; /* it is another's */
  return true;
}

/* As the rule's stays(), for a client that may come early: while it does, nothing that others say
 * changes the highest level. */
static bool held(struct state *state, int64_t now, uint32_t disk, const struct siox_event *event,
                 const struct siox_view *view, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  uint32_t client = state->holder[disk], top = v->drive->nlevels - 1;
  if (!state->rule.greatest || client == SIOX_NOBODY || v->target != top || v->level != top ||
      (event->kind == SIOX_EVENT_CLAIM && event->client == client))
    return false;
  const struct siox_claim_entry entry = siox_claims_get(view->claims, client, disk);
  int64_t end = entry.flag < 0 ? now : siox__entry_end(view, disk, &entry);
  if (end <= now)
    return false;
  struct demands d;
  demands_of(state, view, disk, client, SIOX_NOBODY, &entry, &d);
  for (int i = 0; i < d.count; i++)
    if (d.at[i].from <= now && d.at[i].level == top) {
      wish->wake = end;
      wish->withheld = true; /* it is another's */
      return true;
    }
  return false;
}

/* A pause that nobody told of: the level to serve at may be another one afterwards. */
static void use_pause(struct state *state, int64_t now, uint32_t disk,
                      const struct siox_event *event, const struct siox_view *view,
                      struct need *need, struct siox__wish *wish) {
  struct siox__budget_disk *b = &state->budget.disk[disk];
  uint32_t serves = b->serve;
  int64_t next = siox__sooner(need->pause.next, need->next);
  int64_t step = state->budget.pauses.step, least = step - step / SIOX__PAUSE_REST;
  if (view->disk[disk].free_at <= now && next - now >= least && b->used) {
    siox__budget_pause(&state->budget, view, now, disk, next, need->pause.count);
    b->look_at = 0;
    if (b->serve != serves)
      *need = gather(state, now, disk, event, view, wish);
    return;
  }
  b->look_at = b->used && need->pause.again < SIOX_NEVER ? need->pause.again : 0;
}

static void wish(void *memory, int64_t now, uint32_t disk, const struct siox_event *event,
                 const struct siox_view *view, struct siox__wish *wish) {
  struct state *state = memory;
  const struct siox_disk_view *v = &view->disk[disk];
  uint32_t serves = state->budget.disk[disk].serve;
  struct siox__budget_disk *b = &state->budget.disk[disk];
  bool pausing = siox__pause_is_due(b->look_at, now);
  if (!pausing &&
      (stands(state, now, disk, event, view, wish) || held(state, now, disk, event, view, wish))) {
    if (b->look_at > 0)
      wish->wake = siox__sooner(wish->wake, b->look_at);
    return;
  }
  bool chosen = state->budget.disk[disk].serve != serves; /* it was, and so cannot stand */
  struct need need = gather(state, now, disk, event, view, wish);
  state->holder[disk] = need.holder;
  wish->unclaimed = !need.any;
  if (!need.any) {
    b->look_at = 0;
    return;
  }
  if (state->budget.on && !chosen && event->kind == SIOX_EVENT_CLAIM && need.said != SIOX_NEVER) {
    int64_t from = v->free_at > now ? v->free_at : now;
    siox__budget_choose(&state->budget, view, now, disk, need.now ? need.said : from, need.said);
    if (state->budget.disk[disk].serve != serves)
      need = gather(state, now, disk, event, view, wish);
  }
  int64_t left = need.now ? 0 : SIOX_NEVER; /* of a gap for the change; a late one may be over */
  if (wish->late && !need.now && need.said < SIOX_NEVER)
    left = need.said - (v->free_at > now ? v->free_at : now);
  if (b->serve < v->level && left < siox__budget_change(v, b->serve) &&
      need.room < siox__budget_change(v, b->serve)) {
    b->serve = v->level; /* it was chosen for others, or for a whole gap */
    need = gather(state, now, disk, event, view, wish);
  }
  if (need.untold)
    use_pause(state, now, disk, event, view, &need, wish);
  else if (pausing)
    b->look_at = 0; /* nobody needs it */
  if (b->look_at > 0)
    wish->wake = siox__sooner(wish->wake, b->look_at);
  if (need.next == SIOX_NEVER) {
    wish->level = need.floor > siox__lowest(v->drive) ? need.floor : siox__lowest(v->drive);
    wish->job = need.floor_job;
  } else {
    gap(state, now, disk, view, &need, wish);
  }
  explain(state, now, disk, view, &need, wish);
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  if (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0 && event->need_by > now) {
    struct siox_claim_entry hint =
        siox_claims_get(view->claims, event->client, siox_mask_next(event->disks, 0));
    siox__history_promise(&state->history, event->client, event->disks, &hint);
    if (state->budget.on)
      siox__pauses_told(&state->budget.pauses, view, event->job, now);
  } else if (event->kind == SIOX_EVENT_ACCESS ||
             (event->kind == SIOX_EVENT_CLAIM && event->flag == 1)) {
    int64_t room = state->budget.on ? siox__budget_room(view, event->job, now) : 0;
    const struct siox_drive *drive = view->disk[siox_mask_next(event->disks, 0)].drive;
    siox__history_use(&state->history, event->client, event->disks, drive, room, now);
  } else if (event->kind == SIOX_EVENT_LEAVE) {
    siox__history_forget(&state->history, event->client, event->disks);
  }
  return siox__rule_event(&state->rule, state, wish, now, event, view, out);
}

static int64_t served(void *memory, int64_t now, const struct siox_served *s,
                      const struct siox_view *view) {
  struct state *state = memory;
  siox__history_served(&state->history, s);
  bool enough = state->budget.on && siox__budget_note(&state->budget, s, view);
  if (s->level + 1 == view->disk[s->disk].drive->nlevels)
    state->busy[s->disk] = 0;
  else if (s->end - s->arrival > state->busy[s->disk])
    state->busy[s->disk] = s->end - s->arrival;
  int64_t look = SIOX_NEVER;
  if (state->budget.on) {
    look = siox__pauses_served(&state->budget.pauses, s, view);
    state->budget.disk[s->disk].look_at = look < SIOX_NEVER ? look : 0;
  }
  if (enough)
    look = now + 1; /* the budget is spent */
  if (look >= state->rule.due.time[s->disk])
    return SIOX_NEVER;
  siox__due_set(&state->rule.due, s->disk, look);
  return look;
}

const struct siox_policy siox__policy_siox = {.name = "siox",
                                              .lead = SIOX_LEAD_GAP,
                                              .state_size = state_size,
                                              .init = init,
                                              .event = event,
                                              .served = served,
                                              .limits = limits};
