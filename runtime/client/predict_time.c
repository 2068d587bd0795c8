/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long regions take and when to look again. */
#include "client/predict.h"
#include <stdlib.h>

/* Ticks closer than this cost more than they tell. */
static const int64_t TICK_NS = 100000;

int64_t siox__region_time(const struct siox_region *region) {
  const struct siox__region_state *s = region->state;
  uint64_t n = s->ntimes < SIOX__LATEST ? s->ntimes : SIOX__LATEST;
  int64_t least = -1;
  for (uint64_t i = 0; i < n; i++)
    if (least < 0 || s->time[i] < least)
      least = s->time[i];
  return least;
}

int64_t siox__region_expected(const struct siox_region *region, int64_t trip) {
  bool sleeps = region->flags & SIOX_REGION_SLEEPS, measured = region->flags & SIOX_REGION_MEASURED;
  int64_t time;
  if ((sleeps || (measured && region->kind == SIOX_REGION_LOOP)) && trip > 0 &&
      region->body_ns > 0 && !__builtin_mul_overflow(region->body_ns, trip, &time))
    return time;
  return measured ? region->measured_ns : -1;
}

int64_t siox__region_time_or_alike(const struct siox__predictor *p,
                                   const struct siox_region *region, int64_t end) {
  int64_t least = siox__region_time(region);
  if (least >= 0)
    return least;
  if (!region->alike)
    return siox__region_expected(region, region->trip);
  for (const struct siox_region *r = p->regions; r;
       r = ((const struct siox__region_state *)r->state)->link) {
    int64_t time = r->alike == region->alike ? siox__region_time(r) : -1;
    if (time >= 0 && (least < 0 || time < least))
      least = time;
  }
  const struct siox__frame *gap = p->gap ? &p->stack[p->gap - 1] : NULL;
  if (least < 0 && gap && gap->region->alike == region->alike)
    least = end - gap->start;
  return least < 0 ? siox__region_expected(region, region->trip) : least;
}

bool siox__region_brief(const struct siox__predictor *p, const struct siox_region *region) {
  const struct siox__region_state *s = region->state;
  uint64_t n = s->ntimes < SIOX__LATEST ? s->ntimes : SIOX__LATEST;
  for (uint64_t i = 0; i < n; i++)
    if (s->time[i] >= siox__brief_ns(p))
      return false;
  int64_t expected = n ? 0 : siox__region_expected(region, region->trip);
  return expected >= 0 && expected < siox__brief_ns(p);
}

void siox__region_took(struct siox__region_state *s, int64_t time) {
  s->time[s->ntimes++ % SIOX__LATEST] = time;
}

/* The shortest period that explains all that is remembered, seen twice; one instance explains
 * itself. */
int64_t siox__rhythm_next(const struct siox__rhythm *r) {
  uint64_t n = r->n < SIOX__LATEST ? r->n : SIOX__LATEST;
  for (uint64_t q = 1; n && (q == 1 || 2 * q <= n); q++) {
    bool holds = true;
    for (uint64_t i = r->n - n; i + q < r->n && holds; i++)
      holds = r->after[i % SIOX__LATEST] == r->after[(i + q) % SIOX__LATEST];
    if (!holds)
      continue;
    if (r->after[(r->n - q) % SIOX__LATEST] != r->since)
      return -1;
    int64_t least = r->time[(r->n - q) % SIOX__LATEST];
    for (uint64_t back = 2 * q; back <= n; back += q)
      if (r->time[(r->n - back) % SIOX__LATEST] < least)
        least = r->time[(r->n - back) % SIOX__LATEST];
    return least;
  }
  return -1;
}

struct siox__rhythm *siox__closings_of(struct siox__region_state *s, const struct siox_site *user) {
  uint32_t i = 0;
  while (i + 1 < SIOX__CLOSINGS && s->closings_of[i].taken && s->closings_of[i].after_use != user)
    i++;
  s->closings_of[i].taken = true;
  s->closings_of[i].after_use = user;
  return &s->closings_of[i];
}

void siox__rhythm_took(struct siox__rhythm *r, int64_t time, bool pays) {
  if (!pays) {
    r->since++;
    return;
  }
  r->after[r->n % SIOX__LATEST] = r->since;
  r->time[r->n++ % SIOX__LATEST] = time;
  r->since = 0;
}

double siox__region_step(const struct siox_region *region) {
  const struct siox__region_state *s = region->state;
  uint64_t n = s->nsteps < SIOX__LATEST ? s->nsteps : SIOX__LATEST;
  double least = 0;
  for (uint64_t i = 0; i < n; i++)
    if (i == 0 || s->step[i] < least)
      least = s->step[i];
  return least;
}

