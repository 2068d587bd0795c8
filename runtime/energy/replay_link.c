/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What waits for what: collectives, messages, asynchronous requests. Points are joined as they are
 * read, in recorded order, and forgotten when they are over. A point recorded as later than the one
 * that is said to wait for it was not waited for, whatever the rules of MPI would allow: so a
 * replay under the recorded circumstances gives the recorded times. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

#define ROOM(array, count, room) siox__room(&(array), count, &(room), sizeof *(array))

/* A collective that nobody is in any more is forgotten when this much of later ones is known; who
 * comes to it even later than that finds it empty. */
enum { SPOTS_KEPT = 1 << 20, GROUPS_KEPT = 1 << 16 };

static void forget_some(struct siox__run *r) {
  for (int tries = 0; tries < 4 && r->nold > 64; tries++) {
    if (r->spots <= SPOTS_KEPT && r->nold <= GROUPS_KEPT)
      return;
    uint32_t number = r->old[r->old_head];
    struct siox__group *g = &r->group[number];
    if (r->nfree_group == r->free_group_room &&
        ROOM(r->free_group, r->nfree_group, r->free_group_room) < 0)
      return; /* it stays known */
    r->old_head = (r->old_head + 1) & (r->old_room - 1);
    r->nold--;
    if (g->users || g->waiting) {
      r->old[(r->old_head + r->nold++) & (r->old_room - 1)] = number;
      continue;
    }
    siox__map_drop(&r->groups, g->uid, g->seq, 0);
    r->spots -= (uint64_t)g->entry.count + g->io.count;
    free(g->entry.spot);
    free(g->io.spot);
    *g = (struct siox__group){0};
    r->free_group[r->nfree_group++] = number;
  }
}

static int remember(struct siox__run *r, uint32_t group) {
  if (r->nold == r->old_room) {
    uint32_t room = r->old_room ? r->old_room * 2 : 64;
    uint32_t *old = malloc(room * sizeof *old);
    if (!old)
      return SIOX_ENOMEM;
    for (uint32_t i = 0; i < r->nold; i++)
      old[i] = r->old[(r->old_head + i) & (r->old_room - 1)];
    free(r->old);
    r->old = old;
    r->old_head = 0;
    r->old_room = room;
  }
  r->old[(r->old_head + r->nold++) & (r->old_room - 1)] = group;
  return 0;
}

static int join_group(struct siox__run *r, struct siox__op *op) {
  if (!op->uid)
    return 0;
  uint32_t *at = siox__map_at(&r->groups, op->uid, op->seq, 0);
  if (!at)
    return SIOX_ENOMEM;
  if (*at == SIOX__NONE) {
    if (!r->nfree_group && ROOM(r->group, r->ngroups, r->group_room) < 0)
      return SIOX_ENOMEM;
    uint32_t number = r->nfree_group ? r->free_group[--r->nfree_group] : r->ngroups++;
    r->group[number] = (struct siox__group){.uid = op->uid,
                                            .seq = op->seq,
                                            .entry.least = UINT32_MAX,
                                            .io.least = UINT32_MAX,
                                            .used = true};
    *at = number;
    op->group = number;
    r->group[number].users++;
    int rc = remember(r, number);
    forget_some(r);
    return rc;
  }
  op->group = *at;
  r->group[op->group].users++;
  return 0;
}

static int list_add(struct siox__run *r, struct siox__spots *l, int64_t recorded,
                    const struct siox__stream *s, uint64_t order) {
  if (ROOM(l->spot, l->count, l->room) < 0)
    return SIOX_ENOMEM;
  uint32_t i = l->count++;
  for (; i > 0 && l->spot[i - 1].recorded > recorded; i--)
    l->spot[i] = l->spot[i - 1];
  l->spot[i] = (struct siox__spot){.recorded = recorded, .stream = s, .order = order};
  l->done = l->done > i ? i : l->done;
  r->spots++;
  return 0;
}

static struct siox__channel *channel_of(struct siox__run *r, const struct siox__op *op,
                                        uint32_t *number) {
  uint32_t *at = siox__map_at(&r->channels, op->uid, op->seq, op->request);
  if (!at || (*at == SIOX__NONE && ROOM(r->channel, r->nchannels, r->channel_room) < 0))
    return NULL;
  if (*at == SIOX__NONE) {
    r->channel[r->nchannels] = (struct siox__channel){0};
    *at = r->nchannels++;
  }
  *number = *at;
  return &r->channel[*at];
}

