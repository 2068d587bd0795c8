/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claims: what each client (one rank of one job) wants of each disk. A claim message is
 * the header and runs below, used unchanged in the shared ring and on the socket (native byte order: both ends are on
 * one node). set_speed(T, S, F) changes only the disks in T; each disk's entry keeps its own sequence number, so
 * messages may be repeated or reordered; a full vector (SIOX_CLAIM_WHOLE) replaces what is older than it. */
#ifndef SIOX_CLAIM_H
#define SIOX_CLAIM_H
#include "siox/error.h"
#include "siox/mask.h"
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_CLAIM_VERSION 1

struct siox_claim_header {
  uint16_t version;
  uint16_t flags;      /* SIOX_CLAIM_* */
  uint32_t nruns;
  uint64_t seq;        /* per client, growing */
  int64_t time;        /* client's clock when the hint was given */
  uint64_t site;       /* site key, 0: none */
};
enum { SIOX_CLAIM_WHOLE = 1, SIOX_CLAIM_PREDICTED = 2 /* from the pass or predictor, not by hand */ };

struct siox_claim_run { /* the disks [first, first + count); runs of a message are in ascending order, disjoint */
  uint32_t first, count;
  int32_t speed;       /* as asked */
  int32_t flag;        /* F */
  int64_t need_by;     /* F=1: needed from then (0: now). F=0: next use (0: not known) */
  int64_t until;       /* F=1: needed until then (SIOX_NEVER); F=0: ignored */
};

struct siox_claim_use;

/* What one client says of one disk. */
struct siox_claim_entry {
  uint64_t seq;
  int32_t speed;
  int32_t flag;        /* 1 needed, 0 released, -1 no entry */
  int64_t need_by, until;
  int64_t since;       /* when it was made, for decay */
  uint64_t site;       /* that it came from, 0: not known */
  struct siox_claim_use *use; /* F=1, in a bank: what the client has done under the claim; until claims change */
};

struct siox_claims; /* claims of all clients of one bank; clients are small integers given by the bank */

/* SIOX_ERANGE (ndisks not 1..SIOX_MAX_DISKS), SIOX_ENOMEM. Not thread-safe per object. */
int siox_claims_create(struct siox_claims **claims, uint32_t ndisks);
void siox_claims_destroy(struct siox_claims *claims);
/* Applies a message; changed (may be NULL, same width) gets the disks whose entry changed. Stale runs are skipped.
 * SIOX_EPROTO for a malformed message, SIOX_EVERSION (nothing applied), SIOX_ENOMEM. */
int siox_claims_apply(struct siox_claims *claims, uint32_t client, uint32_t job, const struct siox_claim_header *head,
                      const struct siox_claim_run *runs, struct siox_mask *changed);
/* Forgets a client; changed (may be NULL) gets the disks it had entries for. 0. */
int siox_claims_drop(struct siox_claims *claims, uint32_t client, struct siox_mask *changed);
/* Entry of client for disk; flag -1 when there is none. */
struct siox_claim_entry siox_claims_get(const struct siox_claims *claims, uint32_t client, uint32_t disk);
/* Walks the clients with an entry for disk: pass *cursor = 0 first; false at the end. */
bool siox_claims_next(const struct siox_claims *claims, uint32_t disk, uint32_t *cursor, uint32_t *client,
                      uint32_t *job, struct siox_claim_entry *entry);

/* Encoding of set_speed into a message: runs from a mask. Returns the number of runs written or SIOX_EFULL. */
int siox_claim_runs(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
                    struct siox_claim_run *out, uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
