/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much earlier than predicted the accesses of a site have come: the last predictions of each
 * site, and of each client for sites that have none yet. Fixed size; a site that shares its place
 * with another takes it over. Pure. */
#ifndef SIOX_ARBITER_HISTORY_H
#define SIOX_ARBITER_HISTORY_H
#include "siox/claim.h"

enum { SIOX__HISTORY_SAMPLES = 32, SIOX__HISTORY_PLACES = 128 };

struct siox__earliness {
  uint64_t key, seen; /* seen: number of the client's last hint that was judged; sites: 0 */
  bool used;
  uint32_t count, next;
  int64_t sample[SIOX__HISTORY_SAMPLES]; /* ns, a ring */
  int64_t margin;                        /* their quantile */
};
struct siox__history {
  double quantile; /* 0: nothing is kept, all margins are 0 */
  struct siox__earliness site[SIOX__HISTORY_PLACES], client[SIOX__HISTORY_PLACES];
};

/* The first access after a hint of this client comes at `now`. Later ones of the same hint are not
 * counted. */
void siox__history_note(struct siox__history *history, uint32_t client,
                        const struct siox_claim_entry *hint, int64_t now);
/* By how much to be early for this hint. */
int64_t siox__history_margin(const struct siox__history *history, uint32_t client,
                             const struct siox_claim_entry *hint);
void siox__history_forget(struct siox__history *history, uint32_t client);
#endif
