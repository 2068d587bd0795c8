/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requests through a server's cache. A node's share of a file is cut into blocks. What of a read is
 * in memory takes memory's time, counted from when it is there; of the rest whole blocks are read.
 * A write goes to disk as it is and to memory beside, or only to memory when writing back. */
#include "energy/replay_server.h"
#include "energy/replay_map.h"
#include <math.h>
#include <stdlib.h>

static const int64_t coming = INT64_MAX; /* ready: when the request under way is done */

int siox__server_open(struct siox__server **out, const struct siox_cache_options *options,
                      struct siox_bank *bank, uint32_t job) {
  const struct siox_view *view = siox_bank_view(bank);
  struct siox__server *s = *out = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  s->is = *options;
  s->bank = bank;
  s->ndisks = view->ndisks;
  s->node = calloc(s->ndisks, sizeof(struct siox__node *));
  s->extent = calloc(s->ndisks, sizeof *s->extent);
  if (!s->node || !s->extent)
    return SIOX_ENOMEM;
  return siox_bank_join(bank, siox_bank_now(bank), job, &s->client);
}

void siox__server_close(struct siox__server *s) {
  if (!s)
    return;
  for (uint32_t d = 0; s->node && d < s->ndisks; d++)
    if (s->node[d]) {
      siox__cache_free(&s->node[d]->cache);
      free(s->node[d]);
    }
  free(s->node);
  free(s->extent);
  free(s->piece);
  free(s->own_piece);
  free(s->dirty);
  free(s);
}

static struct siox__node *node_of(struct siox__server *s, const struct siox_layout *layout,
                                  uint32_t number) {
  uint32_t first = layout->array.members ? number * layout->array.members : number;
  struct siox__node *n = s->node[first];
  if (n || !(n = s->node[first] = calloc(1, sizeof *n)))
    return n;
  uint64_t blocks = s->is.size / s->is.block;
  siox__cache_init(&n->cache, blocks < SIOX__NO_BLOCK ? (uint32_t)blocks : SIOX__NO_BLOCK - 1);
  n->first = first;
  n->since = SIOX_NEVER;
  return n;
}

