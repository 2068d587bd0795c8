/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When something is to be done about what the reasoners say. A trigger has a condition over the
 * reports of one level; it fires once when that has held for so many cycles, and again only after
 * it has not held, and no more often than it may. Pure: times and reports are arguments; what is
 * done is others' (docs/triggers.md). Not thread-safe per object. */
#ifndef SIOX_TRIGGER_H
#define SIOX_TRIGGER_H
#include "siox/reasoner.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { SIOX_TRIGGER_TIMES = 16 };
struct siox_trigger_when {
  enum siox_reasoner_level level;
  /* Bits 1 << number of the states, verdicts and categories that are meant; 0: any. With neither
   * states nor verdicts it is any state but GOOD. */
  uint32_t states, verdicts, categories;
  uint64_t cycles;  /* that it must hold; 0 and 1: at once */
  uint32_t at_most; /* times within per_ns, up to SIOX_TRIGGER_TIMES; 0: any number */
  int64_t per_ns;
};
struct siox_trigger {
  struct siox_trigger_when when;
  uint64_t held;                    /* cycles in a row in which the condition held */
  bool fired;                       /* in these */
  uint64_t count;                   /* times that it fired */
  int64_t time[SIOX_TRIGGER_TIMES]; /* of the last ones, a ring by number */
  uint64_t late;                    /* cycles for which at_most held it back */
};
/* What a trigger looks at of a report: `state`, which is kept for one more cycle. */
struct siox_trigger_report {
  enum siox_reasoner_level level;
  enum siox_condition state;
  enum siox_verdict verdict;
  enum siox_category category;
};

/* SIOX_ERANGE: at_most is too great, or without a time. */
int siox_trigger_start(struct siox_trigger *t, const struct siox_trigger_when *when);
/* A cycle with the reports of all levels (several of processes): the index of the one for which it
 * fires, the first that meets the condition; -1: it does not. */
ptrdiff_t siox_trigger_cycle(struct siox_trigger *t, int64_t now_ns,
                             const struct siox_trigger_report *reports, size_t n);

#ifdef __cplusplus
}
#endif
#endif
