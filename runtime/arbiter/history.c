/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See history.h. The quantile of n samples is the ceil(q n)-th smallest, so that at least the part
 * q of them was no earlier. The next one may be earlier than all before it: the greatest of n draws
 * from [0, m] is n / (n + 1) m on average, so an n-th part is added. Where the quantile is the
 * greatest, how much more is asked follows from what the client can lose by being too early. */
#include "arbiter/history.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the numbers come from. The rules as a whole were measured over 414 points of the map when
 * they replaced a quantile with a reserve: added I/O at errors of 25 % fell from 6.6 to 2.1 %, at
 * 50 % from 4.6 to 2.7 %, with savings of 16.0 and 10.1 % for 15.8 and 8.3 %. "Chosen" is a round
 * number that states an intent, and was not varied by itself. */
enum { MILLION = SIOX__MILLIONTH };
/* A use that is off by less than such a part of its gap is on time: what is computed is rounded to
 * nanoseconds, and whoever is always right is to have no margin. */
enum { EXACT = MILLION };
/* Places where a promise may be. Only what is forgotten in a full table depends on it. */
enum { WAYS = 4 };
/* Rounds after which a client bounds others, and is bounded. lag_of() asks for the most of n lags
 * times (risk (n + 1))^(-1/n): 5.8 for two, 2.1 for four. Chosen for that. */
enum { FEW = 4 };
/* Part of a client's I/O time that it may wait for disks that are not ready: from there on the map
 * counts added I/O time as a difference (docs/sim.md). */
#define RISK 0.01
/* And this part of what its job may still lose by its delay budget: the levels are to spend it, not
 * misses. Chosen. */
#define ROOM 0.05
/* Probability that a use comes earlier than the disk is ready: no less, or one use that was a
 * little off costs whole gaps (live shares of the optimum had fallen to between 44 and 85 %), */
#define LEAST_RISK 0.01
/* and no more, however much a client could lose: of ten gaps one may be missed. Chosen. */
#define MOST_RISK 0.1

static uint32_t place(uint64_t key) { return siox__history_place(key); }

uint32_t siox__history_places(uint32_t ndisks) {
  uint32_t n = 8192;
  while (n < UINT32_C(1) << 24 && n / 16 < ndisks)
    n *= 2;
  return n;
}

/* The i-th place that the promise of a client for a disk may have. */
static struct siox__promise *promise_at(const struct siox__history *history, uint32_t client,
                                        uint32_t disk, uint32_t i) {
  uint32_t first = siox__history_mixed((uint64_t)client << 32 | disk);
  return &history->promise[(first + i) & (history->npromises - 1)];
}

/* NULL: there is none. */
static struct siox__promise *find_promise(const struct siox__history *history, uint32_t client,
                                          uint32_t disk) {
  for (uint32_t i = 0; i < WAYS; i++) {
    struct siox__promise *p = promise_at(history, client, disk, i);
    if (p->used && p->client == client && p->disk == disk)
      return p;
  }
  return NULL;
}

/* The place for a new one: a free one, else that of one that is kept, else the first. */
static struct siox__promise *place_for(const struct siox__history *history, uint32_t client,
                                       uint32_t disk) {
  struct siox__promise *best = promise_at(history, client, disk, 0);
  for (uint32_t i = 0; i < WAYS; i++) {
    struct siox__promise *p = promise_at(history, client, disk, i);
    if (!p->used)
      return p;
    if (best->need_by && !p->need_by)
      best = p;
  }
  return best;
}

/* The key's, where it stands in its place. */
static const struct siox__earliness *of_key(const struct siox__earliness *e, uint64_t key) {
  return e->used && e->key == key ? e : NULL;
}

/* The key takes its place over from another one. */
static void take(struct siox__earliness *e, uint64_t key) {
  if (!of_key(e, key))
    *e = (struct siox__earliness){.key = key, .used = true};
}

/* The rank-th smallest of `count` samples, from 1. */
static int64_t ranked(const struct siox__samples *s, uint32_t count, uint32_t rank) {
  int64_t sorted[SIOX__HISTORY_SAMPLES];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = i;
    for (; j > 0 && sorted[j - 1] > s->at[i]; j--)
      sorted[j] = sorted[j - 1];
    sorted[j] = s->at[i];
  }
  return sorted[rank - 1];
}

/* By how much to be early, so that a use comes earlier with a probability of `risk` at most. Of
 * uses that come early by anything up to an unknown most, of which n have come by up to m, the next
 * comes by more than x > m with probability (m/x)^n / (n+1) (a Pareto posterior). Where more may be
 * missed, as many as that of those that were seen. */
static double safe(const struct siox__samples *s, uint32_t count, double risk) {
  double n = count, missed = risk * (n + 1);
  if (missed >= 1) {
    uint32_t rank = missed < n + 1 ? count - (uint32_t)missed + 1 : 0;
    return rank > 0 ? (double)ranked(s, count, rank) : 0;
  }
  double most = (double)ranked(s, count, count);
  return most > 0 ? most * pow(missed, -1 / n) : 0;
}

