/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints as the policy in force wants them. A process knows when it next needs each disk. Where the
 * policy takes the whole gap (siox) that time goes out at once; where it takes a lead (rt, claims)
 * the disk is released to the level that saves most over the gap and claimed one transition before
 * the time, as docs/semantics.md has it. An access that comes sooner is claimed then. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

/* ns by which what was told may be off. */
enum { OFF = 1000000 };

struct siox__told {
  int64_t need_by; /* SIOX_NEVER: not again */
  int64_t due;     /* of the claim that follows, SIOX_NEVER: none */
  int64_t planned; /* need_by in the run that the hints were placed for; 0: none */
  uint32_t level;  /* it was released to */
  bool released;
};

int siox__teller_open(struct siox__teller *t, struct siox_bank *bank, const char *policy) {
  const char *argument;
  const struct siox_policy *p = siox_policy_find(policy, &argument);
  memset(t, 0, sizeof *t);
  t->bank = bank;
  t->view = siox_bank_view(bank);
  t->lead = p ? p->lead : SIOX_LEAD_NONE;
  t->run = malloc(((size_t)t->view->ndisks + 1) * sizeof *t->run);
  return t->run ? siox_mask_init(&t->mask, t->view->ndisks) : SIOX_ENOMEM;
}

void siox__teller_close(struct siox__teller *t) {
  free(t->heap);
  free(t->run);
  siox_mask_free(&t->mask);
  memset(t, 0, sizeof *t);
}

/* One more disk of the message under way; disks come in ascending order. */
static void say(struct siox__teller *t, uint32_t disk, int32_t speed, int32_t flag,
                int64_t need_by) {
  struct siox_claim_run *last = t->nruns ? &t->run[t->nruns - 1] : NULL;
  if (last && last->first + last->count == disk && last->speed == speed && last->flag == flag &&
      last->need_by == need_by)
    last->count++;
  else
    t->run[t->nruns++] = (struct siox_claim_run){disk, 1, speed, flag, need_by, SIOX_NEVER};
}

static int send(struct siox__teller *t, struct siox__process *c, int64_t now) {
  if (!t->nruns)
    return 0;
  const struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION,
                                         .flags = SIOX_CLAIM_PREDICTED,
                                         .nruns = t->nruns,
                                         .seq = ++c->hints,
                                         .time = now};
  t->nruns = 0;
  int rc = siox_bank_claim(t->bank, now, c->bank, &head, t->run);
  return rc < 0 ? rc : 0;
}

static int remind_at(struct siox__teller *t, int64_t time, struct siox__process *c) {
  if (siox__room(&t->heap, t->count, &t->room, sizeof *t->heap) < 0)
    return SIOX_ENOMEM;
  uint32_t i = t->count++;
  for (; i > 0 && time < t->heap[(i - 1) / 2].time; i = (i - 1) / 2)
    t->heap[i] = t->heap[(i - 1) / 2];
  t->heap[i] = (struct siox__reminder){time, c};
  return 0;
}

int64_t siox__teller_next(const struct siox__teller *t) {
  return t->count ? t->heap[0].time : SIOX_NEVER;
}

/* What a gap of a length asks of a drive: most disks of a hint have the same. The level to release
 * it to; the highest: none. */
static const struct siox__gap *gap_of(struct siox__teller *t, const struct siox_drive *drive,
                                      int64_t left) {
  struct siox__gap *g = &t->gap;
  if (g->drive == drive && g->left == left)
    return g;
  if (g->drive != drive)
    g->break_even = siox_drive_break_even(drive);
  g->drive = drive;
  g->left = left;
  g->level = left == SIOX_NEVER ? siox_drive_level(drive, SIOX_SPEED_LOWEST)
                                : siox_drive_best_level(drive, left);
  return g;
}

/* What was told of a disk; NULL: nothing. */
static struct siox__told *told_of(const struct siox__process *c, uint32_t disk) {
  return disk - c->told_first < c->ntold ? &c->told[disk - c->told_first] : NULL;
}

/* Makes room for disks [first, end): a client speaks of few of many disks. */
static int know(struct siox__process *c, uint32_t first, uint32_t end) {
  if (c->ntold) {
    first = c->told_first < first ? c->told_first : first;
    end = c->told_first + c->ntold > end ? c->told_first + c->ntold : end;
  }
  if (end - first == c->ntold)
    return 0;
  struct siox__told *told = calloc(end - first, sizeof *told);
  if (!told)
    return SIOX_ENOMEM;
  if (c->ntold)
    memcpy(told + (c->told_first - first), c->told, c->ntold * sizeof *told);
  free(c->told);
  c->told = told;
  c->told_first = first;
  c->ntold = end - first;
  return 0;
}

/* One disk's gap, or its correction. *due: for which time a reminder is under way already. */
static int plan(struct siox__teller *t, struct siox__process *c, uint32_t disk, int64_t now,
                int64_t need_by, int64_t *due) {
  struct siox__told *d = told_of(c, disk);
  const struct siox_drive *drive = t->view->disk[disk].drive;
  int64_t left = need_by ? need_by - now : SIOX_NEVER;
  const struct siox__gap *gap = gap_of(t, drive, left);
  if (t->lead != SIOX_LEAD_GAP && !d->released && left < gap->break_even)
    return 0;
  d->need_by = need_by ? need_by : SIOX_NEVER;
  if (t->lead == SIOX_LEAD_GAP) {
    d->released = true;
    say(t, disk, SIOX_SPEED_LOWEST, 0, need_by);
    return 0;
  }
  uint32_t full = drive->nlevels - 1;
  if (!d->released) {
    d->level = gap->level;
    if (d->level == full)
      return 0;
    d->released = true;
    say(t, disk, drive->level[d->level].speed, 0, need_by);
  }
  int64_t up =
      siox_drive_transition_ns(drive, drive->level[d->level].speed, drive->level[full].speed);
  d->due = need_by ? need_by - (up > 0 ? up : 0) : SIOX_NEVER;
  if (d->due == SIOX_NEVER || d->due == *due)
    return 0;
  *due = d->due;
  return remind_at(t, d->due, c);
}

