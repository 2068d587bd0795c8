/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of the answers that tools get, as new jansson values. */
#ifndef SIOX_DAEMON_STATUS_H
#define SIOX_DAEMON_STATUS_H
#include "daemon/daemon.h"
#include <jansson.h>

json_t *siox__status_disks(struct siox__daemon *d);
/* key NULL: every job; otherwise the full KEY@UID, or the asker's own KEY. */
json_t *siox__status_jobs(struct siox__daemon *d, const char *key, uid_t asker);
json_t *siox__status_unattributed(struct siox__daemon *d);
json_t *siox__status_counters(struct siox__daemon *d);

#endif