static int64_t whole(double ns) {
  return ns < (double)SIOX_NEVER / 4 ? (int64_t)ns : SIOX_NEVER / 4;
}

static int64_t add(struct siox__earliness *e, struct siox__samples *s, double quantile,
                   int64_t early, double risk) {
  s->at[e->next] = early;
  e->next = (e->next + 1) % SIOX__HISTORY_SAMPLES;
  e->count += e->count < SIOX__HISTORY_SAMPLES;
  uint32_t rank = (uint32_t)ceil(quantile * e->count - 1e-9);
  if (rank >= e->count)
    return e->margin = whole(safe(s, e->count, fmin(fmax(risk, LEAST_RISK), MOST_RISK)));
  int64_t margin = ranked(s, e->count, rank > 0 ? rank : 1);
  return e->margin = margin + margin / e->count;
}

static struct siox__account *account_of(struct siox__history *history, uint32_t client) {
  struct siox__account *a = &history->account[place(client)];
  if (!a->used || a->client != client)
    *a = (struct siox__account){.client = client, .used = true};
  a->bears = -1; /* whoever asks for it here is about to change it */
  return a;
}

/* Adds what of [from, to) was not counted yet. */
static void count(int64_t *sum, int64_t *counted, int64_t from, int64_t to) {
  from = *counted > from ? *counted : from;
  if (to <= from)
    return;
  *sum += to - from;
  *counted = to;
}

void siox__history_served(struct siox__history *history, const struct siox_served *s) {
  if (history->quantile <= 0)
    return;
  struct siox__account *a = account_of(history, s->client);
  count(&a->io, &a->io_to, s->start, s->end);
  count(&a->waited, &a->wait_to, s->arrival, s->arrival + s->moving);
}

/* The longest that a disk may be on its way to full speed from where such a gap lets it go. */
static int64_t longest_way_up(const struct siox_drive *drive, int64_t gap) {
  double top = drive->level[drive->nlevels - 1].speed;
  int64_t longest = 1;
  for (uint32_t l = 0; l + 1 < drive->nlevels; l++) {
    int64_t down = siox_drive_transition_ns(drive, top, drive->level[l].speed);
    int64_t up = siox_drive_transition_ns(drive, drive->level[l].speed, top);
    if (down < 0 || up < 0)
      continue;
    if (down + up > gap)
      up = drive->ramp ? gap / 2 : 0;
    longest = up > longest ? up : longest;
  }
  return longest;
}

/* How long the client may still wait for disks that are not ready. */
static double spare_of(const struct siox__account *a, int64_t room) {
  double io = (double)a->io * (1 + 1 / fmax(a->uses, 1));
  return RISK * io - (double)a->waited + ROOM * fmax((double)room, 0);
}

/* A promise is kept, or will not be any more. */
static void end_promise(struct siox__history *history, struct siox__promise *p) {
  if (!p->need_by)
    return;
  struct siox__round *r = &history->round[p->disk];
  r->promised--;
  history->promised[place(p->client)]--;
  r->behind -= p->round != r->number;
  p->need_by = 0;
}

/* The client keeps a promise. If it has used the disk in this round, another one begins. */
static void count_round(struct siox__history *history, struct siox__promise *kept, double risk,
                        int64_t now) {
  struct siox__round *r = &history->round[kept->disk];
  bool again = kept->round == r->number;
  end_promise(history, kept);
  if (again) {
    if (r->number > 0 && r->bound > r->begun && !r->unsure) {
      double early = fmax((double)(r->bound - now), 0) / (double)(r->bound - r->begun);
      add(&r->early, &r->of_early, history->quantile, (int64_t)(early * MILLION), risk);
    }
    r->number++;
    r->begun = now;
    r->best = r->bound = INT64_MIN;
    r->unsure = false;
    r->behind = r->promised;
  }
  int64_t lag = now - r->begun;
  kept->lag[0] = lag > kept->lag[0] ? lag : kept->lag[0];
  if (++kept->rounds % SIOX__HISTORY_SAMPLES == 0) {
    kept->lag[1] = kept->lag[0];
    kept->lag[0] = 0;
  }
}

/* By how much the client may lag behind the first of its round; see safe(). */
static int64_t lag_of(const struct siox__promise *p) {
  double n = fmin(p->rounds, SIOX__HISTORY_SAMPLES);
  double most = (double)(p->lag[0] > p->lag[1] ? p->lag[0] : p->lag[1]);
  return whole(most * fmax(pow(LEAST_RISK * (n + 1), -1 / n), 1));
}

