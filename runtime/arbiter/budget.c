/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See budget.h. The cheapest way to spend a budget is to share the time between two levels: one
 * whose loss the jobs earn all the time, and a slower one for which savings are kept, and spent in
 * blocks that are long enough for the two changes of level not to matter. */
#include "arbiter/budget.h"
#include "arbiter/budget_cycle.h"
#include "arbiter/claims.h"
#include "arbiter/gap.h"
#include <math.h>

/* Where the numbers come from. The rules as they stand were measured as a whole, over the map of
 * loads, errors and drives (docs/energy-map.md: siox:delay against static levels within the same
 * delay), never number by number. "Chosen" is a round number that states an intent. */

/* Savings must last for so many cycles: the first cycle of a block still pays for the change, so
 * with four at most a quarter of them does. Chosen. */
enum { BLOCK = 4 };
/* And a block must save so many times the joules of the two changes that it costs, so that a block
 * which ends early still saves. Chosen, as BLOCK. */
enum { WORTH = 4 };
/* Ends of bursts, while others go on, that are taken for one cycle: one each of sixteen jobs that
 * overlap, the map's usual crowd. Chosen. */
enum { OVERLAPS = 16 };
/* Where jobs share a disk, what a gap is still to earn counts only where so many times the next
 * burst is covered. Without that margin, at 100 random points of the map, budgets of 2 % that had
 * been kept were exceeded by 0.3 and 0.4 points at two of them, and 37 of 201 rows saved less.
 * Chosen. */
enum { AMPLE = 2 };
/* Cycles, and steps' times, between steps that requests wait for: such a wait then takes a
 * sixteenth of the run time at most. Chosen. */
enum { REST = 16 };
/* Times the change for which a lower level is tried, unless savings end: the change is then a
 * sixteenth of the trial, too. Chosen, as REST. */
enum { TRIAL = 16 };
/* Bursts that count as much as what is expected of them: the first ones find jobs in the order that
 * the level before left them in, and are worth little (bank_access.c leaves RECOVERY = 8 changes
 * out for the same reason). Chosen. */
enum { PRIOR = 8 };
/* Jobs of a disk that a look remembers; more are looked for twice. Only speed depends on it. The
 * map's most crowded points have so many. */
enum { JOBS = 64 };
/* ns in which what a level has overspent is to be earned back there: long beside a cycle, short
 * beside a run. Chosen. */
#define PATIENCE 120e9
/* Part of a budget: an expected loss up to that is worth a trial. The expectation is an M/D/1
 * queue, which is wrong for jobs that take turns, either way: by a factor of two it may be wrong.
 * Chosen. */
#define SURE 0.5
/* Part of a budget by which a loss may be above it before requests wait for a step up, which costs
 * more than a budget that is missed by a little. Chosen. */
#define TOLERANCE 0.25

size_t siox__budget_size(uint32_t ndisks) { return ndisks * sizeof(struct siox__budget_disk); }

void siox__budget_init(struct siox__budget *budget, void *memory, const struct siox_view *view) {
  budget->disk = memory; /* zeroed */
  budget->on = view->job != NULL;
  if (budget->on)
    siox__pauses_init(&budget->pauses, view);
  for (uint32_t d = 0; d < view->ndisks; d++)
    budget->disk[d].serve = view->disk[d].drive->nlevels - 1;
}

int64_t siox__budget_room(const struct siox_view *view, uint32_t job, int64_t now) {
  const struct siox_job_view *j = &view->job[job];
  double undelayed = (double)(now - j->since - j->delayed);
  return (int64_t)(j->budget * fmax(undelayed, 0)) - j->delayed;
}

