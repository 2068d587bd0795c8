/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iterations in which a counted loop does I/O, where the program tells: if (it % n == 0) write();
 * What stands behind such a condition is not reached before the next iteration that fulfils it, or
 * the loop's end. */
#include "client/predict.h"
#include "client/when_iterations.h"
#include <stdlib.h>

/* A condition, and how long the iterations between two that fulfil it take: one that does I/O takes
 * as long as its disks, so it is not part of that. */
struct siox__when {
  struct siox_steps_when *table;
  int64_t first, modulus;
  int64_t looked_from, looked_to; /* none from the one on to before the other fulfils it */
  bool broken;                    /* it was seen not to be true */
  int64_t run_first, run_begun;   /* the first of the present run, -1: none; when it began */
  double run[SIOX__LATEST];       /* ns an iteration took in the latest runs */
  uint64_t nruns;
  /* From the end of the iteration that did I/O, which is the `course_first`, to the next use, in
   * iterations. When that was expected, told before half of the course, 0: not yet; and how much
   * sooner than expected it came lately, smoothed. */
  struct siox__course course;
  int64_t course_first, course_begun, expected, sooner;
  struct siox__courses courses;
  struct siox__when *also; /* another condition of the loop */
  struct siox__when *link; /* all of the process */
};

/* Iterations looked through for the next one; where there is none, it is later than these. */
enum { LOOK_AHEAD = 4096 };

void siox__predictor_when(struct siox__predictor *p, struct siox_steps_when *table, int64_t first,
                          int64_t modulus) {
  if (p->failed || p->env.lead == SIOX_LEAD_NONE || !p->env.ndisks)
    return;
  struct siox__region_state *loop = siox__region_state(p, table->steps);
  struct siox__when *when = table->state;
  if (loop && !when && (when = calloc(1, sizeof *when))) {
    table->state = when;
    when->table = table;
    when->link = p->whens;
    p->whens = when;
    when->also = loop->conditions;
    loop->conditions = when;
  }
  if (!loop || !when) {
    p->failed = true;
    return;
  }
  when->first = first;
  when->modulus = modulus;
  when->looked_from = when->looked_to = 0;
  when->run_first = -1;
  when->course.trip = 0;
  for (uint32_t i = 0; i < table->nsites; i++) {
    struct siox__site_state *s = siox__site_state(p, table->sites[i]);
    if (s)
      s->when = when;
  }
  for (uint32_t i = 0; i < table->ngaps; i++) {
    struct siox__region_state *s = siox__region_state(p, table->gaps[i]);
    if (s)
      s->when = when;
  }
  for (uint32_t i = 0; i < table->nahead; i++)
    siox__region_state(p, table->ahead[i]);
}

void siox__when_free(struct siox__predictor *p) {
  while (p->whens) {
    struct siox__when *when = p->whens;
    p->whens = when->link;
    when->table->state = NULL;
    free(when);
  }
}

/* The loop runs, and what is said of it was true so far. */
static bool active(const struct siox__when *when) {
  const struct siox__region_state *s = when ? when->table->steps->state : NULL;
  return s && s->stepping && !when->broken && when->modulus != 0;
}

static bool fulfils(const struct siox__when *when, int64_t iteration) {
  return siox__when_fulfilled(when->table, when->first, when->modulus, iteration);
}

static int64_t next_iteration(struct siox__when *when, int64_t iteration) {
  if (iteration < when->looked_from || iteration > when->looked_to)
    when->looked_from = when->looked_to = iteration;
  for (int64_t i = 0; i < LOOK_AHEAD && !fulfils(when, when->looked_to); i++)
    when->looked_to++;
  return when->looked_to;
}

struct siox__when *siox__when_of(const struct siox_site *site) {
  const struct siox__site_state *s = site->state;
  return s && active(s->when) ? s->when : NULL;
}

