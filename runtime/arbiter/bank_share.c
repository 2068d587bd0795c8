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

/* Claims that hold the disk's level at some time in [start, end). */
static uint32_t collect(struct siox_bank *bank, uint32_t disk, const struct siox__piece *piece) {
  const struct siox_drive *drive = bank->shown[disk].drive;
  struct siox__claims_walk walk = siox__claims_walk(bank->claims, disk, SIOX__SOME_TIME);
  const struct siox__claimant *c;
  uint32_t n = 0, level;
  int64_t from;
  while ((c = siox__claims_next(&walk, piece->end))) {
    if (!siox__entry_demand(drive, &c->entry, bank->gap, &from, &level) || level < piece->level)
      continue;
    int64_t to = siox__entry_end(&bank->view, disk, &c->entry);
    if (from < piece->start)
      from = piece->start;
    if (to > piece->end)
      to = piece->end;
    if (from < to)
      bank->holds[n++] = (struct siox__hold){from, to, c->job};
  }
  return n;
}

static int by_time(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int by_job(const void *a, const void *b) {
  uint32_t x = ((const struct siox__hold *)a)->job, y = ((const struct siox__hold *)b)->job;
  return (x > y) - (x < y);
}

static bool first_seen(struct siox_bank *bank, uint32_t job) {
  bool first = bank->job[job].seen != bank->stamp;
  bank->job[job].seen = bank->stamp;
  return first;
}

/* One part of an idle stretch, within which the set of holders is constant. */
static void share(struct siox_bank *bank, uint32_t disk, const struct siox__piece *part,
                  uint32_t nholds) {
  uint32_t njobs = 0;
  bank->stamp++;
  for (uint32_t i = 0; i < nholds; i++) {
    const struct siox__hold *h = &bank->holds[i];
    if (h->from <= part->start && part->end <= h->to && first_seen(bank, h->job))
      njobs++;
  }
  if (njobs == 0) {
    give(bank, disk, part, SIOX_NOBODY, 1, part->joules);
    return;
  }
  bank->stamp++;
  for (uint32_t i = 0; i < nholds; i++) {
    const struct siox__hold *h = &bank->holds[i];
    if (h->from <= part->start && part->end <= h->to && first_seen(bank, h->job))
      give(bank, disk, part, h->job, 1.0 / njobs, part->joules / njobs);
  }
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
  uint32_t nholds = collect(bank, disk, piece), ncuts = 0;
  qsort(bank->holds, nholds, sizeof *bank->holds, by_job);
  bank->cut[ncuts++] = piece->start;
  bank->cut[ncuts++] = piece->end;
  for (uint32_t i = 0; i < nholds; i++) {
    if (bank->holds[i].from > piece->start)
      bank->cut[ncuts++] = bank->holds[i].from;
    if (bank->holds[i].to < piece->end)
      bank->cut[ncuts++] = bank->holds[i].to;
  }
  qsort(bank->cut, ncuts, sizeof *bank->cut, by_time);
  for (uint32_t i = 0; i + 1 < ncuts; i++) {
    struct siox__piece part = *piece;
    part.start = bank->cut[i];
    part.end = bank->cut[i + 1];
    if (part.start == part.end)
      continue;
    part.joules *= (double)(part.end - part.start) / (double)(piece->end - piece->start);
    share(bank, disk, &part, nholds);
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
