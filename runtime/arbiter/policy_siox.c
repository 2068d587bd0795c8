/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox: claims that say when a disk is needed next. While anybody needs a disk it runs at
 * what is asked. In the gap before the next need it goes to the level that costs least joules from
 * where it is until then, the way back included, and starts back so that the level is reached
 * exactly when it is needed; earlier by the time that requests at the low level keep it, and by a
 * quantile of how early the uses that this site predicted have come (limits.early). A gap that does
 * not pay changes nothing. A release that names no next use goes to the speed it names. */
#include "arbiter/history.h"
#include "arbiter/rule.h"
#include <math.h>

struct state {
  struct siox__rule rule;
  struct siox__history history;
  int64_t *busy; /* per disk: the longest that one request kept it since it was slowed */
};

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + ndisks * sizeof(int64_t) + siox__rule_size(ndisks);
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  if (argument)
    return SIOX_EINVAL;
  state->busy = (int64_t *)(state + 1);
  siox__rule_init(&state->rule, state->busy + view->ndisks, view, true);
  state->history.quantile = view->limits.early;
  return 0;
}

struct need { /* what the claims on one disk come to */
  bool any;
  uint32_t floor; /* needed now, or preferred until an unknown time; 0: none */
  uint32_t floor_job;
  int64_t next; /* earliest need ahead */
  uint32_t next_level, next_job;
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

static struct need gather(const struct state *state, int64_t now, uint32_t disk,
                          const struct siox_event *event, const struct siox_view *view,
                          struct siox__wish *wish) {
  const struct siox_drive *drive = view->disk[disk].drive;
  struct need need = {.next = SIOX_NEVER, .floor_job = SIOX_NOBODY, .next_job = SIOX_NOBODY};
  uint32_t cursor = 0, client, job, level;
  struct siox_claim_entry entry;
  while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry)) {
    int64_t end = siox__entry_end(view, disk, &entry), from = now;
    if (end <= now)
      continue;
    bool demand = demand_of(state, drive, client, &entry, &from, &level);
    if (!demand)
      level = siox__level_for(drive, entry.speed);
    need.any = true;
    wish->wake = siox__sooner(wish->wake, end);
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

/* Raises the wish for every need ahead whose transition must start by now, and wakes for the
 * others. */
static void lead(const struct state *state, int64_t now, uint32_t disk,
                 const struct siox_view *view, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  uint32_t base = wish->level, cursor = 0, client, job, level;
  int64_t from;
  struct siox_claim_entry entry;
  while (siox_claims_next(view->claims, disk, &cursor, &client, &job, &entry)) {
    if (!demand_of(state, v->drive, client, &entry, &from, &level) || from <= now)
      continue;
    int64_t up = level > base
                     ? siox_drive_transition_ns(v->drive, speed_of(v, base), speed_of(v, level))
                     : 0;
    int64_t start = from - (up > 0 ? up + state->busy[disk] : 0);
    if (start > now) {
      wish->wake = siox__sooner(wish->wake, start);
    } else if (level > wish->level) {
      wish->level = level;
      wish->job = job;
      wish->deadline = from;
      wish->wake = siox__sooner(wish->wake, from);
    }
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
  if (need.next == SIOX_NEVER) {
    wish->level = need.floor;
    wish->job = need.floor_job;
    return;
  }
  wish->level = plan(now, v, &need, &wish->asked);
  wish->job = wish->level > need.floor ? need.next_job : need.floor_job;
  lead(state, now, disk, view, wish);
  if (v->free_at > now) /* settled then: there may be more to gain or to lose */
    wish->wake = siox__sooner(wish->wake, v->free_at);
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  if (event->kind == SIOX_EVENT_ACCESS && state->history.quantile > 0) {
    struct siox_claim_entry hint =
        siox_claims_get(view->claims, event->client, siox_mask_next(event->disks, 0));
    siox__history_note(&state->history, event->client, &hint, now);
  } else if (event->kind == SIOX_EVENT_LEAVE) {
    siox__history_forget(&state->history, event->client);
  }
  return siox__rule_event(&state->rule, state, wish, now, event, view, out);
}

static int64_t served(void *memory, int64_t now, const struct siox_served *s,
                      const struct siox_view *view) {
  struct state *state = memory;
  (void)now;
  if (s->level + 1 == view->disk[s->disk].drive->nlevels)
    state->busy[s->disk] = 0;
  else if (s->end - s->arrival > state->busy[s->disk])
    state->busy[s->disk] = s->end - s->arrival;
  return SIOX_NEVER;
}

const struct siox_policy siox__policy_siox = {.name = "siox",
                                              .lead = SIOX_LEAD_GAP,
                                              .state_size = state_size,
                                              .init = init,
                                              .event = event,
                                              .served = served};
