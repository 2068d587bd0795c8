/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one rule for the unknown: a disk touched without a live prediction goes to full speed until
 * the touches are `hold` in the past or the one who touched gives the disk up; a claim without I/O
 * for `hold` past its need_by, or as late as it looked ahead, holds nothing any more; and a disk of
 * which nobody says anything falls after `hold` to its lowest serving level, where gaps are planned
 * to its lowest, and after a tenth of that if nobody has used it yet. Where gaps are planned a
 * tenth is enough, too, when all who used a disk are gone, until it is seen that others follow.
 * While somebody has joined and has not said anything yet, no disk leaves full speed. */
#include "arbiter/rule.h"
#include "arbiter/claims.h"
#include <string.h>

enum { FRESH = 10 }; /* part of `hold` for disks that nobody uses: at the default, break-even */

static int64_t freed_until(const struct siox_view *view, uint32_t disk, int64_t since) {
  struct siox_claim_entry entry = {.since = since};
  return siox__entry_end(view, disk, &entry);
}

bool siox__freed(const struct siox_view *view, uint32_t disk, int64_t now,
                 struct siox__freed *freed) {
  const struct siox_claims *claims = view->claims;
  const struct siox__list *list = &claims->list[disk];
  *freed = (struct siox__freed){.end = SIOX_NEVER, .client = SIOX_NOBODY, .job = SIOX_NOBODY};
  if (claims->width > 1)
    return false;
  for (uint32_t l = 0; l < list->nleaves; l++) {
    const struct siox__released *r = &list->leaf[l].released;
    if (r->count == 0 || freed_until(view, disk, r->newest) <= now)
      continue;
    int64_t end = freed_until(view, disk, r->oldest);
    if (r->mixed || end <= now)
      return false;
    uint32_t level = siox__level_for(view->disk[disk].drive, r->speed);
    const struct siox__claimant *first = &list->leaf[l].item[r->first];
    if (freed->count == 0 || level > freed->level) {
      freed->level = level;
      freed->client = first->client;
      freed->job = first->job;
    }
    freed->end = siox__sooner(freed->end, end);
    freed->count += r->count;
  }
  return true;
}

size_t siox__rule_size(uint32_t ndisks) {
  return ndisks * (sizeof(struct siox__rule_disk) + 2 * sizeof(int64_t) + 2 * sizeof(uint32_t));
}

void siox__rule_init(struct siox__rule *rule, void *memory, const struct siox_view *view,
                     bool gap) {
  uint32_t n = view->ndisks;
  rule->gap = gap;
  rule->disk = memory;
  rule->due.time = (int64_t *)(rule->disk + n);
  rule->due.place = (uint32_t *)(rule->due.time + n);
  rule->due.heap = rule->due.place + n;
  rule->due.count = 0;
  rule->kept = rule->due.heap + n; /* twice the room: what follows may need places of 8 bytes */
  rule->nkept = 0;
  for (uint32_t d = 0; d < n; d++) {
    rule->disk[d] = (struct siox__rule_disk){.changed = view->disk[d].idle_since,
                                             .released = SIOX_NOBODY,
                                             .witness = SIOX_NOBODY,
                                             .left = INT64_MIN};
    rule->due.time[d] = SIOX_NEVER;
  }
}

void siox__command(struct siox_commands *out, uint32_t disk, uint32_t level, uint32_t job) {
  if (out->count < out->max)
    out->item[out->count++] = (struct siox_command){.disk = disk, .level = level, .job = job};
}

/* Is the level below what a claim asks for that is in force but for having decayed? */
static bool under_decayed(const struct siox_view *view, uint32_t disk, uint32_t level, bool gap,
                          int64_t now) {
  struct siox__claims_walk walk = siox__claims_walk(view->claims, disk, SIOX__SOME_TIME);
  const struct siox__claimant *c;
  uint32_t asked;
  int64_t from;
  while ((c = siox__claims_next(&walk, now)))
    if (siox__entry_demand(view->disk[disk].drive, &c->entry, gap, &from, &asked) &&
        asked > level && from <= now && (c->entry.flag == 0 || c->entry.until >= now) &&
        siox__entry_end(view, disk, &c->entry) <= now)
      return true;
  return false;
}

