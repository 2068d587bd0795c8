/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What came since the last cycle, and what runs. */
#include "common/fetch.h"
#include "daemon/activities_internal.h"
#include <stdlib.h>
#include <string.h>

enum {
  LATE = 65536, /* calls between their time and their number */
  AT_ONCE = 8,  /* processes looked at while the loop waits: some microseconds */
  AHEAD = 3,    /* processes before whose turn memory is asked for what they have, */
  FETCHED = 8,  /* of so many slots at most */
};
/* Nobody does so much between two looks. */
static const uint64_t CALLS_MOST = UINT64_C(1) << 40, AMOUNT_MOST = UINT64_C(1) << 60;

/* What came since the last look; false where that cannot be, and the next look begins anew. */
static bool take(struct siox__seen *seen, const struct siox_tally_sum *now, int64_t now_ns,
                 struct siox_tally_sum *gain) {
  const struct siox_tally_sum *last = &seen->last;
  bool right = now->calls >= last->calls && now->bytes >= last->bytes &&
               now->total_ns >= last->total_ns && now->errors >= last->errors &&
               now->longest_ns >= last->longest_ns && now->longest_ns <= now_ns;
  *gain = (struct siox_tally_sum){.calls = now->calls - last->calls,
                                  .bytes = now->bytes - last->bytes,
                                  .total_ns = now->total_ns - last->total_ns,
                                  .errors = now->errors - last->errors};
  uint64_t timed = 0;
  int slowest = 0;
  for (int b = 0; b < SIOX_TIME_BUCKETS; b++) {
    gain->times[b] = now->times[b] - last->times[b]; /* modulo 2^32 */
    timed += gain->times[b];
    slowest = gain->times[b] ? b : slowest;
  }
  right = right && gain->calls <= CALLS_MOST && gain->bytes <= AMOUNT_MOST &&
          gain->total_ns <= AMOUNT_MOST && timed <= gain->calls + LATE;
  /* The longest of all, if it is a new one; else as long as its bucket says, and no longer. */
  const int64_t end = (INT64_C(2) << slowest) - 1;
  gain->longest_ns =
      now->longest_ns > last->longest_ns || now->longest_ns < end ? now->longest_ns : end;
  seen->last = *now;
  return right;
}

static size_t kind_of(struct siox__activities *a, unsigned row) {
  if (!a->kind_of[row]) {
    const struct siox_activity_kind kind = {.layer = siox__row_layer(row),
                                            .call = siox__row_name(row),
                                            .category = siox__row_category(row),
                                            .together = siox__row_together(row)};
    a->kind[a->nkinds] = a->one[a->nkinds] = kind;
    a->kind_of[row] = (uint16_t)++a->nkinds;
  }
  return a->kind_of[row] - 1u;
}

static void clear(struct siox_activity_kind *kind, size_t n) {
  for (size_t i = 0; i < n; i++)
    memset(kind[i].classes, 0, sizeof kind[i].classes);
}

static void add_class(struct siox_activity_class *to, const struct siox_tally_sum *gain) {
  siox__tally_grow(&to->calls, gain->calls);
  siox__tally_grow(&to->bytes, gain->bytes);
  to->callers += gain->calls > 0;
  if (gain->calls > 0 && gain->longest_ns > to->longest_ns)
    to->longest_ns = gain->longest_ns;
  for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
    if (__builtin_add_overflow(to->times[b], gain->times[b], &to->times[b]))
      to->times[b] = UINT32_MAX;
}

/* Room for all of the process' slots; those that are new are zeroed. */
static bool make_room(struct siox__tallied *p, unsigned n) {
  struct siox__slot *slot = realloc(p->slot, n * sizeof *slot);
  if (slot)
    p->slot = slot;
  struct siox__seen *seen = realloc(p->seen, n * sizeof *seen);
  if (seen)
    p->seen = seen;
  if (!slot || !seen)
    return false;
  memset(slot + p->nseen, 0, (n - p->nseen) * sizeof *slot);
  memset(seen + p->nseen, 0, (n - p->nseen) * sizeof *seen);
  p->nseen = n;
  return true;
}

static void ended(struct siox__activities *a, struct siox__tallied *p, int64_t now_ns) {
  const unsigned n = siox__tally_slots(p->tally);
  if (n > p->nseen && !make_room(p, n))
    return; /* the next cycle tells */
  for (unsigned i = 0; i < n; i++) {
    struct siox__slot *slot = &p->slot[i];
    unsigned row, size_class;
    slot->gained = false;
    if (!slot->known && siox__tally_what(p->tally, i, &row, &size_class)) {
      slot->known = true;
      slot->row = (uint16_t)row;
      slot->size_class = (uint8_t)size_class;
    }
    if (!slot->known || siox__tally_calls(p->tally, i) == slot->calls)
      continue;
    struct siox__seen *seen = &p->seen[i];
    struct siox_tally_sum now;
    siox__tally_sum(p->tally, i, &now);
    slot->calls = now.calls;
    if (!take(seen, &now, now_ns, &seen->gain)) {
      a->refused++;
      continue;
    }
    slot->gained = p->active = true;
    add_class(&a->kind[kind_of(a, slot->row)].classes[slot->size_class], &seen->gain);
  }
}

