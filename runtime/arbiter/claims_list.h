/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who has claims on a block of disks, in ascending order, what they are, and when they may need a
 * disk: who looks for claims that count at some time does not walk over all the others. Neighbours
 * stand together in leaves, so that nobody has to move much for a newcomer, and a leaf is passed
 * over by the earliest and the latest of its times. */
#ifndef SIOX_ARBITER_CLAIMS_LIST_H
#define SIOX_ARBITER_CLAIMS_LIST_H
#include "siox/claim.h"

enum { SIOX__LEAF = 32 }; /* claimants at most */
struct siox__claimant {
  uint32_t client, job;
  uint32_t first, count; /* the disks that the entry is for; no count: it has several entries on the
                            block, this is none of them */
  struct siox_claim_entry entry;
};
struct siox__when {
  int64_t need;  /* from when on at the earliest a disk may be needed: ever, but for later uses */
  int64_t later; /* the latest time that is named; INT64_MIN: none is, all is let go */
};
/* Those who have let the block go without saying until when, as far as that can be told together:
 * they are many, and all that they do is to grow old. */
struct siox__released {
  uint32_t count, first; /* first: item, the one with the least number */
  int32_t speed;
  bool mixed;             /* perhaps not all name this speed */
  int64_t oldest, newest; /* since when; none is newer */
};
struct siox__leaf {
  struct siox__when when; /* the earliest need and the latest of `later`, or 0 that is gone */
  struct siox__released released;
  uint32_t count, room;
  struct siox__claimant *item;
  struct siox__when *of; /* per item */
};
struct siox__list {
  struct siox__leaf *leaf; /* nleaves that hold somebody, then memory for later */
  uint32_t nleaves, room;
};

/* Adds a client, or replaces what is known of it. *place is where it may stand, as in a list beside
 * this one, and then where it stands. SIOX_ENOMEM: only when it was not listed. */
int siox__list_put(struct siox__list *list, const struct siox__claimant *item,
                   struct siox__when when, uint32_t *place);
void siox__list_take(struct siox__list *list, uint32_t client);
void siox__list_free(struct siox__list *list);
#endif