/* The nth send meets the nth receive. `offset` carries the number. */
static int join_channel(struct siox__run *r, struct siox__op *op) {
  struct siox__channel *c = channel_of(r, op, &op->dep);
  if (!c)
    return SIOX_ENOMEM;
  if (op->kind == SIOX__OP_AFTER) {
    op->offset = (int64_t)c->received++;
    return 0;
  }
  if (c->head && c->head >= c->count / 2 && c->count == c->room) {
    memmove(c->sent, c->sent + c->head, (c->count - c->head) * sizeof *c->sent);
    c->count -= c->head;
    c->first += c->head;
    c->head = 0;
  }
  if (ROOM(c->sent, c->count, c->room) < 0)
    return SIOX_ENOMEM;
  op->offset = (int64_t)(c->first + c->count);
  c->sent[c->count++] = (struct siox__sent){.recorded = op->at};
  return 0;
}

static void let_go(struct siox__run *r, uint32_t dep) {
  struct siox__dep *d = &r->dep[dep];
  if (--d->users == 0 && ROOM(r->free_dep, r->nfree_dep, r->free_dep_room) == 0)
    r->free_dep[r->nfree_dep++] = dep;
}

static int join_request(struct siox__stream *s, struct siox__op *op) {
  struct siox__run *r = s->run;
  uint64_t client = (uint64_t)(s->client - r->client);
  if (op->kind == SIOX__OP_AFTER) {
    op->dep = siox__map_get(&r->requests, client, op->request, 0);
    siox__map_drop(&r->requests, client, op->request, 0); /* the wait holds it from now on */
    return 0;
  }
  uint32_t *at = siox__map_at(&r->requests, client, op->request, 0);
  if (!at || (!r->nfree_dep && ROOM(r->dep, r->ndeps, r->dep_room) < 0))
    return SIOX_ENOMEM;
  if (*at != SIOX__NONE)
    let_go(r, *at); /* nobody waited for the earlier one of this number */
  op->dep = *at = r->nfree_dep ? r->free_dep[--r->nfree_dep] : r->ndeps++;
  r->dep[op->dep] = (struct siox__dep){.recorded = op->end, .users = 2};
  return 0;
}

int siox__link(struct siox__stream *s, struct siox__op *op) {
  struct siox__run *r = s->run;
  int rc = 0;
  switch ((enum siox__op_kind)op->kind) {
  case SIOX__OP_ENTER:
    rc = join_group(r, op);
    if (rc || op->group == SIOX__NONE || op->wait == SIOX__WAIT_NONE)
      return rc;
    if (op->root) {
      r->group[op->group].has_root = true;
      r->group[op->group].root_recorded = op->at;
    }
    return list_add(r, &r->group[op->group].entry, op->at, s, op->order);
  case SIOX__OP_IO:
    rc = join_group(r, op);
    if (rc == 0 && op->group != SIOX__NONE)
      rc = list_add(r, &r->group[op->group].io, op->end, s, op->order);
    return rc == 0 && op->async ? join_request(s, op) : rc;
  case SIOX__OP_EXIT:
    return join_group(r, op);
  case SIOX__OP_SEND:
    return join_channel(r, op);
  case SIOX__OP_AFTER:
    return op->message ? join_channel(r, op) : join_request(s, op);
  default:
    return 0;
  }
}

static void take_latest(struct siox__latest *l, int64_t recorded, int64_t replayed) {
  l->recorded = recorded > l->recorded ? recorded : l->recorded;
  l->replayed = replayed > l->replayed ? replayed : l->replayed;
}

