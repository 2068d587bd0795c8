/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each client says of each disk, as sorted runs of disks with equal entries: a program speaks
 * of few ranges, and 10,000 jobs beside 10,000 disks must fit in memory. A message is merged in one
 * sweep over both lists of runs. Who has runs on a disk is listed per block of disks; up to BLOCKS
 * disks have a block each, more of them share blocks, so that the lists do not outgrow the runs. */
#include "arbiter/claims.h"
#include "arbiter/claims_list.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 256 };

struct run {
  uint32_t first, count;
  struct siox_claim_entry entry;
};

struct client {
  uint32_t job;
  uint64_t next_seq; /* after a whole vector: one more than its number; older messages are stale */
  struct run *run;
  uint32_t nruns, capacity;
};

struct siox_claims {
  uint32_t ndisks, width;  /* width: disks of a block */
  struct siox__list *list; /* per block */
  struct client *client;
  uint32_t nclients;
  struct run *scratch;
  uint32_t scratch_capacity;
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
  if (!(*claims)->list) {
    free(*claims);
    return SIOX_ENOMEM;
  }
  return 0;
}

void siox_claims_destroy(struct siox_claims *claims) {
  if (!claims)
    return;
  for (uint32_t i = 0; i < claims->nclients; i++)
    free(claims->client[i].run);
  for (uint32_t b = 0; b <= claims->ndisks / claims->width; b++)
    siox__list_free(&claims->list[b]);
  free(claims->list);
  free(claims->client);
  free(claims->scratch);
  free(claims);
}

static int reserve_runs(struct run **run, uint32_t *capacity, size_t wanted) {
  if (wanted <= *capacity)
    return 0;
  if (wanted > UINT32_MAX / 2)
    return SIOX_ENOMEM;
  size_t size = *capacity ? *capacity : 4;
  while (size < wanted)
    size *= 2;
  struct run *grown = realloc(*run, size * sizeof **run);
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
  struct client *grown = realloc(claims->client, size * sizeof *grown);
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
         a->need_by == b->need_by && a->until == b->until && a->since == b->since;
}

static void put(struct run *out, uint32_t *n, uint32_t first, uint32_t end,
                const struct siox_claim_entry *entry) {
  if (*n && out[*n - 1].first + out[*n - 1].count == first &&
      same_entry(&out[*n - 1].entry, entry)) {
    out[*n - 1].count += end - first;
    return;
  }
  out[*n] = (struct run){.first = first, .count = end - first, .entry = *entry};
  ++*n;
}

static void mark(struct siox_mask *mask, uint32_t first, uint32_t end) {
  for (uint32_t d = first; mask && d < end; d++)
    siox_mask_set(mask, d);
}

/* From when on the entry may need its disk: always, unless it names a later use alone. */
static int64_t need_of(const struct siox_claim_entry *entry) {
  return entry->flag == 0 && entry->need_by > 0 ? entry->need_by : INT64_MIN;
}

/* The blocks on which some runs lie, one after the other. */
struct blocks {
  uint32_t next, block; /* next: run */
  bool any;
  int64_t need; /* the earliest of the runs on the block */
};

static void next_block(const struct siox_claims *claims, const struct run *run, uint32_t nruns,
                       struct blocks *b) {
  uint32_t from = b->any ? (b->block + 1) * claims->width : 0;
  while (b->next < nruns && run[b->next].first + run[b->next].count <= from)
    b->next++;
  b->any = b->next < nruns;
  if (!b->any)
    return;
  uint32_t first = run[b->next].first > from ? run[b->next].first : from;
  b->block = first / claims->width;
  b->need = INT64_MAX;
  uint64_t end = (uint64_t)(b->block + 1) * claims->width;
  for (uint32_t i = b->next; i < nruns && run[i].first < end; i++) {
    int64_t need = need_of(&run[i].entry);
    b->need = need < b->need ? need : b->need;
  }
}

/* Lists the client where it has runs. SIOX_ENOMEM: some blocks lack it. */
static int list_client(struct siox_claims *claims, uint32_t client, const struct run *run,
                       uint32_t nruns) {
  struct blocks b = {0};
  uint32_t place = 0;
  for (next_block(claims, run, nruns, &b); b.any; next_block(claims, run, nruns, &b))
    if (siox__list_put(&claims->list[b.block], client, b.need, &place) < 0)
      return SIOX_ENOMEM;
  return 0;
}

