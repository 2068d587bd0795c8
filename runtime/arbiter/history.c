/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See history.h. The quantile of n samples is the ceil(q n)-th smallest, so that at least the part
 * q of them was no earlier. */
#include "arbiter/history.h"
#include <math.h>
#include <string.h>

static uint32_t place(uint64_t key) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % SIOX__HISTORY_PLACES;
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

static void add(struct siox__history *history, struct siox__earliness *e, int64_t early) {
  e->sample[e->next] = early;
  e->next = (e->next + 1) % SIOX__HISTORY_SAMPLES;
  e->count += e->count < SIOX__HISTORY_SAMPLES;
  int64_t sorted[SIOX__HISTORY_SAMPLES];
  for (uint32_t i = 0; i < e->count; i++) {
    uint32_t j = i;
    for (; j > 0 && sorted[j - 1] > e->sample[i]; j--)
      sorted[j] = sorted[j - 1];
    sorted[j] = e->sample[i];
  }
  uint32_t rank = (uint32_t)ceil(history->quantile * e->count - 1e-9);
  e->margin = sorted[rank > 0 ? rank - 1 : 0];
  history->most = e->margin > history->most ? e->margin : history->most;
}

void siox__history_promise(struct siox__history *history, uint32_t client,
                           const struct siox_mask *disks, const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1))
    history->promise[d] =
        (struct siox__promise){.need_by = hint->need_by, .site = hint->site, .client = client};
}

void siox__history_use(struct siox__history *history, uint32_t client,
                       const struct siox_mask *disks, int64_t now) {
  if (history->quantile <= 0)
    return;
  struct siox__promise kept = {0};
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = &history->promise[d];
    if (!p->need_by || p->client != client)
      continue;
    if (!kept.need_by)
      kept = *p;
    p->need_by = 0;
  }
  if (!kept.need_by)
    return;
  int64_t early = kept.need_by > now ? kept.need_by - now : 0;
  add(history, take(history->client, client), early);
  if (kept.site)
    add(history, take(history->site, kept.site), early);
}

int64_t siox__history_margin(const struct siox__history *history, uint32_t client,
                             const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return 0;
  const struct siox__earliness *e = hint->site ? find(history->site, hint->site) : NULL;
  if (!e)
    e = find(history->client, client);
  return e ? e->margin : 0;
}

void siox__history_forget(struct siox__history *history, uint32_t client) {
  struct siox__earliness *e = &history->client[place(client)];
  if (e->used && e->key == client)
    e->used = false;
  for (uint32_t d = 0; d < history->ndisks; d++)
    if (history->promise[d].client == client)
      history->promise[d].need_by = 0;
}
