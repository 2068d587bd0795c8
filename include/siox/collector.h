/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The collector reads providers once a cycle and turns readings into samples, which go to all who
 * asked: detectors, reasoners, sinks. It has no clock and no thread: the daemon calls it, 100 ms
 * apart unless told otherwise, with the times. Not thread-safe. */
#ifndef SIOX_COLLECTOR_H
#define SIOX_COLLECTOR_H
#include "siox/provider.h"
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif

enum siox_sample_state {
  SIOX_SAMPLE_VALID,
  SIOX_SAMPLE_FIRST, /* COUNTER, SAMPLED: there is no reading before it */
  SIOX_SAMPLE_LOST,  /* not readable, beyond what is possible, or a wrap that nobody can place */
  SIOX_SAMPLE_SUSPENDED, /* the machine slept since the reading before: what a counter gained is no
                            work's */
  SIOX_SAMPLE_HELD, /* it was not read in this cycle (places that are read in turns): value is the
                       one of the last reading, or error says SIOX_EUNKNOWN; amount is 0, and comes
                       with the next reading */
};
struct siox_sample {
  enum siox_sample_state state;
  int32_t error;   /* LOST: SIOX_E... */
  int64_t span_ns; /* that the sample stands for: since the last reading that was taken; GAUGE:
                      since the cycle before, or the last reading where it was held since */
  double amount;   /* COUNTER: unit, what came since the reading before; watts of a domain: joules;
                      else 0 */
  double value;    /* COUNTER: unit a second; else the reading */
};

/* One metric of one provider. What every look at all series reads stands together. */
struct siox_series {
  const struct siox_provider *provider;
  struct siox_sample last;
  /* It is of the best source of its domain that gives readings; a source without one for a second
   * is passed over. */
  bool best;
  /* Its joules stand in sums over the node: it is of the best source, and no domain around its own
   * has one. */
  bool counts;
  bool gone; /* the provider no longer has it; after ten minutes another one may stand here */
  uint32_t generation; /* how many stood here before */
  struct siox_metric metric;
  uint64_t lost;   /* samples, so far */
  uint64_t silent; /* cycles since the last one that was not lost */
  double total;    /* of the amounts; what was lost is not in it */
};

struct siox_cycle {
  int64_t now_ns;  /* CLOCK_MONOTONIC */
  int64_t dt_ns;   /* since the cycle before; 0: the first */
  uint64_t number; /* from 1 */
  bool suspended;  /* the machine slept in between */
  const struct siox_series *series;
  size_t nseries; /* grows when places come; an index stays what it is while its generation does */
  /* Series [crowd_from, crowd_to) are all of processes, thousands perhaps: whoever looks for what
   * is the node's goes around them (siox_cycle_next). */
  size_t crowd_from, crowd_to;
  uint64_t lists; /* grows whenever a place comes or goes; 0: nobody counts */
  /* Of the crowd, those that are not held as they were in the cycle before: they were read in this
   * one, or places have come or gone. */
  const uint32_t *moved;
  size_t nmoved;
};
/* The first series from i on that is not in the crowd:
 * for (size_t i = siox_cycle_next(c, 0); i < c->nseries; i = siox_cycle_next(c, i + 1)) */
static inline size_t siox_cycle_next(const struct siox_cycle *cycle, size_t i) {
  return i >= cycle->crowd_from && i < cycle->crowd_to ? cycle->crowd_to : i;
}
/* Those outside the crowd, then those of it that moved; whoever looks for new samples needs no
 * others: for (size_t i, k = 0; (i = siox_cycle_moved(c, &k)) < c->nseries;) */
static inline size_t siox_cycle_moved(const struct siox_cycle *cycle, size_t *k) {
  size_t at = (*k)++;
  if (at < cycle->crowd_from)
    return at;
  at -= cycle->crowd_from;
  if (at < cycle->nseries - cycle->crowd_to)
    return cycle->crowd_to + at;
  at -= cycle->nseries - cycle->crowd_to;
  return at < cycle->nmoved ? cycle->moved[at] : cycle->nseries;
}

struct siox_collector;
int siox_collector_new(struct siox_collector **out);
void siox_collector_free(struct siox_collector *c); /* closes the providers; NULL is fine */
/* Opens a provider; env is copied, its texts are not. Negative, always with a message:
 * SIOX_EVERSION, SIOX_EEXIST (it is open here already), SIOX_ENOMEM, and what its open() returns.
 * Series may move. */
int siox_collector_add(struct siox_collector *c, const struct siox_provider *provider,
                       const struct siox_provider_env *env, struct siox_diag *diag);
/* The processes that providers watch from the next cycle on; the list is copied. */
int siox_collector_processes(struct siox_collector *c, const int32_t *pids, size_t n);
/* Reads all. boot_ns of CLOCK_BOOTTIME: where it gained more than now_ns, the machine slept.
 * SIOX_EINVAL
 * for a time that is not later than the last one, and nothing is read. */
int siox_collector_cycle(struct siox_collector *c, int64_t now_ns, int64_t boot_ns);
/* The last cycle; number 0: none yet. Lives until the next one. */
const struct siox_cycle *siox_collector_last(const struct siox_collector *c);
/* Whoever wants the cycles, in the order of asking. */
int siox_collector_subscribe(struct siox_collector *c,
                             void (*on_cycle)(void *context, const struct siox_cycle *cycle),
                             void *context);

/* What the open provider number i (in the order in which they are read) has to say of itself: its
 * name, NULL behind the last one, and its note, "" if there is none. */
const char *siox_collector_note(const struct siox_collector *c, size_t i, char *text, size_t size);

/* Joules of the last cycle over all series that count; estimated: some of it is modelled. */
double siox_cycle_joules(const struct siox_cycle *cycle, bool *estimated);

/* What happened between two readings of a counter: 0 and counts, SIOX_ERANGE for what is more than
 * `bound` units a second allow (dt_ns > 0; bound 0: anything) or, where it wraps, for a time in
 * which it may have wrapped twice, SIOX_EUNKNOWN for a wrap at an unknown place. */
int siox_counter_gain(const struct siox_metric *metric, uint64_t before, uint64_t now,
                      int64_t dt_ns, uint64_t *gain);

#ifdef __cplusplus
}
#endif
#endif