/* Takes the client from the lists of blocks where it had runs and has none any more. */
static void unlist_client(struct siox_claims *claims, uint32_t client, const struct run *had,
                          uint32_t nhad, const struct run *has, uint32_t nhas) {
  struct blocks old = {0}, new = {0};
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
static int merge(struct siox_claims *claims, struct client *c, const struct siox_claim_header *head,
                 const struct siox_claim_run *runs, bool erase, struct siox_mask *changed) {
  size_t most = 2 * ((size_t)c->nruns + head->nruns) + 1;
  if (reserve_runs(&claims->scratch, &claims->scratch_capacity, most) < 0)
    return SIOX_ENOMEM;
  bool whole = head->flags & SIOX_CLAIM_WHOLE, stale = !erase && head->seq < c->next_seq;
  struct run *out = claims->scratch;
  uint32_t n = 0, i = 0, j = 0;
  for (uint32_t pos = 0; pos < claims->ndisks && (i < c->nruns || j < head->nruns);) {
    bool any_old = i < c->nruns, any_new = j < head->nruns;
    const struct run *old = any_old ? &c->run[i] : NULL;
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
                                       .site = head->site};
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
  if (reserve_runs(&c->run, &c->capacity, n) < 0)
    return SIOX_ENOMEM;
  if (list_client(claims, client, out, n) < 0) {
    (void)list_client(claims, client, c->run, c->nruns); /* as it was: there it is listed */
    return SIOX_ENOMEM;
  }
  unlist_client(claims, client, c->run, c->nruns, out, n);
  if (n)
    memcpy(c->run, out, n * sizeof *out);
  c->nruns = n;
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
  claims->client[client].job = job;
  return merge(claims, &claims->client[client], head, runs, false, changed);
}

int siox__claims_erase(struct siox_claims *claims, uint32_t client,
                       const struct siox_claim_run *runs, uint32_t nruns) {
  if (client >= claims->nclients || claims->client[client].nruns == 0)
    return 0;
  struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION, .nruns = nruns};
  return merge(claims, &claims->client[client], &head, runs, true, NULL);
}

void siox__claims_mask(const struct siox_claims *claims, uint32_t client, int32_t flag,
                       struct siox_mask *mask) {
  if (client >= claims->nclients)
    return;
  const struct client *c = &claims->client[client];
  for (uint32_t i = 0; i < c->nruns; i++)
    if (flag < 0 || c->run[i].entry.flag == flag)
      mark(mask, c->run[i].first, c->run[i].first + c->run[i].count);
}

int siox_claims_drop(struct siox_claims *claims, uint32_t client, struct siox_mask *changed) {
  if (client >= claims->nclients)
    return 0;
  struct client *c = &claims->client[client];
  siox__claims_mask(claims, client, -1, changed);
  unlist_client(claims, client, c->run, c->nruns, NULL, 0);
  free(c->run);
  *c = (struct client){0};
  return 0;
}

static const struct siox_claim_entry *find(const struct client *c, uint32_t disk) {
  uint32_t low = 0, high = c->nruns;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct run *r = &c->run[middle];
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
  const struct siox_claim_entry *entry =
      client < claims->nclients ? find(&claims->client[client], disk) : NULL;
  return entry ? *entry : (struct siox_claim_entry){.flag = -1};
}

bool siox__claims_next(const struct siox_claims *claims, uint32_t disk, int64_t until,
                       uint32_t *cursor, uint32_t *client, uint32_t *job,
                       struct siox_claim_entry *entry) {
  const struct siox__list *list = &claims->list[disk / claims->width];
  while ((*cursor = siox__list_next(list, *cursor, until)) < list->count) {
    const struct client *c = &claims->client[list->client[(*cursor)++]];
    const struct siox_claim_entry *found = find(c, disk);
    if (!found || need_of(found) > until)
      continue;
    *client = (uint32_t)(c - claims->client);
    *job = c->job;
    *entry = *found;
    return true;
  }
  return false;
}

bool siox_claims_next(const struct siox_claims *claims, uint32_t disk, uint32_t *cursor,
                      uint32_t *client, uint32_t *job, struct siox_claim_entry *entry) {
  return disk < claims->ndisks &&
         siox__claims_next(claims, disk, INT64_MAX, cursor, client, job, entry);
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
