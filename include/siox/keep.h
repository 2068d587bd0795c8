/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which cycles' activities are stored. Under SIOX_RECORD_ANOMALIES these are the abnormal cycles,
 * the one before each and the one after ("preserve the abnormal state for one more cycle", paper
 * section 5), so that consecutive abnormal cycles lose nothing. That a cycle was abnormal may be
 * said one cycle late, since reasoners exchange their states once a cycle: so a cycle is decided
 * when the second one after it comes, exactly once and in order, and at most two wait. Pure; not
 * thread-safe. */
#ifndef SIOX_KEEP_H
#define SIOX_KEEP_H
#include "siox/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum siox_record { SIOX_RECORD_OFF, SIOX_RECORD_ANOMALIES, SIOX_RECORD_ALL };
/* "off", "anomalies", "all": 0, or SIOX_EINVAL. */
int siox_record_parse(const char *text, enum siox_record *mode);

enum { SIOX_KEEP_PENDING = 2 };
struct siox_decision {
  uint64_t cycle;
  bool store;
};
struct siox_keep {
  enum siox_record mode;
  uint64_t window; /* cycles to come that are stored in any case */
  bool before;     /* the last decided cycle was abnormal */
  unsigned npending;
  struct siox__pending {
    uint64_t cycle;
    bool abnormal, asked;
    enum siox_record mode; /* in force when it came */
  } pending[SIOX_KEEP_PENDING];
};

void siox_keep_start(struct siox_keep *keep, enum siox_record mode);
/* The mode of the cycles from the next one on. */
void siox_keep_mode(struct siox_keep *keep, enum siox_record mode);
/* Stores the next `cycles` cycles whatever they are, unless the mode is off; of windows that
 * overlap the later end holds. */
void siox_keep_window(struct siox_keep *keep, uint64_t cycles);
/* A cycle has ended. abnormal: it was. late: the one before it was, as is known only now. The
 * number of decisions made, 0 or 1; SIOX_EINVAL for a number that is not greater than the one
 * before, and nothing is changed. */
int siox_keep_cycle(struct siox_keep *keep, uint64_t cycle, bool abnormal, bool late,
                    struct siox_decision *decision);
/* No cycle follows: decides those that wait; their number. The next cycle begins anew. */
int siox_keep_end(struct siox_keep *keep, struct siox_decision decisions[SIOX_KEEP_PENDING]);

#ifdef __cplusplus
}
#endif
#endif
