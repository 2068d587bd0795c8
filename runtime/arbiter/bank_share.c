/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose joules a stretch of a disk's time is. Active: the requester's; speeding up: of the job that
 * needs it; slowing down: of the job that released it; idle: of the jobs whose claims hold the
 * level, in equal parts, or nobody's. Claims on a disk do not change within a stretch (the bank
 * settles before it applies them), but they come into force, end and decay at known times, so an
 * idle stretch is cut there. Jobs are told in the order of their numbers. */
#include "arbiter/bank_internal.h"
#include "arbiter/claims.h"
#include "arbiter/rule.h"
#include <stdlib.h>
#include <string.h>

/* Takes a job's part of a piece into the totals and tells it. */
static void give(struct siox_bank *bank, uint32_t disk, const struct siox__piece *piece,
                 uint32_t job, double share, double joules) {
  siox__bank_job_of(bank, job)->totals.joules[piece->state] += joules;
  bank->totals[disk].joules[piece->state] += joules;
  if (bank->segment)
    bank->segment(bank->context, &(struct siox_segment){.disk = disk,
                                                        .state = piece->state,
                                                        .start = piece->start,
                                                        .end = piece->end,
                                                        .from_speed = piece->from,
                                                        .to_speed = piece->to,
                                                        .bytes = piece->bytes,
                                                        .job = job,
                                                        .share = share,
                                                        .joules = joules,
                                                        .pieces = bank->npieces});
}

/* A claim of a job begins to hold the level, or ends. */
static void change_holding(struct siox_bank *bank, struct siox__share_of *s, uint32_t job,
                           bool more) {
  uint32_t *holding = &bank->job[job].holding;
  if (more && (*holding)++ == 0)
    s->njobs++;
  else if (!more && --*holding == 0)
    s->njobs--;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b) {
  int64_t x = ((const struct siox__edge *)a)->time, y = ((const struct siox__edge *)b)->time;
  return (x > y) - (x < y);
}

/* Finds the jobs whose claims hold the disk's level at some time in [start, end), and when that
 * changes in between. */
static struct siox__share_of collect(struct siox_bank *bank, uint32_t disk,
                                     const struct siox__piece *piece) {
  const struct siox_drive *drive = bank->shown[disk].drive;
  struct siox__claims_walk walk = siox__claims_walk(bank->claims, disk, SIOX__SOME_TIME);
  const struct siox__claimant *c;
  struct siox__share_of s = {0};
  uint32_t level;
  int64_t from;
  while ((c = siox__claims_next(&walk, piece->end))) {
    if (!siox__entry_demand(drive, &c->entry, bank->gap, &from, &level) || level < piece->level)
      continue;
    int64_t to = siox__entry_end(&bank->view, disk, &c->entry);
    if (to <= piece->start || from >= piece->end || from >= to)
      continue;
    if (!bank->job[c->job].met) {
      bank->job[c->job].met = true;
      bank->sharer[s.nmet++] = c->job;
    }
    if (from > piece->start)
      bank->edge[s.nedges++] = (struct siox__edge){from, c->job, true};
    else
      change_holding(bank, &s, c->job, true);
    if (to < piece->end)
      bank->edge[s.nedges++] = (struct siox__edge){to, c->job, false};
  }
  if (s.nmet > 1)
    qsort(bank->sharer, s.nmet, sizeof *bank->sharer, by_number);
  if (s.nedges > 1)
    qsort(bank->edge, s.nedges, sizeof *bank->edge, by_time);
  return s;
}

/* One part of an idle stretch, within which the set of holders is constant. */
static void share(struct siox_bank *bank, uint32_t disk, const struct siox__piece *piece,
                  const struct siox__share_of *s, int64_t start, int64_t end) {
  struct siox__piece part = *piece;
  part.start = start;
  part.end = end;
  part.joules *= (double)(end - start) / (double)(piece->end - piece->start);
  if (s->njobs == 0)
    give(bank, disk, &part, SIOX_NOBODY, 1, part.joules);
  for (uint32_t i = 0; i < s->nmet && s->njobs; i++)
    if (bank->job[bank->sharer[i]].holding)
      give(bank, disk, &part, bank->sharer[i], 1.0 / s->njobs, part.joules / s->njobs);
}

/* One more client, or one less, of a job that holds the level. */
static void count_holder(struct siox__holders *h, uint32_t job, bool more) {
  uint32_t i = 0;
  while (i < h->njobs && h->job[i].job < job)
    i++;
  bool there = i < h->njobs && h->job[i].job == job;
  if (there && (more || h->job[i].clients > 1)) {
    h->job[i].clients += more ? 1 : UINT32_MAX;
  } else if (there) {
    h->njobs--;
    memmove(&h->job[i], &h->job[i + 1], (h->njobs - i) * sizeof *h->job);
  } else if (more && h->njobs < SIOX__HOLDERS) {
    memmove(&h->job[i + 1], &h->job[i], (h->njobs - i) * sizeof *h->job);
    h->job[i] = (struct siox__holder){job, 1};
    h->njobs++;
  } else {
    h->valid = false; /* too many to keep */
  }
}