/* Does the client's claim on the disk say as much as its touch did? It is served within the delay
 * budget then, and what it touched before it spoke is no reason to do otherwise. */
static bool claimed(const struct siox__rule *rule, const struct siox_view *view, int64_t now,
                    uint32_t disk, const struct siox__claimant *c) {
  if (!rule->gap || !view->job || !(view->job[c->job].budget > 0))
    return false;
  const struct siox_claim_entry entry = siox_claims_get(view->claims, c->client, disk);
  return entry.flag == 1 && entry.until == SIOX_NEVER &&
         siox__entry_predicts(view, disk, &entry, true, now);
}

/* `hold` is for those who come again. Nobody is there who could where all are gone who used the
 * disk, and where nobody has used it yet. */
static int64_t patience(const struct siox__rule *rule, const struct siox_view *view,
                        uint32_t disk) {
  const struct siox__rule_disk *r = &rule->disk[disk];
  const bool nobody = !r->used || (r->left != INT64_MIN && !r->again);
  return rule->gap && nobody ? view->hold[disk] / FRESH : view->hold[disk];
}

/* Has the client, whose job has a delay budget, named a next use of the disk? A touch is that use,
 * come early: what it costs at the level that the disk serves at is in the budget. Where levels are
 * served by budgets (rule->serves) the view has its jobs. */
static bool named(const struct siox__rule *rule, const struct siox_view *view, int64_t now,
                  uint32_t disk, uint32_t client, uint32_t job) {
  if (!rule->serves || view->unbudgeted || !(view->job[job].budget > 0))
    return false;
  const struct siox_claim_entry entry = siox_claims_get(view->claims, client, disk);
  return entry.flag == 0 && entry.need_by > 0 && siox__entry_end(view, disk, &entry) > now;
}

struct pinned { /* by unpredicted touches */
  int64_t full; /* until when at full speed; now or earlier: not at all, */
  int64_t end;  /* and at least at the level that a budget serves at */
  uint32_t job;
};

static struct pinned pinned_until(const struct siox__rule *rule, const struct siox_view *view,
                                  int64_t now, uint32_t disk) {
  int64_t full = view->disk[disk].orphaned, any = INT64_MIN;
  struct siox__claims_walk walk = siox__claims_walk(view->unknown, disk, INT64_MIN);
  const struct siox__claimant *c;
  struct pinned p = {.job = SIOX_NOBODY};
  while ((c = siox__claims_next(&walk, INT64_MAX))) {
    if (c->entry.need_by <= full || claimed(rule, view, now, disk, c))
      continue;
    bool within = named(rule, view, now, disk, c->client, c->job);
    int64_t *last = within ? &any : &full;
    if (c->entry.need_by > *last && (!within || p.job == SIOX_NOBODY))
      p.job = c->job;
    *last = c->entry.need_by > *last ? c->entry.need_by : *last;
  }
  p.full = full == INT64_MIN ? full : siox__later(full, patience(rule, view, disk));
  p.end = any == INT64_MIN ? any : siox__later(any, patience(rule, view, disk));
  return p;
}

/* Does the entry ask for the level that the disk has, or above it, now? Margins do not count: they
 * may become smaller. Without gaps a release asks for the level that it names. */
static bool keeps(const struct siox__rule *rule, int64_t now, uint32_t disk,
                  const struct siox_view *view, const struct siox_claim_entry *entry, bool above) {
  const struct siox_disk_view *v = &view->disk[disk];
  uint32_t level;
  int64_t from = 0;
  if (entry->flag < 0)
    return false;
  if (!rule->gap)
    level = siox__level_for(v->drive, entry->speed);
  else if (!siox__entry_demand(v->drive, entry, true, &from, &level))
    return false;
  return from <= now && (above ? level > v->level : level == v->level) &&
         siox__entry_end(view, disk, entry) > now;
}