bool siox__budget_note(struct siox__budget *budget, const struct siox_served *s,
                       const struct siox_view *view) {
  struct siox__budget_disk *b = &budget->disk[s->disk];
  const struct siox_drive *drive = view->disk[s->disk].drive;
  uint32_t top = drive->nlevels - 1;
  const struct siox__service_of *service =
      siox__services(&budget->services, drive, s->bytes, s->sequential);
  b->used = true;
  for (uint32_t l = 0; l <= top; l++)
    if (drive->level[l].serves) {
      b->active[l] += service->joules[l];
      b->cost[l] += service->ns[l] - service->ns[top];
      b->work[l] += (double)service->ns[l];
    }
  if (!b->since)
    b->since = s->arrival;
  if (s->level >= top || b->serve != s->level || siox__budget_room(view, s->job, s->end) >= 0)
    return false;
  int64_t up =
      siox_drive_transition_ns(drive, drive->level[s->level].speed, drive->level[top].speed);
  if (up < 0 || b->cost[s->level] < up)
    return false;
  b->serve = top;
  b->spends = false;
  return true;
}

/* What the jobs that need a disk can bear. */
struct bearing {
  bool sole;                        /* one job's */
  double expected[SIOX_MAX_LEVELS]; /* factor on losses, see expected_congestion() */
  bool afforded[SIOX_MAX_LEVELS];   /* every job earns its loss as fast as it is lost */
  bool earned[SIOX_MAX_LEVELS];     /* and has saved what the next burst loses */
  bool sustained[SIOX_MAX_LEVELS];  /* the first, but for TOLERANCE */
  double rate[SIOX_MAX_LEVELS];     /* part of its run time that the job loses that loses most */
  double cycles[SIOX_MAX_LEVELS];   /* of burst and gap that the least savings pay for */
  int64_t room;                     /* ns: siox__budget_room of the job with the least, now */
};

static double rate_of(const struct siox_job_view *j, uint32_t level, int64_t now) {
  return now > j->since ? (double)j->loss[level] / (double)(now - j->since) : 0;
}

static int64_t change_ns(const struct siox_drive *drive, uint32_t from, uint32_t to) {
  int64_t ns = siox_drive_transition_ns(drive, drive->level[from].speed, drive->level[to].speed);
  return ns < 0 ? SIOX_NEVER : ns;
}

int64_t siox__budget_change(const struct siox_disk_view *v, uint32_t level) {
  return change_ns(v->drive, v->level, level);
}

/* The serving level next to one in the direction of another. */
static uint32_t next_to(const struct siox_drive *drive, uint32_t from, uint32_t to) {
  uint32_t l = from;
  do
    l = to > l ? l + 1 : l - 1;
  while (l != to && !drive->level[l].serves);
  return l;
}

/* How long a request takes among others, times what it takes alone: the mean of a queue with
 * constant service times (M/D/1) that others keep busy for a part of the time. */
static double queueing(double busy) {
  busy = fmin(busy, 0.95);
  return 1 + busy / (2 * (1 - busy));
}

/* How much more a level costs than by how much requests take longer by themselves, because they
 * wait longer for others', too. others: part of the requests that is theirs; who met all of them
 * each time would lose what they do. */
static double expected_congestion(const struct siox__budget_disk *b, uint32_t level, uint32_t top,
                                  double others) {
  double slower = b->work[level] / fmax(b->work[top], 1), busy = b->work[top] / fmax(b->span, 1);
  if (slower <= 1)
    return 1;
  double more = slower * queueing(busy * slower * others) - queueing(busy * others);
  return fmin(fmax(more / (slower - 1), 1), 1 / (1 - others));
}

/* As measured at this level, else at the next higher one where it was; until PRIOR bursts have been
 * measured more as expected, for the first ones find the order of jobs as the level before left it.
 */
static double congestion(const struct siox__budget_disk *b, const struct siox_job_view *j,
                         uint32_t level, uint32_t top, double expected) {
  uint32_t l = level;
  while (l < top && j->alone[l] <= 0)
    l++;
  if (l == top)
    return expected;
  double prior = PRIOR * (double)b->burst[l] + 1;
  return fmax(((double)j->among[l] + prior * expected) / ((double)j->alone[l] + prior), 1);
}

