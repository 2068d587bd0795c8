/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chains of chunks: one of those that ended after the last cycle, one of each cycle that is not
 * decided, one of what is to be stored, and one of what ends in more than a second, which is looked
 * at once a second: a client may have booked minutes of service. A chain whose cycle is decided is
 * handed over chunk by chunk; single events are moved only where some of a chunk end later than the
 * cycle. */
#include "daemon/aside.h"
#include <stdlib.h>
#include <string.h>

enum {
  CHUNK = 32768,
  MOST_CYCLES = 16, /* that wait: two, and more only while nobody decides */
  REMEMBERED = 1024 /* decisions, for those that come late */
};

static const int64_t LATER_NS = 1000000000;

struct item {
  int64_t end;
  struct siox_trace_event event;
};
enum { ITEMS = (CHUNK - 32) / sizeof(struct item) };
struct chunk {
  struct chunk *next;
  uint32_t n, taken; /* items, and those of them that were given away */
  int64_t latest;    /* end */
  struct item item[ITEMS];
};
struct chain {
  struct chunk *first, *last;
};
struct cycle {
  uint64_t number;
  int64_t end;
  struct chain chain;
};
struct siox__aside {
  uint64_t most; /* chunks */
  uint64_t chunks;
  struct chunk *spare; /* one, so that a chunk that fills and empties is not made anew each time */
  struct chain open, out, later;
  int64_t last_end, look; /* of the last cycle; when `later` is due */
  struct cycle cycle[MOST_CYCLES];
  uint32_t ncycles;
  struct decided {
    int64_t end;
    bool store;
  } decided[REMEMBERED]; /* a ring */
  uint64_t ndecided;
  struct siox__aside_counts counts;
};

int siox__aside_new(struct siox__aside **out, uint64_t most_bytes) {
  struct siox__aside *a = calloc(1, sizeof *a);
  *out = a;
  if (!a)
    return SIOX_ENOMEM;
  a->most = most_bytes / sizeof(struct chunk);
  a->most += a->most == 0;
  return 0;
}

static void let_go(struct siox__aside *a, struct chunk *c) {
  a->chunks--;
  free(a->spare);
  a->spare = c;
}

static struct chunk *take_first(struct chain *chain) {
  struct chunk *c = chain->first;
  chain->first = c->next;
  if (!chain->first)
    chain->last = NULL;
  c->next = NULL;
  return c;
}

static void append(struct chain *chain, struct chunk *c) {
  *(chain->last ? &chain->last->next : &chain->first) = c;
  chain->last = c;
}

static void free_chain(struct chain *chain) {
  while (chain->first)
    free(take_first(chain));
}

void siox__aside_free(struct siox__aside *a) {
  if (!a)
    return;
  free_chain(&a->open);
  free_chain(&a->out);
  free_chain(&a->later);
  for (uint32_t i = 0; i < a->ncycles; i++)
    free_chain(&a->cycle[i].chain);
  free(a->spare);
  free(a);
}

/* more: chunks over the limit, for what is only moved. */
static int add(struct siox__aside *a, struct chain *chain, uint64_t more, int64_t end,
               const struct siox_trace_event *event) {
  struct chunk *c = chain->last;
  if (!c || c->n == ITEMS) {
    if (a->chunks >= a->most + more)
      return SIOX_EFULL;
    c = a->spare ? a->spare : malloc(sizeof *c);
    a->spare = NULL;
    if (!c)
      return SIOX_ENOMEM;
    c->next = NULL;
    c->n = c->taken = 0;
    c->latest = INT64_MIN;
    append(chain, c);
    a->chunks++;
  }
  c->item[c->n++] = (struct item){end, *event};
  c->latest = end > c->latest ? end : c->latest;
  return 0;
}

/* The last cycle of all ends never, and clients say what they like. */
static int64_t much_later(int64_t end) {
  return end > INT64_MAX - LATER_NS ? INT64_MAX : end + LATER_NS;
}

/* The chain of those that ended then; NULL: the cycle is decided. */
static struct chain *chain_of(struct siox__aside *a, int64_t end) {
  if (a->last_end > 0 && end > much_later(a->last_end))
    return &a->later;
  const struct decided *last = a->ndecided ? &a->decided[(a->ndecided - 1) % REMEMBERED] : NULL;
  if (last && end <= last->end)
    return NULL;
  for (uint32_t i = 0; i < a->ncycles; i++)
    if (end <= a->cycle[i].end)
      return &a->cycle[i].chain;
  return &a->open;
}