/* From here on the next use is awaited: `done` iterations are over. */
static void await(struct siox__when *when, int64_t done, int64_t now) {
  int64_t next = next_iteration(when, done);
  int64_t trip = ((struct siox__region_state *)when->table->steps->state)->steps_trip;
  bool comes = fulfils(when, next) && (trip <= 0 || next < trip);
  /* In every iteration: the graph tells. */
  siox__course_begins(&when->course, comes && next > done ? next - done + 1 : 0);
  when->course_first = done;
  when->course_begun = now;
  when->expected = 0;
}

void siox__when_used(const struct siox_site *site, int64_t now) {
  struct siox__when *when = siox__when_of(site);
  if (!when)
    return;
  if (!fulfils(when, ((struct siox__region_state *)when->table->steps->state)->steps_done)) {
    when->broken = true;
    return;
  }
  if (when->course.trip && when->expected)
    when->sooner = (3 * when->sooner + (now < when->expected ? when->expected - now : 0)) / 4;
  siox__course_ends(&when->courses, &when->course, now - when->course_begun);
}

void siox__when_step(struct siox__region_state *loop, int64_t now) {
  int64_t done = loop->steps_done;
  for (struct siox__when *when = loop->conditions; when; when = when->also) {
    if (!active(when))
      continue;
    if (when->run_first >= 0 && done > when->run_first && fulfils(when, done)) {
      when->run[when->nruns++ % SIOX__LATEST] =
          (double)(now - when->run_begun) / (double)(done - when->run_first);
      when->run_first = -1;
    }
    siox__course_goes_on(&when->course, done - when->course_first, now - when->course_begun);
    if (fulfils(when, done - 1)) {
      when->run_first = done;
      when->run_begun = now;
      await(when, done, now);
    }
  }
}

/* When the iteration `next` begins, at the soonest: its distance from the present one as often as
 * the shortest iteration lasts, or, if that counts, from the last one that did I/O as the shortest
 * run did. */
static double begin_of(const struct siox__when *when, int64_t next, double step, int64_t at,
                       bool runs) {
  const struct siox__region_state *s = when->table->steps->state;
  /* A fiftieth of an iteration goes to the safe side. */
  double begin = (double)s->steps_seen + step * ((double)(next - s->steps_done) - 0.02);
  if (!runs || when->run_first < 0 || when->nruns < 2)
    return begin;
  uint64_t n = when->nruns < SIOX__LATEST ? when->nruns : SIOX__LATEST;
  double least = when->run[0];
  for (uint64_t i = 1; i < n; i++)
    least = when->run[i] < least ? when->run[i] : least;
  double run = (double)when->run_begun + least * (double)(next - when->run_first);
  if (run - (double)at < 9e18)
    run -= (double)siox__safe_side((int64_t)(run - (double)at), 0);
  return run > begin ? run : begin;
}

/* What an iteration does before it comes to the condition, at the least; it is part of a `step`.
 * Once a course from one use to the next is known, that tells, and leaves more to the safe side. */
static double ahead_of(const struct siox__when *when, double step) {
  double sum = 0;
  if (when->courses.n)
    return 0;
  for (uint32_t i = 0; i < when->table->nahead; i++) {
    const struct siox_region *r = when->table->ahead[i];
    const struct siox__region_state *s = r->state;
    int64_t time = s && !s->doubt ? siox__region_time(r) : 0;
    if (time < 0)
      time = siox__region_expected(r, r->trip);
    sum += time > 0 ? (double)time : 0;
  }
  return sum < step ? sum : step;
}

