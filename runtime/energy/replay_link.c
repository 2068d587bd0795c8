/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts each stream in the order of time, and joins what waits with what it waits for. A point
 * recorded as later than the one that is said to wait for it was not waited for, whatever the rules
 * of MPI would allow, and is left out: so a replay under the recorded circumstances gives the
 * recorded times. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b) {
  const struct siox__op *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* A client's main stream is that of its first thread with I/O; what the process did as such goes
 * into it. */
static int merge_streams(struct siox__trace *t) {
  for (uint32_t i = 0; i < t->nstreams; i++) {
    struct siox__client *c = &t->client[t->stream[i].client];
    const struct siox__stream *main = c->main == SIOX__NONE ? NULL : &t->stream[c->main];
    if (!main || main->thread == 0 || (t->stream[i].thread && t->stream[i].thread < main->thread))
      c->main = i;
  }
  for (uint32_t i = 0; i < t->nstreams; i++) {
    struct siox__stream *s = &t->stream[i], *main = &t->stream[t->client[s->client].main];
    if (s->thread == 0 && main != s) {
      for (uint32_t k = 0; k < s->count; k++) {
        struct siox__op *op = siox__op_add(main, SIOX__OP_POINT, 0, 0);
        if (!op)
          return SIOX_ENOMEM;
        *op = s->op[k];
      }
      s->count = 0;
    }
  }
  return 0;
}

static int complete_clients(struct siox__trace *t) {
  for (uint32_t i = 0; i < t->nclients; i++) {
    struct siox__client *c = &t->client[i];
    if (c->main == SIOX__NONE)
      continue;
    struct siox__stream *s = &t->stream[c->main];
    if (!c->has_join && !siox__op_add(s, SIOX__OP_JOIN, c->first, 0))
      return SIOX_ENOMEM;
    /* Cut: it leaves after its last event. */
    if (!c->has_leave && !siox__op_add(s, SIOX__OP_LEAVE, c->last, UINT32_MAX))
      return SIOX_ENOMEM;
  }
  for (uint32_t i = 0; i < t->nstreams; i++) {
    struct siox__stream *s = &t->stream[i];
    if (!s->count)
      continue;
    for (uint32_t k = 0; k < s->count; k++) {
      int64_t *at = &s->op[k].at;
      if (s->op[k].kind == SIOX__OP_JOIN) { /* nothing comes before it, nothing after the leaving */
        s->op[k].order = 0;
        *at = s->op[k].end = t->client[s->client].first;
      } else if (s->op[k].kind == SIOX__OP_LEAVE) {
        s->op[k].order = UINT32_MAX;
      }
    }
    qsort(s->op, s->count, sizeof *s->op, by_time);
    for (uint32_t k = 0; k + 1 < s->count; k++)
      if (s->op[k].kind ==
          SIOX__OP_LEAVE) { /* records that came after it: the leaving is put last */
        struct siox__op leave = s->op[k];
        memmove(&s->op[k], &s->op[k + 1], (s->count - k - 1) * sizeof leave);
        leave.at = leave.end = s->op[s->count - 2].at;
        s->op[s->count - 1] = leave;
      }
    t->client[s->client].nstreams++;
  }
  return 0;
}

struct membership { /* an op in a collective's list */
  struct siox__op *op;
  uint32_t group;
  bool io;
  int64_t at;
  uint32_t client, thread;
};

static int by_group(const void *a, const void *b) {
  const struct membership *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  if (x->io != y->io)
    return x->io ? 1 : -1;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->client != y->client)
    return x->client < y->client ? -1 : 1;
  return x->op->order < y->op->order ? -1 : x->op->order > y->op->order;
}

static int list_add(struct siox__list *l, int64_t at, uint32_t *slot) {
  if (l->count == l->room) {
    uint32_t room = l->room ? l->room * 2 : 4;
    int64_t *recorded = realloc(l->recorded, room * sizeof *recorded);
    if (recorded)
      l->recorded = recorded;
    int64_t *replayed = realloc(l->replayed, room * sizeof *replayed);
    if (replayed)
      l->replayed = replayed;
    bool *done = realloc(l->is_done, room * sizeof *done);
    if (done)
      l->is_done = done;
    if (!recorded || !replayed || !done)
      return SIOX_ENOMEM;
    l->room = room;
  }
  l->recorded[l->count] = at;
  l->replayed[l->count] = 0;
  l->is_done[l->count] = false;
  *slot = l->count++;
  return 0;
}

static bool joins_list(const struct siox__op *op) {
  if (op->group == SIOX__NONE)
    return false;
  return op->kind == SIOX__OP_IO || (op->kind == SIOX__OP_ENTER && op->wait != SIOX__WAIT_NONE);
}

