/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What clients do: opening files and requests. The policy is asked before a request is charged.
 * Commands that the request cannot do without go first (a running ramp is turned round, a level
 * that does not serve is left); all others follow it, because a transition starts after the
 * requests already accepted. */
#include "arbiter/bank_limit.h"
#include "arbiter/claims.h"
#include "arbiter/rule.h"

static bool predicted_by(const struct siox_bank *bank, uint32_t client, uint32_t disk) {
  const struct siox_claim_entry *entry = siox__claims_find(bank->claims, client, disk);
  return entry && siox__entry_predicts(&bank->view, disk, entry, bank->gap, bank->now);
}

/* A claim of the client itself is kept by this; members' are afterwards (bank_use.c). */
static bool predicted(const struct siox_bank *bank, const struct siox_request *r, uint32_t disk) {
  const struct siox_claim_entry *entry = siox__claims_find(bank->claims, r->client, disk);
  if (entry && siox__entry_predicts(&bank->view, disk, entry, bank->gap, bank->now)) {
    if (entry->use)
      siox__bank_note_use(bank, entry, disk);
    return true;
  }
  for (uint32_t i = 0; i < r->nmembers; i++)
    if (predicted_by(bank, r->members[i], disk))
      return true;
  return false;
}

/* Claims that had no I/O for hold stay decayed, though I/O comes now. */
static void note_decay(struct siox_bank *bank, uint32_t d) {
  struct siox_disk_view *v = &bank->shown[d];
  int64_t hold = bank->hold[d];
  if (v->idle_since <= bank->now && bank->now - v->idle_since >= hold &&
      bank->now - hold > v->decayed) {
    v->decayed = bank->now - hold;
    bank->holders[d].valid = false;
  }
}

/* Of the disks in `mask`; below, of those that a request touches: is there any? */
static void find_missed(struct siox_bank *bank, uint32_t client) {
  siox_mask_zero(&bank->missed);
  for (uint32_t d = siox_mask_next(&bank->mask, 0); d < bank->view.ndisks;
       d = siox_mask_next(&bank->mask, d + 1))
    if (!predicted_by(bank, client, d))
      siox_mask_set(&bank->missed, d);
}

static bool find_missed_pieces(struct siox_bank *bank, const struct siox_request *r, int n) {
  bool any = false;
  siox_mask_zero(&bank->missed);
  for (int i = 0; i < n; i++) {
    uint32_t d = bank->piece[i].disk;
    if (predicted(bank, r, d))
      continue;
    siox_mask_set(&bank->missed, d);
    any = true;
  }
  return any;
}

/* What a server does by itself was not foreseen only where it wakes a disk. */
static bool find_woken(struct siox_bank *bank, int n) {
  bool any = false;
  siox_mask_zero(&bank->missed);
  for (int i = 0; i < n; i++) {
    uint32_t d = bank->piece[i].disk;
    if (bank->disk[d].drive->level[bank->disk[d].level].serves)
      continue;
    siox_mask_set(&bank->missed, d);
    any = true;
  }
  return any;
}

/* Remembers the unpredicted touches of the disks in `missed`: until the end of the last request
 * there, or now. */
static int remember_touches(struct siox_bank *bank, uint32_t client) {
  if (bank->policy->lead == SIOX_LEAD_NONE)
    return 0; /* nobody asks */
  struct siox_claim_header head = {
      .version = SIOX_CLAIM_VERSION, .seq = ++bank->touches, .time = bank->now};
  for (uint32_t d = siox_mask_next(&bank->missed, 0); d < bank->view.ndisks;
       d = siox_mask_next(&bank->missed, d + 1)) {
    int64_t end = bank->shown[d].idle_since;
    bank->run[head.nruns++] = (struct siox_claim_run){.first = d,
                                                      .count = 1,
                                                      .flag = 1,
                                                      .need_by = end > bank->now ? end : bank->now,
                                                      .until = SIOX_NEVER};
  }
  return head.nruns ? siox_claims_apply(bank->unknown, client, bank->client[client].job, &head,
                                        bank->run, NULL)
                    : 0;
}