/* Finds the claim that came last, as it is likely to be there longest; not that of a client. */
static uint32_t find_witness(const struct siox__rule *rule, int64_t now, uint32_t disk,
                             const struct siox_view *view, uint32_t without, bool above) {
  const struct siox_disk_view *v = &view->disk[disk];
  /* Where gaps count, who has let it go asks for nothing. */
  struct siox__claims_walk walk =
      siox__claims_walk(view->claims, disk, rule->gap ? SIOX__SOME_TIME : INT64_MIN);
  const struct siox__claimant *c;
  uint32_t found = SIOX_NOBODY;
  int64_t last = INT64_MIN;
  int64_t until = rule->gap || v->level + 1 == v->drive->nlevels ? now : INT64_MAX;
  while ((c = siox__claims_next(&walk, until))) {
    int64_t made = c->entry.need_by > c->entry.since ? c->entry.need_by : c->entry.since;
    if (made > last && c->client != without && keeps(rule, now, disk, view, &c->entry, above)) {
      last = made;
      found = c->client;
    }
  }
  return found;
}

bool siox__rule_witness(struct siox__rule *rule, int64_t now, uint32_t disk,
                        const struct siox_event *event, const struct siox_view *view, bool above,
                        int64_t *end) {
  struct siox__rule_disk *r = &rule->disk[disk];
  uint32_t without = event->kind == SIOX_EVENT_CLAIM ? event->client : SIOX_NOBODY;
  struct siox_claim_entry entry = {.flag = -1};
  if (r->witness != SIOX_NOBODY && r->witness != without)
    entry = siox_claims_get(view->claims, r->witness, disk);
  if (!keeps(rule, now, disk, view, &entry, above)) {
    r->witness = find_witness(rule, now, disk, view, without, above);
    if (r->witness == SIOX_NOBODY)
      return false;
    entry = siox_claims_get(view->claims, r->witness, disk);
  }
  *end = siox__entry_end(view, disk, &entry);
  return true;
}

/* Most disks with many clients have their level because one of them asks for it and nobody asks for
 * more, and what the others say changes nothing before that claim ends: then a policy is not asked.
 * The highest level is known to be the greatest; of others the last look has to have found it. */
static bool stays(struct siox__rule *rule, int64_t now, uint32_t disk,
                  const struct siox_event *event, const struct siox_view *view,
                  struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  struct siox__rule_disk *r = &rule->disk[disk];
  bool speaks = event->kind == SIOX_EVENT_CLAIM, highest = v->level + 1 == v->drive->nlevels;
  if (!rule->greatest || v->target != v->level)
    return false;
  if (!highest &&
      (rule->gap || !r->settled || (speaks && siox__level_for(v->drive, event->speed) > v->level)))
    return false;
  if (!siox__rule_witness(rule, now, disk, event, view, false, &wish->wake))
    return false;
  wish->withheld = true; /* it is another's */
  return true;
}

static bool somebody(const struct siox_claims *claims, uint32_t disk) {
  struct siox__claims_walk walk = siox__claims_walk(claims, disk, INT64_MIN);
  return siox__claims_next(&walk, INT64_MAX) != NULL;
}

/* Are all gone who used the disk, and did others follow the last time? */
static void note_users(struct siox__rule_disk *rule, int64_t now, uint32_t disk,
                       const struct siox_event *event, const struct siox_view *view) {
  if (event->kind == SIOX_EVENT_LEAVE) {
    if (!somebody(view->claims, disk) && !somebody(view->unknown, disk))
      rule->left = now;
  } else if (event->kind == SIOX_EVENT_OPEN || event->kind == SIOX_EVENT_ACCESS ||
             (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0)) {
    if (rule->left != INT64_MIN)
      rule->again = now <= siox__later(rule->left, view->hold[disk]);
    rule->left = INT64_MIN;
  }
}

