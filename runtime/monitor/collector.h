/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the collector keeps between cycles. */
#ifndef SIOX_MONITOR_COLLECTOR_H
#define SIOX_MONITOR_COLLECTOR_H
#include "siox/collector.h"

/* The last reading of a counter. */
struct siox__before {
  bool known, slept; /* slept: the machine did since then */
  bool held;         /* there was a cycle since then, and it was not read */
  int64_t time_ns;
  uint64_t count;
  uint64_t list;    /* the provider's last list that had it */
  int64_t heard_ns; /* the last sample that was not lost, or when it came */
  int64_t gone_ns;  /* since when it is gone */
};
struct siox__source {
  const struct siox_provider *provider;
  void *state;
  uint64_t lists;                /* taken from it */
  size_t n;                      /* metrics */
  size_t *index;                 /* of each, into series */
  struct siox_reading *readings; /* of each */
  bool *held;                    /* of each: its series says so already */
  /* Of a provider that says what it has written: */
  bool untouched;  /* all readings are as read() wants them */
  uint32_t *fresh; /* those that are not held, by their numbers */
  size_t nfresh;
};
struct siox__listener {
  void (*on_cycle)(void *context, const struct siox_cycle *cycle);
  void *context;
};
struct siox_collector {
  struct siox__source *sources;
  size_t nsources;
  struct siox_series *series;
  struct siox__before *before; /* beside series */
  uint32_t *moved;             /* room for as many */
  size_t room;
  struct siox__listener *listeners;
  size_t nlisteners;
  struct siox_cycle cycle;
  int64_t boot_ns;
  int32_t *pids;
  size_t npids;
  struct siox__found *found; /* what providers ask, and which series answer */
  size_t nfound, next_found; /* next: that is asked next, most likely */
};

/* A series for each of the source's metrics, as it has them now; SIOX_ENOMEM. */
int siox__collector_list(struct siox_collector *c, struct siox__source *s);
/* One source's samples of this cycle. */
void siox__collector_read(struct siox_collector *c, struct siox__source *s);
/* Which series count in this cycle. */
void siox__collector_choose(struct siox_collector *c);
/* env.sample, env.each and env.processes of every provider. */
int siox__collector_sample(void *collector, const char *name, const char *where, double *value);
void siox__collector_each(void *collector, const char *name,
                          void (*take)(void *, const char *, double, int), void *context);
void siox__collector_forget(struct siox_collector *c); /* what was asked */
size_t siox__collector_watched(void *collector, const int32_t **pids);

#endif