int siox_bank_open(struct siox_bank *bank, int64_t now, uint32_t client,
                   const struct siox_layout *layout) {
  if (bank->finished || client >= bank->nclients || !bank->client[client].live || !layout ||
      layout->ndisks != bank->view.ndisks)
    return SIOX_EINVAL;
  siox__bank_arrive(bank, now);
  siox__bank_heard(bank, client);
  siox_mask_zero(&bank->mask);
  siox_layout_disks(layout, &bank->mask);
  find_missed(bank, client);
  int rc = remember_touches(bank, client);
  struct siox_event event = {.kind = SIOX_EVENT_OPEN,
                             .disks = &bank->mask,
                             .client = client,
                             .job = bank->client[client].job,
                             .missed = &bank->missed};
  siox__bank_ask(bank, &event);
  siox__bank_obey(bank, &event);
  return rc;
}

/* Commands that go before the request. */
static void obey_first(struct siox_bank *bank, const struct siox_event *event) {
  for (uint32_t i = 0; i < bank->commands.count; i++) {
    struct siox_command *c = &bank->commands.item[i];
    if (c->disk >= bank->view.ndisks || !siox_mask_test(event->disks, c->disk))
      continue;
    struct siox__disk *disk = &bank->disk[c->disk];
    bool up = c->level > disk->level && siox__disk_turnable(disk, bank->now);
    if (!up && disk->drive->level[disk->level].serves)
      continue;
    if (siox__bank_command(bank, c) < 0)
      siox__bank_job_of(bank, event->job)->totals.refused++;
    c->disk = UINT32_MAX;
  }
  if (bank->limit) {
    siox__limit_admit(bank); /* a ramp that there is no power to turn goes on downwards */
    siox__limit_force(bank, event->disks, event->job);
  }
}

/* Whatever the policy says, no request is given to a level that does not serve: full speed, or what
 * is reachable. */
static int make_serve(struct siox_bank *bank, uint32_t d, uint32_t job) {
  struct siox__disk *disk = &bank->disk[d];
  for (uint32_t level = disk->drive->nlevels; level-- > 0;) {
    if (disk->drive->level[disk->level].serves)
      return 0;
    if (disk->drive->level[level].serves)
      (void)siox__disk_command(disk, bank->now, level, job);
    siox__bank_show(bank, d);
  }
  return disk->drive->level[disk->level].serves ? 0 : SIOX_EUNKNOWN;
}

/* Would every piece end at a time that can be told? A client may say any number of bytes. */
static bool ends(struct siox_bank *bank, int n) {
  const int64_t last = INT64_C(1) << 61; /* of a trace, too */
  for (int i = 0; i < n; i++) {
    const struct siox_extent *e = &bank->piece[i];
    struct siox__disk *disk = &bank->disk[e->disk];
    int64_t start = disk->free_at > bank->now ? disk->free_at : bank->now;
    if (siox__disk_service(disk, e->bytes, false) > last - start)
      return false;
  }
  return true;
}

static bool valid(const struct siox_bank *bank, const struct siox_request *r) {
  if (bank->finished || r->client >= bank->nclients || !bank->client[r->client].live)
    return false;
  return r->layout && r->layout->ndisks == bank->view.ndisks && r->offset >= 0 && r->bytes >= 0 &&
         (r->nmembers == 0 || r->members);
}

static void tell_served(struct siox_bank *bank, uint32_t client, uint32_t job,
                        const struct siox_extent *e, const struct siox__charge *c) {
  const struct siox_served served = {.disk = e->disk,
                                     .client = client,
                                     .job = job,
                                     .level = bank->disk[e->disk].level,
                                     .arrival = bank->now,
                                     .start = c->start,
                                     .end = c->end,
                                     .moving = c->moving_ns,
                                     .bytes = (uint64_t)e->bytes,
                                     .sequential = c->sequential};
  int64_t wake = bank->policy->served(bank->state, bank->now, &served, &bank->view);
  if (wake < bank->wake)
    bank->wake = wake;
}

