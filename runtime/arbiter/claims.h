/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claims, for the bank: what siox/claim.h does not show. */
#ifndef SIOX_ARBITER_CLAIMS_H
#define SIOX_ARBITER_CLAIMS_H
#include "siox/claim.h"

/* 0 when the message is well formed for this many disks; SIOX_EPROTO, SIOX_EVERSION. */
int siox__claims_check(const struct siox_claims *claims, const struct siox_claim_header *head,
                       const struct siox_claim_run *runs);
/* Adds to mask the disks the client has an entry for with this flag; flag -1: with any. */
void siox__claims_mask(const struct siox_claims *claims, uint32_t client, int32_t flag,
                       struct siox_mask *mask);
/* As siox_claims_next for a disk that is there, without the entries that only name a use after
 * `until`. */
bool siox__claims_next(const struct siox_claims *claims, uint32_t disk, int64_t until,
                       uint32_t *cursor, uint32_t *client, uint32_t *job,
                       struct siox_claim_entry *entry);
/* Removes the client's entries for the disks of these runs, however new they are. SIOX_ENOMEM. */
int siox__claims_erase(struct siox_claims *claims, uint32_t client,
                       const struct siox_claim_run *runs, uint32_t nruns);
#endif
