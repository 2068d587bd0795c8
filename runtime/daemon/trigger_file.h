/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* triggers: of monitor.yaml (docs/triggers.md). */
#ifndef SIOX_DAEMON_TRIGGER_FILE_H
#define SIOX_DAEMON_TRIGGER_FILE_H
#include "daemon/act.h"
#include "siox/trigger.h"

enum { SIOX__TRIGGERS_MOST = 1024, SIOX__ACTIONS_MOST = 16 };

struct siox__rule {
  unsigned line;
  struct siox_trigger_when when;
  struct siox__action *action;
  size_t nactions;
};
struct siox__rules {
  struct siox__rule *rule;
  size_t n;
};
/* No triggers: none. SIOX_EINVAL, SIOX_ERANGE, SIOX_EPERM (commands in a file that others than its
 * owner can write, or of another owner than root and the daemon's user) with file, line and key. */
int siox__rules_load(struct siox__rules *rules, const char *path, struct siox_diag *diag);
void siox__rules_free(struct siox__rules *rules); /* harmless on a zeroed object */

#endif