double siox__running_step(const struct siox_region *steps, int64_t at) {
  const struct siox__region_state *s = steps->state;
  double step = siox__region_step(steps);
  /* A first iteration often takes longer than the others: if the profile says less, it counts. */
  if (s->nsteps < 2 && steps->flags & SIOX_REGION_MEASURED && steps->body_ns > 0)
    step = step > 0 && step < (double)steps->body_ns ? step : (double)steps->body_ns;
  return step > 0 || s->nsteps || at <= s->steps_seen ? step : (double)(at - s->steps_seen);
}

int64_t siox__steps_wait(const struct siox_region *region, int64_t at) {
  const struct siox__region_state *r = region->state;
  const struct siox__region_state *s = region->steps ? region->steps->state : NULL;
  if (!s || !s->stepping || s->steps_trip <= s->steps_done)
    return 0;
  double step = siox__running_step(region->steps, at);
  double left = step * (double)(s->steps_trip - s->steps_done - 1);
  /* Where others always came after it in an iteration, what is left of the present one counts too;
   * a fiftieth of it goes to the safe side. */
  if (r->bursts && !r->last_in_step && step > 0) {
    double end = (double)s->steps_seen + step * ((double)(s->steps_trip - s->steps_done) - 0.02);
    left = end - (double)at > left ? end - (double)at : left;
  }
  return left < 1e18 ? (int64_t)left : INT64_C(1000000000000000000);
}

int64_t siox__frame_trip(const struct siox__frame *f) {
  const struct siox__region_state *s = f->region->state;
  return f->trip > 0 ? f->trip : s->trip;
}

void siox__frame_tick(struct siox__frame *f, int64_t iteration, int64_t now) {
  struct siox__region_state *s = f->region->state;
  int64_t trip = siox__frame_trip(f), done = iteration - f->window_done;
  f->iterations = iteration;
  f->seen = now;
  if (!f->course.trip)
    siox__course_begins(&f->course, trip);
  siox__course_goes_on(&f->course, iteration, now - f->start);
  if (done <= 0 || done < (trip + SIOX__WINDOWS - 1) / SIOX__WINDOWS ||
      now - f->window_start < TICK_NS)
    return;
  s->step[s->nsteps++ % SIOX__LATEST] = (double)(now - f->window_start) / (double)done;
  f->window_done = iteration;
  f->window_start = now;
}

void siox__frame_took(const struct siox__predictor *p, struct siox__frame *f, int64_t now) {
  struct siox__region_state *s = f->region->state;
  if (now - f->start < siox__brief_ns(p))
    return;
  siox__frame_beats_took(p, f, now);
  if (!f->course.trip)
    return;
  /* Without memory for it the shortest iterations have to do. */
  if (!s->courses && !(s->courses = calloc(1, sizeof *s->courses)))
    return;
  siox__course_ends(s->courses, &f->course, now - f->start);
}

/* The end by what was left at this point of earlier instances; SIOX_UNKNOWN: none is known. */
static int64_t end_by_courses(const struct siox__frame *f, int64_t trip) {
  const struct siox__region_state *s = f->region->state;
  struct siox__course begun;
  const struct siox__course *c = &f->course;
  if (!c->trip) {
    siox__course_begins(&begun, trip);
    c = &begun;
  }
  int64_t left = s->courses ? siox__course_left(s->courses, c) : -1;
  return left < 0 ? SIOX_UNKNOWN : f->start + c->at + left;
}

/* ns an iteration takes while no instance is over here and a profile knows the loop; 0: else. The
 * first windows say little, for others may still wait or begin: until as many are over as count,
 * the profile is one more beside them. Then its time can be counted on like that of an instance
 * before, as far as this one has not been faster, in all or lately. */
static double profiled_step(const struct siox__frame *f, int64_t trip) {
  const struct siox_region *r = f->region;
  const struct siox__region_state *s = r->state;
  if (s->ntimes || r->kind != SIOX_REGION_LOOP || !(r->flags & SIOX_REGION_MEASURED) ||
      r->body_ns <= 0)
    return 0;
  const double each = (double)r->body_ns;
  if (f->iterations == 0)
    return each;
  const double all = (double)(f->seen - f->start) / (double)f->iterations;
  const uint64_t n = s->nsteps < SIOX__LATEST ? s->nsteps : SIOX__LATEST;
  double mean = n ? 0 : all, least = n ? siox__region_step(r) : all;
  for (uint64_t i = 0; i < n; i++)
    mean += s->step[i] / (double)n;
  if (n && (2 * mean < each || least > 2 * each)) /* it was measured with other data */
    return 0;
  const double own = least > each ? least : mean < each ? mean : each;
  const double windows =
      (double)(n ? f->window_done : f->iterations) / (double)trip * SIOX__WINDOWS;
  if (windows < SIOX__LATEST)
    return (each + windows * own) / (1 + windows);
  return own <= all ? own : least < all ? all : least;
}

