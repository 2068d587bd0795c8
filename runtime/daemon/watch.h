/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The node's detectors and all reasoners, driven by the monitor's cycles. Not thread-safe: the
 * monitor's thread calls all but the JSON, which is made of a copy. */
#ifndef SIOX_DAEMON_WATCH_H
#define SIOX_DAEMON_WATCH_H
#include "common/log.h"
#include "daemon/reasoners.h"
#include <jansson.h>

enum { SIOX__ISSUES_KEPT = 16 };

/* An issue with what it is of in words, for series may become others'. */
struct siox__seen_issue {
  int64_t time_ns;
  struct siox_issue issue; /* detector: see below */
  char detector[32], name[40], where[56];
  struct siox__process process; /* pid 0: of none */
};
/* What is told. */
struct siox__watched {
  struct siox__levels levels;
  uint64_t cycles, abnormal, issues; /* so far */
  uint64_t unjudged;                 /* times that a detector had no memory for a cycle */
  uint64_t kept;                     /* issues that went to seen */
  struct siox__seen_issue seen[SIOX__ISSUES_KEPT]; /* the last ones, a ring by number of issue */
};

struct siox__watch;
/* modules NULL: all built-in detectors and reasoners, as they are. Errors name file, line and key.
 * root: of /sys, "" usually; node: this one's name, NULL: the host's. */
int siox__watch_new(struct siox__watch **out, const struct siox_modules *modules, const char *root,
                    const char *node, int64_t period_ns, struct siox_diag *diag);
void siox__watch_free(struct siox__watch *w); /* NULL is fine */
struct siox__reasoners *siox__watch_reasoners(struct siox__watch *w);
/* Judges a cycle; *seen is brought up to date. Of about issues, their number and the clock are not
 * looked at. A verdict of the node that was not there before is said in the log. */
void siox__watch_cycle(struct siox__watch *w, const struct siox__reasoners_input *about,
                       struct siox__watched *seen, const struct siox__log *log);
/* Those of the last cycle. */
struct siox_issue *siox__watch_issues(struct siox__watch *w, size_t *n);
/* What is told now; *to is what was told before, zeroed at first. Of the lists, tens of kilobytes,
 * only what is new and in use is copied. */
void siox__watched_copy(struct siox__watched *to, const struct siox__watched *from);
/* Adds node, system and processes; all: with issues and single processes. */
void siox__watched_json(const struct siox__watched *seen, int64_t now_ns, bool all, json_t *o);

#endif
