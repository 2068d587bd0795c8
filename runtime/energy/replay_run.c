/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One run of a job: its streams, read side by side in the order of recorded time, so that whoever
 * waits finds all that was recorded up to then. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

static bool earlier(const struct siox__stream *a, const struct siox__stream *b) {
  if (a->next.at != b->next.at)
    return a->next.at < b->next.at;
  return a->number < b->number;
}

static void push(struct siox__run *r, struct siox__stream *s) {
  uint32_t i = r->nheap++;
  for (; i > 0 && earlier(s, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
    r->heap[i] = r->heap[(i - 1) / 2];
  r->heap[i] = s;
}

/* The top has a new next point, or none. */
static void sift(struct siox__run *r) {
  struct siox__stream *s = r->heap[0];
  if (!s->has_next) {
    s = r->heap[--r->nheap];
    if (!r->nheap)
      return;
  }
  uint32_t i = 0, child;
  for (; (child = 2 * i + 1) < r->nheap; i = child) {
    if (child + 1 < r->nheap && earlier(r->heap[child + 1], r->heap[child]))
      child++;
    if (!earlier(r->heap[child], s))
      break;
    r->heap[i] = r->heap[child];
  }
  r->heap[i] = s;
}

static struct siox__op mark(enum siox__op_kind kind, int64_t at, uint64_t order) {
  return (struct siox__op){.at = at,
                           .end = at,
                           .order = order,
                           .kind = (uint8_t)kind,
                           .file = SIOX__NONE,
                           .group = SIOX__NONE,
                           .dep = SIOX__NONE};
}

/* Both threads' next points, the earlier one first. 1, 0 or an error. */
static int next_of_trace(struct siox__stream *s, struct siox__op *out) {
  struct siox__op *op[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    int rc = siox__cursor_peek(&s->cursor[k], &op[k]);
    if (rc < 0)
      return rc;
    op[k] = rc ? op[k] : NULL;
  }
  int k = !op[0] ||
          (op[1] && (op[1]->at != op[0]->at ? op[1]->at < op[0]->at : op[1]->order < op[0]->order));
  if (!op[k])
    return 0;
  *out = *op[k];
  siox__cursor_take(&s->cursor[k]);
  return 1;
}

static int64_t end_of(const struct siox__stream *s) {
  const struct siox__client_def *c = &s->run->index->client[s->client - s->run->client];
  int64_t at = c->last; /* cut: it leaves after its last event */
  for (int k = 0; k < 2; k++)
    if (s->cursor[k].left)
      at = s->cursor[k].left_at;
  return at;
}

/* Shifted times; a claim's own are shifted when it is given. */
static void shift_op(const struct siox__run *r, struct siox__op *op) {
  op->at += r->shift;
  op->end += r->shift;
  if (op->hint)
    for (uint32_t i = 0; i < op->hint->head.nruns; i++) {
      struct siox_claim_run *run = &op->hint->run[i];
      int64_t *time[] = {&run->need_by, &run->until};
      for (int k = 0; k < 2; k++)
        if (*time[k] != 0 && *time[k] != SIOX_NEVER &&
            __builtin_add_overflow(*time[k], r->shift, time[k]))
          *time[k] = SIOX_NEVER;
    }
}

static int refill(struct siox__stream *s) {
  struct siox__run *r = s->run;
  bool main = s == s->client->main;
  int rc;
  s->has_next = false;
  if (s->phase == SIOX__JOINING) {
    s->phase = SIOX__MIDDLE;
    if (main) {
      s->next = mark(SIOX__OP_JOIN, s->client->first, 0);
      s->has_next = true;
      s->latest = s->next.at;
      return 0;
    }
  }
  if (s->phase == SIOX__MIDDLE) {
    rc = s->generator ? siox__generator_next(s->generator, &s->next) : next_of_trace(s, &s->next);
    if (rc < 0)
      return rc;
    if (rc) {
      shift_op(r, &s->next);
      s->has_next = true;
      s->latest = s->next.at > s->latest ? s->next.at : s->latest;
      return 0;
    }
    s->phase = main ? SIOX__LEAVING : SIOX__OVER;
  }
  if (s->phase == SIOX__LEAVING) { /* records that came after it: the leaving is put last */
    int64_t at = s->generator ? s->generator->at + r->shift : end_of(s) + r->shift;
    s->next = mark(SIOX__OP_LEAVE, at > s->latest ? at : s->latest, UINT64_MAX);
    s->has_next = true;
    s->phase = SIOX__OVER;
  }
  return 0;
}

/* A place for one more point in the stream's ring; NULL: no memory. */
static struct siox__op *more(struct siox__stream *s) {
  if (s->count == s->room) {
    uint32_t room = s->room ? s->room * 2 : 1;
    struct siox__op *op = malloc(room * sizeof *op);
    if (!op)
      return NULL;
    for (uint32_t i = 0; i < s->count; i++)
      op[i] = s->op[(s->head + i) & (s->room - 1)];
    free(s->op);
    s->op = op;
    s->head = 0;
    s->room = room;
  }
  return &s->op[(s->head + s->count++) & (s->room - 1)];
}

/* The stream's next point is joined, and the one after it is read. */
static int read_from(struct siox__stream *s) {
  struct siox__op *op = more(s);
  if (!op)
    return SIOX_ENOMEM;
  *op = s->next;
  s->next.hint = NULL;
  s->run->read++;
  int rc = siox__link(s, op);
  return rc == 0 ? refill(s) : rc;
}

/* The earliest point that is not joined yet. */
static int read_one(struct siox__run *r) {
  int rc = read_from(r->heap[0]);
  sift(r);
  return rc;
}

int64_t siox__run_ahead(const struct siox__run *r) {
  return r->nheap ? r->heap[0]->next.at : INT64_MAX;
}

int siox__run_read_to(struct siox__run *r, int64_t time) {
  int rc = 0;
  while (rc == 0 && r->nheap && r->heap[0]->next.at <= time)
    rc = read_one(r);
  return rc;
}

int siox__run_current(struct siox__stream *s, struct siox__op **op) {
  int rc = 0;
  if (s->run->apart) {
    rc = !s->count && s->has_next ? read_from(s) : 0;
  } else {
    while (rc == 0 && !s->count && s->has_next)
      rc = read_one(s->run);
    if (rc == 0 && s->count)
      rc = siox__run_read_to(s->run, s->op[s->head].at);
  }
  *op = s->count ? &s->op[s->head] : NULL;
  return rc;
}

void siox__run_pop(struct siox__stream *s) {
  s->head = (s->head + 1) & (s->room - 1);
  s->count--;
}

int siox__run_speak(struct siox__stream *s, uint32_t chance, struct siox__hint *hint) {
  if (!more(s)) {
    free(hint);
    return SIOX_ENOMEM;
  }
  s->head = (s->head - 1) & (s->room - 1); /* the place that was made goes to the front */
  s->op[s->head] = mark(SIOX__OP_HINT, s->base_recorded, 0);
  s->op[s->head].hint = hint;
  s->op[s->head].request = chance;
  s->op[s->head].placed = true;
  return 0;
}

static void add_stream(struct siox__run *r, struct siox__process *c, uint32_t thread) {
  struct siox__stream *s = &r->stream[r->nstreams];
  *s = (struct siox__stream){
      .run = r, .client = c, .thread = thread, .number = r->nstreams, .inside = SIOX__NONE};
  r->nstreams++;
  c->nstreams++;
}

static int open_trace(struct siox__run *r, const struct siox__run_options *o) {
  const struct siox__index *x = o->index;
  r->client = calloc((size_t)x->nclients + 1, sizeof *r->client);
  r->stream = calloc((size_t)x->nflows + 1, sizeof *r->stream);
  r->heap = calloc((size_t)x->nflows + 1, sizeof *r->heap);
  r->cursor = calloc(2 * (size_t)x->nflows + 1, sizeof *r->cursor);
  if (!r->client || !r->stream || !r->heap || !r->cursor)
    return SIOX_ENOMEM;
  r->nclients = x->nclients;
  for (uint32_t i = 0; i < x->nclients; i++) {
    const struct siox__client_def *d = &x->client[i];
    r->client[i] =
        (struct siox__process){.number = d->number,
                               .job = d->job,
                               .rank = d->rank,
                               .awaited = d->awaited,
                               .bank = SIOX__NONE,
                               .first = d->first + (d->main == SIOX__NONE ? 0 : o->shift)};
  }
  for (uint32_t i = 0; i < x->nflows; i++) { /* in the order of the trace, main ones with both */
    uint32_t client = x->flow[i].client;
    const struct siox__client_def *d = &x->client[client];
    if (d->main == SIOX__NONE || i == d->own)
      continue;
    add_stream(r, &r->client[client], x->flow[i].thread);
    struct siox__stream *s = &r->stream[r->nstreams - 1];
    s->cursor = &r->cursor[2 * s->number];
    siox__cursor_open(&s->cursor[0], x, i, o->hints);
    siox__cursor_open(&s->cursor[1], x, i == d->main ? d->own : SIOX__NONE, o->hints);
    if (i == d->main)
      r->client[client].main = s;
  }
  return 0;
}

static int open_generated(struct siox__run *r, const struct siox__run_options *o) {
  uint32_t n = o->generated->processes;
  r->client = calloc((size_t)n + 1, sizeof *r->client);
  r->stream = calloc((size_t)n + 1, sizeof *r->stream);
  r->heap = calloc((size_t)n + 1, sizeof *r->heap);
  r->generator = calloc((size_t)n + 1, sizeof *r->generator);
  if (!r->client || !r->stream || !r->heap || !r->generator)
    return SIOX_ENOMEM;
  r->nclients = n;
  int rc = o->generated->hints ? siox__scratch_open(&r->scratch, o->generated->layout->ndisks) : 0;
  if (rc)
    return rc;
  for (uint32_t i = 0; i < n; i++) {
    struct siox__process *c = &r->client[i];
    *c = (struct siox__process){
        .number = i, .rank = (int32_t)i, .awaited = true, .bank = SIOX__NONE, .first = o->shift};
    add_stream(r, c, 1);
    c->main = &r->stream[i];
    c->main->generator = &r->generator[i];
    siox__generator_open(c->main->generator, o->generated, i, &r->scratch);
  }
  return 0;
}

int siox__run_open(struct siox__run *r, const struct siox__run_options *o) {
  *r = (struct siox__run){.index = o->index,
                          .generated = o->generated,
                          .shift = o->shift,
                          .apart = !o->index && !o->generated->together};
  int rc = o->index ? open_trace(r, o) : open_generated(r, o);
  for (uint32_t i = 0; i < r->nstreams && rc == 0; i++) {
    rc = refill(&r->stream[i]);
    if (rc == 0 && r->stream[i].has_next)
      push(r, &r->stream[i]);
    else /* a thread that only made calls without points is no stream that anybody waits for */
      r->stream[i].client->nstreams--;
  }
  r->live = r->nheap;
  return rc;
}

void siox__run_close(struct siox__run *r) {
  for (uint32_t i = 0; i < r->nstreams; i++) {
    struct siox__stream *s = &r->stream[i];
    for (uint32_t k = 0; k < s->count; k++)
      free(s->op[(s->head + k) & (s->room - 1)].hint);
    if (s->has_next)
      free(s->next.hint);
    free(s->op);
    for (int k = 0; k < 2 && s->cursor; k++)
      siox__cursor_close(&s->cursor[k]);
  }
  for (uint32_t i = 0; i < r->ngroups; i++) {
    free(r->group[i].entry.spot);
    free(r->group[i].io.spot);
  }
  for (uint32_t i = 0; i < r->nchannels; i++)
    free(r->channel[i].sent);
  siox__scratch_close(&r->scratch);
  void *owned[] = {r->cursor,        r->generator, r->stream,       r->heap,
                   r->group,         r->channel,   r->dep,          r->free_dep,
                   r->free_group,    r->old,       r->groups.entry, r->channels.entry,
                   r->requests.entry};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  struct siox__run kept = {.client = r->client, .nclients = r->nclients, .read = r->read};
  *r = kept;
}

void siox__run_free(struct siox__run *r) {
  siox__run_close(r);
  for (uint32_t i = 0; i < r->nclients; i++)
    free(r->client[i].told);
  free(r->client);
  memset(r, 0, sizeof *r);
}
