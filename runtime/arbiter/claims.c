/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each client says of each disk, as sorted runs of disks with equal entries: a program speaks
 * of few ranges, and 10,000 jobs beside 10,000 disks must fit in memory. A message is merged in one
 * sweep over both lists of runs. Who has runs on a disk, and which, is listed per block of disks;
 * up to BLOCKS disks have a block each, more of them share blocks, so that the lists do not outgrow
 * the runs. What is done under a message's claims is noted once for all of them. */
#include "arbiter/claims.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 256 };

struct siox__claims_run {
  uint32_t first, count;
  struct siox_claim_entry entry;
};

struct siox__claims_client {
  uint32_t job;
  uint64_t next_seq; /* after a whole vector: one more than its number; older messages are stale */
  struct siox__claims_run *run;
  uint32_t nruns, capacity;
  struct siox_claim_use *use; /* of each message that there are still entries of */
};

int siox_claims_create(struct siox_claims **claims, uint32_t ndisks) {
  if (ndisks == 0 || ndisks > SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  *claims = calloc(1, sizeof **claims);
  if (!*claims)
    return SIOX_ENOMEM;
  (*claims)->ndisks = ndisks;
  (*claims)->width = (ndisks + BLOCKS - 1) / BLOCKS;
  (*claims)->list = calloc(ndisks / (*claims)->width + 1, sizeof *(*claims)->list);
  (*claims)->other = calloc(1, sizeof *(*claims)->other);
  if (!(*claims)->list || !(*claims)->other) {
    free((*claims)->list);
    free((*claims)->other);
    free(*claims);
    return SIOX_ENOMEM;
  }
  return 0;
}

void siox__claims_follow(struct siox_claims *claims, const int64_t *hold) { claims->hold = hold; }

/* Frees what is known of messages that none of these runs is of. */
static void forget_uses(struct siox__claims_client *c, const struct siox__claims_run *run,
                        uint32_t nruns) {
  for (struct siox_claim_use *use = c->use; use; use = use->next)
    use->held = false;
  for (uint32_t i = 0; c->use && i < nruns; i++)
    if (run[i].entry.use)
      run[i].entry.use->held = true;
  for (struct siox_claim_use **at = &c->use; *at;) {
    struct siox_claim_use *use = *at;
    if (use->held) {
      at = &use->next;
      continue;
    }
    *at = use->next;
    free(use);
  }
}

/* *use: of what the message asks for, NULL where nothing is followed. SIOX_ENOMEM. */
static int follow(const struct siox_claims *claims, const struct siox_claim_header *head,
                  const struct siox_claim_run *runs, struct siox_claim_use **use) {
  bool any = false;
  *use = NULL;
  for (uint32_t i = 0; claims->hold && i < head->nruns; i++)
    any |= runs[i].flag == 1;
  if (any && !(*use = siox__use_create(head, runs, claims->hold)))
    return SIOX_ENOMEM;
  return 0;
}

void siox_claims_destroy(struct siox_claims *claims) {
  if (!claims)
    return;
  for (uint32_t i = 0; i < claims->nclients; i++) {
    forget_uses(&claims->client[i], NULL, 0);
    free(claims->client[i].run);
  }
  for (uint32_t b = 0; b <= claims->ndisks / claims->width; b++)
    siox__list_free(&claims->list[b]);
  free(claims->list);
  free(claims->other);
  free(claims->client);
  free(claims->scratch);
  free(claims);
}

static int reserve_runs(struct siox__claims_run **run, uint32_t *capacity, size_t wanted) {
  if (wanted <= *capacity)
    return 0;
  if (wanted > UINT32_MAX / 2)
    return SIOX_ENOMEM;
  size_t size = *capacity ? *capacity : 4;
  while (size < wanted)
    size *= 2;
  struct siox__claims_run *grown = realloc(*run, size * sizeof **run);
  if (!grown)
    return SIOX_ENOMEM;
  *run = grown;
  *capacity = (uint32_t)size;
  return 0;
}

static int reserve_client(struct siox_claims *claims, uint32_t client) {
  if (client < claims->nclients)
    return 0;
  size_t size = claims->nclients ? claims->nclients : 16;
  while (size <= client)
    size *= 2;
  struct siox__claims_client *grown = realloc(claims->client, size * sizeof *grown);
  if (!grown)
    return SIOX_ENOMEM;
  memset(grown + claims->nclients, 0, (size - claims->nclients) * sizeof *grown);
  claims->client = grown;
  claims->nclients = (uint32_t)size;
  return 0;
}

int siox__claims_check(const struct siox_claims *claims, const struct siox_claim_header *head,
                       const struct siox_claim_run *runs) {
  if (head->version != SIOX_CLAIM_VERSION)
    return SIOX_EVERSION;
  if (head->flags & ~(SIOX_CLAIM_WHOLE | SIOX_CLAIM_PREDICTED))
    return SIOX_EPROTO;
  uint32_t free_from = 0; /* runs ascend and do not overlap, so one sweep merges them */
  for (uint32_t i = 0; i < head->nruns; i++) {
    const struct siox_claim_run *r = &runs[i];
    if (r->count == 0 || r->first < free_from || r->first >= claims->ndisks ||
        r->count > claims->ndisks - r->first)
      return SIOX_EPROTO;
    if (r->speed < 0 || (r->flag != 0 && r->flag != 1) || r->need_by < 0 || r->until < 0)
      return SIOX_EPROTO;
    free_from = r->first + r->count;
  }
  return 0;
}

static bool same_entry(const struct siox_claim_entry *a, const struct siox_claim_entry *b) {
  return a->seq == b->seq && a->speed == b->speed && a->flag == b->flag &&
         a->need_by == b->need_by && a->until == b->until && a->since == b->since &&
         a->use == b->use;
}

static void put(struct siox__claims_run *out, uint32_t *n, uint32_t first, uint32_t end,
                const struct siox_claim_entry *entry) {
  if (*n && out[*n - 1].first + out[*n - 1].count == first &&
      same_entry(&out[*n - 1].entry, entry)) {
    out[*n - 1].count += end - first;
    return;
  }
  out[*n] = (struct siox__claims_run){.first = first, .count = end - first, .entry = *entry};
  ++*n;
}

static void mark(struct siox_mask *mask, uint32_t first, uint32_t end) {
  for (uint32_t d = first; mask && d < end; d++)
    siox_mask_set(mask, d);
}

/* The blocks with disks of [from, to) on which some runs lie, one after the other. */
struct blocks {
  uint32_t from, last;  /* from: a block's first disk; last: block */
  uint32_t next, block; /* next: run */
  bool any;
};

static struct blocks blocks_of(const struct siox_claims *claims, uint32_t from, uint32_t to) {
  return (struct blocks){.from = from / claims->width * claims->width,
                         .last = (to - 1) / claims->width};
}

static void next_block(const struct siox_claims *claims, const struct siox__claims_run *run,
                       uint32_t nruns, struct blocks *b) {
  uint32_t from = b->any ? (b->block + 1) * claims->width : b->from;
  while (b->next < nruns && run[b->next].first + run[b->next].count <= from)
    b->next++;
  uint32_t first = b->next < nruns && run[b->next].first > from ? run[b->next].first : from;
  b->block = first / claims->width;
  b->any = b->next < nruns && b->block <= b->last;
}

/* What the runs on a block say together. */
static struct siox__claimant of_block(const struct siox_claims *claims,
                                      const struct siox__claims_run *run, uint32_t nruns,
                                      const struct blocks *b, struct siox__when *when) {
  uint64_t end = (uint64_t)(b->block + 1) * claims->width;
  struct siox__claimant item = {
      .first = run[b->next].first, .count = run[b->next].count, .entry = run[b->next].entry};
  *when = (struct siox__when){INT64_MAX, INT64_MIN};
  for (uint32_t i = b->next; i < nruns && run[i].first < end; i++) {
    int64_t need = siox__claim_need(&run[i].entry), later = siox__claim_later(&run[i].entry);
    when->need = need < when->need ? need : when->need;
    when->later = later > when->later ? later : when->later;
    item.count = i > b->next ? 0 : item.count;
  }
  return item;
}

/* Lists the client where it has runs on disks of [from, to). SIOX_ENOMEM: some blocks lack it. */
static int list_client(struct siox_claims *claims, uint32_t client,
                       const struct siox__claims_run *run, uint32_t nruns, uint32_t from,
                       uint32_t to) {
  struct blocks b = blocks_of(claims, from, to);
  uint32_t place = 0;
  for (next_block(claims, run, nruns, &b); b.any; next_block(claims, run, nruns, &b)) {
    struct siox__when when;
    struct siox__claimant item = of_block(claims, run, nruns, &b, &when);
    item.client = client;
    item.job = claims->client[client].job;
    if (siox__list_put(&claims->list[b.block], &item, when, &place) < 0)
      return SIOX_ENOMEM;
  }
  return 0;
}

/* Takes the client from the lists of blocks where it had runs and has none any more. */
static void unlist_client(struct siox_claims *claims, uint32_t client,
                          const struct siox__claims_run *had, uint32_t nhad,
                          const struct siox__claims_run *has, uint32_t nhas, uint32_t from,
                          uint32_t to) {
  struct blocks old = blocks_of(claims, from, to), new = old;
  next_block(claims, has, nhas, &new);
  for (next_block(claims, had, nhad, &old); old.any; next_block(claims, had, nhad, &old)) {
    while (new.any &&new.block < old.block)
      next_block(claims, has, nhas, &new);
    if (!new.any || new.block > old.block)
      siox__list_take(&claims->list[old.block], client);
  }
}

/* Where the stretch that begins at pos ends for a list whose next run is [first, first + count). */
static uint32_t stretch(uint32_t pos, bool any, uint32_t first, uint32_t count, uint32_t ndisks) {
  if (!any)
    return ndisks;
  return first > pos ? first : first + count;
}

/* The sweep: old runs and message runs side by side, stretch by stretch on which neither changes.
 */
static int merge(struct siox_claims *claims, struct siox__claims_client *c, uint32_t job,
                 const struct siox_claim_header *head, const struct siox_claim_run *runs,
                 bool erase, struct siox_mask *changed) {
  size_t most = 2 * ((size_t)c->nruns + head->nruns) + 1;
  if (reserve_runs(&claims->scratch, &claims->scratch_capacity, most) < 0)
    return SIOX_ENOMEM;
  bool whole = head->flags & SIOX_CLAIM_WHOLE, stale = !erase && head->seq < c->next_seq;
  struct siox_claim_use *use = NULL;
  if (!erase && !stale && follow(claims, head, runs, &use) < 0)
    return SIOX_ENOMEM;
  struct siox__claims_run *out = claims->scratch;
  uint32_t n = 0, i = 0, j = 0;
  for (uint32_t pos = 0; pos < claims->ndisks && (i < c->nruns || j < head->nruns);) {
    bool any_old = i < c->nruns, any_new = j < head->nruns;
    const struct siox__claims_run *old = any_old ? &c->run[i] : NULL;
    const struct siox_claim_run *new = any_new ? &runs[j] : NULL;
    uint32_t end =
        stretch(pos, any_old, any_old ? old->first : 0, any_old ? old->count : 0, claims->ndisks);
    uint32_t other =
        stretch(pos, any_new, any_new ? new->first : 0, any_new ? new->count : 0, claims->ndisks);
    if (other < end)
      end = other;
    bool in_old = any_old && old->first <= pos, in_new = any_new && new->first <= pos;
    if (in_new && erase) {
      if (in_old)
        mark(changed, pos, end);
    } else if (in_new && !stale && (!in_old || head->seq > old->entry.seq)) {
      struct siox_claim_entry entry = {.seq = head->seq,
                                       .speed = new->speed,
                                       .flag = new->flag,
                                       .need_by = new->need_by,
                                       .until = new->until,
                                       .since = head->time,
                                       .site = head->site,
                                       .use = new->flag == 1 ? use : NULL};
      put(out, &n, pos, end, &entry);
      mark(changed, pos, end);
    } else if (in_old && whole && !in_new && old->entry.seq < head->seq) {
      mark(changed, pos, end);
    } else if (in_old) {
      put(out, &n, pos, end, &old->entry);
    }
    pos = end;
    if (any_old && pos == old->first + old->count)
      i++;
    if (any_new && pos == new->first + new->count)
      j++;
  }
  uint32_t client = (uint32_t)(c - claims->client);
  if (reserve_runs(&c->run, &c->capacity, n) < 0) {
    free(use);
    return SIOX_ENOMEM;
  }
  uint32_t from = 0, to = claims->ndisks; /* where something may have changed */
  if (!whole && c->job == job && head->nruns) {
    from = runs[0].first;
    to = runs[head->nruns - 1].first + runs[head->nruns - 1].count;
  }
  c->job = job;
  if (list_client(claims, client, out, n, from, to) < 0) {
    /* as it was: there it is listed */
    (void)list_client(claims, client, c->run, c->nruns, from, to);
    unlist_client(claims, client, out, n, c->run, c->nruns, from, to);
    free(use);
    return SIOX_ENOMEM;
  }
  unlist_client(claims, client, c->run, c->nruns, out, n, from, to);
  if (n)
    memcpy(c->run, out, n * sizeof *out);
  c->nruns = n;
  if (use) {
    use->next = c->use;
    c->use = use;
  }
  forget_uses(c, c->run, n);
  if (whole && !stale)
    c->next_seq = head->seq + 1;
  return 0;
}

int siox_claims_apply(struct siox_claims *claims, uint32_t client, uint32_t job,
                      const struct siox_claim_header *head, const struct siox_claim_run *runs,
                      struct siox_mask *changed) {
  int rc = siox__claims_check(claims, head, runs);
  if (rc < 0)
    return rc;
  if (reserve_client(claims, client) < 0)
    return SIOX_ENOMEM;
  return merge(claims, &claims->client[client], job, head, runs, false, changed);
}

int siox__claims_erase(struct siox_claims *claims, uint32_t client,
                       const struct siox_claim_run *runs, uint32_t nruns) {
  if (client >= claims->nclients || claims->client[client].nruns == 0)
    return 0;
  struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION, .nruns = nruns};
  struct siox__claims_client *c = &claims->client[client];
  return merge(claims, c, c->job, &head, runs, true, NULL);
}

