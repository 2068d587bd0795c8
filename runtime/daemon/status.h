/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts of the answers that tools get, as new jansson values. */
#ifndef SIOX_DAEMON_STATUS_H
#define SIOX_DAEMON_STATUS_H
#include "daemon/daemon.h"
#include <jansson.h>

/* Disks from `first` on, `most` of them or fewer: a turn's work (*next is the one to go on with).
 */
json_t *siox__status_disks(struct siox__session *s, uint32_t first, uint32_t most, uint32_t *next);
/* Jobs from `first` on that have processes now, a page of them. */
json_t *siox__status_live_jobs(struct siox__session *s, uint32_t first, uint32_t *next);
/* key NULL: every job; otherwise the full KEY@UID, or the asker's own KEY. */
json_t *siox__status_jobs(struct siox__daemon *d, const char *key, uid_t asker);
json_t *siox__status_forgotten(struct siox__daemon *d); /* all forgotten jobs together */
json_t *siox__status_unattributed(struct siox__daemon *d);
json_t *siox__status_counters(struct siox__daemon *d);

/* admin.c */
bool siox__admin(const struct siox__session *s);
json_t *siox__admin_refusal(const struct siox__session *s);
json_t *siox__admin_slow(struct siox__session *s, json_t *ask);
json_t *siox__admin_level(struct siox__session *s, json_t *ask);
json_t *siox__admin_release(struct siox__session *s, json_t *ask);
json_t *siox__admin_drain(struct siox__session *s, json_t *ask);

#endif
