/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who has claims on a block of disks, in ascending order, and from when on at the earliest these
 * may need a disk: who looks for claims that count before a time does not walk over all the others.
 * Groups of neighbours are passed over by the earliest of their times. */
#ifndef SIOX_ARBITER_CLAIMS_LIST_H
#define SIOX_ARBITER_CLAIMS_LIST_H
#include <stdbool.h>
#include <stdint.h>

struct siox__list {
  uint32_t *client;
  int64_t *need;  /* per client */
  int64_t *first; /* per group of clients: the earliest of theirs */
  uint32_t count, room;
};
/* Adds a client, or gives it another time. *place is where it may stand, as in a list beside this
 * one, and then where it stands. SIOX_ENOMEM: only when it was not listed. */
int siox__list_put(struct siox__list *list, uint32_t client, int64_t need, uint32_t *place);
void siox__list_take(struct siox__list *list, uint32_t client);
/* The place of the first client at or behind a place with need <= until; the count: none. */
uint32_t siox__list_next(const struct siox__list *list, uint32_t place, int64_t until);
void siox__list_free(struct siox__list *list);
#endif