/* The next burst is paid when it comes, from what the gap before it has earned, too; and what was
 * lost so far is spread over whole cycles, of which that gap is the last part. Where jobs share the
 * disk that is relied on only where it covers AMPLE times what is expected: others' bursts come
 * before the gap is over for this one. */
static void bear(struct bearing *all, const struct siox__pauses *pauses,
                 const struct siox_view *view, uint32_t job, int64_t now, int64_t next,
                 const struct siox_drive *drive, const struct siox__budget_disk *b) {
  const struct siox_job_view *j = &view->job[job];
  int64_t present = siox__budget_room(view, job, now), future = siox__budget_room(view, job, next);
  int64_t room = all->sole ? future : present;
  bool any = j->budget > 0 && j->loss[0] > 0;
  double waits = siox__pauses_waits(pauses, view, job);
  all->room = present < all->room ? present : all->room;
  for (uint32_t l = 0; l + 1 < drive->nlevels; l++) {
    double more = fmax(congestion(b, j, l, drive->nlevels - 1, all->expected[l]), waits);
    double rate = rate_of(j, l, all->sole ? next : now) * more, later = rate_of(j, l, next) * more;
    /* What the disk itself takes longer for all; where jobs share it, they may meet again. */
    double once = fmax(rate * (double)b->period, (double)b->burst[l]);
    double burst = waits > 0 ? once : fmax(once, (double)b->burst[l] * more);
    bool there = l == b->serve, known = all->expected[l] <= 1 || j->alone[l] > 0;
    bool bears = any && rate <= j->budget * (known ? 1 : SURE);
    double free = (double)room - (waits > 0 ? rate * (double)(now - j->since) : 0);
    bool soon = there && waits <= 0 && (double)room + (j->budget - rate) * PATIENCE >= 0;
    bool ample = any && waits <= 0 && AMPLE * later <= j->budget && (double)future >= AMPLE * once;
    double cycles = any ? free / fmax(burst, 1) : 0;
    all->rate[l] = fmax(all->rate[l], rate);
    all->sustained[l] &= j->budget > 0 && rate <= j->budget * (1 + TOLERANCE);
    all->afforded[l] &= bears || ample;
    all->earned[l] &= (bears && (free >= burst || soon)) || ample;
    all->cycles[l] = fmin(all->cycles[l], cycles);
  }
}

/* The next claim in the walk that is still in force and of another job than the last one;
 * SIOX_NOBODY: the end. A job comes again where another one's client stands between its clients. */
static uint32_t next_job(struct siox__claims_walk *walk, const struct siox_view *view, int64_t now,
                         uint32_t disk, uint32_t last) {
  const struct siox__claimant *c;
  while ((c = siox__claims_next(walk, INT64_MAX)))
    if (c->job != last && siox__entry_end(view, disk, &c->entry) > now)
      return c->job;
  return SIOX_NOBODY;
}

static struct bearing bearing_of(const struct siox__pauses *pauses, const struct siox_view *view,
                                 int64_t now, int64_t next, uint32_t disk,
                                 const struct siox__budget_disk *b) {
  const struct siox_drive *drive = view->disk[disk].drive;
  struct bearing all = {.room = INT64_MAX};
  uint32_t job = SIOX_NOBODY, njobs = 0, found[JOBS];
  struct siox__claims_walk walk = siox__claims_walk(view->claims, disk, INT64_MIN);
  while ((job = next_job(&walk, view, now, disk, job)) != SIOX_NOBODY && njobs <= JOBS) {
    uint32_t i = 0;
    while (i < njobs && found[i] != job)
      i++;
    if (i == njobs && njobs++ < JOBS)
      found[i] = job;
  }
  all.sole = njobs == 1;
  for (uint32_t l = 0; l < drive->nlevels; l++) {
    all.earned[l] = all.sustained[l] = all.afforded[l] = drive->level[l].serves;
    all.cycles[l] = INFINITY;
    all.expected[l] =
        expected_congestion(b, l, drive->nlevels - 1, njobs > 1 ? 1 - 1 / (double)njobs : 0);
  }
  for (uint32_t i = 0; i < njobs && njobs <= JOBS; i++)
    bear(&all, pauses, view, found[i], now, next, drive, b);
  if (njobs <= JOBS)
    return all;
  walk = siox__claims_walk(view->claims, disk, INT64_MIN);
  while ((job = next_job(&walk, view, now, disk, job)) != SIOX_NOBODY)
    bear(&all, pauses, view, job, now, next, drive, b);
  return all;
}

