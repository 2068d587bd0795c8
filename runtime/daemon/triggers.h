/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The triggers of monitor.yaml, cycle by cycle. The monitor's thread calls all of it under the
 * monitor's lock; nothing waits. */
#ifndef SIOX_DAEMON_TRIGGERS_H
#define SIOX_DAEMON_TRIGGERS_H
#include "common/log.h"
#include "daemon/reasoners.h"
#include "siox/keep.h"
#include "siox/knowledge_file.h"
#include <jansson.h>

/* What triggers want of the monitor itself. */
struct siox__wishes {
  uint64_t window;       /* cycles to come that are kept; 0: none */
  int64_t period_ns;     /* from cycle to cycle; 0: as the settings have it */
  enum siox_record mode; /* at least; SIOX_RECORD_OFF: as the settings have it */
};

struct siox__triggers;
/* file NULL, or without triggers: *out is NULL. Errors name file, line and key. root: of /dev/log.
 * knowledge: for `advise`; lives longer. */
int siox__triggers_new(struct siox__triggers **out, const char *file, const char *root,
                       const struct siox_knowledge *knowledge, const struct siox__log *log,
                       struct siox_diag *diag);
void siox__triggers_free(struct siox__triggers *t); /* up to two seconds; NULL is fine */
void siox__triggers_cycle(struct siox__triggers *t, int64_t now_ns,
                          const struct siox__levels *levels, const struct siox__process *processes,
                          size_t nprocesses, struct siox__wishes *wishes);
json_t *siox__triggers_json(struct siox__triggers *t, int64_t now_ns); /* null: there are none */

#endif
