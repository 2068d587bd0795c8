/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose point comes next. A stream that was taken usually gets its next point at once: its place at
 * the top is kept open, and whoever is put next sinks down from there, which is half the work of
 * taking and putting. Places hold the times themselves, so that few comparisons look at a stream;
 * each has four below it, beside each other, for with many streams a level is a miss. */
#include "energy/replay_internal.h"

enum { BELOW = 4 };

/* Equal times go in the recorded order, then by run, client and thread. */
static bool first_of_equals(const struct siox__stream *x, const struct siox__stream *y) {
  const struct siox__op *p = &x->op[x->head], *q = &y->op[y->head];
  if (p->at != q->at)
    return p->at < q->at;
  if (p->end != q->end)
    return p->end < q->end;
  if (x->run != y->run)
    return x->run->number < y->run->number;
  return x->client != y->client ? x->client < y->client : x->thread < y->thread;
}

static bool earlier(const struct siox__turn *x, const struct siox__turn *y) {
  return x->due != y->due ? x->due < y->due : first_of_equals(x->stream, y->stream);
}

static void sink(struct siox__turns *t, struct siox__turn turn) {
  uint32_t i = 0;
  for (uint32_t first; (first = BELOW * i + 1) < t->count;) {
    uint32_t end = t->count - first < BELOW ? t->count : first + BELOW, child = first;
    while (++first < end)
      child = earlier(&t->heap[first], &t->heap[child]) ? first : child;
    if (!earlier(&t->heap[child], &turn))
      break;
    t->heap[i] = t->heap[child];
    i = child;
  }
  t->heap[i] = turn;
}

/* Nobody came for the open place. */
static void close_top(struct siox__turns *t) {
  if (!t->open)
    return;
  t->open = false;
  struct siox__turn last = t->heap[--t->count];
  if (t->count)
    sink(t, last);
}

int siox__turns_put(struct siox__turns *t, int64_t due, struct siox__stream *s) {
  struct siox__turn turn = {due, s};
  if (t->open) {
    t->open = false;
    sink(t, turn);
    return 0;
  }
  int rc = siox__room(&t->heap, t->count, &t->room, sizeof *t->heap);
  if (rc < 0)
    return rc;
  uint32_t i = t->count++;
  for (; i > 0 && earlier(&turn, &t->heap[(i - 1) / BELOW]); i = (i - 1) / BELOW)
    t->heap[i] = t->heap[(i - 1) / BELOW];
  t->heap[i] = turn;
  return 0;
}

const struct siox__turn *siox__turns_next(struct siox__turns *t) {
  close_top(t);
  return t->count ? t->heap : NULL;
}

struct siox__stream *siox__turns_take(struct siox__turns *t) {
  close_top(t);
  t->open = true;
  return t->heap[0].stream;
}