/* Joules that going to a level and back takes beyond standing at the first for as long. */
static double change_j(const struct siox_drive *drive, uint32_t from, uint32_t to) {
  double there, back;
  int64_t there_ns, back_ns;
  if (siox__walk(drive, drive->level[from].speed, drive->level[to].speed, &there_ns, &there) < 0 ||
      siox__walk(drive, drive->level[to].speed, drive->level[from].speed, &back_ns, &back) < 0)
    return INFINITY;
  return there + back - drive->level[from].idle_w * (double)(there_ns + back_ns) * 1e-9;
}

/* The level that the jobs earn and that costs least joules. */
static uint32_t highest_use(const struct siox__budget_disk *b, const struct bearing *all,
                            uint32_t top) {
  uint32_t best = top;
  for (uint32_t l = 0; l < top; l++)
    if (all->earned[l] && b->cycle[l] < b->cycle[best])
      best = l;
  return best;
}

/* Below it, the level that saves most joules for each part of the run time; the same: none. */
static uint32_t best_buy(const struct siox__budget_disk *b, const struct bearing *all,
                         const struct siox_drive *drive, uint32_t high) {
  double best = 0;
  uint32_t low = high;
  for (uint32_t l = 0; l < high; l++) {
    double saved = b->cycle[high] - b->cycle[l];
    if (!drive->level[l].serves || all->earned[l] || saved <= 0)
      continue;
    double slope = saved / fmax(all->rate[l] - all->rate[high], 1e-12);
    if (slope > best) {
      best = slope;
      low = l;
    }
  }
  return low;
}

/* Is there to be a block at the low level, or is it to go on? Only where most gaps hold the
 * changes. */
static bool spend(const struct siox__budget_disk *b, const struct bearing *all,
                  const struct siox_drive *drive, uint32_t high, uint32_t low) {
  if (low == high || change_ns(drive, next_to(drive, low, high), low) > b->usual)
    return false;
  if (b->spends)
    return all->cycles[low] >= 1;
  double saved = b->cycle[high] - b->cycle[low];
  return all->cycles[low] >= fmax(BLOCK, WORTH * change_j(drive, high, low) / saved);
}

/* Where gaps never hold even one step, requests wait for the rest of it. That is paid once to come
 * down, and to leave what the jobs cannot bear any more as long as savings last for the way; then
 * each time it is asked for more savings. The disks of a job step together, so that their waits are
 * one. */
static bool pays(struct siox__budget *budget, struct siox__budget_disk *b,
                 const struct bearing *all, uint32_t goal, uint32_t to, int64_t ns, int64_t gap,
                 int64_t now) {
  bool down = goal < b->serve;
  int64_t wait = ns - gap;
  bool follows = budget->paid_from == b->serve && budget->paid_to == to &&
                 now - budget->paid_at < ns / 2 && budget->paid_at > 0;
  if (!follows) {
    if (b->paid_at > 0 && now - b->paid_at < REST * (b->period + wait))
      return false;
    if (down ? !all->afforded[goal] || all->room < wait + b->deposit
             : all->sustained[b->serve] || all->room >= wait)
      return false;
    budget->paid_at = now;
    budget->paid_from = b->serve;
    budget->paid_to = to;
  }
  if (!down)
    b->deposit = 2 * b->deposit + wait;
  b->paid_at = now;
  return true;
}

/* Does a pause that nobody told of hold a change? Requests may wait for its last part, if that and
 * the risk have been saved. */
