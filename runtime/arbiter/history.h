/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much earlier than predicted the accesses of a site have come: the last predictions of each
 * site, and of each client for sites that have none yet. Fixed size; a site that shares its place
 * with another takes it over. Pure. */
#ifndef SIOX_ARBITER_HISTORY_H
#define SIOX_ARBITER_HISTORY_H
#include "siox/claim.h"
#include "siox/mask.h"

enum { SIOX__HISTORY_SAMPLES = 32, SIOX__HISTORY_PLACES = 128 };

struct siox__earliness {
  uint64_t key;
  bool used;
  uint32_t count, next;
  int64_t sample[SIOX__HISTORY_SAMPLES]; /* ns, a ring */
  int64_t margin;                        /* their quantile */
};
/* The use of a disk that is still to come, as it was said last. A client that works on files in
 * turn promises several at once. */
struct siox__promise {
  int64_t need_by; /* 0: none */
  uint64_t site;
  uint32_t client;
};
struct siox__history {
  double quantile;               /* 0: nothing is kept, all margins are 0 */
  int64_t most;                  /* no margin has been greater so far */
  struct siox__promise *promise; /* per disk */
  uint32_t ndisks;
  struct siox__earliness site[SIOX__HISTORY_PLACES], client[SIOX__HISTORY_PLACES];
};

/* The client says when it will use these disks next; a later word replaces it. */
void siox__history_promise(struct siox__history *history, uint32_t client,
                           const struct siox_mask *disks, const struct siox_claim_entry *hint);
/* The client uses these disks, or needs them now: what it promised of them is judged, once. */
void siox__history_use(struct siox__history *history, uint32_t client,
                       const struct siox_mask *disks, int64_t now);
/* By how much to be early for this hint. */
int64_t siox__history_margin(const struct siox__history *history, uint32_t client,
                             const struct siox_claim_entry *hint);
void siox__history_forget(struct siox__history *history, uint32_t client);
#endif