void siox__claims_mask(const struct siox_claims *claims, uint32_t client, int32_t flag,
                       struct siox_mask *mask) {
  if (client >= claims->nclients)
    return;
  const struct siox__claims_client *c = &claims->client[client];
  for (uint32_t i = 0; i < c->nruns; i++)
    if (flag < 0 || c->run[i].entry.flag == flag)
      mark(mask, c->run[i].first, c->run[i].first + c->run[i].count);
}

int siox_claims_drop(struct siox_claims *claims, uint32_t client, struct siox_mask *changed) {
  if (client >= claims->nclients)
    return 0;
  struct siox__claims_client *c = &claims->client[client];
  siox__claims_mask(claims, client, -1, changed);
  unlist_client(claims, client, c->run, c->nruns, NULL, 0, 0, claims->ndisks);
  forget_uses(c, NULL, 0);
  free(c->run);
  *c = (struct siox__claims_client){0};
  return 0;
}

const struct siox_claim_entry *siox__claims_find(const struct siox_claims *claims, uint32_t client,
                                                 uint32_t disk) {
  if (client >= claims->nclients)
    return NULL;
  const struct siox__claims_client *c = &claims->client[client];
  uint32_t low = 0, high = c->nruns;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct siox__claims_run *r = &c->run[middle];
    if (disk < r->first)
      high = middle;
    else if (disk - r->first >= r->count)
      low = middle + 1;
    else
      return &r->entry;
  }
  return NULL;
}