static bool holds(const struct bearing *all, int64_t ns, int64_t gap, uint32_t seen, bool down) {
  int64_t rest = ns > gap ? ns - gap : 0;
  if (ns == SIOX_NEVER || rest > ns / SIOX__PAUSE_REST)
    return false;
  return !down || all->room >= ns / (seen + 1) + WORTH * rest;
}

/* Does a gap that was told hold the way to a level, from where the disk is now? */
static bool reaches(const struct siox_disk_view *v, int64_t now, int64_t next, uint32_t level) {
  const struct siox__stand stand = siox__stand_of(v, now);
  int64_t ns = siox_drive_transition_ns(v->drive, stand.speed, v->drive->level[level].speed);
  return ns >= 0 && ns <= next - stand.at;
}

/* Goes towards a level as far as the gap holds. After n pauses that held a step the next does not
 * with probability 1 / (n + 1): down it goes only when that part of the step's time is saved. */
static void step(struct siox__budget *budget, struct siox__budget_disk *b,
                 const struct bearing *all, const struct siox_disk_view *v, uint32_t goal,
                 int64_t gap, uint32_t seen, int64_t now, int64_t next) {
  const struct siox_drive *drive = v->drive;
  bool down = goal < b->serve;
  if (!down && now < b->tried_until && all->room > 0 && b->stepped < b->since)
    return;
  uint32_t to = b->serve;
  int64_t ns = 0;
  for (uint32_t l = goal; l != b->serve && to == b->serve; l += down ? 1 : -1u) {
    ns = drive->level[l].serves ? change_ns(drive, b->serve, l) : SIOX_NEVER;
    if (seen ? holds(all, ns, gap, seen, down) : ns <= gap || (gap > 0 && reaches(v, now, next, l)))
      to = l;
  }
  if (to == b->serve && !seen) {
    uint32_t neighbour = next_to(drive, b->serve, goal);
    ns = change_ns(drive, b->serve, neighbour);
    if (ns < SIOX_NEVER && ns > b->longest && pays(budget, b, all, goal, neighbour, ns, gap, now))
      to = neighbour;
  }
  if (to < b->serve) {
    b->tried_until = now + TRIAL * ns;
    b->stepped = now;
  }
  b->serve = to;
}

/* seen: how many pauses say so, where nobody has told of this one; else 0. */
static void choose(struct siox__budget *budget, const struct siox_view *view, int64_t now,
                   uint32_t disk, int64_t gap, int64_t next, uint32_t seen) {
  struct siox__budget_disk *b = &budget->disk[disk];
  const struct siox_drive *drive = view->disk[disk].drive;
  b->overlapped = 0;
  if (b->used)
    siox__cycle_ends(b, drive, now, gap, next, seen > 0);
  else
    siox__cycle_told(b, drive, next);
  const struct bearing all = bearing_of(&budget->pauses, view, now, next, disk, b);
  uint32_t high = highest_use(b, &all, drive->nlevels - 1);
  uint32_t low = best_buy(b, &all, drive, high);
  b->spends = spend(b, &all, drive, high, low);
  uint32_t goal = b->spends ? low : high;
  if (goal != b->serve)
    step(budget, b, &all, &view->disk[disk], goal, gap, seen, now, next);
}

void siox__budget_choose(struct siox__budget *budget, const struct siox_view *view, int64_t now,
                         uint32_t disk, int64_t free_from, int64_t next) {
  struct siox__budget_disk *b = &budget->disk[disk];
  int64_t gap = next > free_from ? next - free_from : 0;
  if (!b->used && (!b->known || gap == 0 || next == b->told_end))
    return;
  bool followed = budget->paid_at > 0 && now == budget->paid_at;
  if (gap == 0 && ++b->overlapped < OVERLAPS && !followed)
    return; /* one of several that use the disk together */
  choose(budget, view, now, disk, gap, gap > 0 ? next : now, 0);
}

void siox__budget_pause(struct siox__budget *budget, const struct siox_view *view, int64_t now,
                        uint32_t disk, int64_t next, uint32_t seen) {
  if (budget->disk[disk].used && next > now)
    choose(budget, view, now, disk, next - now, next, seen);
}
