/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Beats: calls that pass messages. A loop that hands out work until there is no more has no trip
 * count, but it passes messages all the time; where it passed as many in each instance, they are
 * its iterations. Where it did not they only say that it goes on, and what was said at its
 * beginning can be said again with less on the safe side. */
#include "client/predict.h"
#include <stdlib.h>

/* Closer than this, or than such a part of a gap, they cost more than they tell; but another gap
 * may have begun after MOST_NS. */
static const int64_t BEAT_NS = 1000000, MOST_NS = 100000000;
enum { BEATS = 2 * SIOX__PARTS };
/* So many instances in a row must have had as many as the one before: one may by chance. */
enum { ALIKE = 2 };

static void goes_on(struct siox__frame *f, uint64_t beats, int64_t now) {
  const int64_t done = (int64_t)(beats - f->beat0);
  siox__course_goes_on(&f->beat, done, now - f->start);
  if (done > f->beat.trip)
    f->beat.trip = 0;
}

/* When the next one is wanted. */
static int64_t next_beat(const struct siox__predictor *p, const struct siox__frame *f,
                         int64_t now) {
  const int64_t part = (siox__gap_end(p, now) - f->start) / BEATS;
  const int64_t next = now + (part < MOST_NS ? part : MOST_NS), due = siox__earliest_due(p);
  const int64_t sooner = next < due ? next : due;
  return sooner > now + BEAT_NS ? sooner : now + BEAT_NS;
}

int64_t siox__predictor_beat(struct siox__predictor *p, uint64_t beats, int64_t now) {
  uint32_t i = 0;
  p->beats = beats;
  p->beat_at = now;
  while (i < p->depth && p->stack[i].no_gap)
    i++;
  if (siox__predictor_asleep(p) || i == p->depth)
    return now + BEAT_NS;
  p->now = now;
  struct siox__frame *f = &p->stack[p->gap ? p->gap - 1 : i];
  const struct siox__frame *top = &p->stack[p->depth - 1];
  goes_on(f, beats, now);
  /* The counted loop of a called function tells by its own iterations. */
  if (!p->gap || (top != f && siox__frame_trip(top) > 0))
    return now + BEAT_NS;
  siox__gap_replan(p, now);
  return next_beat(p, f, now);
}

void siox__frame_beats_begin(struct siox__frame *f, uint64_t beats) {
  const struct siox__region_state *s = f->region->state;
  f->beat0 = beats;
  siox__course_begins(&f->beat, s->beats);
}

void siox__frame_beats_took(const struct siox__predictor *p, struct siox__frame *f, int64_t now) {
  struct siox__region_state *s = f->region->state;
  const int64_t n = (int64_t)(p->beats - f->beat0), last = p->beat_at;
  const bool alike = n > 0 && s->beats == n && last >= f->start && last <= now;
  /* Without memory for it time alone has to do. */
  if (alike && !s->beaten)
    s->beaten = calloc(1, sizeof *s->beaten);
  if (alike && s->beaten) {
    s->beaten->rest[s->beaten->courses.n % SIOX__COURSES] = now - last;
    siox__course_ends(&s->beaten->courses, &f->beat, last - f->start);
  }
  s->beats = n;
  s->beats_alike = alike ? s->beats_alike + 1 : 0;
}

int64_t siox__end_by_beats(const struct siox__frame *f) {
  const struct siox__region_state *s = f->region->state;
  const struct siox__beaten *b = s->beats_alike >= ALIKE ? s->beaten : NULL;
  const int64_t left = b ? siox__course_left(&b->courses, &f->beat) : -1;
  if (left < 0)
    return SIOX_UNKNOWN;
  int64_t rest = b->rest[0];
  for (uint64_t i = 1; i < SIOX__COURSES && i < b->courses.n; i++)
    rest = b->rest[i] < rest ? b->rest[i] : rest;
  return f->start + f->beat.at + left + rest;
}
