/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each request against the predictions that were live when it came: the own rank's, and of a
 * collective those of every rank that takes part in it, which hold until all have left. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

/* What a rank did between two of its releases, and of its collectives what others did for it. */
struct burst {
  bool open;
  size_t releases;                    /* of the rank, until its first request */
  unsigned char *predicted, *touched; /* by itself */
  unsigned char *gathered;            /* touched by others in collectives it took part in */
};

struct pass {
  const struct siox__recorded *t;
  struct siox__check *c;
  struct burst *burst; /* one a client */
  unsigned char *touched, *live;
};

/* A disk that a rank touches on another's word counts as predicted; one that it predicts for
 * its part in a collective counts as touched whichever rank does the I/O. */
static void close_burst(const struct pass *p, struct burst *b) {
  if (!b->open)
    return;
  for (uint32_t d = 0; d < p->t->ndisks; d++) {
    p->c->predicted += b->predicted[d];
    p->c->touched += b->touched[d] | (b->predicted[d] & b->gathered[d]);
  }
  memset(b->predicted, 0, p->t->ndisks);
  memset(b->touched, 0, p->t->ndisks);
  memset(b->gathered, 0, p->t->ndisks);
  b->open = false;
}

static size_t released_until(const struct siox__speaker *s, int64_t time) {
  size_t n = 0, high = s->released.n;
  while (n < high) {
    size_t middle = n + (high - n) / 2;
    if (s->released.item[middle] <= time)
      n = middle + 1;
    else
      high = middle;
  }
  return n;
}

/* The burst of a rank at a time at which a request is made, by it or for it. NULL: no memory. */
static struct burst *burst_at(const struct pass *p, uint32_t client, int64_t time) {
  struct burst *b = &p->burst[client];
  size_t releases = released_until(&p->t->client.item[client], time), n = p->t->ndisks;
  if (!b->predicted && !(b->predicted = calloc(3, n)))
    return NULL;
  b->touched = b->predicted + n;
  b->gathered = b->touched + n;
  if (b->open && releases < b->releases)
    return b; /* it has left the collective and gone on */
  if (releases != b->releases)
    close_burst(p, b);
  b->open = true;
  b->releases = releases;
  for (uint32_t d = 0; d < n; d++)
    b->predicted[d] |= siox__predicted(p->t, client, d, time);
  return b;
}

static int add_to_bursts(const struct pass *p, const struct siox__check_use *u) {
  const struct siox__recorded *t = p->t;
  struct burst *b = burst_at(p, u->client, u->from);
  for (uint32_t d = 0; b && d < t->ndisks; d++) {
    b->touched[d] |= p->touched[d];
    b->predicted[d] |= p->touched[d] & p->live[d];
  }
  size_t first = 0, n = u->uid ? siox__parts_of(t, u->uid, u->seq, &first) : 0;
  for (size_t i = first; b && i < first + n; i++) {
    const struct siox__part *part = &t->part.item[i];
    if (part->start > u->from || part->client >= t->client.n || !t->client.item[part->client].disk)
      continue;
    b = burst_at(p, part->client, part->end < u->from ? part->end : u->from);
    for (uint32_t d = 0; b && d < t->ndisks; d++)
      b->gathered[d] |= p->touched[d];
  }
  return b ? 0 : SIOX_ENOMEM;
}

/* Disks that are predicted at the time of a request, as far as it may rely on that. */
static void find_live(const struct pass *p, const struct siox__check_use *u) {
  size_t first = 0, n = u->uid ? siox__parts_of(p->t, u->uid, u->seq, &first) : 0;
  for (uint32_t d = 0; d < p->t->ndisks; d++) {
    p->live[d] = siox__predicted(p->t, u->client, d, u->from);
    for (size_t i = first; i < first + n && !p->live[d]; i++) {
      const struct siox__part *part = &p->t->part.item[i];
      int64_t time = part->end < u->from ? part->end : u->from;
      p->live[d] = part->start <= u->from && siox__predicted(p->t, part->client, d, time);
    }
  }
}

static bool predicted_by_another(const struct siox__recorded *t, const struct siox__check_use *u,
                                 uint32_t disk) {
  uint32_t job = t->client.item[u->client].job;
  for (uint32_t i = 0; i < t->client.n; i++)
    if (t->client.item[i].job == job && siox__predicted(t, i, disk, u->from))
      return true;
  return false;
}

static int judge(const struct pass *p, const struct siox__check_use *u) {
  struct siox__check *c = p->c;
  memset(p->touched, 0, p->t->ndisks);
  if (!siox__recorded_touch(p->t, u, p->touched)) {
    c->unknown++;
    return 0;
  }
  c->accesses++;
  find_live(p, u);
  bool outside = false, others = true;
  for (uint32_t d = 0; d < p->t->ndisks; d++) {
    if (!p->touched[d] || p->live[d])
      continue;
    others &= predicted_by_another(p->t, u, d);
    if (!outside && c->nexamples < SIOX__EXAMPLES) {
      c->example[c->nexamples].use = u;
      c->example[c->nexamples++].disk = d;
    }
    outside = true;
  }
  c->outside += outside;
  c->by_others += outside && others;
  return add_to_bursts(p, u);
}

/* Disks that the predictor gave up without a time and then wanted all the same. */
static void count_unforetold(const struct siox__recorded *t, struct siox__check *c) {
  for (size_t i = 0; i < t->client.n; i++)
    for (uint32_t d = 0; t->client.item[i].disk && d < t->ndisks; d++) {
      const struct siox__words *w = &t->client.item[i].disk[d];
      for (size_t k = 1; k < w->n; k++) {
        const struct siox__word *was = &w->item[k - 1];
        c->unforetold += was->predicted && was->flag == 0 && was->need_by == 0 &&
                         w->item[k].predicted && w->item[k].flag == 1;
      }
    }
}

static int judge_all(const struct pass *p) {
  int rc = 0;
  for (size_t i = 0; i < p->t->use.n && rc == 0; i++) {
    const struct siox__check_use *u = &p->t->use.item[i];
    if (u->open || u->client >= p->t->client.n)
      continue;
    uint32_t job = p->t->client.item[u->client].job;
    if (job < p->t->job.n && p->t->job.item[job].hints)
      rc = judge(p, u);
    else
      p->c->unhinted++;
  }
  return rc;
}

int siox__check_accesses(const struct siox__recorded *t, struct siox__check *c) {
  struct pass p = {t, c, calloc(t->client.n + 1, sizeof *p.burst), calloc(t->ndisks + 1, 1),
                   calloc(t->ndisks + 1, 1)};
  int rc = p.burst && p.touched && p.live ? judge_all(&p) : SIOX_ENOMEM;
  for (size_t i = 0; p.burst && i < t->client.n; i++) {
    if (rc == 0)
      close_burst(&p, &p.burst[i]);
    free(p.burst[i].predicted);
  }
  count_unforetold(t, c);
  free(p.burst);
  free(p.touched);
  free(p.live);
  return rc;
}
