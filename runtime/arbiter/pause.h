/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pauses that nobody tells of. A job that needs its disks without an end, and says no more, still
 * uses them in bursts: how long it has been silent after each is kept, the last of a job, and from
 * the pauses that were longer than the one under way so far follows how long that will be. Times
 * are of the whole job, so that a pause is one of every disk. A job that names its next use, or has
 * named it in this burst, has no such pauses. Fixed size; a job that shares its place with another
 * takes it over. Pure. */
#ifndef SIOX_ARBITER_PAUSE_H
#define SIOX_ARBITER_PAUSE_H
#include "siox/policy.h"

enum { SIOX__PAUSES = 16, SIOX__PAUSE_PLACES = 256 };
/* A pause may be shorter than a step by one of so many parts of it. Chosen. */
enum { SIOX__PAUSE_REST = 4 };

struct siox__pauses_of {    /* a job */
  int64_t since;            /* of its view: job numbers are used again */
  int64_t began, end;       /* its burst, so far; ns */
  int64_t told;             /* when it named a next use last */
  int64_t waited, worked;   /* ns in which some request of it was under way; would have been, had
                               none waited for another, in all, */
  int64_t wait_to, work_to; /* counted up to here */
  uint32_t job;
  bool used;
  uint8_t count, next;      /* of its pauses, and the oldest when there is no room */
  int64_t ns[SIOX__PAUSES]; /* a ring */
};
struct siox__pauses {
  int64_t step; /* ns: the shortest change between neighbouring levels that serve, of any drive;
                   0: there is none, and nothing is kept */
  struct siox__pauses_of of[SIOX__PAUSE_PLACES];
};
/* What is known of the pause that a job is in. */
struct siox__pause {
  int64_t next;   /* no use is expected before; not later than now: it is in none that is known */
  int64_t again;  /* SIOX_NEVER, or when more is known, if the pause goes on until then */
  uint32_t count; /* of pauses that say so */
};

/* In a pause that nobody has told of it is time to choose again. look_at: when, 0: never. */
static inline bool siox__pause_is_due(int64_t look_at, int64_t now) {
  return look_at > 0 && look_at <= now;
}

void siox__pauses_init(struct siox__pauses *pauses, const struct siox_view *view);
/* The job names a next use. */
void siox__pauses_told(struct siox__pauses *pauses, const struct siox_view *view, uint32_t job,
                       int64_t now);
/* A part of one of its requests was charged. Returns when the pause behind it may be one that holds
 * a step, SIOX_NEVER where that cannot be known. */
int64_t siox__pauses_served(struct siox__pauses *pauses, const struct siox_served *served,
                            const struct siox_view *view);
/* 0: the job tells of its uses, or too little is known of it. Else how many times longer it is
 * under way than its requests take by themselves, because they wait for each other and for others'.
 */
double siox__pauses_waits(const struct siox__pauses *pauses, const struct siox_view *view,
                          uint32_t job);
struct siox__pause siox__pauses_now(const struct siox__pauses *pauses, const struct siox_view *view,
                                    uint32_t job, int64_t now);
#endif