/* How many of a list were recorded at or before a time. */
static uint32_t before(const struct siox__spots *l, int64_t at) {
  uint32_t low = 0, high = l->count;
  if (high && l->spot[high - 1].recorded <= at)
    return high;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->spot[middle].recorded <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool take_list(struct siox__latest *l, const struct siox__spots *list, uint32_t n) {
  if (list->done < n)
    return false;
  if (n && n == list->count) {
    take_latest(l, list->spot[n - 1].recorded, list->latest);
    return true;
  }
  for (uint32_t i = 0; i < n; i++)
    take_latest(l, list->spot[i].recorded, list->spot[i].replayed);
  return true;
}

static bool follows_group(struct siox__stream *s, const struct siox__op *op,
                          struct siox__latest *l) {
  struct siox__group *g = &s->run->group[op->group];
  bool exit = op->kind == SIOX__OP_EXIT;
  bool all = exit ? op->wait == SIOX__WAIT_ALL
                  : op->group == s->inside && s->synchronous; /* what an aggregator writes comes
                                                                 from the others */
  bool root = exit && op->wait == SIOX__WAIT_ROOT && g->has_root && g->root_recorded <= op->at;
  uint32_t entries = all ? before(&g->entry, op->at) : 0, ios = exit ? before(&g->io, op->at) : 0;
  l->waiting = &g->waiting;
  if (root && !g->root_done) {
    entries = UINT32_MAX; /* woken by the root alone */
  } else if (take_list(l, &g->entry, entries) && take_list(l, &g->io, ios)) {
    if (root)
      take_latest(l, g->root_recorded, g->root_replayed);
    return true;
  }
  g->entry.least = entries < g->entry.least ? entries : g->entry.least;
  g->io.least = ios < g->io.least ? ios : g->io.least;
  return false;
}

static bool follows_message(struct siox__run *r, const struct siox__op *op,
                            struct siox__latest *l) {
  struct siox__channel *c = &r->channel[op->dep];
  uint64_t place = (uint64_t)op->offset - c->first;
  l->waiting = &c->waiting;
  if (place < c->head || place >= c->count || c->sent[place].recorded > op->at)
    return true;
  if (!c->sent[place].done)
    return false;
  take_latest(l, c->sent[place].recorded, c->sent[place].replayed);
  return true;
}

bool siox__link_follows(struct siox__stream *s, const struct siox__op *op, struct siox__latest *l) {
  struct siox__run *r = s->run;
  *l = (struct siox__latest){s->base_recorded, s->base, NULL};
  if (op->kind == SIOX__OP_LEAVE) {
    l->waiting = &s->client->waiting;
    if (s->client->streams_left > 1)
      return false;
    if (s->client->nstreams > 1)
      take_latest(l, s->client->end_recorded, s->client->end);
  } else if (op->kind == SIOX__OP_AFTER && op->message) {
    return follows_message(r, op, l);
  } else if (op->kind == SIOX__OP_AFTER && op->dep != SIOX__NONE) {
    struct siox__dep *d = &r->dep[op->dep];
    l->waiting = &d->waiting;
    if (d->recorded > op->at)
      return true;
    if (!d->done)
      return false;
    take_latest(l, d->recorded, d->replayed);
  } else if (op->group != SIOX__NONE && (op->kind == SIOX__OP_EXIT || op->kind == SIOX__OP_IO)) {
    return follows_group(s, op, l);
  }
  return true;
}

static void wake_all(struct siox__stream **waiting, struct siox__stream **wake) {
  while (*waiting) {
    struct siox__stream *s = *waiting;
    *waiting = s->next_waiting;
    s->next_waiting = *wake;
    *wake = s;
  }
}

static void happen(struct siox__group *g, struct siox__spots *l, const struct siox__stream *s,
                   const struct siox__op *op, int64_t recorded, int64_t at,
                   struct siox__stream **wake) {
  uint32_t i = before(l, recorded);
  while (i-- > 0 && l->spot[i].recorded == recorded)
    if (l->spot[i].stream == s && l->spot[i].order == op->order)
      break;
  if (i >= l->count)
    return;
  l->spot[i].replayed = at;
  l->spot[i].done = true;
  l->latest = at > l->latest ? at : l->latest;
  while (l->done < l->count && l->spot[l->done].done)
    l->done++;
  if (g->waiting && g->entry.done >= g->entry.least && g->io.done >= g->io.least) {
    g->entry.least = g->io.least = UINT32_MAX;
    wake_all(&g->waiting, wake);
  }
}

static void set_dep(struct siox__dep *d, int64_t at, struct siox__stream **wake) {
  d->replayed = at;
  d->done = true;
  wake_all(&d->waiting, wake);
}

void siox__link_happened(struct siox__stream *s, const struct siox__op *op, int64_t now,
                         int64_t end, struct siox__stream **wake) {
  struct siox__run *r = s->run;
  struct siox__group *g = op->group == SIOX__NONE ? NULL : &r->group[op->group];
  if (op->kind == SIOX__OP_SEND) {
    struct siox__channel *c = &r->channel[op->dep];
    uint64_t place = (uint64_t)op->offset - c->first;
    if (place < c->count) {
      c->sent[place].replayed = now;
      c->sent[place].done = true;
    }
    wake_all(&c->waiting, wake);
  } else if (op->kind == SIOX__OP_ENTER && g) {
    if (op->root) {
      g->root_done = true;
      g->root_replayed = now;
      g->entry.least = g->io.least = UINT32_MAX;
      wake_all(&g->waiting, wake);
    }
    if (op->wait != SIOX__WAIT_NONE)
      happen(g, &g->entry, s, op, op->at, now, wake);
  } else if (op->kind == SIOX__OP_IO) {
    if (op->async)
      set_dep(&r->dep[op->dep], end, wake);
    if (g)
      happen(g, &g->io, s, op, op->end, end, wake);
  }
}

void siox__link_over(struct siox__stream *s, const struct siox__op *op) {
  struct siox__run *r = s->run;
  if (op->group != SIOX__NONE)
    r->group[op->group].users--;
  if (op->kind == SIOX__OP_AFTER && op->message) {
    struct siox__channel *c = &r->channel[op->dep];
    uint64_t place = (uint64_t)op->offset - c->first;
    if (place >= c->head && place < c->count)
      c->head = (uint32_t)place + 1;
  } else if (op->dep != SIOX__NONE && (op->kind == SIOX__OP_AFTER || op->async)) {
    let_go(r, op->dep);
  }
}

bool siox__link_has_io(const struct siox__run *run, uint32_t group) {
  return run->group[group].io.count > 0;
}
