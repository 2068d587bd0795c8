/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wear and power. Wear refuses slow-downs, never speed-ups; power delays speed-ups, never refuses
 * them, and by no more than inrush_wait_ns. What a speed-up draws is its joules over its time. It
 * counts from its command to its end, so also while it waits behind requests. */
#include "arbiter/bank_limit.h"
#include "arbiter/rule.h"
#include <math.h>
#include <stdlib.h>

#define DAY 86400e9 /* ns */

static double per_day(const struct siox_bank *bank, const struct siox_drive *drive,
                      enum siox_wear wear) {
  const struct siox_limits *l = &bank->view.limits;
  if (wear == SIOX_WEAR_START)
    return drive->start_stop_per_day > 0 ? drive->start_stop_per_day
                                         : l->start_stop_per_day * drive->time_scale;
  return drive->load_unload_per_day > 0 ? drive->load_unload_per_day
                                        : l->load_unload_per_day * drive->time_scale;
}

static bool good(double v) { return v >= 0 && v <= 1e12; }

static uint32_t group_of(const struct siox_bank *bank, uint32_t disk) {
  return bank->view.limits.power_group ? disk / bank->view.limits.power_group : 0;
}
static uint32_t array_of(const struct siox_bank *bank, uint32_t disk) {
  return bank->view.limits.array ? disk / bank->view.limits.array : disk;
}

int siox__limit_create(struct siox_bank *bank) {
  const struct siox_limits *l = &bank->view.limits;
  uint32_t n = bank->view.ndisks, array = l->array ? l->array : 1;
  if (!good(l->start_stop_per_day) || !good(l->load_unload_per_day) || !good(l->inrush_w) ||
      l->inrush_wait_ns < 0 || !(l->early >= 0 && l->early <= 1) ||
      !(l->user_share >= 0 && l->user_share <= 1) ||
      !(l->delay_budget >= 0 && l->delay_budget <= 1))
    return SIOX_EINVAL;
  if (l->inrush_w > 0 && l->power_group && l->power_group < n && l->power_group % array)
    return SIOX_EINVAL; /* an array hangs on one supply */
  if (!l->wear && l->inrush_w <= 0)
    return 0;
  struct siox__limit *limit = bank->limit = calloc(1, sizeof *limit);
  if (!limit)
    return SIOX_ENOMEM;
  limit->wake = SIOX_NEVER;
  limit->denied = calloc(n, sizeof *limit->denied);
  if (l->wear)
    limit->spent = calloc(n, sizeof *limit->spent);
  if (l->inrush_w > 0) {
    limit->waiting = calloc(n, sizeof *limit->waiting);
    limit->queue = calloc(n, sizeof *limit->queue);
    limit->due = calloc(n, sizeof *limit->due);
    limit->drawn = calloc(n, sizeof *limit->drawn);
    limit->full = calloc(n, sizeof *limit->full);
    limit->order = calloc(n, sizeof *limit->order);
    limit->sleeping = calloc(n, sizeof *limit->sleeping);
    limit->moving = calloc(n, sizeof *limit->moving);
    limit->listed = calloc(n, sizeof *limit->listed);
  }
  if (!limit->denied || (l->wear && !limit->spent) ||
      (l->inrush_w > 0 &&
       (!limit->waiting || !limit->queue || !limit->due || !limit->drawn || !limit->full ||
        !limit->order || !limit->sleeping || !limit->moving || !limit->listed)))
    return SIOX_ENOMEM;
  for (uint32_t d = 0; limit->spent && d < n; d++)
    for (int w = 0; w < SIOX_NWEAR; w++)
      limit->spent[d][w] = INT64_MIN;
  return 0;
}

void siox__limit_destroy(struct siox__limit *limit) {
  if (!limit)
    return;
  void *owned[] = {limit->spent,    limit->denied, limit->waiting, limit->queue,
                   limit->due,      limit->drawn,  limit->full,    limit->order,
                   limit->sleeping, limit->moving, limit->listed,  limit};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
}