struct siox_claim_entry siox_claims_get(const struct siox_claims *claims, uint32_t client,
                                        uint32_t disk) {
  const struct siox_claim_entry *entry = siox__claims_find(claims, client, disk);
  return entry ? *entry : (struct siox_claim_entry){.flag = -1};
}

const struct siox__claimant *siox__claims_other(const struct siox_claims *claims, uint32_t disk,
                                                int64_t after, int64_t until,
                                                const struct siox__claimant *c) {
  const struct siox_claim_entry *entry =
      c->count ? NULL : siox__claims_find(claims, c->client, disk);
  if (!entry || siox__claim_need(entry) > until || siox__claim_later(entry) < after)
    return NULL;
  *claims->other = (struct siox__claimant){.client = c->client, .job = c->job, .entry = *entry};
  return claims->other;
}

bool siox_claims_next(const struct siox_claims *claims, uint32_t disk, uint32_t *cursor,
                      uint32_t *client, uint32_t *job, struct siox_claim_entry *entry) {
  if (disk >= claims->ndisks)
    return false;
  struct siox__claims_walk walk = siox__claims_walk(claims, disk, INT64_MIN);
  if (walk.end - walk.leaf <= *cursor / SIOX__LEAF)
    return false;
  walk.leaf += *cursor / SIOX__LEAF;
  walk.next = *cursor % SIOX__LEAF;
  const struct siox__claimant *c = siox__claims_next(&walk, INT64_MAX);
  if (!c)
    return false;
  /* behind the last of a leaf is the first of the next one */
  *cursor = (uint32_t)(walk.leaf - claims->list[disk / claims->width].leaf) * SIOX__LEAF;
  *cursor += walk.next;
  *client = c->client;
  *job = c->job;
  *entry = c->entry;
  return true;
}

int siox_claim_runs(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
                    struct siox_claim_run *out, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t d = siox_mask_next(T, 0); d < T->ndisks;) {
    uint32_t end = d + 1;
    while (siox_mask_test(T, end))
      end++;
    if (n == max || n == INT32_MAX)
      return SIOX_EFULL;
    out[n++] = (struct siox_claim_run){
        .first = d, .count = end - d, .speed = S, .flag = F, .need_by = need_by, .until = until};
    d = siox_mask_next(T, end);
  }
  return (int)n;
}