/* What was decided of the first cycle that ended then or later. What lies before all that is
 * remembered is stored: too much is no harm. */
static bool decision_of(const struct siox__aside *a, int64_t end) {
  const uint64_t oldest = a->ndecided > REMEMBERED ? a->ndecided - REMEMBERED : 0;
  uint64_t low = oldest, high = a->ndecided;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (a->decided[middle % REMEMBERED].end < end)
      low = middle + 1;
    else
      high = middle;
  }
  return (oldest > 0 && low == oldest) || a->decided[low % REMEMBERED].store;
}

int siox__aside_put(struct siox__aside *a, int64_t end, const struct siox_trace_event *event) {
  struct chain *chain = chain_of(a, end);
  if (!chain) {
    const bool store = decision_of(a, end);
    a->counts.left += !store;
    return store ? 1 : 2;
  }
  const int e = add(a, chain, 0, end, event);
  a->counts.dropped += e < 0;
  a->counts.waiting += e == 0;
  return e;
}

static void join(struct siox__aside *a, struct chain *to, struct chain *from) {
  while (from->first) {
    struct chunk *c = take_first(from), *last = to->last;
    if (!last || last->n + c->n > ITEMS) {
      append(to, c);
      continue;
    }
    memcpy(&last->item[last->n], c->item, c->n * sizeof *c->item);
    last->n += c->n;
    last->latest = c->latest > last->latest ? c->latest : last->latest;
    let_go(a, c);
  }
}

static void put_again(struct siox__aside *a, const struct item *item) {
  if (add(a, chain_of(a, item->end), 1, item->end, &item->event) < 0) {
    a->counts.dropped++;
    a->counts.waiting--;
  }
}

static void look_at_later(struct siox__aside *a, int64_t end) {
  if (end < a->look)
    return;
  struct chain later = a->later;
  a->later = (struct chain){0};
  a->look = much_later(end);
  while (later.first) {
    struct chunk *c = take_first(&later);
    for (uint32_t i = 0; i < c->n; i++)
      put_again(a, &c->item[i]);
    let_go(a, c);
  }
}

void siox__aside_cycle(struct siox__aside *a, uint64_t number, int64_t end) {
  a->last_end = end;
  look_at_later(a, end);
  if (a->ncycles == MOST_CYCLES) { /* nobody decides: the last ones are one */
    struct cycle *last = &a->cycle[MOST_CYCLES - 1];
    join(a, &last->chain, &a->open);
    last->number = number;
    last->end = end;
    return;
  }
  a->cycle[a->ncycles++] = (struct cycle){number, end, a->open};
  a->open = (struct chain){0};
}

/* A chunk of a decided cycle, some items of which may end later. */
static void decide_chunk(struct siox__aside *a, struct chunk *c, int64_t end, bool store) {
  uint32_t kept = 0;
  for (uint32_t i = 0; c->latest > end && i < c->n; i++) {
    const struct item item = c->item[i];
    if (item.end <= end) {
      c->item[kept++] = item;
      continue;
    }
    put_again(a, &item);
  }
  if (c->latest > end)
    c->n = kept;
  if (store && c->n > 0) {
    append(&a->out, c);
    return;
  }
  a->counts.left += c->n;
  a->counts.waiting -= c->n;
  let_go(a, c);
}

void siox__aside_decide(struct siox__aside *a, uint64_t number, bool store) {
  while (a->ncycles > 0 && a->cycle[0].number <= number) {
    struct cycle cycle = a->cycle[0];
    memmove(a->cycle, a->cycle + 1, --a->ncycles * sizeof *a->cycle);
    a->decided[a->ndecided++ % REMEMBERED] = (struct decided){cycle.end, store};
    while (cycle.chain.first)
      decide_chunk(a, take_first(&cycle.chain), cycle.end, store);
  }
}

bool siox__aside_write(struct siox__aside *a, uint64_t most,
                       void (*write)(void *, const struct siox_trace_event *), void *context) {
  while (a->out.first && most > 0) {
    struct chunk *c = a->out.first;
    for (; c->taken < c->n && most > 0; most--) {
      a->counts.waiting--;
      write(context, &c->item[c->taken++].event);
    }
    if (c->taken == c->n)
      let_go(a, take_first(&a->out));
  }
  return a->out.first;
}

struct siox__aside_counts siox__aside_counts(const struct siox__aside *a) {
  struct siox__aside_counts counts = a->counts;
  counts.bytes = a->chunks * sizeof(struct chunk);
  return counts;
}
