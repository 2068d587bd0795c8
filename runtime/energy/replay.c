/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The replay: streams take turns by time, each holding its next point until its time is known. A
 * point comes as long after the latest of what it follows (the point before it in its stream, and
 * what it waited for elsewhere) as it was recorded after the latest of them then. Equal times go in
 * the recorded order, then by client and thread. */
#include "energy/replay_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay {
  struct siox__trace *t;
  struct siox_bank *bank;
  bool open_loop;
  uint32_t *prepared; /* level each disk starts at, or NULL */
  int64_t now;
  uint32_t *heap, nheap; /* streams whose next point's time is known */
  uint32_t parked;
  uint64_t released;
  struct members {
    uint32_t *client, count, room;
  } * members; /* by communicator */
  struct siox__map uids;
  uint32_t nmembers, members_room;
};

static bool earlier(const struct replay *r, uint32_t a, uint32_t b) {
  const struct siox__stream *x = &r->t->stream[a], *y = &r->t->stream[b];
  const struct siox__op *p = &x->op[x->at], *q = &y->op[y->at];
  if (x->due != y->due)
    return x->due < y->due;
  if (p->at != q->at)
    return p->at < q->at;
  if (p->end != q->end)
    return p->end < q->end;
  return x->client != y->client ? x->client < y->client : x->thread < y->thread;
}

