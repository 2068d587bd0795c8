/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "client/predict_course.h"

/* One may have been an exception: such a part of it goes to the safe side. */
enum { ALONE = 8 };

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
  if (done <= c->done || at < c->at)
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

int64_t siox__course_left(const struct siox__courses *all, const struct siox__course *c) {
  if (c->trip <= 0)
    return -1;
  const double parts = (double)c->done / (double)c->trip * SIOX__PARTS;
  const uint32_t n = all->n < SIOX__COURSES ? (uint32_t)all->n : SIOX__COURSES;
  uint32_t alike = 0, i = parts < SIOX__PARTS - 1 ? (uint32_t)parts : SIOX__PARTS - 1;
  int64_t least = 0, fastest = 0;
  for (uint32_t k = 0; k < n; k++) {
    const struct siox__course *p = &all->past[k];
    if (p->trip != c->trip)
      continue;
    int64_t end = i + 1 < SIOX__PARTS ? p->part[i + 1] : p->at;
    int64_t at = between(parts, i, p->part[i], i + 1, end), left = p->at > at ? p->at - at : 0;
    least = alike == 0 || left < least ? left : least;
    fastest = alike == 0 || at < fastest ? at : fastest;
    alike++;
  }
  if (alike == 0)
    return -1;
  if (alike == 1)
    least -= least / ALONE;
  return c->at < fastest ? (int64_t)((double)least * ((double)c->at / (double)fastest)) : least;
}