/* Delays add up as the union of [arrival, arrival + delay): of requests that follow one another
 * none begins before the last is done, so no chain of them loses more than that. */
static int64_t lost(int64_t *counted, int64_t now, int64_t delay) {
  int64_t from = *counted > now ? *counted : now, to = now + delay;
  if (to <= from)
    return 0;
  *counted = to;
  return to - from;
}

/* A request as it would have been with every disk at a level all the time, alone; with all of them
 * at full speed, among others; and as it was. */
struct what_if {
  int64_t arrival[SIOX_MAX_LEVELS], alone[SIOX_MAX_LEVELS];
  int64_t full;         /* when it would have been done */
  int64_t came, sooner; /* when it would have arrived had others not held it up, and been done */
  int64_t took;         /* without waits */
  uint32_t level;
  bool held_up; /* by a change of level, or by requests that were */
};
enum { RECOVERY = 8 }; /* after a change of level, times it: until queues are as they were before */

/* A client that would have been served later would have come later, too, and one that was held up
 * would have come sooner; after a pause that is longer than that, its clock is as good as the real
 * one. */
static void what_if_arrives(const struct siox_bank *bank, uint32_t client, struct what_if *w) {
  struct siox__lag *lag = &bank->lag[client];
  if (lag->done + lag->late <= bank->now)
    lag->late = 0;
  *w = (struct what_if){.came = bank->now - lag->late, .full = bank->now, .level = UINT32_MAX};
  for (uint32_t l = 0; l < bank->max_levels; l++) {
    if (lag->end[l] <= bank->now)
      lag->by[l] = 0;
    w->arrival[l] = bank->now + lag->by[l];
  }
}

static void what_if_serves(struct siox_bank *bank, const struct siox_extent *e,
                           const struct siox__charge *c, struct what_if *w) {
  const struct siox_drive *drive = bank->disk[e->disk].drive;
  uint32_t level = bank->disk[e->disk].level;
  const struct siox__service_of *service =
      siox__services(&bank->services, drive, (uint64_t)e->bytes, c->sequential);
  struct siox__full *full = &bank->full[e->disk];
  int64_t ns = service->ns[drive->nlevels - 1];
  full->free_at = (full->free_at > bank->now ? full->free_at : bank->now) + ns;
  full->sooner = (full->sooner > w->came ? full->sooner : w->came) + ns;
  w->full = full->free_at > w->full ? full->free_at : w->full;
  w->sooner = full->sooner > w->sooner ? full->sooner : w->sooner;
  if (level != full->level) {
    int64_t way =
        siox_drive_transition_ns(drive, drive->level[full->level].speed, drive->level[level].speed);
    full->recovered = siox__later(c->end, RECOVERY * (way > 0 ? way : 0));
    full->level = level;
  }
  w->held_up |= bank->now < full->recovered;
  w->took = service->ns[level] > w->took ? service->ns[level] : w->took;
  if (level + 1 < drive->nlevels && level < w->level)
    w->level = level;
  for (uint32_t l = bank->max_levels; l-- > 0;) { /* those above its own: its highest */
    if (l < drive->nlevels && drive->level[l].serves)
      ns = service->ns[l];
    w->alone[l] = ns > w->alone[l] ? ns : w->alone[l];
  }
}

/* The older half is forgotten again and again. */
static void count_late(int64_t *alone, int64_t *among, int64_t more, int64_t late) {
  enum { ENOUGH = 1000000000 }; /* ns */
  *alone += more;
  *among += late > 0 ? late : 0;
  if (*alone > ENOUGH) {
    *alone /= 2;
    *among /= 2;
  }
}

