/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Beats: calls that pass messages. A loop that hands out work until there is no more has no trip
 * count, but it passes messages all the time; where it passed as many in each instance, they are
 * its iterations. Where it did not they only say that it goes on, and what was said at its
 * beginning can be said again with less on the safe side. */
#include "client/predict.h"
#include <stdlib.h>

/* Closer than this, or than such a part of a gap, they cost more than they tell. */
static const int64_t BEAT_NS = 1000000;
enum { BEATS = 2 * SIOX__PARTS };
/* So many instances in a row must have had as many as the one before: one may by chance. */
enum { ALIKE = 2 };

static void goes_on(struct siox__frame *f, uint64_t beats, int64_t now) {
  const int64_t done = (int64_t)(beats - f->beat0);
  siox__course_goes_on(&f->beat, done, now - f->start);
  if (done > f->beat.trip)
    f->beat.trip = 0;
}

int64_t siox__predictor_beat(struct siox__predictor *p, uint64_t beats, int64_t now) {
  uint32_t i = 0;
  p->beats = beats;
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
  const int64_t part = (siox__gap_end(p, now) - f->start) / BEATS;
  return now + (part > BEAT_NS ? part : BEAT_NS);
}

void siox__frame_beats_took(const struct siox__predictor *p, struct siox__frame *f, int64_t now) {
  struct siox__region_state *s = f->region->state;
  const int64_t n = (int64_t)(p->beats - f->beat0);
  const bool alike = n > 0 && s->beats == n;
  /* Without memory for it time alone has to do. */
  if (alike && !s->beat_courses)
    s->beat_courses = calloc(1, sizeof *s->beat_courses);
  if (alike && s->beat_courses)
    siox__course_ends(s->beat_courses, &f->beat, now - f->start);
  s->beats = n;
  s->beats_alike = alike ? s->beats_alike + 1 : 0;
}

int64_t siox__end_by_beats(const struct siox__frame *f) {
  const struct siox__region_state *s = f->region->state;
  const bool told = s->beat_courses && s->beats_alike >= ALIKE;
  const int64_t left = told ? siox__course_left(s->beat_courses, &f->beat) : -1;
  return left < 0 ? SIOX_UNKNOWN : f->start + f->beat.at + left;
}
