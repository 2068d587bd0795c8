/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing back: a node that has been dirty for flush_age, has more than dirty_limit or needs room
 * writes all that is dirty, in the order of files and blocks. Until then none of the disks
 * concerned is slowed. */
#include "energy/replay_map.h"
#include "energy/replay_server.h"
#include <stdlib.h>

static void unlist(struct siox__server *s, struct siox__node *n) {
  *(n->sooner ? &n->sooner->later : &s->soonest) = n->later;
  *(n->later ? &n->later->sooner : &s->latest) = n->sooner;
  n->since = SIOX_NEVER;
}

static int64_t due_of(const struct siox__server *s, const struct siox__node *n) {
  return n->since > SIOX_NEVER - 1 - s->is.flush_age ? SIOX_NEVER - 1 : n->since + s->is.flush_age;
}

int siox__server_hold(struct siox__server *s, struct siox__node *n, struct siox__block *b,
                      uint32_t from, uint32_t to, int64_t now) {
  siox__cache_dirty(&n->cache, b, from, to);
  if (n->since == SIOX_NEVER) {
    n->since = now;
    n->sooner = s->latest;
    n->later = NULL;
    *(s->latest ? &s->latest->later : &s->soonest) = n;
    s->latest = n;
  }
  uint32_t count = 0;
  int rc = siox__server_pieces(&b->layout->array, siox__node_number(n, b->layout),
                               b->number * s->is.block + from, to - from, true, &s->own_piece,
                               &count, &s->own_room);
  for (uint32_t i = 0; i < count && rc == 0; i++) /* the flush comes first at its time */
    rc = siox_bank_unflushed(s->bank, s->own_piece[i].disk, due_of(s, n) + 1);
  return rc;
}

/* Sorting needs the blocks: they are named by place in an array of their own. */
static int by_place(const void *a, const void *b, void *blocks) {
  const struct siox__block *block = blocks;
  const struct siox__block *x = &block[*(const uint32_t *)a], *y = &block[*(const uint32_t *)b];
  if (x->file != y->file)
    return x->file < y->file ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int write_run(struct siox__server *s, struct siox__node *n, const struct siox__block *first,
                     uint64_t local, uint64_t bytes, int64_t now, int64_t *done) {
  struct siox_service service;
  uint32_t count = 0;
  int rc = siox__server_pieces(&first->layout->array, siox__node_number(n, first->layout), local,
                               bytes, true, &s->own_piece, &count, &s->own_room);
  for (uint32_t i = 0; i < count && rc == 0; i++)
    rc = siox_bank_unflushed(s->bank, s->own_piece[i].disk, INT64_MIN);
  struct siox_request own = {.arrival = now,
                             .client = s->client,
                             .file = first->file,
                             .layout = first->layout,
                             .write = true,
                             .piece = s->own_piece,
                             .npieces = count,
                             .own = true};
  if (rc == 0)
    rc = siox_bank_access(s->bank, &own, &service);
  if (rc == 0)
    *done = service.completion > *done ? service.completion : *done;
  s->totals.flushed += bytes;
  return rc;
}

int siox__server_flush_node(struct siox__server *s, struct siox__node *n, int64_t now,
                            int64_t *done) {
  struct siox__cache *c = &n->cache;
  uint32_t count = 0;
  int rc = 0;
  *done = now;
  if (!c->ndirty)
    return 0;
  if (c->ndirty > s->dirty_room) {
    uint32_t *more = realloc(s->dirty, 2 * (size_t)c->ndirty * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    s->dirty = more;
    s->dirty_room = 2 * c->ndirty;
  }
  count = c->ndirty;
  siox__cache_clean(c, s->dirty);
  qsort_r(s->dirty, count, sizeof *s->dirty, by_place, c->block);
  for (uint32_t i = 0, k; i < count && rc == 0; i = k) {
    const struct siox__block *first = &c->block[s->dirty[i]], *last = first;
    for (k = i + 1; k < count; k++) {
      const struct siox__block *next = &c->block[s->dirty[k]];
      if (next->file != last->file || next->number != last->number + 1 || next->dirty_from ||
          last->dirty_to != s->is.block)
        break;
      last = next;
    }
    uint64_t local = first->number * s->is.block + first->dirty_from;
    rc = write_run(s, n, first, local, last->number * s->is.block + last->dirty_to - local, now,
                   done);
  }
  s->totals.flushes++;
  unlist(s, n);
  return rc;
}

int64_t siox__server_due(const struct siox__server *s) {
  return s->soonest ? due_of(s, s->soonest) : SIOX_NEVER;
}

int siox__server_flush(struct siox__server *s, int64_t now) {
  int64_t done;
  return siox__server_flush_node(s, s->soonest, now, &done);
}