static void push(struct replay *r, uint32_t s) {
  uint32_t i = r->nheap++;
  for (; i > 0 && earlier(r, s, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
    r->heap[i] = r->heap[(i - 1) / 2];
  r->heap[i] = s;
}

static uint32_t pop(struct replay *r) {
  uint32_t top = r->heap[0], last = r->heap[--r->nheap], i = 0, child;
  for (; (child = 2 * i + 1) < r->nheap; i = child) {
    if (child + 1 < r->nheap && earlier(r, r->heap[child + 1], r->heap[child]))
      child++;
    if (!earlier(r, r->heap[child], last))
      break;
    r->heap[i] = r->heap[child];
  }
  r->heap[i] = last;
  return top;
}

/* The latest of what a point follows, as recorded and as replayed; false when some of it has not
 * happened yet, with the head of the list of those who wait for it. */
struct latest {
  int64_t recorded, replayed;
  uint32_t *waiting;
};
static void take_latest(struct latest *l, int64_t recorded, int64_t replayed) {
  l->recorded = recorded > l->recorded ? recorded : l->recorded;
  l->replayed = replayed > l->replayed ? replayed : l->replayed;
}

static bool take_list(struct latest *l, const struct siox__list *list, uint32_t n) {
  if (list->done < n)
    return false;
  if (n)
    take_latest(l, list->recorded[n - 1], list->replayed[n - 1]);
  return true;
}

static bool follows(struct replay *r, const struct siox__stream *s, const struct siox__op *op,
                    struct latest *l) {
  *l = (struct latest){s->base_recorded, s->base, NULL};
  if (op->kind == SIOX__OP_LEAVE) {
    struct siox__client *c = &r->t->client[s->client];
    l->waiting = &c->waiting;
    if (c->streams_left > 1)
      return false;
    if (c->nstreams > 1)
      take_latest(l, c->end_recorded, c->end);
  } else if (op->kind == SIOX__OP_AFTER && op->dep != SIOX__NONE) {
    struct siox__dep *d = &r->t->dep[op->dep];
    l->waiting = &d->waiting;
    if (!d->done)
      return false;
    take_latest(l, d->recorded, d->replayed);
  } else if (op->entries || op->ios || (op->kind == SIOX__OP_EXIT && op->wait == SIOX__WAIT_ROOT)) {
    struct siox__group *g = &r->t->group[op->group];
    l->waiting = &g->waiting;
    if (!take_list(l, &g->entry, op->entries) || !take_list(l, &g->io, op->ios))
      return false;
    if (op->kind == SIOX__OP_EXIT && op->wait == SIOX__WAIT_ROOT) {
      if (!g->root_done)
        return false;
      take_latest(l, g->root_recorded, g->root_replayed);
    }
  }
  return true;
}

static void due_at(struct replay *r, uint32_t stream, int64_t due) {
  struct siox__stream *s = &r->t->stream[stream];
  s->due = due > r->now ? due : r->now;
  push(r, stream);
}

/* The stream's next point: its time, or a place among those who wait. */
static void schedule(struct replay *r, uint32_t stream) {
  struct siox__stream *s = &r->t->stream[stream];
  const struct siox__op *op = &s->op[s->at];
  struct latest l;
  if (r->open_loop) {
    due_at(r, stream, op->at);
  } else if (follows(r, s, op, &l)) {
    due_at(r, stream, l.replayed + (op->at - l.recorded));
  } else {
    s->parked = true;
    s->next_waiting = *l.waiting;
    *l.waiting = stream;
    r->parked++;
  }
}

static void wake(struct replay *r, uint32_t *waiting) {
  uint32_t s = *waiting, next;
  *waiting = SIOX__NONE;
  for (; s != SIOX__NONE; s = next) {
    next = r->t->stream[s].next_waiting;
    r->t->stream[s].parked = false;
    r->parked--;
    schedule(r, s);
  }
}

/* Records are incomplete and everybody waits: the one that has waited longest goes on. */
static void release_one(struct replay *r) {
  uint32_t best = SIOX__NONE;
  for (uint32_t i = 0; i < r->t->nstreams; i++) {
    const struct siox__stream *s = &r->t->stream[i],
                              *b = best == SIOX__NONE ? NULL : &r->t->stream[best];
    if (!s->parked)
      continue;
    if (!b || s->base < b->base ||
        (s->base == b->base &&
         (s->client < b->client || (s->client == b->client && s->thread < b->thread))))
      best = i;
  }
  struct siox__stream *s = &r->t->stream[best];
  struct latest l;
  follows(r, s, &s->op[s->at], &l);
  uint32_t *at = l.waiting;
  while (*at != best)
    at = &r->t->stream[*at].next_waiting;
  *at = s->next_waiting;
  s->parked = false;
  r->parked--;
  r->released++;
  due_at(r, best, s->base + (s->op[s->at].at - s->base_recorded));
}

static void happen(struct replay *r, struct siox__group *g, struct siox__list *l, uint32_t slot,
                   int64_t at) {
  l->replayed[slot] = at;
  l->is_done[slot] = true;
  for (; l->done < l->count && l->is_done[l->done]; l->done++)
    if (l->done && l->replayed[l->done - 1] > l->replayed[l->done])
      l->replayed[l->done] = l->replayed[l->done - 1];
  wake(r, &g->waiting);
}

static void set_dep(struct replay *r, uint32_t dep, int64_t at) {
  r->t->dep[dep].replayed = at;
  r->t->dep[dep].done = true;
  wake(r, &r->t->dep[dep].waiting);
}

static int know_member(struct replay *r, uint64_t uid, uint32_t bank_client) {
  uint32_t *at = siox__map_at(&r->uids, uid, 0, 0);
  if (!at)
    return SIOX_ENOMEM;
  if (*at == SIOX__NONE) {
    if (siox__room(&r->members, r->nmembers, &r->members_room, sizeof *r->members) < 0)
      return SIOX_ENOMEM;
    *at = r->nmembers++;
  }
  struct members *m = &r->members[*at];
  for (uint32_t i = m->count; i-- > 0;)
    if (m->client[i] == bank_client)
      return 0;
  if (siox__room(&m->client, m->count, &m->room, sizeof *m->client) < 0)
    return SIOX_ENOMEM;
  m->client[m->count++] = bank_client;
  return 0;
}

static int do_io(struct replay *r, const struct siox__stream *s, const struct siox__op *op,
                 int64_t *end) {
  struct siox_service service;
  uint32_t bank_client = r->t->client[s->client].bank;
  struct siox_request request = {.arrival = r->now,
                                 .client = bank_client,
                                 .file = op->thing + 1,
                                 .layout = &r->t->file[op->thing].layout,
                                 .offset = op->offset,
                                 .bytes = op->bytes,
                                 .write = op->write};
  if (op->group != SIOX__NONE) {
    uint64_t uid = r->t->group[op->group].uid;
    int rc = know_member(r, uid, bank_client);
    if (rc)
      return rc;
    const struct members *m = &r->members[siox__map_get(&r->uids, uid, 0, 0)];
    request.members = m->client;
    request.nmembers = m->count;
  }
  int rc = siox_bank_access(r->bank, &request, &service);
  *end = service.completion;
  return rc < 0 ? rc : 0;
}

/* A hint's times move with it. */
static int do_hint(struct replay *r, const struct siox__stream *s, const struct siox__op *op) {
  struct siox__hint *h = &r->t->hint[op->thing];
  struct siox_claim_header head = h->head;
  struct siox_claim_run *runs = &r->t->run[h->first_run];
  int64_t shift = r->now - op->at;
  for (uint32_t i = 0; i < head.nruns && shift; i++) {
    int64_t *time[] = {&runs[i].need_by, &runs[i].until};
    for (int k = 0; k < 2; k++)
      if (*time[k] != 0 && *time[k] != SIOX_NEVER &&
          __builtin_add_overflow(*time[k], shift, time[k]))
        *time[k] = SIOX_NEVER;
  }
  head.time = r->now;
  int rc = siox_bank_claim(r->bank, r->now, r->t->client[s->client].bank, &head, runs);
  return rc == SIOX_ENOMEM ? rc : 0; /* one that the bank refuses was refused then, too */
}

static int join(struct replay *r, uint32_t stream) {
  struct siox__client *c = &r->t->client[r->t->stream[stream].client];
  int rc = siox_bank_join(r->bank, r->now, c->job, &c->bank);
  c->start = c->end = r->now;
  c->end_recorded = c->first;
  c->streams_left = c->nstreams;
  for (uint32_t i = 0; i < r->t->nstreams && c->nstreams > 1 && rc >= 0; i++) {
    struct siox__stream *s = &r->t->stream[i];
    if (i == stream || s->client != r->t->stream[stream].client || !s->count)
      continue;
    s->base = r->now;
    s->base_recorded = c->first;
    schedule(r, i);
  }
  return rc < 0 ? rc : 0;
}

static int perform(struct replay *r, uint32_t stream, const struct siox__op *op, int64_t *end) {
  struct siox__stream *s = &r->t->stream[stream];
  struct siox__client *c = &r->t->client[s->client];
  struct siox__group *g = op->group == SIOX__NONE ? NULL : &r->t->group[op->group];
  int rc = 0;
  switch ((enum siox__op_kind)op->kind) {
  case SIOX__OP_JOIN:
    return join(r, stream);
  case SIOX__OP_LEAVE:
    c->finish = r->now;
    return siox_bank_leave(r->bank, r->now, c->bank);
  case SIOX__OP_OPEN:
    rc = siox_bank_open(r->bank, r->now, c->bank, &r->t->file[op->thing].layout);
    return rc < 0 ? rc : 0;
  case SIOX__OP_HINT:
    return do_hint(r, s, op);
  case SIOX__OP_SEND:
    set_dep(r, op->dep, r->now);
    return 0;
  case SIOX__OP_ENTER:
    if (g && op->root) {
      g->root_done = true;
      g->root_replayed = r->now;
    }
    if (op->slot != SIOX__NONE)
      happen(r, g, &g->entry, op->slot, r->now);
    return 0;
  case SIOX__OP_IO:
    rc = do_io(r, s, op, end);
    if (rc == 0 && op->dep != SIOX__NONE)
      set_dep(r, op->dep, *end);
    if (rc == 0 && op->slot != SIOX__NONE)
      happen(r, g, &g->io, op->slot, *end);
    return rc;
  case SIOX__OP_EXIT:
    return g ? know_member(r, g->uid, c->bank) : 0;
  default:
    return 0;
  }
}

/* The stream's point happens; what follows it is scheduled. */
static int step(struct replay *r, uint32_t stream) {
  struct siox__stream *s = &r->t->stream[stream];
  struct siox__client *c = &r->t->client[s->client];
  const struct siox__op *op = &s->op[s->at];
  int64_t end;
  r->now = end = s->due;
  int rc = perform(r, stream, op, &end);
  if (rc < 0)
    return rc;
  siox__account(r->t, s, op, r->now, end);
  s->base = op->async ? r->now : end;
  s->base_recorded = op->async ? op->at : op->end;
  if (++s->at < s->count) {
    schedule(r, stream);
    return 0;
  }
  c->streams_left--;
  c->end = s->base > c->end ? s->base : c->end;
  c->end_recorded = s->base_recorded > c->end_recorded ? s->base_recorded : c->end_recorded;
  wake(r, &c->waiting);
  return 0;
}

static int run(struct replay *r) {
  int rc = 0;
  for (uint32_t i = 0; i < r->t->nclients; i++) {
    struct siox__client *c = &r->t->client[i];
    if (c->main == SIOX__NONE)
      continue;
    struct siox__stream *s = &r->t->stream[c->main];
    s->due = s->base = s->base_recorded = s->op[0].at;
    push(r, c->main);
  }
  while (rc == 0 && (r->nheap || r->parked)) {
    if (!r->nheap)
      release_one(r);
    rc = step(r, pop(r));
  }
  return rc;
}

/* Levels that static:SPEED means, where the disks are to be brought there beforehand. */
static int prepare(struct replay *r, const struct siox_replay_options *o) {
  const struct siox_trace_header *h = r->t->header;
  const struct siox_drive *const *drive = o->drive ? o->drive : h->drive;
  const char *policy = o->policy ? o->policy : h->policy, *speed = policy + strlen("static:");
  if (!o->prepared || strncmp(policy, "static:", strlen("static:")) != 0)
    return 0;
  r->prepared = malloc(((size_t)h->ndisks + 1) * sizeof *r->prepared);
  if (!r->prepared)
    return SIOX_ENOMEM;
  for (uint32_t d = 0; d < h->ndisks; d++)
    r->prepared[d] = siox_drive_level(drive[d], (int32_t)strtol(speed, NULL, 10));
  return 0;
}

/* Adds the way of one disk from its initial level to the prepared one and back. */
static int pay_preparation(const struct siox_drive *drive, uint32_t from, uint32_t to,
                           struct siox_disk_totals *disk) {
  double there, back;
  if (from == to)
    return 0;
  int rc = siox_drive_transition_j(drive, drive->level[from].speed, drive->level[to].speed, &there);
  if (rc == 0)
    rc = siox_drive_transition_j(drive, drive->level[to].speed, drive->level[from].speed, &back);
  if (rc < 0)
    return rc;
  disk->joules[SIOX_DOWN] += from > to ? there : back;
  disk->joules[SIOX_UP] += from > to ? back : there;
  disk->transitions_down++;
  disk->transitions_up++;
  return 0;
}

static int make_bank(struct replay *r, const struct siox_replay_options *o) {
  const struct siox_trace_header *h = r->t->header;
  struct siox_bank_options bank = {.ndisks = h->ndisks,
                                   .drive = o->drive ? o->drive : h->drive,
                                   .initial_level = r->prepared        ? r->prepared
                                                    : o->initial_level ? o->initial_level
                                                                       : h->initial_level,
                                   .policy = o->policy ? o->policy : h->policy,
                                   .hold_factor =
                                       o->hold_factor > 0 ? o->hold_factor : h->hold_factor,
                                   .start = h->start,
                                   .segment = o->segment,
                                   .context = o->context};
  int rc = siox_bank_create(&r->bank, &bank);
  for (uint32_t i = 0; i < r->t->njobs && rc == 0; i++) {
    uint32_t job;
    rc = siox_bank_job(r->bank, r->t->job[i], &job);
    rc = rc < 0 ? rc : job == i ? 0 : SIOX_EPROTO; /* two jobs of one key */
  }
  return rc;
}

static void add_job(struct siox_replay_result *out, const struct siox_job_totals *job) {
  out->hints += job->hints;
  out->granted += job->granted;
  out->refused += job->refused;
  out->requests += job->requests;
  out->missed += job->missed;
}

static int collect(struct replay *r, const struct siox_replay_options *o,
                   struct siox_replay_result *out) {
  out->ndisks = r->t->header->ndisks;
  out->njobs = r->t->njobs;
  out->disk = calloc((size_t)out->ndisks + 1, sizeof *out->disk);
  out->job = calloc((size_t)out->njobs + 1, sizeof *out->job);
  if (!out->disk || !out->job)
    return SIOX_ENOMEM;
  int rc = siox__result_ranks(r->t, out);
  if (rc == 0)
    rc = siox_bank_finish(r->bank, out->end);
  for (uint32_t d = 0; d < out->ndisks && rc >= 0; d++) {
    rc = siox_bank_disk_totals(r->bank, d, &out->disk[d]);
    if (rc >= 0 && r->prepared)
      rc = pay_preparation(siox_bank_view(r->bank)->disk[d].drive,
                           (o->initial_level ? o->initial_level : r->t->header->initial_level)[d],
                           r->prepared[d], &out->disk[d]);
    out->transitions += out->disk[d].transitions_up + out->disk[d].transitions_down;
    for (int k = 0; k < SIOX_NSTATES; k++)
      out->joules_state[k] += out->disk[d].joules[k];
  }
  for (int k = 0; k < SIOX_NSTATES; k++)
    out->joules += out->joules_state[k];
  for (uint32_t j = 0; j <= out->njobs && rc >= 0; j++) {
    rc = siox_bank_job_totals(r->bank, j < out->njobs ? j : SIOX_NOBODY, &out->job[j]);
    out->job[j].key = j < out->njobs ? strdup(r->t->job[j]) : NULL;
    add_job(out, &out->job[j]);
  }
  /* Nobody asked for the preparation: with it, jobs and nobody add up to the disks' joules again.
   */
  for (int k = 0; k < SIOX_NSTATES && r->prepared && rc >= 0; k++) {
    double jobs = 0;
    for (uint32_t j = 0; j <= out->njobs; j++)
      jobs += out->job[j].joules[k];
    out->job[out->njobs].joules[k] += out->joules_state[k] - jobs;
  }
  out->released = r->released;
  out->cut = r->t->cut;
  return rc < 0 ? rc : 0;
}

int siox_replay(const char *path, const struct siox_replay_options *options,
                struct siox_replay_result *result, struct siox_diag *diag) {
  static const struct siox_replay_options none;
  struct siox__trace t;
  struct replay r = {.t = &t, .open_loop = options && options->open_loop};
  memset(result, 0, sizeof *result);
  if (diag)
    diag->text[0] = 0;
  int rc = siox__trace_load(&t, path, NULL, NULL, diag);
  if (rc == 0)
    rc = siox__trace_link(&t);
  if (rc == 0) {
    r.heap = malloc(((size_t)t.nstreams + 1) * sizeof *r.heap);
    rc = r.heap ? prepare(&r, options ? options : &none) : SIOX_ENOMEM;
    rc = rc == 0 ? make_bank(&r, options ? options : &none) : rc;
  }
  if (rc == 0)
    rc = run(&r);
  if (rc == 0)
    rc = collect(&r, options ? options : &none, result);
  if (rc < 0) {
    if (diag && !diag->text[0])
      snprintf(diag->text, sizeof diag->text, "%.400s: cannot be replayed: %s", path,
               siox_strerror(rc));
    siox_replay_free(result);
  }
  for (uint32_t i = 0; i < r.nmembers; i++)
    free(r.members[i].client);
  free(r.members);
  free(r.uids.entry);
  free(r.heap);
  free(r.prepared);
  siox_bank_destroy(r.bank);
  siox__trace_unload(&t);
  return rc;
}