/* ns an iteration takes as far as this run, or a profile, knows; 0: not. */
static double step_of(const struct siox__frame *f, int64_t trip) {
  double step = trip > 0 ? profiled_step(f, trip) : 0;
  if (step <= 0)
    step = siox__region_step(f->region);
  if (step <= 0 && f->iterations > 0)
    step = (double)(f->seen - f->start) / (double)f->iterations;
  return step;
}

/* When the loop of a frame will end; SIOX_UNKNOWN when neither its trip count nor its pace is
 * known. Both the iterations left, each as short as the shortest, and what was left the last times
 * are less than what is to come, as far as is known: the greater counts. */
static int64_t loop_end(const struct siox__frame *f) {
  int64_t trip = siox__frame_trip(f);
  double step = step_of(f, trip);
  if (step <= 0 && f->region->body_ns > 0)
    step = (double)f->region->body_ns; /* the compiler's least time */
  if (trip <= 0 || step <= 0)
    return SIOX_UNKNOWN;
  double left = step * (double)(trip - f->iterations);
  int64_t end = left < 9e18 - (double)f->seen ? f->seen + (int64_t)left : SIOX_UNKNOWN;
  int64_t before = end_by_courses(f, trip);
  return before == SIOX_UNKNOWN || before < end ? end : before;
}

int64_t siox__frame_sleeps(const struct siox__frame *f) {
  int64_t time;
  if (!(f->region->flags & SIOX_REGION_SLEEPS) || f->trip < 0 || f->region->body_ns <= 0 ||
      __builtin_mul_overflow(f->trip, f->region->body_ns, &time))
    return -1;
  return time;
}

int64_t siox__gap_end(const struct siox__predictor *p, int64_t now) {
  const struct siox__frame *g = &p->stack[p->gap - 1], *f = &p->stack[p->depth - 1];
  int64_t time = siox__frame_sleeps(g), end;
  if (time >= 0)
    return time > now - g->start ? g->start + time : now;
  time = siox__region_time(g->region);
  end = loop_end(f);
  if (time < 0)
    time = siox__region_expected(g->region, siox__frame_trip(g));
  if (end != SIOX_UNKNOWN && f != g)
    end += ((const struct siox__region_state *)g->region->state)->tail;
  if (end == SIOX_UNKNOWN && !g->due)
    end = siox__end_by_beats(g);
  if (end == SIOX_UNKNOWN && (g->due || time >= 0))
    end = g->due ? g->due : g->start + time;
  return end > now ? end : now;
}

int64_t siox__earliest_due(const struct siox__predictor *p) {
  int64_t due = SIOX_NEVER;
  for (uint32_t d = 0; p->env.lead == SIOX_LEAD_TRANSITION && d < p->env.ndisks; d++)
    if (p->claimed[d].state == SIOX__RELEASED && p->claimed[d].due < due)
      due = p->claimed[d].due;
  return due;
}

int64_t siox__next_tick(const struct siox__predictor *p, const struct siox__frame *f, int64_t now) {
  int64_t trip = siox__frame_trip(f), left = trip - f->iterations;
  const double each = step_of(f, trip);
  if (trip <= 1 || left <= 1)
    return SIOX_NEVER;
  if (each <= 0)
    return f->iterations > 0 ? f->iterations * 2 : 1;
  /* What the first windows of a first instance say is corrected by the next ones. */
  const struct siox__region_state *s = f->region->state;
  const bool young = !s->ntimes && f->iterations < trip / (SIOX__WINDOWS / SIOX__LATEST);
  /* A window at a time; in the first one sooner, while nothing is known. */
  double step = (double)((trip + SIOX__WINDOWS - 1) / SIOX__WINDOWS);
  if ((f->iterations > 0 || !s->nsteps) && f->iterations < step)
    step = f->iterations > 0 ? (double)f->iterations : 1;
  if (p->env.lead == SIOX_LEAD_TRANSITION) {
    const int64_t due = siox__earliest_due(p);
    if (due != SIOX_NEVER) {
      /* The last iteration that still begins before it is due. */
      double until = ((double)due - (double)now) / each - 1;
      step = until < step ? until : step;
    }
  } else if (!young && each * (double)left < (double)p->env.lead_ns / 2) {
    return SIOX_NEVER; /* the disks are well on their way up */
  }
  double least = (double)TICK_NS / each;
  step = step < least ? least : step;
  step = step < 1 ? 1 : step;
  return step < (double)left ? f->iterations + (int64_t)step : SIOX_NEVER;
}