static void runs(struct siox_activity_class *c, int64_t start) {
  c->oldest_ns = c->running == 0 || start < c->oldest_ns ? start : c->oldest_ns;
  c->running++;
}

/* Calls that run at the cycle's time, to the kinds; true: there are some. */
static bool running(struct siox__activities *a, const struct siox__tallied *p,
                    struct siox_activity_kind *kinds) {
  const uint32_t used = atomic_load_explicit(&p->tally->threads, memory_order_acquire);
  bool any = false;
  for (uint32_t t = 0; t < used && t < SIOX_TALLY_THREADS; t++)
    for (int l = 0; l < SIOX_NLAYERS; l++) {
      const struct siox_tally_running *r = &p->tally->thread[t].layer[l];
      const int64_t start = atomic_load_explicit(&r->start, memory_order_acquire);
      if (start <= 0 || start > a->now_ns)
        continue; /* none, or younger than this cycle */
      const uint32_t what = atomic_load_explicit(&r->what, memory_order_acquire);
      if (atomic_load_explicit(&r->start, memory_order_acquire) != start)
        continue; /* of another call perhaps */
      if (what / SIOX_SIZE_CLASSES >= SIOX_TALLY_ROWS) {
        a->refused++;
        continue;
      }
      runs(&kinds[kind_of(a, what / SIOX_SIZE_CLASSES)].classes[what % SIOX_SIZE_CLASSES], start);
      any = true;
    }
  return any;
}

static void look(struct siox__activities *a, struct siox__tallied *p) {
  const uint64_t before = p->partial;
  p->active = false;
  p->lost = 0;
  if (!p->tally)
    return;
  ended(a, p, a->now_ns);
  if (!p->left && running(a, p, a->kind))
    p->active = true;
  p->partial = atomic_load_explicit(&p->tally->partial, memory_order_relaxed);
  p->lost = p->partial > before ? p->partial - before : 0;
  siox__tally_grow(&a->node.dropped, p->lost);
}

/* What look() will read of the processes behind number i. Under the lock, for one may lose its
 * tally. */
static void fetch(const struct siox__activities *a, size_t i) {
  if (i + 2 * AHEAD < a->nall)
    siox__fetch(a->all[i + 2 * AHEAD], sizeof **a->all);
  const struct siox__tallied *p = i + AHEAD < a->nall ? a->all[i + AHEAD] : NULL;
  if (!p || !p->tally)
    return;
  siox__fetch(p->tally, 1);
  siox__fetch(p->tally->thread, 1);
  const unsigned n = p->nseen < FETCHED ? p->nseen : FETCHED;
  for (unsigned k = 0; k < n; k++)
    siox__fetch(&p->tally->slot[0][k].calls, 1);
  if (n > 0)
    siox__fetch(p->slot, n * sizeof *p->slot);
}

const struct siox_activity_summary *siox__activities_cycle(struct siox__activities *a,
                                                           int64_t now_ns) {
  memset(a->active, 0, sizeof a->active);
  pthread_mutex_lock(&a->lock);
  clear(a->kind, a->nkinds);
  a->now_ns = now_ns;
  a->node = (struct siox_activity_summary){.kinds = a->kind};
  /* Whoever comes meanwhile stands behind the last; only this thread takes any out. */
  for (size_t i = 0, looked = 0; i < a->nall;) {
    struct siox__tallied *p = a->all[i];
    fetch(a, i);
    look(a, p);
    a->active[siox__chain_of(p->pid)] |= p->active;
    if (p->told) {
      siox__tallied_discard(a, p); /* the last one stands here now */
    } else {
      p->told = p->left;
      i++;
    }
    if (++looked % AT_ONCE != 0)
      continue;
    pthread_mutex_unlock(&a->lock); /* the loop may have something to say in between */
    pthread_mutex_lock(&a->lock);
  }
  a->node.nkinds = a->nkinds;
  pthread_mutex_unlock(&a->lock);
  return &a->node;
}

const struct siox_activity_summary *siox__activities_of(void *context, int32_t pid) {
  struct siox__activities *a = context;
  bool any = false;
  if (!a->active[siox__chain_of(pid)])
    return NULL;
  pthread_mutex_lock(&a->lock);
  a->own = (struct siox_activity_summary){.kinds = a->one};
  for (struct siox__tallied *p = *siox__tallied_chain(a, pid); p; p = p->like) {
    if (p->pid != pid || !p->active)
      continue;
    if (!any)
      clear(a->one, a->nkinds);
    any = true;
    for (unsigned i = 0; i < p->nseen; i++)
      if (p->slot[i].gained)
        add_class(&a->one[kind_of(a, p->slot[i].row)].classes[p->slot[i].size_class],
                  &p->seen[i].gain);
    if (p->tally && !p->left)
      running(a, p, a->one);
    siox__tally_grow(&a->own.dropped, p->lost);
  }
  a->own.nkinds = a->nkinds;
  pthread_mutex_unlock(&a->lock);
  return any ? &a->own : NULL;
}