/* Takes the bound that follows from a word for the disk. */
static void take_bound(struct siox__history *history, struct siox__promise *p,
                       const struct siox_claim_entry *hint) {
  struct siox__round *r = &history->round[p->disk];
  if (p->round != r->number)
    return;
  int64_t before = p->bound;
  p->bound = INT64_MIN;
  if (p->rounds >= FEW) {
    int64_t off = siox__history_margin(history, p->client, hint) + lag_of(p);
    p->bound = off < p->need_by ? p->need_by - off : INT64_MIN;
  }
  if (before != INT64_MIN && before >= r->bound) { /* one of the two was its own */
    r->unsure |= p->bound < before;
    r->best = r->best == before && p->bound > before ? p->bound : r->best;
  } else if (p->bound > r->best) {
    r->bound = r->best;
    r->best = p->bound;
  } else if (p->bound > r->bound) {
    r->bound = p->bound;
  }
}

void siox__history_promise(struct siox__history *history, uint32_t client,
                           const struct siox_mask *disks, const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = find_promise(history, client, d);
    if (!p) {
      p = place_for(history, client, d);
      end_promise(history, p);
      *p = (struct siox__promise){.used = true, .client = client, .disk = d};
    }
    if (!p->need_by) {
      history->round[d].promised++;
      history->promised[place(client)]++;
      p->round = history->round[d].number;
      p->since = hint->since;
      p->bound = INT64_MIN;
    }
    p->need_by = hint->need_by;
    p->site = hint->site;
    take_bound(history, p, hint);
  }
  int64_t gap = hint->need_by - hint->since;
  history->longest = gap > history->longest ? gap : history->longest;
}

static void note(struct siox__history *history, int64_t margin) {
  history->most = margin > history->most ? margin : history->most;
}

void siox__history_use(struct siox__history *history, uint32_t client,
                       const struct siox_mask *disks, const struct siox_drive *drive, int64_t room,
                       int64_t now) {
  uint32_t at = place(client);
  if (history->quantile <= 0 || history->promised[at] == 0)
    return;
  struct siox__promise kept = {0};
  double risk = 0;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = find_promise(history, client, d);
    if (!p || !p->need_by)
      continue;
    if (!kept.need_by) {
      kept = *p;
      risk = spare_of(account_of(history, client), room) /
             (double)longest_way_up(drive, p->need_by - p->since);
    }
    count_round(history, p, risk, now);
  }
  if (!kept.need_by)
    return;
  int64_t gap = kept.need_by - kept.since;
  int64_t early = kept.need_by > now ? kept.need_by - now : 0, off = llabs(kept.need_by - now);
  if (off < gap / EXACT)
    early = off = 0;
  account_of(history, client)->uses++;
  take(&history->client[at], client);
  note(history, add(&history->client[at], &history->of_client[at], history->quantile, early, risk));
  if (kept.site) {
    at = place(kept.site);
    take(&history->site[at], kept.site);
    note(history, add(&history->site[at], &history->of_site[at], history->quantile, early, risk));
  }
  if (gap > 0)
    add(&history->all, &history->of_all, history->quantile,
        (int64_t)((double)(history->all.count < SIOX__ENOUGH ? off : early) / (double)gap *
                  MILLION),
        risk);
}

bool siox__history_knows(const struct siox__history *history, uint32_t client,
                         const struct siox_claim_entry *hint) {
  if (history->quantile <= 0)
    return true;
  const struct siox__earliness *e = siox__history_past(history, client, hint);
  return e && e->count > 0;
}

bool siox__history_in_step(const struct siox__history *history, uint32_t client, uint32_t disk) {
  const struct siox__promise *p = find_promise(history, client, disk);
  return p && p->need_by && p->rounds >= FEW && p->round == history->round[disk].number;
}

int64_t siox__history_most(const struct siox__history *history) {
  double part = history->all.count ? (double)history->all.margin / MILLION : SIOX__UNKNOWN;
  double others = fmin(part, 1) * (double)history->longest;
  int64_t own = history->most < history->longest ? history->most : history->longest;
  return own > (int64_t)others ? own : (int64_t)others;
}

int64_t siox__history_bears_now(struct siox__account *a) {
  double bears = RISK * (double)a->io / (a->uses > 0 ? a->uses : 1);
  return a->bears = spare_of(a, 0) > 0 ? (int64_t)bears : 0;
}

void siox__history_forget(struct siox__history *history, uint32_t client,
                          const struct siox_mask *disks) {
  if (history->quantile <= 0)
    return;
  struct siox__earliness *e = &history->client[place(client)];
  if (e->used && e->key == client)
    e->used = false;
  struct siox__account *a = &history->account[place(client)];
  if (a->used && a->client == client)
    a->used = false;
  for (uint32_t d = siox_mask_next(disks, 0); d < disks->ndisks; d = siox_mask_next(disks, d + 1)) {
    struct siox__promise *p = find_promise(history, client, d);
    if (!p)
      continue;
    struct siox__round *r = &history->round[d];
    r->unsure |=
        p->need_by && p->round == r->number && p->bound != INT64_MIN && p->bound >= r->bound;
    end_promise(history, p);
    *p = (struct siox__promise){0};
  }
}