static int64_t begins(struct siox__when *when, const struct siox_region *from, int64_t at,
                      bool runs) {
  if (!active(when))
    return 0;
  const struct siox_steps_when *t = when->table;
  const struct siox__region_state *s = t->steps->state;
  /* The loop may be over at any time, and whatever comes then is not bound to it. */
  if (s->steps_trip <= 0 && t->elsewhere)
    return 0;
  bool past = false;
  for (uint32_t i = 0; i < t->npast && !past; i++)
    past = t->past[i] == from;
  /* A first iteration often takes longer than the others: two are waited for. */
  if (s->nsteps < 2 && !(t->steps->flags & SIOX_REGION_MEASURED))
    return 0;
  int64_t next = next_iteration(when, s->steps_done + past);
  if (s->steps_trip > 0 && next > s->steps_trip)
    next = s->steps_trip;
  double step = siox__running_step(t->steps, at);
  if (next <= s->steps_done || step <= 0)
    return 0;
  double begin = begin_of(when, next, step, at, runs);
  double ahead = s->steps_trip <= 0 || next < s->steps_trip ? ahead_of(when, step) : 0;
  if (begin + ahead - (double)at < 9e18)
    ahead -= (double)siox__safe_side((int64_t)(begin + ahead) - at, when->sooner);
  begin += ahead > 0 ? ahead : 0;
  return begin < 9e18 ? (int64_t)begin : SIOX_NEVER - 1;
}

int64_t siox__when_time(struct siox__when *when, const struct siox_region *from, int64_t at) {
  return begins(when, from, at, true);
}

/* Seen from behind its place in the iteration of the use, another one comes next. */
static bool passed(const struct siox__when *when, const struct siox_region *from) {
  const struct siox_steps_when *t = when->table;
  int64_t next = when->course_first + when->course.trip - 1;
  bool past = false;
  for (uint32_t i = 0; i < t->npast && !past; i++)
    past = t->past[i] == from;
  return past && ((struct siox__region_state *)t->steps->state)->steps_done >= next;
}

int64_t siox__when_use(struct siox__when *when, const struct siox_region *from, int64_t at) {
  if (!active(when))
    return 0;
  const struct siox__region_state *s = when->table->steps->state;
  int64_t left = siox__course_left(&when->courses, &when->course);
  if (left < 0 || passed(when, from) || (s->steps_trip <= 0 && when->table->elsewhere))
    return siox__when_time(when, from, at);
  int64_t use = when->course_begun + when->course.at + left;
  if (2 * when->course.done <= when->course.trip)
    when->expected = use;
  use -= siox__safe_side(use - at, when->sooner);
  int64_t begin = begins(when, from, at, false);
  return use > begin ? use : begin;
}

/* Iterations after which code that the compiler cannot see is believed to do no I/O in a loop: the
 * first says little. */
enum { QUIET = 2 };

int64_t siox__when_any(const struct siox_region *steps, const struct siox_region *from,
                       int64_t now) {
  const struct siox__region_state *s = steps->state;
  struct siox__when *when = s && s->stepping && !s->unexplained ? s->conditions : NULL;
  if (!when || !when->table->only || s->steps_trip <= 0)
    return 0;
  int64_t soonest = SIOX_NEVER;
  for (; when; when = when->also) {
    bool believed = when->table->only == 1 || s->explained >= QUIET;
    int64_t time = believed ? siox__when_use(when, from, now) : 0;
    soonest = time < soonest ? time : soonest;
  }
  return soonest;
}

void siox__when_begins(struct siox__predictor *p, struct siox_region *steps) {
  const struct siox__region_state *s = steps->state;
  siox__when_ends(p, steps);
  for (struct siox__when *when = s->conditions; when; when = when->also)
    if (active(when))
      await(when, 0, s->steps_seen);
  if (s->conditions && p->nrunning < SIOX__RUNNING)
    p->running[p->nrunning++] = steps;
}

void siox__when_ends(struct siox__predictor *p, const struct siox_region *steps) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nrunning; i++)
    if (p->running[i] != steps)
      p->running[n++] = p->running[i];
  p->nrunning = n;
}

void siox__when_seen(struct siox__predictor *p) {
  for (uint32_t i = 0; i < p->nrunning; i++) {
    struct siox__region_state *s = p->running[i]->state;
    bool explained = false;
    for (const struct siox__when *w = s->conditions; w && !explained; w = w->also)
      explained = fulfils(w, s->steps_done);
    s->unexplained |= !explained;
  }
}