void siox__limit_moves(struct siox_bank *bank, uint32_t d) {
  struct siox__limit *limit = bank->limit;
  if (!limit || !limit->waiting || limit->listed[d])
    return;
  limit->listed[d] = true;
  limit->moving[limit->nmoving++] = d;
}

void siox__limit_moved(struct siox_bank *bank) {
  struct siox__limit *limit = bank->limit;
  uint32_t kept = 0;
  if (!limit || !limit->waiting)
    return;
  for (uint32_t i = 0; i < limit->nmoving; i++) {
    uint32_t d = limit->moving[i];
    limit->listed[d] = bank->disk[d].move_end > bank->now;
    if (limit->listed[d])
      limit->moving[kept++] = d;
  }
  limit->nmoving = kept;
}

/* Which kinds of wear a slow-down is: stopping the spindle also unloads the heads. */
static bool wears(const struct siox_drive *drive, uint32_t from, uint32_t to, enum siox_wear kind) {
  return siox_drive_wear(drive, from) < kind && kind <= siox_drive_wear(drive, to);
}

static bool allowed(const struct siox_bank *bank, uint32_t d, uint32_t level) {
  const struct siox_disk_view *v = &bank->shown[d];
  for (int w = SIOX_WEAR_LOAD; w < SIOX_NWEAR; w++)
    if (wears(v->drive, bank->disk[d].level, level, (enum siox_wear)w) &&
        v->wear_from[w] > bank->now)
      return false;
  return true;
}

/* One slow-down is worth so much time; SIOX_NEVER where hardly any is allowed. */
static int64_t worth(double rate) {
  return DAY / rate < 9.2e18 ? (int64_t)(DAY / rate) : SIOX_NEVER;
}

/* A drive's day is shorter than ours when its time runs faster. */
static int64_t day_of(const struct siox_drive *drive) { return (int64_t)(DAY / drive->time_scale); }

static void spent_until(struct siox_bank *bank, uint32_t d, enum siox_wear kind, int64_t until,
                        int64_t every) {
  struct siox_disk_view *v = &bank->shown[d];
  bank->limit->spent[d][kind] = until;
  v->wear_from[kind] = siox__later(until - day_of(v->drive), every);
}

static void spend(struct siox_bank *bank, uint32_t d, uint32_t from, uint32_t to) {
  const struct siox_drive *drive = bank->shown[d].drive;
  for (int w = SIOX_WEAR_LOAD; w < SIOX_NWEAR; w++) {
    double rate = per_day(bank, drive, (enum siox_wear)w);
    if (!wears(drive, from, to, (enum siox_wear)w))
      continue;
    bank->totals[d].worn[w]++;
    bank->limit->worn++;
    if (rate <= 0)
      continue;
    int64_t every = worth(rate), spent = bank->limit->spent[d][w];
    spent_until(bank, d, (enum siox_wear)w,
                siox__later(spent > bank->now ? spent : bank->now, every), every);
  }
}

static int command(struct siox_bank *bank, const struct siox_command *c, int64_t at) {
  uint32_t from = bank->disk[c->disk].level;
  int rc = siox__disk_command_at(&bank->disk[c->disk], bank->now, at, c->level, c->job);
  if (rc == 0) {
    siox__bank_count(bank, c);
    bank->limit->denied[c->disk] = 0;
    if (bank->limit->spent && c->level < from)
      spend(bank, c->disk, from, c->level);
  }
  siox__bank_show(bank, c->disk);
  return rc;
}

/* A slow-down that wear keeps from its level is counted once, however often it is asked for. */
static void deny(struct siox_bank *bank, uint32_t d, uint32_t asked) {
  bank->totals[d].refused_wear += bank->limit->denied[d] != asked;
  bank->limit->denied[d] = asked;
}

static int slow_down(struct siox_bank *bank, const struct siox_command *wanted) {
  struct siox_command c = *wanted;
  uint32_t d = c.disk, asked = c.asked;
  while (bank->limit->spent && c.level < bank->disk[d].level && !allowed(bank, d, c.level))
    c.level++;
  if (c.level != wanted->level && !asked)
    asked = wanted->level + 1;
  if (asked)
    deny(bank, d, asked);
  if (c.level == bank->disk[d].level)
    return 0;
  int rc = command(bank, &c, bank->now);
  bank->limit->denied[d] = asked;
  return rc;
}

