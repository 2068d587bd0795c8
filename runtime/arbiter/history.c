/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See history.h. The quantile of n samples is the ceil(q n)-th smallest, so that at least the part
 * q of them was no earlier. The next one may be earlier than all before it: the greatest of n draws
 * from [0, m] is n / (n + 1) m on average, so an n-th part is added. */
#include "arbiter/history.h"
#include <math.h>
#include <string.h>

enum { MILLION = 1000000 };
enum { ENOUGH = 8 }; /* uses after which a site or client is judged by itself */

static uint32_t mixed(uint64_t key) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
}

static uint32_t place(uint64_t key) { return mixed(key) % SIOX__HISTORY_PLACES; }

uint32_t siox__history_places(uint32_t ndisks) {
  uint32_t n = 1024;
  while (n < UINT32_C(1) << 24 && n / 8 < ndisks)
    n *= 2;
  return n;
}

static struct siox__promise *promise_of(struct siox__history *history, uint32_t client,
                                        uint32_t disk) {
  return &history->promise[mixed((uint64_t)client << 32 | disk) & (history->npromises - 1)];
}

static const struct siox__earliness *find(const struct siox__earliness *table, uint64_t key) {
  const struct siox__earliness *e = &table[place(key)];
  return e->used && e->key == key ? e : NULL;
}

static struct siox__earliness *take(struct siox__earliness *table, uint64_t key) {
  struct siox__earliness *e = &table[place(key)];
  if (!e->used || e->key != key) {
    memset(e, 0, sizeof *e);
    e->key = key;
    e->used = true;
  }
  return e;
}

/* The rank-th smallest of the samples, from 1. */
static int64_t ranked(const struct siox__earliness *e, uint32_t rank) {
  int64_t sorted[SIOX__HISTORY_SAMPLES];
  for (uint32_t i = 0; i < e->count; i++) {
    uint32_t j = i;
    for (; j > 0 && sorted[j - 1] > e->sample[i]; j--)
      sorted[j] = sorted[j - 1];
    sorted[j] = e->sample[i];
  }
  return sorted[rank - 1];
}

static int64_t add(struct siox__earliness *e, double quantile, int64_t early) {
  e->sample[e->next] = early;
  e->next = (e->next + 1) % SIOX__HISTORY_SAMPLES;
  e->count += e->count < SIOX__HISTORY_SAMPLES;
  uint32_t rank = (uint32_t)ceil(quantile * e->count - 1e-9);
  int64_t margin = 0;
  if (rank >= e->count) {
    for (uint32_t i = 0; i < e->count; i++)
      margin = e->sample[i] > margin ? e->sample[i] : margin;
  } else {
    margin = ranked(e, rank > 0 ? rank : 1);
  }
  return e->margin = margin + margin / e->count;
}

static void note(struct siox__history *history, int64_t margin) {
  history->most = margin > history->most ? margin : history->most;
}

void siox__history_promise(struct siox__history *history, uint32_t client,
                           const struct siox_mask *disks, const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1))
    *promise_of(history, client, d) = (struct siox__promise){.need_by = hint->need_by,
                                                             .since = hint->since,
                                                             .site = hint->site,
                                                             .client = client,
                                                             .disk = d};
}

void siox__history_use(struct siox__history *history, uint32_t client,
                       const struct siox_mask *disks, int64_t now) {
  if (history->quantile <= 0)
    return;
  struct siox__promise kept = {0};
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = promise_of(history, client, d);
    if (!p->need_by || p->client != client || p->disk != d)
      continue;
    if (!kept.need_by)
      kept = *p;
    p->need_by = 0;
  }
  if (!kept.need_by)
    return;
  int64_t early = kept.need_by > now ? kept.need_by - now : 0;
  note(history, add(take(history->client, client), history->quantile, early));
  if (kept.site)
    note(history, add(take(history->site, kept.site), history->quantile, early));
  if (kept.need_by > kept.since)
    add(&history->all, history->quantile,
        (int64_t)((double)early / (double)(kept.need_by - kept.since) * MILLION));
}

static const struct siox__earliness *past_of(const struct siox__history *history, uint32_t client,
                                             const struct siox_claim_entry *hint) {
  const struct siox__earliness *e = hint->site ? find(history->site, hint->site) : NULL;
  return e ? e : find(history->client, client);
}

bool siox__history_knows(const struct siox__history *history, uint32_t client,
                         const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return true;
  const struct siox__earliness *e = past_of(history, client, hint);
  return e && e->count > 1;
}

int64_t siox__history_margin(const struct siox__history *history, uint32_t client,
                             const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return 0;
  const struct siox__earliness *e = past_of(history, client, hint);
  int64_t margin = e ? e->margin : 0;
  if ((e && e->count >= ENOUGH) || hint->need_by <= hint->since)
    return margin;
  double gap = (double)(hint->need_by - hint->since);
  int64_t others =
      (int64_t)fmin((double)history->all.margin / MILLION * gap, (double)history->most);
  return others > margin ? others : margin;
}

void siox__history_forget(struct siox__history *history, uint32_t client,
                          const struct siox_mask *disks) {
  if (history->quantile <= 0)
    return;
  struct siox__earliness *e = &history->client[place(client)];
  if (e->used && e->key == client)
    e->used = false;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = promise_of(history, client, d);
    if (p->client == client && p->disk == d)
      p->need_by = 0;
  }
}