/* What the job has lost by a request, and would have lost at each level. */
static void count_delay(struct siox_bank *bank, uint32_t client, int64_t completion,
                        const struct what_if *w) {
  uint32_t job = bank->client[client].job, top = bank->max_levels - 1;
  struct siox_job_view *j = &bank->job_view[job];
  struct siox__counted *counted = &bank->counted[job];
  struct siox__lag *lag = &bank->lag[client];
  int64_t late = (completion - bank->now) - (w->sooner - w->came);
  lag->late += late > 0 ? late : 0;
  lag->done = completion;
  j->delayed += lost(&counted->real, bank->now, completion - w->full);
  if (w->level != UINT32_MAX && w->took > w->alone[top] && !w->held_up)
    count_late(&j->alone[w->level], &j->among[w->level], w->took - w->alone[top], late);
  for (uint32_t l = 0; l < top; l++) {
    int64_t more = w->alone[l] - w->alone[top];
    j->loss[l] += lost(&counted->at[l], w->arrival[l], more);
    lag->by[l] += more;
    lag->end[l] = w->arrival[l] + w->alone[l];
  }
}

static void charge(struct siox_bank *bank, const struct siox_request *r, uint32_t job, int n,
                   struct siox_service *out) {
  struct what_if w;
  if (bank->full)
    what_if_arrives(bank, r->client, &w);
  bank->npieces = r->own ? 0 : (uint32_t)n;
  for (int i = 0; i < n; i++) {
    const struct siox_extent *e = &bank->piece[i];
    struct siox__charge c =
        siox__disk_serve(&bank->disk[e->disk], bank->now, job, r->file, e->local, e->bytes);
    siox__bank_show(bank, e->disk);
    if (bank->full)
      what_if_serves(bank, e, &c, &w);
    if (bank->limit) /* the next gap is another one to be refused */
      bank->limit->denied[e->disk] = 0;
    if (bank->policy->served)
      tell_served(bank, r->client, job, e, &c);
    if (c.end > out->completion)
      out->completion = c.end;
    if (c.queued_ns > out->queued_ns)
      out->queued_ns = c.queued_ns;
    if (c.moving_ns > out->transition_ns)
      out->transition_ns = c.moving_ns;
  }
  if (bank->full)
    count_delay(bank, r->client, out->completion, &w);
}

int siox_bank_access(struct siox_bank *bank, const struct siox_request *r,
                     struct siox_service *service) {
  if (!valid(bank, r))
    return SIOX_EINVAL;
  siox__bank_arrive(bank, r->arrival);
  siox__bank_heard(bank, r->client);
  *service = (struct siox_service){.completion = bank->now};
  bank->piece = r->piece ? r->piece : bank->extent;
  int n = r->piece ? (int)r->npieces
                   : siox_layout_pieces(r->layout, r->offset, r->bytes, r->write, bank->extent,
                                        3 * bank->view.ndisks);
  if (n <= 0)
    return n;
  siox_mask_zero(&bank->mask);
  for (int i = 0; i < n; i++) {
    uint32_t d = bank->piece[i].disk;
    siox_mask_set(&bank->mask, d);
    siox__disk_settle(&bank->disk[d], bank->now); /* idle time up to now is still its claims' */
    note_decay(bank, d);
  }
  service->missed = r->own ? find_woken(bank, n) : find_missed_pieces(bank, r, n);
  if (r->nmembers && !r->own && bank->policy->lead != SIOX_LEAD_NONE)
    siox__bank_note_members(bank, r, n);
  uint32_t job = bank->client[r->client].job;
  struct siox_event event = {.kind = SIOX_EVENT_ACCESS,
                             .disks = &bank->mask,
                             .client = r->client,
                             .job = job,
                             .missed = &bank->missed};
  siox__bank_ask(bank, &event);
  obey_first(bank, &event);
  for (int i = 0; i < n; i++) {
    int rc = make_serve(bank, bank->piece[i].disk, job);
    if (rc < 0)
      return rc;
  }
  if (!ends(bank, n))
    return SIOX_ERANGE;
  charge(bank, r, job, n, service);
  int rc = service->missed ? remember_touches(bank, r->client) : 0;
  siox__bank_obey(bank, &event);
  bank->job[job].totals.requests += !r->own;
  bank->job[job].totals.missed += service->missed && !r->own;
  return rc;
}