/* Mean watts of a speed-up, in the drive's own time. */
static double watts(const struct siox_drive *drive, double from, double to) {
  double joules;
  int64_t ns = siox_drive_transition_ns(drive, from, to);
  if (ns <= 0 || siox_drive_transition_j(drive, from, to, &joules) < 0)
    return 0;
  return joules / ((double)ns * 1e-9) / drive->time_scale;
}

static double drawn_by(const struct siox_bank *bank, uint32_t d, int64_t at) {
  const struct siox__disk *disk = &bank->disk[d];
  double to = disk->drive->level[disk->level].speed;
  if (disk->move_end <= at || disk->move_from >= to)
    return 0;
  return watts(disk->drive, disk->move_from, to);
}

/* Watts that the group's speed-ups draw from `at` on, of those commanded by now. */
static double drawn(const struct siox_bank *bank, uint32_t group, int64_t at) {
  double sum = 0;
  for (uint32_t i = 0; i < bank->limit->nmoving; i++)
    if (group_of(bank, bank->limit->moving[i]) == group)
      sum += drawn_by(bank, bank->limit->moving[i], at);
  return sum;
}

static double needs(const struct siox_bank *bank, uint32_t d, uint32_t level) {
  const struct siox__disk *disk = &bank->disk[d];
  double from = siox__disk_speed(disk, bank->now), to = disk->drive->level[level].speed;
  return from < to ? watts(disk->drive, from, to) : 0;
}

static bool fits(const struct siox_bank *bank, double drawn_w, double more) {
  return drawn_w <= 0 || drawn_w + more <= bank->view.limits.inrush_w * (1 + 1e-9);
}

static void leave_queue(struct siox__limit *limit, uint32_t d) {
  if (!limit->waiting || !limit->waiting[d].is)
    return;
  limit->waiting[d].is = false;
  for (uint32_t i = 0; i < limit->nqueue; i++)
    if (limit->queue[i] == d) {
      limit->queue[i] = limit->queue[--limit->nqueue];
      break;
    }
}

int siox__limit_command(struct siox_bank *bank, const struct siox_command *c) {
  struct siox__limit *limit = bank->limit;
  uint32_t d = c->disk, level = bank->disk[d].level;
  if (c->level > level && limit->waiting) {
    struct siox__waiting *w = &limit->waiting[d];
    if (!w->is) {
      *w = (struct siox__waiting){.is = true, .since = bank->now};
      limit->queue[limit->nqueue++] = d;
    }
    w->level = c->level;
    w->job = c->job;
    w->deadline = c->deadline ? c->deadline : w->since;
    siox__bank_count(bank, c);
    siox__bank_show(bank, d);
    return 0; /* admitted with the others of this event */
  }
  leave_queue(limit, d);
  if (c->level < level || c->asked)
    return slow_down(bank, c);
  return command(bank, c, bank->now);
}

static void note_delay(struct siox_bank *bank, uint32_t d, int64_t delay, bool overdue) {
  struct siox_disk_totals *t = &bank->totals[d];
  t->delayed += delay > 0;
  t->overdue += overdue;
  if (delay > t->worst_delay_ns)
    t->worst_delay_ns = delay;
}

static int by_need(const void *a, const void *b) {
  const struct siox__turn *x = a, *y = b;
  if (x->due != y->due)
    return x->due < y->due ? -1 : 1;
  if (x->array != y->array)
    return x->array < y->array ? -1 : 1;
  return (x->disk > y->disk) - (x->disk < y->disk);
}

