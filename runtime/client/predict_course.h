/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Courses: how something that runs over a known number of iterations went forward in time, so that
 * the next time it is known what is left of it at each point. The shortest iteration times those
 * that are left is a bound that no run reaches where iterations are unequal; what was left at this
 * point the last times is a closer one. Pure, not thread-safe. All times in ns. */
#ifndef SIOX_CLIENT_PREDICT_COURSE_H
#define SIOX_CLIENT_PREDICT_COURSE_H
#include <stdint.h>

enum { SIOX__PARTS = 32, SIOX__COURSES = 8 };

/* One that is under way, or over. */
struct siox__course {
  int64_t trip;              /* iterations in all; 0: none is under way */
  int64_t done, at;          /* the last of them that was told, and when, since it began */
  int64_t part[SIOX__PARTS]; /* when so many parts of it were done */
  uint32_t parts;            /* of these that are known */
};

/* The latest that are over. Zeroed: none. */
struct siox__courses {
  struct siox__course past[SIOX__COURSES]; /* done is trip, at how long it took */
  uint64_t n;
};

/* trip below 1: nothing is kept of it. */
void siox__course_begins(struct siox__course *c, int64_t trip);
void siox__course_goes_on(struct siox__course *c, int64_t done, int64_t at);
/* It is over `at` after its beginning, and is none any more. */
void siox__course_ends(struct siox__courses *all, struct siox__course *c, int64_t at);
/* The least that was left where this one is now, of those with as many iterations; an eighth less
 * where only one is known, and as much less as this one has been faster than any, from its
 * beginning or lately. -1: none is known. */
int64_t siox__course_left(const struct siox__courses *all, const struct siox__course *c);
#endif
