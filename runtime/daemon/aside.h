/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Activities that wait until the cycle in which they ended is decided: stored, or not. Cycles end,
 * and are decided, in order. An activity may come before its cycle ends (its end may even be to
 * come, as that of an emulated access is), while it waits, or after it was decided. A fixed number
 * of bytes; what does not fit is counted and gone. Pure; not thread-safe: the daemon's loop has
 * it. */
#ifndef SIOX_DAEMON_ASIDE_H
#define SIOX_DAEMON_ASIDE_H
#include "siox/trace.h"

struct siox__aside;
struct siox__aside_counts {
  uint64_t waiting; /* activities, and those that are to be stored */
  uint64_t dropped; /* there was no room for */
  uint64_t left;    /* not stored, as was decided */
  uint64_t bytes;
};

int siox__aside_new(struct siox__aside **out, uint64_t most_bytes);
void siox__aside_free(struct siox__aside *a); /* NULL is fine */
/* An event without pointers: SIOX_TRACE_IO, CALL, SYNC, MESSAGE, WAIT. 0: it waits; 1: its cycle is
 * decided, and it is to be stored at once; 2: and it is not; SIOX_EFULL, SIOX_ENOMEM: it is gone.
 */
int siox__aside_put(struct siox__aside *a, int64_t end_ns, const struct siox_trace_event *event);
/* A cycle ends: it has what ended after the cycle before and not after end_ns. */
void siox__aside_cycle(struct siox__aside *a, uint64_t number, int64_t end_ns);
/* All cycles that have ended up to this one, and are not decided, are. */
void siox__aside_decide(struct siox__aside *a, uint64_t number, bool store);
/* Gives away at most so many of those that are to be stored; true: there are more. */
bool siox__aside_write(struct siox__aside *a, uint64_t most,
                       void (*write)(void *context, const struct siox_trace_event *event),
                       void *context);
struct siox__aside_counts siox__aside_counts(const struct siox__aside *a);

#endif
