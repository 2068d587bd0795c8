/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What becomes of the monitor's cycles: which are kept (siox/keep.h), the rows about them that go
 * to the store, and notes by which the loop knows when cycles ended and what was decided of them.
 * All of it under the monitor's lock. */
#ifndef SIOX_DAEMON_CYCLES_H
#define SIOX_DAEMON_CYCLES_H
#include "daemon/reasoners.h"
#include "siox/keep.h"
#include "store/store.h"
#include <jansson.h>

/* A cycle has ended, or is decided; in order. */
struct siox__cycle_note {
  bool decided, store;
  uint64_t number;
  int64_t end_ns; /* not decided: CLOCK_MONOTONIC */
};
enum { SIOX__NOTES = 256, SIOX__ABOUT = SIOX_KEEP_PENDING + 2 };

struct siox__cycles {
  struct siox__store *store; /* NULL: nothing is stored */
  struct siox_keep keep;
  uint64_t number; /* of the last cycle */
  uint64_t cycles, abnormal, kept;
  uint64_t untold; /* issues that got no row, for there were too many */
  double rows;     /* of issues that may be put now */
  struct siox__cycle_note note[SIOX__NOTES];
  uint64_t first, next; /* of the notes that nobody has taken */
  struct siox__cycle_about {
    uint64_t number;
    int64_t time_ns;
    enum siox_condition state;
    enum siox_verdict verdict;
  } about[SIOX__ABOUT]; /* a ring by number */
  uint64_t put;         /* the last cycle that got a row */
};

void siox__cycles_start(struct siox__cycles *c, enum siox_record mode, struct siox__store *store);
/* A cycle with what was said of it; issues are the detectors'. */
void siox__cycles_take(struct siox__cycles *c, const struct siox__reasoners_input *input,
                       const struct siox__levels *levels);
/* The number of notes, `max` at most; each is given once. */
size_t siox__cycles_notes(struct siox__cycles *c, struct siox__cycle_note *notes, size_t max);
/* The measurement ends: the cycle that has begun, and ends never, and those that wait are decided.
 */
void siox__cycles_end(struct siox__cycles *c);
/* Adds "cycles", "abnormal_cycles", "kept_cycles". */
void siox__cycles_json(const struct siox__cycles *c, json_t *o);

#endif