/* Those that wait, an array's side by side, by the earliest need of each array. */
static void line_up(const struct siox_bank *bank) {
  struct siox__limit *limit = bank->limit;
  for (uint32_t i = 0; i < limit->nqueue; i++)
    limit->due[array_of(bank, limit->queue[i])] = SIOX_NEVER;
  for (uint32_t i = 0; i < limit->nqueue; i++) {
    uint32_t d = limit->queue[i];
    int64_t *due = &limit->due[array_of(bank, d)];
    *due = siox__sooner(*due, limit->waiting[d].deadline);
  }
  for (uint32_t i = 0; i < limit->nqueue; i++) {
    uint32_t d = limit->queue[i], array = array_of(bank, d);
    limit->order[i] = (struct siox__turn){limit->due[array], array, d};
  }
  qsort(limit->order, limit->nqueue, sizeof *limit->order, by_need);
}

/* Moves an array's members [first, end) of the order, or leaves them waiting. */
static void admit_array(struct siox_bank *bank, uint32_t first, uint32_t end) {
  struct siox__limit *limit = bank->limit;
  uint32_t group = group_of(bank, limit->order[first].disk);
  int64_t oldest = SIOX_NEVER;
  double more = 0;
  for (uint32_t i = first; i < end; i++) {
    uint32_t d = limit->order[i].disk;
    more += needs(bank, d, limit->waiting[d].level);
    oldest = siox__sooner(oldest, limit->waiting[d].since);
  }
  bool room = !limit->full[group] && fits(bank, limit->drawn[group], more);
  bool overdue = siox__later(oldest, bank->view.limits.inrush_wait_ns) <= bank->now;
  if (!room && !overdue) {
    limit->full[group] = true; /* who needs later does not overtake */
    return;
  }
  limit->drawn[group] += more;
  for (uint32_t i = first; i < end; i++) {
    uint32_t d = limit->order[i].disk;
    const struct siox__waiting w = limit->waiting[d];
    leave_queue(limit, d);
    note_delay(bank, d, bank->now - w.since, !room);
    (void)command(bank, &(struct siox_command){.disk = d, .level = w.level, .job = w.job},
                  bank->now);
  }
}

void siox__limit_admit(struct siox_bank *bank) {
  struct siox__limit *limit = bank->limit;
  limit->wake = SIOX_NEVER;
  if (!limit->nqueue)
    return;
  uint32_t n = limit->nqueue;
  line_up(bank);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t group = group_of(bank, limit->order[i].disk);
    limit->full[group] = false;
    limit->drawn[group] = 0;
  }
  for (uint32_t i = 0; i < bank->limit->nmoving; i++)
    limit->drawn[group_of(bank, bank->limit->moving[i])] +=
        drawn_by(bank, bank->limit->moving[i], bank->now);
  for (uint32_t first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && limit->order[end].array == limit->order[first].array; end++)
      ;
    admit_array(bank, first, end);
  }
  for (uint32_t i = 0; i < limit->nqueue; i++)
    limit->wake = siox__sooner(limit->wake, siox__later(limit->waiting[limit->queue[i]].since,
                                                        bank->view.limits.inrush_wait_ns));
  for (uint32_t i = 0; i < bank->limit->nmoving && limit->nqueue; i++)
    if (bank->disk[bank->limit->moving[i]].move_end > bank->now)
      limit->wake = siox__sooner(limit->wake, bank->disk[bank->limit->moving[i]].move_end);
}

/* First moment from now on at which so much more fits, at the latest when it must go anyway. */
static int64_t room_from(const struct siox_bank *bank, uint32_t group, double more, bool *overdue) {
  int64_t last = siox__later(bank->now, bank->view.limits.inrush_wait_ns), at = bank->now;
  *overdue = false;
  while (!fits(bank, drawn(bank, group, at), more)) {
    int64_t next = SIOX_NEVER;
    for (uint32_t i = 0; i < bank->limit->nmoving; i++)
      if (group_of(bank, bank->limit->moving[i]) == group &&
          bank->disk[bank->limit->moving[i]].move_end > at)
        next = siox__sooner(next, bank->disk[bank->limit->moving[i]].move_end);
    if (next > last) {
      *overdue = true;
      return last;
    }
    at = next;
  }
  return at;
}

/* The level a sleeping disk wakes to: what waits for power, else the highest that can be reached
 * and serves. */