static void note(struct siox__rule_disk *rule, int64_t now, const struct siox_event *event) {
  switch (event->kind) {
  case SIOX_EVENT_CLAIM:
    rule->used = true;
    rule->changed = event->need_by > now ? event->need_by : now;
    rule->released = event->job;
    break;
  case SIOX_EVENT_LEAVE:
    rule->changed = now;
    rule->released = event->job;
    break;
  case SIOX_EVENT_OPEN:
  case SIOX_EVENT_ACCESS:
    rule->used = true;
    rule->released = SIOX_NOBODY; /* touched without a prediction */
    break;
  default:
    break;
  }
}

static void count_hint(const struct siox_event *event, const struct siox_disk_view *v,
                       const struct siox__wish *wish, struct siox_commands *out) {
  if (event->kind != SIOX_EVENT_CLAIM || event->flag < 0)
    return;
  bool slower =
      event->flag == 0 && wish->withheld && wish->level > siox__level_for(v->drive, event->speed);
  out->granted += !slower;
  out->refused += slower;
}

/* A disk of which nobody says anything falls to its lowest level that serves `hold` after it was
 * used or spoken of last. Under siox it may sleep below that, but not before it has been idle for
 * as long as sleeping takes to pay: more touches may come, and each would wait for it to wake. */
static void sink(const struct siox__rule *rule, int64_t now, uint32_t disk,
                 const struct siox_view *view, struct siox__wish *wish) {
  const struct siox_disk_view *v = &view->disk[disk];
  int64_t quiet =
      v->idle_since > rule->disk[disk].changed ? v->idle_since : rule->disk[disk].changed;
  uint32_t serving = siox__lowest(v->drive), level = SIOX_MAX_LEVELS;
  int64_t end = siox__later(quiet, patience(rule, view, disk)), sleep = SIOX_NEVER;
  if (rule->gap && serving > 0) {
    sleep = siox__later(quiet, siox_drive_min_gap(v->drive, 0));
    sleep = sleep > end ? sleep : end;
  }
  if (now >= end)
    level = now >= sleep ? 0 : serving;
  wish->level = level < wish->level ? level : wish->level;
  if (now < sleep)
    wish->wake = siox__sooner(wish->wake, now < end ? end : sleep);
}

/* What is wished for is asked again when nobody is waited for any more. */
static void keep(struct siox__rule *rule, uint32_t disk, uint32_t level, struct siox__wish *wish) {
  wish->level = level;
  wish->asked = 0;
  wish->withheld = true;
  if (!rule->disk[disk].kept)
    rule->kept[rule->nkept++] = disk;
  rule->disk[disk].kept = true;
}

static void let_go(struct siox__rule *rule, int64_t now, const struct siox_view *view) {
  while (rule->nkept && now >= view->silent) {
    uint32_t d = rule->kept[--rule->nkept];
    rule->disk[d].kept = false;
    rule->disk[d].late = true;
    siox__due_set(&rule->due, d, siox__sooner(now, rule->due.time[d]));
  }
}

/* A use that came early is served like the others: no slower than the disk is now. */
static void serve_within(struct siox__rule *rule, const void *state, uint32_t disk,
                         const struct siox_view *view, const struct pinned *pinned,
                         struct siox__wish *wish) {
  uint32_t level = rule->serves(state, disk), present = view->disk[disk].level;
  level = level > present ? level : present;
  wish->wake = siox__sooner(wish->wake, pinned->end);
  if (wish->level >= level)
    return;
  wish->level = level;
  wish->job = pinned->job;
  wish->asked = 0;
  wish->withheld = true;
  rule->disk[disk].settled = false;
}

