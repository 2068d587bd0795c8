/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who belongs to which communicator, learnt from what clients record: the prediction of any member
 * covers what an aggregator does for all of them. Bounded: a communicator beyond the limit is
 * simply not known. */
#include "daemon/daemon.h"
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 1024, COMMUNICATORS = 65536 };

struct communicator {
  uint64_t uid;
  uint32_t *client, count, room;
  struct communicator *next;
};
struct siox__members {
  struct communicator *chain[CHAINS];
  uint32_t count;
};

static size_t chain_of(uint64_t uid) { return (uid * UINT64_C(0x9e3779b97f4a7c15)) >> 54; }

int siox__members_create(struct siox__members **members) {
  *members = calloc(1, sizeof **members);
  return *members ? 0 : SIOX_ENOMEM;
}

void siox__members_destroy(struct siox__members *members) {
  if (!members)
    return;
  for (int i = 0; i < CHAINS; i++)
    for (struct communicator *c = members->chain[i], *next; c; c = next) {
      next = c->next;
      free(c->client);
      free(c);
    }
  free(members);
}

static struct communicator *find(const struct siox__members *members, uint64_t uid) {
  struct communicator *c = members->chain[chain_of(uid)];
  while (c && c->uid != uid)
    c = c->next;
  return c;
}

void siox__members_add(struct siox__members *members, uint64_t uid, uint32_t client) {
  if (!uid)
    return;
  struct communicator *c = find(members, uid);
  if (!c) {
    if (members->count == COMMUNICATORS || !(c = calloc(1, sizeof *c)))
      return;
    c->uid = uid;
    c->next = members->chain[chain_of(uid)];
    members->chain[chain_of(uid)] = c;
    members->count++;
  }
  for (uint32_t i = c->count; i-- > 0;)
    if (c->client[i] == client)
      return;
  if (c->count == c->room) {
    uint32_t room = c->room ? 2 * c->room : 4;
    uint32_t *more = realloc(c->client, room * sizeof *more);
    if (!more)
      return;
    c->client = more;
    c->room = room;
  }
  c->client[c->count++] = client;
}

void siox__members_drop(struct siox__members *members, uint32_t client) {
  for (int i = 0; i < CHAINS; i++)
    for (struct communicator **at = &members->chain[i], *c; (c = *at);) {
      for (uint32_t k = 0; k < c->count; k++)
        if (c->client[k] == client)
          c->client[k--] = c->client[--c->count];
      if (c->count) {
        at = &c->next;
        continue;
      }
      *at = c->next;
      free(c->client);
      free(c);
      members->count--;
    }
}

const uint32_t *siox__members_of(const struct siox__members *members, uint64_t uid,
                                 uint32_t *count) {
  const struct communicator *c = uid ? find(members, uid) : NULL;
  *count = c ? c->count : 0;
  return c ? c->client : NULL;
}
