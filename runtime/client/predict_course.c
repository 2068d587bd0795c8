/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "client/predict_course.h"

/* One may have been an exception: such a part of it goes to the safe side. */
enum { ALONE = 8 };
/* So many parts back its pace is looked at: others may have let go of the processors since. */
static const double LATELY = 6;

void siox__course_begins(struct siox__course *c, int64_t trip) {
  c->trip = trip > 0 ? trip : 0;
  c->done = c->at = 0;
  c->part[0] = 0;
  c->parts = 1;
}

/* When `done` iterations were over, on the straight line between two points. */
static int64_t between(double done, double done0, int64_t at0, double done1, int64_t at1) {
  return done1 > done0 ? at0 + (int64_t)((double)(at1 - at0) * (done - done0) / (done1 - done0))
                       : at1;
}

void siox__course_goes_on(struct siox__course *c, int64_t done, int64_t at) {
  if (!c->trip || done <= c->done || at < c->at)
    return;
  const double part = (double)c->trip / SIOX__PARTS;
  while (c->parts < SIOX__PARTS && part * c->parts <= (double)done) {
    c->part[c->parts] = between(part * c->parts, (double)c->done, c->at, (double)done, at);
    c->parts++;
  }
  c->done = done;
  c->at = at;
}

void siox__course_ends(struct siox__courses *all, struct siox__course *c, int64_t at) {
  if (c->trip > 0 && at >= c->at) {
    siox__course_goes_on(c, c->trip, at);
    c->at = at; /* all iterations may have been told before it was over */
    all->past[all->n++ % SIOX__COURSES] = *c;
  }
  c->trip = 0;
}

/* When `parts` of it were done. */
static int64_t at_part(const struct siox__course *c, double parts) {
  const uint32_t i = parts < SIOX__PARTS - 1 ? (uint32_t)parts : SIOX__PARTS - 1;
  const int64_t end = i + 1 < SIOX__PARTS ? c->part[i + 1] : c->at;
  return between(parts, i, c->part[i], i + 1, end);
}

/* Part of what is left that counts for one that took `took` where the fastest before took `least`.
 */
static double as_fast(int64_t took, int64_t least) {
  return took < least ? (double)took / (double)least : 1;
}

int64_t siox__course_left(const struct siox__courses *all, const struct siox__course *c) {
  if (c->trip <= 0)
    return -1;
  const double parts = (double)c->done / (double)c->trip * SIOX__PARTS;
  const double lately = parts > LATELY ? parts - LATELY : 0;
  const uint32_t n = all->n < SIOX__COURSES ? (uint32_t)all->n : SIOX__COURSES;
  uint32_t alike = 0;
  int64_t least = 0, fastest = 0, sprint = 0;
  for (uint32_t k = 0; k < n; k++) {
    const struct siox__course *p = &all->past[k];
    if (p->trip != c->trip)
      continue;
    int64_t at = at_part(p, parts), left = p->at > at ? p->at - at : 0;
    int64_t part = at - at_part(p, lately);
    least = alike == 0 || left < least ? left : least;
    fastest = alike == 0 || at < fastest ? at : fastest;
    sprint = alike == 0 || part < sprint ? part : sprint;
    alike++;
  }
  if (alike == 0)
    return -1;
  if (alike == 1)
    least -= least / ALONE;
  /* Its own points are known up to here only; where it is between two, the last of them counts. */
  uint32_t from = (uint32_t)lately;
  from = from < c->parts ? from : c->parts - 1;
  double part = as_fast(c->at, fastest), last = as_fast(c->at - c->part[from], sprint);
  return (int64_t)((double)least * (part < last ? part : last));
}
