/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claims, for the bank: what siox/claim.h does not show. */
#ifndef SIOX_ARBITER_CLAIMS_H
#define SIOX_ARBITER_CLAIMS_H
#include "arbiter/claims_list.h"
#include "arbiter/claims_use.h"

struct siox__claims_client;
struct siox_claims {
  uint32_t ndisks, width;  /* width: disks of a block */
  struct siox__list *list; /* per block */
  struct siox__claims_client *client;
  uint32_t nclients;
  struct siox__claims_run *scratch;
  uint32_t scratch_capacity;
  struct siox__claimant *other; /* what a walk found last beside its list */
  const int64_t *hold;          /* per disk; NULL: what is done under claims is not followed */
};

/* 0 when the message is well formed for this many disks; SIOX_EPROTO, SIOX_EVERSION. */
int siox__claims_check(const struct siox_claims *claims, const struct siox_claim_header *head,
                       const struct siox_claim_run *runs);
/* Adds to mask the disks the client has an entry for with this flag; flag -1: with any. */
void siox__claims_mask(const struct siox_claims *claims, uint32_t client, int32_t flag,
                       struct siox_mask *mask);
/* Removes the client's entries for the disks of these runs, however new they are. SIOX_ENOMEM. */
int siox__claims_erase(struct siox_claims *claims, uint32_t client,
                       const struct siox_claim_run *runs, uint32_t nruns);

/* From when on the entry may need its disk: always, unless it names a later use alone. */
static inline int64_t siox__claim_need(const struct siox_claim_entry *entry) {
  return entry->flag == 0 && entry->need_by > 0 ? entry->need_by : INT64_MIN;
}
/* When it needs its disk as far as it says so; INT64_MIN: it has let it go. */
static inline int64_t siox__claim_later(const struct siox_claim_entry *entry) {
  return entry->flag == 1 || entry->need_by > 0 ? entry->need_by : INT64_MIN;
}

/* From now on what is done under claims is followed; hold: per disk, as long as the claims. */
void siox__claims_follow(struct siox_claims *claims, const int64_t *hold);
/* The client's entry for a disk, NULL when there is none. */
const struct siox_claim_entry *siox__claims_find(const struct siox_claims *claims, uint32_t client,
                                                 uint32_t disk);

/* A walk over those who claim a disk, in ascending order, who name a time of need at or behind
 * `after`: INT64_MIN takes everybody, SIOX__SOME_TIME all but those who have let the disk go
 * without saying until when. The claims must not change meanwhile. */
#define SIOX__SOME_TIME (INT64_MIN + 1)
struct siox__claims_walk {
  const struct siox__leaf *leaf, *end;
  int64_t after;
  uint32_t disk, next; /* next: in the leaf */
  const struct siox_claims *claims;
};
static inline struct siox__claims_walk siox__claims_walk(const struct siox_claims *claims,
                                                         uint32_t disk, int64_t after) {
  const struct siox__list *list = &claims->list[claims->width == 1 ? disk : disk / claims->width];
  return (struct siox__claims_walk){.leaf = list->leaf,
                                    .end = list->nleaves ? list->leaf + list->nleaves : list->leaf,
                                    .after = after,
                                    .disk = disk,
                                    .claims = claims};
}
/* The claimant with its entry for the disk, where that is not the one in its list; NULL: it has
 * none that belongs to the walk. */
const struct siox__claimant *siox__claims_other(const struct siox_claims *claims, uint32_t disk,
                                                int64_t after, int64_t until,
                                                const struct siox__claimant *c);
/* The next one who may need the disk by `until`, there until the one after it is asked for; NULL:
 * the end. */
static inline const struct siox__claimant *siox__claims_next(struct siox__claims_walk *walk,
                                                             int64_t until) {
  for (; walk->leaf != walk->end; walk->leaf++, walk->next = 0) {
    const struct siox__leaf *leaf = walk->leaf;
    if (leaf->when.need > until || leaf->when.later < walk->after)
      continue;
    while (walk->next < leaf->count) {
      uint32_t i = walk->next++;
      const struct siox__claimant *c = &leaf->item[i];
      if (leaf->of[i].need > until || leaf->of[i].later < walk->after)
        continue;
      if (__builtin_expect(walk->disk - c->first >= c->count, 0) &&
          !(c = siox__claims_other(walk->claims, walk->disk, walk->after, until, c)))
        continue;
      return c;
    }
  }
  return NULL;
}
#endif
