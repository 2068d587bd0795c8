/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the processes' calls do, from their tallies (common/tally.h): a summary a cycle for the
 * detectors, totals a job for reports. The loop lets processes in and out and asks for totals, the
 * monitor's thread makes the cycles: there is one lock, held for one process at a time.
 *
 * A tally is written by somebody who may want to hurt: it is mapped only if it can neither shrink
 * nor be taken from memory that is not there, each value is copied before it is looked at, and one
 * that goes back or cannot be is left out, and counted. */
#ifndef SIOX_DAEMON_ACTIVITIES_H
#define SIOX_DAEMON_ACTIVITIES_H
#include "siox/activities.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct siox__activities;
struct siox__tallied; /* a process in there */

/* cycles: somebody calls siox__activities_cycle(), which sees a process that left once more. */
int siox__activities_new(struct siox__activities **out, bool cycles);
struct siox__activities *siox__activities_hold(struct siox__activities *a); /* one more owner */
void siox__activities_free(struct siox__activities *a); /* the last one's frees */
/* fd: of a HELLO, not kept. rank -1: none. job: its serial number. SIOX_EPROTO with *why: it is not
 * a tally that can be trusted to stay there; SIOX_ENOMEM. */
int siox__activities_enter(struct siox__activities *a, int fd, int32_t pid, int32_t rank,
                           uint32_t job, struct siox__tallied **out, const char **why);
struct siox_tally_sum;
/* What a process did so far, by row and size class of common/tally.h; rows without a call are left
 * out. */
void siox__activities_each(struct siox__activities *a, const struct siox__tallied *p,
                           void (*each)(void *context, unsigned row, unsigned size_class,
                                        const struct siox_tally_sum *sum),
                           void *context);
/* Its last counts go to the job. NULL is fine. */
void siox__activities_leave(struct siox__activities *a, struct siox__tallied *p);

/* What was done since the last cycle, and what runs at now_ns; lives until the next cycle. */
const struct siox_activity_summary *siox__activities_cycle(struct siox__activities *a,
                                                           int64_t now_ns);
/* What of it one process did, at the node's indices; lives until the next call. NULL: nothing. By
 * the thread that makes the cycles; context: the activities. */
const struct siox_activity_summary *siox__activities_of(void *context, int32_t pid);

/* A kind of call of a job, from its beginning to now. */
struct siox__activity_total {
  const char *layer, *call; /* constants */
  uint64_t calls, bytes, errors;
  double seconds, longest_s;
};
struct siox__left_out {
  uint64_t partial; /* calls that are in none of the totals */
  uint64_t unshown; /* calls that were not shown while they ran, so that none can be told to hang */
};
/* *totals: in the tables' order, the caller's to free. */
int siox__activities_totals(struct siox__activities *a, uint32_t job,
                            struct siox__activity_total **totals, size_t *ntotals,
                            struct siox__left_out *left_out);
json_t *siox__activities_json(struct siox__activities *a, uint32_t job);
/* How its processes differ (daemon/spread.h), those that left and those that have not. */
json_t *siox__activities_processes(struct siox__activities *a, uint32_t job);
void siox__activities_forget(struct siox__activities *a, uint32_t job);
uint64_t siox__activities_refused(struct siox__activities *a); /* values that could not be */

#endif