int siox__server_pieces(const struct siox_array *array, uint32_t node, uint64_t local,
                        uint64_t bytes, bool write, struct siox_extent **list, uint32_t *count,
                        uint32_t *room) {
  uint32_t most = siox_array_most_pieces(array);
  if (*count + most > *room) {
    uint32_t larger = 2 * (*count + most);
    struct siox_extent *more = realloc(*list, larger * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    *list = more;
    *room = larger;
  }
  *count += siox_array_pieces(array, node, local, bytes, write, *list + *count);
  return 0;
}

static int add(struct siox__server *s, struct siox__node *n, const struct siox_request *r,
               uint64_t number, struct siox__block **block) {
  int64_t done;
  int rc = siox__cache_must_clean(&n->cache) ? siox__server_flush_node(s, n, r->arrival, &done) : 0;
  if (rc == 0 && !(*block = siox__cache_add(&n->cache, r->file, number, r->layout)))
    rc = SIOX_ENOMEM;
  return rc;
}

/* What of a block a request wants. */
struct part {
  uint64_t number;
  uint32_t from, to;
};
static struct part part_of(const struct siox__server *s, const struct siox_extent *e,
                           uint64_t number) {
  uint64_t begin = number * s->is.block, end = e->local + e->bytes;
  return (struct part){number, e->local > begin ? (uint32_t)(e->local - begin) : 0,
                       end - begin < s->is.block ? (uint32_t)(end - begin) : (uint32_t)s->is.block};
}

/* A run of blocks [*first, end) to be read; *first UINT64_MAX: none. */
static int read_run(struct siox__server *s, struct siox__node *n, const struct siox_request *r,
                    uint64_t *first, uint64_t end) {
  uint64_t from = *first;
  *first = UINT64_MAX;
  return from == UINT64_MAX
             ? 0
             : siox__server_pieces(&r->layout->array, siox__node_number(n, r->layout),
                                   from * s->is.block, (end - from) * s->is.block, false, &s->piece,
                                   &s->npieces, &s->piece_room);
}

static int64_t memory_ns(const struct siox__server *s, uint64_t bytes) {
  return llround((double)bytes / s->is.rate * 1e9);
}

static int read_share(struct siox__server *s, struct siox__node *n, const struct siox_request *r,
                      const struct siox_extent *e, int64_t *done) {
  uint64_t last = (e->local + e->bytes - 1) / s->is.block, run = UINT64_MAX, hit = 0;
  int64_t ready = r->arrival;
  int rc = 0;
  for (uint64_t k = e->local / s->is.block; k <= last && rc == 0; k++) {
    struct part want = part_of(s, e, k);
    struct siox__block *b = siox__cache_find(&n->cache, r->file, k);
    n->used++;
    if (b && b->from <= want.from && want.to <= b->to) {
      hit += want.to - want.from;
      ready = b->ready > ready ? b->ready : ready;
      siox__cache_use(&n->cache, b);
      rc = read_run(s, n, r, &run, k);
      continue;
    }
    if (b)
      siox__cache_use(&n->cache, b);
    else
      rc = add(s, n, r, k, &b);
    if (rc)
      break;
    b->from = 0;
    b->to = (uint32_t)s->is.block;
    b->ready = coming;
    run = run == UINT64_MAX ? k : run;
  }
  if (rc == 0)
    rc = read_run(s, n, r, &run, last + 1);
  s->totals.read += e->bytes;
  s->totals.hit += hit;
  if (hit)
    *done = ready + memory_ns(s, hit) > *done ? ready + memory_ns(s, hit) : *done;
  return rc;
}

static bool adjoins(const struct siox__block *b, const struct part *p) {
  return p->from <= b->to && b->from <= p->to;
}

static int write_share(struct siox__server *s, struct siox__node *n, const struct siox_request *r,
                       const struct siox_extent *e, int64_t *done) {
  uint64_t last = (e->local + e->bytes - 1) / s->is.block;
  int64_t flushed;
  int rc = 0;
  for (uint64_t k = e->local / s->is.block; k <= last && rc == 0; k++) {
    struct part p = part_of(s, e, k);
    struct siox__block *b = siox__cache_find(&n->cache, r->file, k);
    bool whole = p.to - p.from == s->is.block;
    if (!b && !whole && !s->is.write_back)
      continue;                 /* the rest of it would have to be read */
    if (b && !adjoins(b, &p)) { /* two parts of a block are not kept */
      rc = b->is_dirty ? siox__server_flush_node(s, n, r->arrival, &flushed) : 0;
      b->from = p.from;
      b->to = p.to;
    }
    if (b)
      siox__cache_use(&n->cache, b);
    else if (rc == 0)
      rc = add(s, n, r, k, &b);
    if (rc)
      break;
    bool empty = b->from == b->to;
    b->from = empty || p.from < b->from ? p.from : b->from;
    b->to = empty || p.to > b->to ? p.to : b->to;
    b->ready = whole || empty ? r->arrival : b->ready;
    if (s->is.write_back)
      rc = siox__server_hold(s, n, b, p.from, p.to, r->arrival);
  }
  s->totals.written += e->bytes;
  if (s->is.write_back && r->arrival + memory_ns(s, e->bytes) > *done)
    *done = r->arrival + memory_ns(s, e->bytes);
  return rc;
}

/* Blocks of the request under way are there when it is done. */
static void settle(struct siox__node *n, int64_t ready) {
  uint32_t i = n->cache.newest;
  for (; n->used && i != SIOX__NO_BLOCK; n->used--, i = n->cache.block[i].older)
    if (n->cache.block[i].ready == coming)
      n->cache.block[i].ready = ready;
  n->used = 0;
}

/* Where a read that ends there is kept in mind. */
static uint32_t stream_of(uint64_t file, uint64_t end) {
  uint64_t key = (file ^ end * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);
  return (uint32_t)(key >> 58) % SIOX__STREAMS;
}

/* Does a read go on where one has ended? */
static bool sequential(struct siox__node *n, uint64_t file, const struct siox_extent *e) {
  uint32_t at = stream_of(file, e->local);
  bool known = n->stream[at].file == file && n->stream[at].at == e->local;
  if (known)
    n->stream[at].file = 0;
  uint64_t end = e->local + e->bytes;
  at = stream_of(file, end);
  n->stream[at].file = file;
  n->stream[at].at = end;
  return known;
}

/* Behind a sequential read: when less than half of what is to be read ahead is in memory, the rest.
 */
static int read_ahead(struct siox__server *s, struct siox__node *n, const struct siox_request *r,
                      const struct siox_extent *e) {
  uint64_t first = (e->local + e->bytes - 1) / s->is.block + 1,
           n_ahead = s->is.read_ahead / s->is.block;
  uint64_t there = 0, run = UINT64_MAX;
  struct siox_service service;
  struct siox__block *b;
  int rc = 0;
  if (!sequential(n, r->file, e) || first + n_ahead > INT64_MAX / s->is.block)
    return 0;
  while (there < n_ahead && siox__cache_find(&n->cache, r->file, first + there))
    there++;
  if (2 * there >= n_ahead)
    return 0;
  s->npieces = 0;
  for (uint64_t k = first + there; k < first + n_ahead && rc == 0; k++) {
    if (siox__cache_find(&n->cache, r->file, k)) {
      rc = read_run(s, n, r, &run, k);
      continue;
    }
    if ((rc = add(s, n, r, k, &b)))
      return rc;
    b->to = (uint32_t)s->is.block;
    b->ready = coming;
    s->totals.ahead += s->is.block;
    n->used++;
    run = run == UINT64_MAX ? k : run;
  }
  if (rc == 0)
    rc = read_run(s, n, r, &run, first + n_ahead);
  struct siox_request own = {.arrival = r->arrival,
                             .client = s->client,
                             .file = r->file,
                             .layout = r->layout,
                             .piece = s->piece,
                             .npieces = s->npieces,
                             .own = true};
  if (rc == 0)
    rc = siox_bank_access(s->bank, &own, &service);
  if (rc == 0)
    settle(n, service.completion);
  return rc;
}

int siox__server_access(struct siox__server *s, const struct siox_request *r,
                        struct siox_service *service) {
  int64_t done = r->arrival, flushed;
  int count = siox_layout_extents(r->layout, r->offset, r->bytes, s->extent, s->ndisks), rc = 0;
  *service = (struct siox_service){.completion = r->arrival};
  if (count <= 0)
    return count;
  s->npieces = 0;
  for (int i = 0; i < count && rc == 0; i++) {
    struct siox__node *n = node_of(s, r->layout, s->extent[i].disk);
    if (!n)
      return SIOX_ENOMEM;
    rc = r->write ? write_share(s, n, r, &s->extent[i], &done)
                  : read_share(s, n, r, &s->extent[i], &done);
  }
  struct siox_request left = *r;
  bool through = r->write && !s->is.write_back;
  left.piece = through ? NULL : s->piece;
  left.npieces = s->npieces;
  if (rc == 0 && (through || s->npieces))
    rc = siox_bank_access(s->bank, &left, service);
  else
    s->memory++;
  for (int i = 0; i < count && rc == 0; i++) {
    struct siox__node *n = node_of(s, r->layout, s->extent[i].disk);
    settle(n, service->completion);
    if (!r->write && s->is.read_ahead)
      rc = read_ahead(s, n, r, &s->extent[i]);
    if (rc == 0 && n->cache.dirty > s->is.dirty_limit) {
      rc = siox__server_flush_node(s, n, r->arrival, &flushed);
      done = flushed > done ? flushed : done;
    }
  }
  service->completion = done > service->completion ? done : service->completion;
  return rc;
}