static void need(struct siox__teller *t, struct siox__told *d, uint32_t disk) {
  say(t, disk, SIOX_SPEED_FULL, 1, 0);
  d->released = false;
  d->due = SIOX_NEVER;
}

int siox__tell(struct siox__teller *t, struct siox__process *c, int64_t now,
               const struct siox__hint *hint) {
  int64_t due = SIOX_NEVER;
  if (t->lead == SIOX_LEAD_NONE)
    return 0;
  int rc = 0;
  for (uint32_t i = 0; i < hint->head.nruns && rc == 0; i++) {
    const struct siox_claim_run *run = &hint->run[i];
    if (run->first >= t->view->ndisks)
      break;
    uint32_t end =
        run->count < t->view->ndisks - run->first ? run->first + run->count : t->view->ndisks;
    rc = know(c, run->first, end);
    for (uint32_t d = run->first; d < end && rc == 0; d++)
      if (run->flag == 0 || run->need_by > now)
        rc = plan(t, c, d, now, run->need_by, &due);
      else if (told_of(c, d)->released)
        need(t, told_of(c, d), d);
  }
  int sent = send(t, c, now);
  return rc ? rc : sent;
}

static int64_t shifted(int64_t planned, int64_t by) {
  int64_t time;
  return __builtin_add_overflow(planned, by, &time) ? SIOX_NEVER : time;
}

/* Of a disk that the client has let go: has what it told to be corrected? By little it has not. */
static bool is_off(const struct siox__told *d, int64_t now, int64_t by) {
  int64_t need_by = shifted(d->planned, by);
  return d->released && d->planned && d->need_by != SIOX_NEVER && need_by > now &&
         llabs(need_by - d->need_by) > OFF;
}

int siox__tell_shifted(struct siox__teller *t, struct siox__process *c, int64_t now,
                       const struct siox__hint *hint) {
  int64_t due = SIOX_NEVER, by;
  if (t->lead == SIOX_LEAD_NONE)
    return 0;
  if (__builtin_sub_overflow(now, hint->head.time, &by))
    by = 0;
  const struct siox_claim_run *run = hint->run, *end = run + hint->head.nruns;
  int rc = 0;
  if (run < end)
    rc = know(c, run->first, end[-1].first + end[-1].count);
  for (uint32_t i = 0; i < c->ntold && rc == 0; i++) {
    uint32_t disk = c->told_first + i;
    while (run < end && run->first + run->count <= disk)
      run++;
    if (run < end && run->first <= disk) {
      c->told[i].planned = run->need_by;
      c->told[i].released &= t->lead == SIOX_LEAD_GAP; /* it has used or opened it since */
      rc = plan(t, c, disk, now, run->need_by ? shifted(run->need_by, by) : 0, &due);
    } else if (c->nstreams == 1 && is_off(&c->told[i], now, by)) {
      rc = plan(t, c, disk, now, shifted(c->told[i].planned, by), &due);
    }
  }
  int sent = send(t, c, now);
  return rc ? rc : sent;
}

int siox__tell_leaving(struct siox__teller *t, struct siox__process *c, int64_t now) {
  int64_t due = SIOX_NEVER;
  int rc = 0;
  for (uint32_t i = 0; i < c->ntold && rc == 0; i++) {
    if (!c->told[i].planned)
      continue;
    c->told[i].released &= t->lead == SIOX_LEAD_GAP;
    rc = plan(t, c, c->told_first + i, now, 0, &due);
  }
  int sent = send(t, c, now);
  return rc ? rc : sent;
}

int siox__tell_access(struct siox__teller *t, struct siox__process *c, int64_t now,
                      const struct siox_layout *layout, int64_t offset, int64_t bytes) {
  if (!c->told)
    return 0;
  siox_mask_zero(&t->mask);
  siox_layout_mask(layout, offset, bytes, &t->mask);
  for (uint32_t d = siox_mask_next(&t->mask, 0); d < t->mask.ndisks;
       d = siox_mask_next(&t->mask, d + 1)) {
    struct siox__told *told = told_of(c, d);
    if (told && told->released && (t->lead == SIOX_LEAD_TRANSITION || told->need_by > now))
      need(t, told, d);
  }
  return send(t, c, now);
}

int siox__teller_remind(struct siox__teller *t) {
  struct siox__reminder top = t->heap[0], last = t->heap[--t->count];
  uint32_t i = 0, child;
  for (; (child = 2 * i + 1) < t->count; i = child) {
    if (child + 1 < t->count && t->heap[child + 1].time < t->heap[child].time)
      child++;
    if (t->heap[child].time >= last.time)
      break;
    t->heap[i] = t->heap[child];
  }
  t->heap[i] = last;
  if (top.client->bank == SIOX__NONE)
    return 0; /* it has left */
  const struct siox__process *c = top.client;
  for (uint32_t i = 0; i < c->ntold; i++)
    if (c->told[i].released && c->told[i].due <= top.time)
      need(t, &c->told[i], c->told_first + i);
  return send(t, top.client, top.time);
}
