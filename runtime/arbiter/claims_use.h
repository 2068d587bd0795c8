/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a client has done under a claim: what one message of it asked for with F = 1. Who goes over
 * its disks comes to the last of them long after it has claimed them, and comes back to the first
 * as late: a disk without I/O says nothing of its own then. What counts is that the client goes on
 * to disks that it had not used. For each time that it did so, four at most, it may stay `hold`
 * where it is, as long as it does I/O there. Who stays on one disk of many thus keeps the others
 * for no longer than `hold`.
 *
 * Kept for the whole claim and not for each disk: 10,000 jobs beside 10,000 disks must fit. */
#ifndef SIOX_ARBITER_CLAIMS_USE_H
#define SIOX_ARBITER_CLAIMS_USE_H
#include "siox/claim.h"

struct siox_claim_use {
  int64_t kept;         /* its disks are kept for `hold` from then on; at first when it began */
  int64_t moved;        /* when the client went on to another disk last */
  int64_t hold;         /* the least of its disks */
  uint32_t first, span; /* the disks that it is for lie in [first, first + 64 span) */
  uint64_t all, used;   /* by 64th of these; used: since it went on first, or had used all */
  uint8_t moves;        /* how often it went on, up to MOVES */
  bool held;            /* an entry is left; scratch */
  struct siox_claim_use *next; /* of the client */
};

/* For the runs of a message with F = 1; hold: per disk. NULL: there is no memory. */
struct siox_claim_use *siox__use_create(const struct siox_claim_header *head,
                                        const struct siox_claim_run *runs, const int64_t *hold);
/* The client, or another for it, does I/O on a disk of the claim as it predicts. idle: nobody has
 * used the disk for `hold`. Nothing is kept any more when that comes `hold` too late: on other
 * disks the claim has ended then. */
void siox__use_note(struct siox_claim_use *use, uint32_t disk, bool idle, int64_t now);
#endif