/* Does the entry hold the level from a moment on? Else it may later: *until is no later then. */
static bool holds(const struct siox_bank *bank, uint32_t disk, const struct siox_claim_entry *entry,
                  uint32_t at_level, int64_t at, int64_t *until) {
  uint32_t level;
  int64_t from;
  if (!siox__entry_demand(bank->shown[disk].drive, entry, bank->gap, &from, &level) ||
      level < at_level)
    return false;
  int64_t to = siox__entry_end(&bank->view, disk, entry);
  if (to <= at || to <= from)
    return false;
  *until = siox__sooner(*until, from > at ? from : to);
  return from <= at;
}

static void find_holders(struct siox_bank *bank, uint32_t disk, uint32_t level, int64_t at) {
  struct siox__holders *h = &bank->holders[disk];
  *h = (struct siox__holders){.until = SIOX_NEVER, .valid = true, .level = level};
  struct siox__claims_walk walk = siox__claims_walk(bank->claims, disk, SIOX__SOME_TIME);
  const struct siox__claimant *c;
  while (h->valid && (c = siox__claims_next(&walk, h->until)))
    if (holds(bank, disk, &c->entry, level, at, &h->until))
      count_holder(h, c->job, true);
}

/* A client's claim on the disk goes, or has come. */
static void recount(struct siox_bank *bank, uint32_t disk, uint32_t client, bool more) {
  struct siox__holders *h = &bank->holders[disk];
  if (!h->valid)
    return;
  int64_t until = SIOX_NEVER;
  struct siox_claim_entry entry = siox_claims_get(bank->claims, client, disk);
  if (h->until <= bank->now)
    h->valid = false;
  else if (holds(bank, disk, &entry, h->level, bank->now, &until))
    count_holder(h, bank->client[client].job, more);
  if (more)
    h->until = siox__sooner(h->until, until);
}

void siox__bank_before(struct siox_bank *bank, const struct siox_mask *disks, uint32_t client) {
  siox__bank_settle(bank, disks);
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1))
    recount(bank, d, client, false);
}

void siox__bank_after(struct siox_bank *bank, const struct siox_mask *disks, uint32_t client) {
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1))
    recount(bank, d, client, true);
}

/* The short way: the holders are known for the whole stretch. */
static bool share_known(struct siox_bank *bank, uint32_t disk, const struct siox__piece *piece) {
  struct siox__holders *h = &bank->holders[disk];
  if (!h->valid || h->level != piece->level || h->until < piece->end)
    find_holders(bank, disk, piece->level, piece->start);
  if (!h->valid || h->until < piece->end)
    return false;
  if (h->njobs == 0)
    give(bank, disk, piece, SIOX_NOBODY, 1, piece->joules);
  for (uint32_t i = 0; i < h->njobs; i++)
    give(bank, disk, piece, h->job[i].job, 1.0 / h->njobs, piece->joules / h->njobs);
  return true;
}

static void share_idle(struct siox_bank *bank, uint32_t disk, const struct siox__piece *piece) {
  if (share_known(bank, disk, piece))
    return;
  struct siox__share_of s = collect(bank, disk, piece);
  int64_t at = piece->start;
  for (uint32_t i = 0; at < piece->end;) {
    int64_t next = i < s.nedges ? bank->edge[i].time : piece->end;
    if (at < next)
      share(bank, disk, piece, &s, at, next);
    for (; i < s.nedges && bank->edge[i].time == next; i++)
      change_holding(bank, &s, bank->edge[i].job, bank->edge[i].more);
    at = next;
  }
  for (uint32_t i = 0; i < s.nmet; i++) {
    bank->job[bank->sharer[i]].met = false;
    bank->job[bank->sharer[i]].holding = 0;
  }
}

void siox__bank_piece(void *context, uint32_t disk, const struct siox__piece *piece) {
  struct siox_bank *bank = context;
  struct siox_disk_totals *t = &bank->totals[disk];
  int64_t ns = piece->end - piece->start;
  if (piece->state == SIOX_IDLE) {
    t->level_ns[piece->level] += ns;
    share_idle(bank, disk, piece);
    return;
  }
  if (piece->state == SIOX_ACTIVE) {
    t->level_ns[piece->level] += ns;
    t->busy_ns += ns;
    t->requests++;
    t->bytes += piece->bytes;
  } else if (!piece->way_back) {
    t->moving_ns += ns;
    t->transitions_up += piece->state == SIOX_UP;
    t->transitions_down += piece->state == SIOX_DOWN;
  }
  give(bank, disk, piece, piece->job, 1, piece->joules);
}