static uint32_t waking_level(const struct siox_bank *bank, uint32_t d) {
  const struct siox__disk *disk = &bank->disk[d];
  const struct siox_level *level = disk->drive->level;
  const struct siox__waiting *w = bank->limit->waiting ? &bank->limit->waiting[d] : NULL;
  if (w && w->is && level[w->level].serves)
    return w->level;
  uint32_t l = disk->drive->nlevels;
  while (l-- > disk->level + 1)
    if (level[l].serves &&
        siox_drive_transition_ns(disk->drive, level[disk->level].speed, level[l].speed) >= 0)
      return l;
  return disk->level;
}

static void wake_array(struct siox_bank *bank, const uint32_t *disk, uint32_t n, uint32_t job) {
  struct siox__limit *limit = bank->limit;
  double more = 0;
  bool overdue;
  for (uint32_t i = 0; i < n; i++)
    more += needs(bank, disk[i], waking_level(bank, disk[i]));
  int64_t at = room_from(bank, group_of(bank, disk[0]), more, &overdue);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = disk[i];
    struct siox_command c = {.disk = d, .level = waking_level(bank, d), .job = job};
    int64_t since = limit->waiting[d].is ? limit->waiting[d].since : bank->now;
    leave_queue(limit, d);
    if (command(bank, &c, at) == 0)
      note_delay(bank, d, at - since, overdue);
  }
}

void siox__limit_force(struct siox_bank *bank, const struct siox_mask *disks, uint32_t job) {
  if (!bank->limit->waiting)
    return;
  uint32_t *sleeping = bank->limit->sleeping, n = 0;
  for (uint32_t d = siox_mask_next(disks, 0);; d = siox_mask_next(disks, d + 1)) {
    bool end = d >= bank->view.ndisks;
    if (n && (end || array_of(bank, d) != array_of(bank, sleeping[0]))) {
      wake_array(bank, sleeping, n, job);
      n = 0;
    }
    if (end)
      break;
    if (!bank->disk[d].drive->level[bank->disk[d].level].serves)
      sleeping[n++] = d;
  }
}

uint64_t siox_bank_worn(const struct siox_bank *bank) {
  return bank->limit ? bank->limit->worn : 0;
}

/* The rate of a kind of wear on a disk; 0: nothing bounds it. */
static double bounded_rate(const struct siox_bank *bank, uint32_t disk, enum siox_wear kind) {
  if (disk >= bank->view.ndisks || !bank->limit || !bank->limit->spent || kind <= SIOX_WEAR_NONE ||
      kind >= SIOX_NWEAR)
    return 0;
  return per_day(bank, bank->shown[disk].drive, kind);
}

int64_t siox_bank_wear_ahead(const struct siox_bank *bank, uint32_t disk, enum siox_wear kind) {
  if (bounded_rate(bank, disk, kind) <= 0)
    return 0;
  int64_t spent = bank->limit->spent[disk][kind];
  return spent > bank->now ? spent - bank->now : 0;
}

int siox_bank_wear_resume(struct siox_bank *bank, uint32_t disk, enum siox_wear kind,
                          int64_t ahead) {
  double rate = bounded_rate(bank, disk, kind);
  if (rate <= 0)
    return SIOX_EINVAL;
  int64_t day = day_of(bank->shown[disk].drive), every = worth(rate);
  if (every > day)
    day = every; /* one slow-down in several days is allowed at once, too */
  if (ahead > 0)
    spent_until(bank, disk, kind, siox__later(bank->now, ahead < day ? ahead : day), every);
  return 0;
}

bool siox_bank_wear(const struct siox_bank *bank, uint32_t disk, enum siox_wear kind, double *a_day,
                    double *left) {
  double rate = bounded_rate(bank, disk, kind), every = DAY / rate;
  if (rate <= 0)
    return false;
  const struct siox_drive *drive = bank->shown[disk].drive;
  int64_t spent = bank->limit->spent[disk][kind];
  double ahead = spent > bank->now ? (double)(spent - bank->now) : 0;
  *a_day = rate / drive->time_scale;
  *left = *a_day - ceil(ahead / every - 1e-9);
  return true;
}
