/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who belongs to which communicator, learnt from what clients record: the prediction of any member
 * covers what an aggregator does for all of them. A client is known in the communicators that it
 * was last seen in, so nothing grows with its life, nor can one client take the room of others. */
#include "daemon/daemon.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { CHAINS = 4096, MEMBERSHIPS = 64 };

struct communicator {
  uint64_t uid;
  uint32_t *client, count, room;
  struct communicator *next;
};
struct seen { /* of a client, the last ones first; NULL when it has none */
  uint64_t *uid;
  uint32_t count;
};
struct siox__members {
  struct communicator *chain[CHAINS];
  struct seen *seen; /* by client */
  uint32_t room;
  uint64_t factor; /* of the hash: nobody can choose uids for one chain */
};

static struct communicator **place_of(struct siox__members *members, uint64_t uid) {
  struct communicator **at = &members->chain[(uid * members->factor) >> 52];
  while (*at && (*at)->uid != uid)
    at = &(*at)->next;
  return at;
}

int siox__members_create(struct siox__members **members) {
  *members = calloc(1, sizeof **members);
  if (!*members)
    return SIOX_ENOMEM;
  (*members)->factor = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t random;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) == sizeof random)
    (*members)->factor = random | 1;
  return 0;
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
  for (uint32_t i = 0; i < members->room; i++)
    free(members->seen[i].uid);
  free(members->seen);
  free(members);
}

static void leave(struct siox__members *members, uint64_t uid, uint32_t client) {
  struct communicator **at = place_of(members, uid), *c = *at;
  for (uint32_t k = 0; c && k < c->count; k++)
    if (c->client[k] == client) {
      c->client[k] = c->client[--c->count];
      break;
    }
  if (!c || c->count)
    return;
  *at = c->next;
  free(c->client);
  free(c);
}

static bool enter(struct siox__members *members, uint64_t uid, uint32_t client) {
  struct communicator **at = place_of(members, uid), *c = *at;
  if (!c) {
    if (!(c = *at = calloc(1, sizeof *c)))
      return false;
    c->uid = uid;
  }
  if (c->count == c->room) {
    uint32_t room = c->room ? 2 * c->room : 4;
    uint32_t *more = realloc(c->client, room * sizeof *more);
    if (!more) {
      leave(members, uid, client);
      return false;
    }
    c->client = more;
    c->room = room;
  }
  c->client[c->count++] = client;
  return true;
}

static struct seen *seen_by(struct siox__members *members, uint32_t client) {
  if (client >= members->room) {
    uint32_t room = 2 * client + 16;
    struct seen *more = realloc(members->seen, room * sizeof *more);
    if (!more)
      return NULL;
    memset(more + members->room, 0, (room - members->room) * sizeof *more);
    members->seen = more;
    members->room = room;
  }
  struct seen *s = &members->seen[client];
  if (!s->uid)
    s->uid = malloc(MEMBERSHIPS * sizeof *s->uid);
  return s->uid ? s : NULL;
}

bool siox__members_add(struct siox__members *members, uint64_t uid, uint32_t client) {
  struct seen *s = uid ? seen_by(members, client) : NULL;
  if (!s)
    return false;
  uint32_t i = 0;
  while (i < s->count && s->uid[i] != uid)
    i++;
  bool known = i < s->count, forgets = !known && s->count == MEMBERSHIPS;
  if (!known && !enter(members, uid, client))
    return false;
  if (forgets)
    leave(members, s->uid[--i], client);
  else
    s->count += !known;
  memmove(s->uid + 1, s->uid, i * sizeof *s->uid);
  s->uid[0] = uid;
  return forgets;
}

void siox__members_drop(struct siox__members *members, uint32_t client) {
  if (client >= members->room)
    return;
  struct seen *s = &members->seen[client];
  for (uint32_t i = 0; i < s->count; i++)
    leave(members, s->uid[i], client);
  free(s->uid);
  *s = (struct seen){0};
}

const uint32_t *siox__members_of(struct siox__members *members, uint64_t uid, uint32_t *count) {
  const struct communicator *c = uid ? *place_of(members, uid) : NULL;
  *count = c ? c->count : 0;
  return c ? c->client : NULL;
}