static int fill_groups(struct siox__trace *t) {
  size_t n = 0, k = 0;
  for (uint32_t i = 0; i < t->nstreams; i++)
    for (uint32_t j = 0; j < t->stream[i].count; j++)
      n += joins_list(&t->stream[i].op[j]);
  struct membership *m = malloc((n + 1) * sizeof *m);
  if (!m)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < t->nstreams; i++)
    for (uint32_t j = 0; j < t->stream[i].count; j++) {
      struct siox__op *op = &t->stream[i].op[j];
      if (joins_list(op))
        m[k++] = (struct membership){op,      op->group,           op->kind == SIOX__OP_IO,
                                     op->end, t->stream[i].client, t->stream[i].thread};
    }
  qsort(m, n, sizeof *m, by_group);
  int rc = 0;
  for (k = 0; k < n && rc == 0; k++) {
    struct siox__group *g = &t->group[m[k].group];
    rc = list_add(m[k].io ? &g->io : &g->entry, m[k].at, &m[k].op->slot);
    if (m[k].op->root) {
      g->has_root = true;
      g->root_recorded = m[k].at;
    }
  }
  free(m);
  return rc;
}

/* How many of a list were recorded at or before a time. */
static uint32_t before(const struct siox__list *l, int64_t at) {
  uint32_t low = 0, high = l->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->recorded[middle] <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void link_groups(struct siox__trace *t) {
  for (uint32_t i = 0; i < t->nstreams; i++) {
    uint32_t inside = SIOX__NONE; /* synchronising collective that the stream is in */
    for (uint32_t k = 0; k < t->stream[i].count; k++) {
      struct siox__op *op = &t->stream[i].op[k];
      if (op->kind == SIOX__OP_ENTER)
        inside = op->wait == SIOX__WAIT_ALL ? op->group : SIOX__NONE;
      if (op->group == SIOX__NONE)
        continue;
      struct siox__group *g = &t->group[op->group];
      if (op->kind == SIOX__OP_IO && op->group == inside)
        op->entries =
            before(&g->entry, op->at); /* what an aggregator writes comes from the others */
      if (op->kind != SIOX__OP_EXIT)
        continue;
      op->entries = op->wait == SIOX__WAIT_ALL ? before(&g->entry, op->at) : 0;
      op->ios = before(&g->io, op->at);
      if (op->wait == SIOX__WAIT_ROOT && (!g->has_root || g->root_recorded > op->at))
        op->wait = SIOX__WAIT_NONE;
      inside = SIOX__NONE;
    }
  }
}

static uint32_t new_dep(struct siox__trace *t, int64_t recorded) {
  if (siox__room(&t->dep, t->ndeps, &t->dep_room, sizeof *t->dep) < 0)
    return SIOX__NONE;
  t->dep[t->ndeps] = (struct siox__dep){.recorded = recorded, .waiting = SIOX__NONE};
  return t->ndeps++;
}

struct channel {
  uint32_t *send, count, room, taken;
};

/* The sends of each channel, in order; and the asynchronous requests, which are met before their
 * waits. */
static int link_sources(struct siox__trace *t, struct channel *channel) {
  for (uint32_t i = 0; i < t->nstreams; i++)
    for (uint32_t k = 0; k < t->stream[i].count; k++) {
      struct siox__op *op = &t->stream[i].op[k];
      if (op->kind == SIOX__OP_SEND) {
        struct channel *c = &channel[op->thing];
        if ((op->dep = new_dep(t, op->at)) == SIOX__NONE ||
            siox__room(&c->send, c->count, &c->room, sizeof *c->send) < 0)
          return SIOX_ENOMEM;
        c->send[c->count++] = op->dep;
      } else if (op->kind == SIOX__OP_IO && op->async) {
        uint32_t *at = siox__map_at(&t->requests, t->stream[i].client, op->dep, 0);
        if (!at || (*at = new_dep(t, op->end)) == SIOX__NONE)
          return SIOX_ENOMEM;
        op->dep = *at;
      } else if (op->kind == SIOX__OP_AFTER && op->thing == SIOX__NONE) {
        op->dep = siox__map_get(&t->requests, t->stream[i].client, op->dep, 0);
        if (op->dep != SIOX__NONE && t->dep[op->dep].recorded > op->at)
          op->dep = SIOX__NONE;
      }
    }
  return 0;
}

static void link_receives(struct siox__trace *t, struct channel *channel) {
  for (uint32_t i = 0; i < t->nstreams; i++)
    for (uint32_t k = 0; k < t->stream[i].count; k++) {
      struct siox__op *op = &t->stream[i].op[k];
      if (op->kind != SIOX__OP_AFTER || op->thing == SIOX__NONE)
        continue;
      struct channel *c = &channel[op->thing];
      op->dep = c->taken < c->count ? c->send[c->taken++] : SIOX__NONE;
      if (op->dep != SIOX__NONE && t->dep[op->dep].recorded > op->at)
        op->dep = SIOX__NONE;
    }
}

int siox__trace_link(struct siox__trace *t) {
  int rc = merge_streams(t);
  if (rc == 0)
    rc = complete_clients(t);
  if (rc == 0)
    rc = fill_groups(t);
  if (rc)
    return rc;
  link_groups(t);
  struct channel *channel = calloc((size_t)t->channels.count + 1, sizeof *channel);
  if (!channel)
    return SIOX_ENOMEM;
  rc = link_sources(t, channel);
  if (rc == 0)
    link_receives(t, channel);
  for (uint32_t i = 0; i < t->channels.count; i++)
    free(channel[i].send);
  free(channel);
  return rc;
}
