/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Windows: what gaps long enough to pay a job left its disks, and whether it said so in time.
 *
 *   burst 1                                         burst 2
 *   disk 0  ####|------------------------------------|####     one window of the set {0, 1}:
 *   disk 1  ######|---------------------------|#######         from the last end to the first start
 *   disk 2  ##|                                                another window, to the job's end
 *
 * A job's bursts are its requests as far as less than the shortest gap that pays on any disk lies
 * between them. Disks that it uses in the same burst and next in the same burst are a set. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

struct gap { /* of one disk */
  uint32_t disk, job;
  size_t after, before; /* bursts; SIZE_MAX: the job's end */
  int64_t start, end;   /* idle of everybody's requests */
  size_t use;           /* the last before it */
};

struct piece { /* a request's time on a disk */
  int64_t from, to;
  uint32_t disk, job;
  size_t burst; /* of its job */
  size_t use;
};

struct pass {
  const struct siox__recorded *t;
  struct siox__check *c;
  struct {
    struct piece *item;
    size_t n, room;
  } piece;
  struct {
    struct gap *item;
    size_t n, room;
  } gap;
};

static int64_t shortest_gap(const struct siox__recorded *t) {
  int64_t least = SIOX_NEVER;
  for (uint32_t d = 0; d < t->ndisks; d++)
    least = t->disk[d].break_even < least ? t->disk[d].break_even : least;
  return least;
}

/* Requests come in order of time, so the bursts of each job grow at their end. */
static int collect(struct pass *p) {
  const struct siox__recorded *t = p->t;
  struct {
    int64_t until;
    size_t burst;
  } *job = calloc(t->job.n + 1, sizeof *job);
  unsigned char *touched = calloc(t->ndisks + 1, 1);
  int64_t pays = shortest_gap(t);
  int rc = job && touched ? 0 : SIOX_ENOMEM;
  for (size_t i = 0; i < t->use.n && rc == 0; i++) {
    const struct siox__check_use *u = &t->use.item[i];
    uint32_t j = u->client < t->client.n ? t->client.item[u->client].job : UINT32_MAX;
    memset(touched, 0, t->ndisks);
    if (j >= t->job.n || !siox__recorded_touch(t, u, touched))
      continue;
    if (!job[j].burst || (u->from > job[j].until && u->from - job[j].until >= pays))
      job[j].burst++;
    job[j].until = u->to > job[j].until ? u->to : job[j].until;
    for (uint32_t d = 0; d < t->ndisks && rc == 0; d++) {
      struct piece *piece = touched[d] ? SIOX__NEXT(&p->piece) : NULL;
      if (piece)
        *piece = (struct piece){u->from, u->to, d, j, job[j].burst, i};
      rc = touched[d] && !piece ? SIOX_ENOMEM : 0;
    }
  }
  free(job);
  free(touched);
  return rc;
}

static int by_disk(const void *a, const void *b) {
  const struct piece *x = a, *y = b;
  return x->disk != y->disk ? (x->disk > y->disk) - (x->disk < y->disk)
                            : (x->from > y->from) - (x->from < y->from);
}

static int64_t end_of_job(const struct siox__recorded *t, uint32_t job) {
  int64_t end = INT64_MIN;
  for (size_t i = 0; i < t->client.n; i++) {
    const struct siox__speaker *s = &t->client.item[i];
    int64_t left = s->left < t->end ? s->left : t->end;
    if (s->known && s->job == job && left > end)
      end = left;
  }
  return end;
}

static int add_gap(struct pass *p, const struct piece *last, size_t before, int64_t start,
                   int64_t end) {
  if (end - start < p->t->disk[last->disk].break_even)
    return 0;
  struct gap *g = SIOX__NEXT(&p->gap);
  if (!g)
    return SIOX_ENOMEM;
  *g = (struct gap){last->disk, last->job, last->burst, before, start, end, last->use};
  return 0;
}

/* The gap of a disk after each piece: until its job's next use, or its end; of that, the longest
 * part in which nobody else used the disk. piece[i]: the last of its job's so far to end. */
static int gap_after(struct pass *p, size_t i, int64_t from) {
  const struct piece *last = &p->piece.item[i];
  /* A disk that an open woke is on its way up for a while: it does not idle. */
  if (p->t->use.item[last->use].open && p->t->use.item[last->use].from == from)
    from = siox__full_again(&p->t->disk[last->disk], from);
  int64_t begun = from, best_start = from, best_end = from;
  size_t before = SIZE_MAX, k = i + 1;
  int64_t end = end_of_job(p->t, last->job);
  for (; k < p->piece.n && p->piece.item[k].disk == last->disk; k++) {
    const struct piece *next = &p->piece.item[k];
    if (next->job == last->job) {
      before = next->burst;
      end = next->from;
      break;
    }
    if (next->from >= end)
      break;
    if (next->from - begun > best_end - best_start) {
      best_start = begun;
      best_end = next->from;
    }
    begun = next->to > begun ? next->to : begun;
  }
  if (end - begun > best_end - best_start) {
    best_start = begun;
    best_end = end;
  }
  return add_gap(p, last, before, best_start, best_end);
}

