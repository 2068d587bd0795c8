/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Holes of collectives. In a collective access a few ranks may do the I/O of all, in large pieces:
 * from the first byte that any rank wants to the last, over bytes that none of them does.
 *
 *      rank 0      rank 1      rank 2
 *     |#######|   |#######|   |#######|       each rank's own claim
 *     |###############################|       what is read, and written back
 *
 * A rank knows its own piece. Each tells it before it begins; with the last of them the whole is
 * known, before any I/O, because they tell each other, too. That rank then claims the disks of the
 * holes, by a message like its own, so trace and replay have it. Where the I/O is gathered only
 * when the ranks' pieces do not lie in their order, the order decides (ROMIO's rule). */
#include "daemon/daemon.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES = 512, MOST_RANKS = 1 << 16 };

struct range {
  int64_t from, to; /* without the last; from < 0: has not entered */
};
struct siox__gathering { /* by uid and number; a newer one takes the place of one in its way */
  uint64_t uid, seq;
  uint32_t size, entered;
  struct range *rank;
};

void siox__gather_destroy(struct siox__gathering *table) {
  for (int i = 0; table && i < PLACES; i++)
    free(table[i].rank);
  free(table);
}

static struct siox__gathering *place_of(struct siox__daemon *d, const struct siox_rec_enter *e) {
  if (!d->gatherings && !(d->gatherings = calloc(PLACES, sizeof *d->gatherings)))
    return NULL;
  uint64_t hash = (e->uid ^ e->seq * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
  struct siox__gathering *g = &d->gatherings[(hash >> 32) % PLACES];
  if (g->rank && g->uid == e->uid && g->seq == e->seq && g->size == e->size)
    return g;
  free(g->rank);
  *g = (struct siox__gathering){.uid = e->uid, .seq = e->seq, .size = e->size};
  g->rank = malloc(e->size * sizeof *g->rank);
  for (uint32_t i = 0; g->rank && i < e->size; i++)
    g->rank[i].from = -1;
  return g->rank ? g : NULL;
}

static void forget(struct siox__gathering *g) {
  free(g->rank);
  *g = (struct siox__gathering){0};
}

/* Does a piece begin before the one of the rank before it ends? ROMIO's words for it, with the last
 * byte for an end, so that a rank that wants nothing counts as it does there. */
static bool out_of_order(const struct siox__gathering *g) {
  for (uint32_t i = 1; i < g->size; i++)
    if (g->rank[i].from < g->rank[i - 1].to - 1 && g->rank[i].from <= g->rank[i].to - 1)
      return true;
  return false;
}

/* The disks between the first byte and the last that no rank has claimed for itself. */
static int find_holes(const struct siox__gathering *g, const struct siox_layout *layout,
                      struct siox_mask *holes) {
  int64_t from = INT64_MAX, to = 0;
  struct siox_mask own;
  int rc = siox_mask_init(&own, layout->ndisks);
  for (uint32_t i = 0; i < g->size && rc == 0; i++) {
    const struct range *r = &g->rank[i];
    if (r->from >= r->to)
      continue;
    from = r->from < from ? r->from : from;
    to = r->to > to ? r->to : to;
    rc = siox_layout_mask(layout, r->from, r->to - r->from, &own);
  }
  if (rc == 0 && from < to)
    rc = siox_layout_mask(layout, from, to - from, holes);
  siox_mask_andnot(holes, &own);
  siox_mask_free(&own);
  return rc;
}

static int claim(struct siox__session *s, const struct siox_rec_head *record,
                 const struct siox_mask *holes, const char **why) {
  struct siox_claim_run *run = calloc(holes->ndisks, sizeof *run);
  /* Its own messages have even numbers (client/hint.c). */
  struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION,
                                   .flags = SIOX_CLAIM_PREDICTED,
                                   .seq = s->last_seq | 1,
                                   .time = record->time};
  int n = run ? siox_claim_runs(holes, SIOX_SPEED_FULL, 1, 0, SIOX_NEVER, run, holes->ndisks) : 0;
  head.nruns = n > 0 ? (uint32_t)n : 0;
  int rc = n > 0 ? siox__claim(s, record->thread, &head, run, why) : 0;
  free(run);
  return rc;
}

int siox__gather(struct siox__session *s, const struct siox_rec_head *head,
                 const struct siox_rec_enter *e, const char **why) {
  struct siox__daemon *d = s->d;
  const struct siox__file *file = siox__files_get(d, e->file);
  struct range range = {e->offset < 0 ? 0 : e->offset, 0};
  if (!file || e->size > MOST_RANKS || d->table->policy_lead_kind == SIOX_LEAD_NONE ||
      __builtin_add_overflow(range.from, e->bytes, &range.to))
    return 0;
  struct siox__gathering *g = place_of(d, e);
  if (!g || g->rank[e->self].from >= 0)
    return 0;
  g->rank[e->self] = range;
  if (++g->entered < g->size)
    return 0;
  siox__work(s, siox__work_of(d, (uint64_t)file->layout.factor + g->size));
  struct siox_mask holes = {0};
  int rc = 0;
  if (((e->flags & SIOX_ENTER_ALWAYS) || out_of_order(g)) &&
      siox_mask_init(&holes, file->layout.ndisks) == 0 &&
      find_holes(g, &file->layout, &holes) == 0 && !siox_mask_empty(&holes))
    rc = claim(s, head, &holes, why);
  siox_mask_free(&holes);
  forget(g);
  return rc;
}