static void look(struct siox__rule *rule, void *state, siox__wish_fn wish_fn, int64_t now,
                 uint32_t disk, const struct siox_event *event, const struct siox_view *view,
                 struct siox_commands *out) {
  const struct siox_disk_view *v = &view->disk[disk];
  bool missed = event->kind == SIOX_EVENT_ACCESS || event->kind == SIOX_EVENT_OPEN;
  struct siox__wish wish = {.level = v->level, .job = SIOX_NOBODY, .wake = SIOX_NEVER};
  wish.kept = rule->waits && now < view->silent && v->level + 1 == v->drive->nlevels;
  wish.late = rule->disk[disk].late;
  rule->disk[disk].late = false;

  note_users(&rule->disk[disk], now, disk, event, view);
  note(&rule->disk[disk], now, event);
  bool within = missed && named(rule, view, now, disk, event->client, event->job);
  int64_t end = siox__later(now, view->hold[disk]);
  struct pinned pinned = {.full = end, .end = end, .job = event->job};
  if (!missed || within)
    pinned = pinned_until(rule, view, now, disk);
  if ((missed && !within) || pinned.full > now) {
    wish.level = v->drive->nlevels - 1;
    wish.job = pinned.job;
    wish.wake = pinned.full;
    wish.withheld = true;
    rule->disk[disk].settled = false;
  } else {
    if (!stays(rule, now, disk, event, view, &wish)) {
      wish_fn(state, now, disk, event, view, &wish);
      rule->disk[disk].settled = !wish.unclaimed && wish.level == v->level;
    }
    if (wish.unclaimed)
      sink(rule, now, disk, view, &wish);
    if (within)
      pinned = (struct pinned){.end = end, .job = event->job};
    if (within || pinned.end > now)
      serve_within(rule, state, disk, view, &pinned, &wish);
    if (wish.kept && wish.level < v->level)
      keep(rule, disk, v->level, &wish);
  }
  count_hint(event, v, &wish, out);
  uint32_t before = out->count, job = wish.job;
  if (wish.level < v->level && v->free_at > now) {
    wish.wake = siox__sooner(wish.wake, v->free_at);
    wish.level = v->level;
  }
  if (wish.level < v->target) {
    if (wish.level < v->level)
      job = rule->disk[disk].released;
    if (wish.cause == SIOX_CAUSE_NONE && under_decayed(view, disk, wish.level, rule->gap, now))
      wish.cause = SIOX_CAUSE_DECAY;
  }
  /* A command to the present level: no more waiting for power, or something is to be counted. */
  if (wish.level != v->level || v->target != v->level || wish.asked ||
      wish.cause != SIOX_CAUSE_NONE)
    siox__command(out, disk, wish.level, job);
  if (out->count > before) {
    struct siox_command *c = &out->item[before];
    c->deadline = wish.deadline;
    c->cause = wish.cause;
    c->asked = wish.asked;
  }
  siox__due_set(&rule->due, disk, wish.wake);
}

int64_t siox__rule_event(struct siox__rule *rule, void *state, siox__wish_fn wish, int64_t now,
                         const struct siox_event *event, const struct siox_view *view,
                         struct siox_commands *out) {
  uint32_t d;
  /* Where a touch was foreseen, what was planned stands, and time goes on by wake-ups. */
  bool touch = event->kind == SIOX_EVENT_ACCESS || event->kind == SIOX_EVENT_OPEN;
  const struct siox_mask *disks = touch ? event->missed : event->disks;
  let_go(rule, now, view);
  switch (event->kind) {
  case SIOX_EVENT_START:
    for (d = 0; d < view->ndisks; d++)
      look(rule, state, wish, now, d, event, view, out);
    break;
  case SIOX_EVENT_WAKE:
    while (siox__due_take(&rule->due, now, &d)) {
      look(rule, state, wish, now, d, event, view, out);
      if (rule->due.time[d] <= now) /* never twice for one moment */
        siox__due_set(&rule->due, d, now + 1);
    }
    break;
  default:
    for (d = siox_mask_next(disks, 0); d < view->ndisks; d = siox_mask_next(disks, d + 1))
      look(rule, state, wish, now, d, event, view, out);
  }
  /* Only where gaps are planned it counts that all are gone. */
  if (event->kind == SIOX_EVENT_LEAVE && rule->gap)
    for (d = siox_mask_next(event->touched, 0); d < view->ndisks;
         d = siox_mask_next(event->touched, d + 1))
      look(rule, state, wish, now, d, event, view, out);
  int64_t next = siox__due_next(&rule->due);
  return rule->nkept ? siox__sooner(next, view->silent) : next;
}