static int find_gaps(struct pass *p) {
  const struct siox__recorded *t = p->t;
  struct {
    size_t last;
    int64_t until;
    bool used;
  } *job = calloc(t->job.n + 1, sizeof *job);
  int rc = job ? 0 : SIOX_ENOMEM;
  for (size_t i = 0; i < p->piece.n && rc == 0; i++) {
    const struct piece *piece = &p->piece.item[i];
    uint32_t j = piece->job;
    int64_t until = piece->to;
    bool last = true; /* of its job on this disk before a pause */
    for (size_t k = i + 1; k < p->piece.n && p->piece.item[k].disk == piece->disk; k++) {
      if (p->piece.item[k].job != j)
        continue;
      last = p->piece.item[k].from > (job[j].used && job[j].until > until ? job[j].until : until);
      break;
    }
    if (!job[j].used || job[j].until < until)
      job[j].until = until;
    job[j].used = true;
    if (last && t->job.item[j].hints)
      rc = gap_after(p, i, job[j].until);
    if (i + 1 == p->piece.n || p->piece.item[i + 1].disk != piece->disk)
      memset(job, 0, (t->job.n + 1) * sizeof *job);
  }
  free(job);
  return rc;
}

/* At that moment every rank of the job has let go of the disk or never spoke of it, one has let go,
 * and none wants it back before the time is paid for. */
static bool released_at(const struct siox__recorded *t, const struct gap *g, int64_t time) {
  int64_t until = g->end;
  bool released = false;
  for (uint32_t i = 0; i < t->client.n; i++) {
    if (t->client.item[i].job != g->job || !t->client.item[i].disk)
      continue;
    struct siox__word w = siox__said(t, i, g->disk, time);
    if (siox__predicts(t, &w, time))
      return false;
    if (w.flag >= 0 && w.need_by > time && w.need_by < until)
      until = w.need_by;
    released |= w.flag == 0;
  }
  return released && until - time >= t->disk[g->disk].break_even;
}

static bool was_used(const struct siox__recorded *t, const struct gap *g) {
  if (released_at(t, g, g->start))
    return true;
  for (uint32_t i = 0; i < t->client.n; i++) {
    const struct siox__speaker *s = &t->client.item[i];
    if (s->job != g->job || !s->disk)
      continue;
    const struct siox__words *w = &s->disk[g->disk];
    for (size_t k = siox__words_until(w, g->start); k < w->n && w->item[k].time < g->end; k++)
      if (released_at(t, g, w->item[k].time))
        return true;
  }
  return false;
}

/* Why a window was not used, as it was in its middle. */
static void note_unused(const struct pass *p, const struct gap *g) {
  const struct siox__recorded *t = p->t;
  if (p->c->nunused == SIOX__EXAMPLES)
    return;
  struct siox__unused *u = &p->c->unused[p->c->nunused++];
  *u = (struct siox__unused){.use = &t->use.item[g->use],
                             .disk = g->disk,
                             .start = g->start,
                             .end = g->end,
                             .again = g->before != SIZE_MAX,
                             .why = SIOX__NOBODY};
  int64_t middle = g->start + (g->end - g->start) / 2;
  for (uint32_t i = 0; i < t->client.n; i++) {
    if (t->client.item[i].job != g->job || !t->client.item[i].disk)
      continue;
    struct siox__word w = siox__said(t, i, g->disk, middle);
    if (siox__predicts(t, &w, middle) && u->why != SIOX__KEPT) {
      u->why = SIOX__KEPT;
      u->keeper = i;
    } else if (w.flag == 0 && u->why == SIOX__NOBODY) {
      u->why = SIOX__TOO_SHORT;
    }
  }
}

static int by_set(const void *a, const void *b) {
  const struct gap *x = a, *y = b;
  if (x->job != y->job)
    return x->job < y->job ? -1 : 1;
  if (x->after != y->after)
    return x->after < y->after ? -1 : 1;
  if (x->before != y->before)
    return x->before < y->before ? -1 : 1;
  if (x->after == x->before) /* within one burst disks rest one by one */
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->disk > y->disk) - (x->disk < y->disk);
  return (x->disk > y->disk) - (x->disk < y->disk);
}

static bool same_set(const struct gap *a, const struct gap *b) {
  return a->job == b->job && a->after == b->after && a->before == b->before &&
         a->after != a->before;
}

static void count(const struct pass *p) {
  const struct gap *g = p->gap.item;
  for (size_t i = 0, next; i < p->gap.n; i = next) {
    int64_t start = g[i].start, end = g[i].end, pays = 0;
    bool all = true;
    for (next = i; next < p->gap.n && (next == i || same_set(&g[i], &g[next])); next++) {
      bool used = was_used(p->t, &g[next]);
      p->c->disk_windows.eligible++;
      p->c->disk_windows.used += used;
      if (!used)
        note_unused(p, &g[next]);
      all &= used;
      start = g[next].start > start ? g[next].start : start;
      end = g[next].end < end ? g[next].end : end;
      int64_t own = p->t->disk[g[next].disk].break_even;
      pays = own > pays ? own : pays;
    }
    if (end - start >= pays) {
      p->c->windows.eligible++;
      p->c->windows.used += all;
    }
  }
}

int siox__check_windows(const struct siox__recorded *t, struct siox__check *c) {
  struct pass p = {.t = t, .c = c};
  int rc = collect(&p);
  if (rc == 0 && p.piece.n > 1)
    qsort(p.piece.item, p.piece.n, sizeof *p.piece.item, by_disk);
  if (rc == 0)
    rc = find_gaps(&p);
  if (rc == 0 && p.gap.n > 1)
    qsort(p.gap.item, p.gap.n, sizeof *p.gap.item, by_set);
  if (rc == 0)
    count(&p);
  free(p.piece.item);
  free(p.gap.item);
  return rc;
}
