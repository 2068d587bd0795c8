/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The replay: streams take turns by time, each holding its next point until its time is known. A
 * point comes as long after the latest of what it follows (the point before it in its stream, and
 * what it waited for elsewhere) as it was recorded after the latest of them then. */
#include "energy/replay_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 1 << 16 };              /* points */
static const int64_t latest = INT64_C(1) << 62; /* time that can be told */

static int64_t plus(int64_t a, int64_t b) { /* saturates */
  int64_t sum;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

static struct siox__op *current(const struct siox__stream *s) { return &s->op[s->head]; }

static int due_at(struct siox__replay *r, struct siox__stream *s, int64_t due) {
  if (due > latest)
    return SIOX_ERANGE;
  s->due = due > r->now ? due : r->now;
  return siox__turns_put(&r->turns, s->due, s);
}

/* Think times alone are dilated: not what passes between a collective's last entry and its end, nor
 * a message's way. */
static int64_t distance(const struct siox__stream *s, const struct siox__op *op, int64_t ns) {
  if (s->run->think == 1 || op->inner || s->inside != SIOX__NONE || ns <= 0)
    return ns;
  double longer = (double)ns * s->run->think;
  return longer < 0x1p62 ? llround(longer) : INT64_C(1) << 62;
}

/* The stream's next point: its time, or a place among those who wait. */
static int schedule(struct siox__replay *r, struct siox__stream *s) {
  const struct siox__op *op = current(s);
  struct siox__latest l;
  if (r->options->open_loop)
    return due_at(r, s, op->at);
  if (siox__link_follows(s, op, &l))
    return due_at(r, s, plus(l.replayed, distance(s, op, op->at - l.recorded)));
  s->parked = true;
  s->next_waiting = *l.waiting;
  *l.waiting = s;
  r->parked++;
  return 0;
}

static int wake(struct siox__replay *r, struct siox__stream *list) {
  int rc = 0;
  for (struct siox__stream *s = list, *next; s && rc == 0; s = next) {
    next = s->next_waiting;
    s->next_waiting = NULL;
    s->parked = false;
    r->parked--;
    rc = schedule(r, s);
  }
  return rc;
}

/* Records are incomplete and everybody waits: the one that has waited longest goes on. */
static int release_one(struct siox__replay *r) {
  struct siox__stream *best = NULL;
  for (uint32_t k = 0; k < r->nruns; k++)
    for (uint32_t i = 0; i < r->run[k]->nstreams; i++) {
      struct siox__stream *s = &r->run[k]->stream[i];
      if (!s->parked || (best && current(s)->kind == SIOX__OP_LEAVE))
        continue; /* leaving waits for what else there is */
      if (!best || current(best)->kind == SIOX__OP_LEAVE || s->base < best->base ||
          (s->base == best->base && s->run == best->run &&
           (s->client < best->client || (s->client == best->client && s->thread < best->thread))))
        best = s;
    }
  struct siox__latest l;
  siox__link_follows(best, current(best), &l);
  struct siox__stream **at = l.waiting;
  while (*at != best)
    at = &(*at)->next_waiting;
  *at = best->next_waiting;
  best->next_waiting = NULL;
  best->parked = false;
  r->parked--;
  r->released++;
  const struct siox__op *op = current(best);
  return due_at(r, best, plus(best->base, distance(best, op, op->at - best->base_recorded)));
}

static int know_member(struct siox__replay *r, struct siox__stream *s, uint64_t uid) {
  if (s->member_of == uid)
    return 0;
  uint32_t bank_client = s->client->bank, *at = siox__map_at(&r->uids, uid, s->run->number, 0);
  if (!at)
    return SIOX_ENOMEM;
  if (*at == SIOX__NONE) {
    if (siox__room(&r->members, r->nmembers, &r->members_room, sizeof *r->members) < 0)
      return SIOX_ENOMEM;
    *at = r->nmembers++;
  }
  struct siox__members *m = &r->members[*at];
  s->member_of = uid;
  for (uint32_t i = m->count; i-- > 0;)
    if (m->client[i] == bank_client)
      return 0;
  if (siox__room(&m->client, m->count, &m->room, sizeof *m->client) < 0)
    return SIOX_ENOMEM;
  m->client[m->count++] = bank_client;
  return 0;
}

static const struct siox_layout *layout_of(const struct siox__run *run, uint32_t file) {
  return run->index ? &run->index->file[file].layout : run->generated->layout;
}

static int do_io(struct siox__replay *r, struct siox__stream *s, const struct siox__op *op,
                 int64_t *end) {
  struct siox_service service;
  struct siox_request request = {.arrival = r->now,
                                 .client = s->client->bank,
                                 .file = s->run->files + op->file + 1,
                                 .layout = layout_of(s->run, op->file),
                                 .offset = op->offset,
                                 .bytes = op->bytes,
                                 .write = op->write};
  int rc = 0;
  if (op->group != SIOX__NONE) {
    rc = know_member(r, s, op->uid);
    if (rc)
      return rc;
    const struct siox__members *m =
        &r->members[siox__map_get(&r->uids, op->uid, s->run->number, 0)];
    request.members = m->client;
    request.nmembers = m->count;
  }
  if (s->run->tells)
    rc = siox__tell_access(&r->teller, s->client, r->now, request.layout, op->offset, op->bytes);
  if (rc == 0)
    rc = r->server ? siox__server_access(r->server, &request, &service)
                   : siox_bank_access(r->bank, &request, &service);
  *end = service.completion;
  return rc < 0 ? rc : 0;
}

/* A hint's times move with it, and farther away when think times are dilated. */
static int do_hint(struct siox__replay *r, struct siox__stream *s, const struct siox__op *op) {
  struct siox__hint *h = op->hint;
  for (uint32_t i = 0; i < h->head.nruns; i++) {
    int64_t *time[] = {&h->run[i].need_by, &h->run[i].until};
    for (int k = 0; k < 2; k++)
      if (*time[k] != 0 && *time[k] != SIOX_NEVER &&
          (__builtin_sub_overflow(*time[k], op->at, time[k]) ||
           __builtin_add_overflow(distance(s, op, *time[k]), r->now, time[k])))
        *time[k] = SIOX_NEVER;
  }
  h->head.time = r->now;
  if (s->run->tells)
    return siox__tell(&r->teller, s->client, r->now, h);
  int rc = siox_bank_claim(r->bank, r->now, s->client->bank, &h->head, h->run);
  return rc == SIOX_ENOMEM ? rc : 0; /* one that the bank refuses was refused then, too */
}

static int join(struct siox__replay *r, struct siox__stream *stream) {
  struct siox__process *c = stream->client;
  struct siox__run *run = stream->run;
  int rc = siox_bank_join(r->bank, r->now, c->job, &c->bank);
  if (rc == 0 && c->awaited && !run->truth && !r->taker)
    rc = siox_bank_await(r->bank, c->bank);
  rc = rc < 0 ? rc : 0;
  c->start = c->end = r->now;
  c->end_recorded = c->first;
  c->streams_left = c->nstreams;
  for (uint32_t i = 0; i < run->nstreams && c->nstreams > 1 && rc == 0; i++) {
    struct siox__stream *s = &run->stream[i];
    struct siox__op *op;
    if (s == stream || s->client != c)
      continue;
    s->base = r->now;
    s->base_recorded = c->first;
    rc = siox__run_current(s, &op);
    if (rc == 0 && op)
      rc = schedule(r, s);
  }
  return rc;
}

static int leave(struct siox__replay *r, struct siox__process *c) {
  int rc = siox_bank_leave(r->bank, r->now, c->bank);
  c->finish = r->now;
  c->bank = SIOX__NONE;
  return rc < 0 ? rc : 0;
}

static int perform(struct siox__replay *r, struct siox__stream *s, const struct siox__op *op,
                   int64_t *end) {
  int rc;
  switch ((enum siox__op_kind)op->kind) {
  case SIOX__OP_JOIN:
    return join(r, s);
  case SIOX__OP_LEAVE:
    rc = s->run->truth ? siox__tell_leaving(&r->teller, s->client, r->now) : 0;
    return rc ? rc : leave(r, s->client);
  case SIOX__OP_OPEN:
    rc = siox_bank_open(r->bank, r->now, s->client->bank, layout_of(s->run, op->file));
    return rc < 0 ? rc : 0;
  case SIOX__OP_HINT:
    return op->placed ? siox__truth_give(r, s, op) : do_hint(r, s, op);
  case SIOX__OP_IO:
    return do_io(r, s, op, end);
  case SIOX__OP_EXIT:
    return op->group == SIOX__NONE ? 0 : know_member(r, s, op->uid);
  default:
    return 0;
  }
}

/* Begins the track's next run at a time. */
static int begin_run(struct siox__replay *r, struct siox__instance *t, int64_t at) {
  const struct siox__sim_job *job = &r->sim->job[t->job];
  const struct siox__index *x = job->is.trace ? &job->index : NULL;
  if (at > latest)
    return SIOX_ERANGE;
  if (siox__room(&r->run, r->nruns, &r->run_room, sizeof(struct siox__run *)) < 0 ||
      !(t->run = calloc(1, sizeof *t->run)))
    return SIOX_ENOMEM;
  r->run[r->nruns] = t->run;
  struct siox__run_options o = {.index = x,
                                .generated = &job->is.generated,
                                .shift = x ? at - x->header->start : at,
                                .hints =
                                    r->taker ? SIOX__HINTS_NONE : siox__sim_hints(r->sim, t->job)};
  int rc = siox__run_open(t->run, &o);
  t->run->number = r->nruns++;
  t->run->think = job->is.think > 0 ? job->is.think : 1;
  t->run->files = t->files;
  t->left--;
  const char *argument;
  const struct siox_policy *recorded = x ? siox_policy_find(x->header->policy, &argument) : NULL;
  t->run->truth = o.hints == SIOX__HINTS_PLACED ? job->truth : NULL;
  t->run->tells =
      !x || t->run->truth ||
      (recorded && recorded->lead == SIOX_LEAD_GAP && r->teller.lead == SIOX_LEAD_TRANSITION);
  for (uint32_t i = 0; i < t->run->nclients && rc == 0; i++) {
    struct siox__process *c = &t->run->client[i];
    struct siox__op *op;
    c->job = t->jobs[c->job];
    if (!c->main)
      continue;
    rc = siox__run_current(c->main, &op);
    if (rc)
      break;
    c->main->base = c->main->base_recorded = op->at;
    rc = due_at(r, c->main, op->at);
  }
  return rc;
}

static int run_over(struct siox__replay *r, struct siox__run *run, int64_t end) {
  for (uint32_t i = 0; i < r->ntracks; i++) {
    struct siox__instance *t = &r->track[i];
    if (t->run != run)
      continue;
    siox__run_close(run);
    return t->left ? begin_run(r, t, plus(end, r->sim->job[t->job].is.pause)) : 0;
  }
  return 0;
}

static int stream_over(struct siox__replay *r, struct siox__stream *s) {
  struct siox__process *c = s->client;
  struct siox__stream *waiting = c->waiting;
  c->streams_left--;
  c->end = s->base > c->end ? s->base : c->end;
  c->end_recorded = s->base_recorded > c->end_recorded ? s->base_recorded : c->end_recorded;
  c->waiting = NULL;
  int rc = wake(r, waiting);
  if (rc == 0 && --s->run->live == 0)
    rc = run_over(r, s->run, c->finish);
  return rc;
}

static void tell_request(struct siox__replay *r, const struct siox__stream *s,
                         const struct siox__op *op, int64_t end) {
  if (op->kind == SIOX__OP_IO && r->options->request)
    r->options->request(r->options->request_context,
                        &(struct siox_replay_request){.time = r->now,
                                                      .end = end,
                                                      .file = s->run->files + op->file + 1,
                                                      .offset = op->offset,
                                                      .bytes = (uint64_t)op->bytes,
                                                      .job = s->client->job,
                                                      .write = op->write});
}

/* The stream's point happens; what follows it is scheduled. */
static int step(struct siox__replay *r, struct siox__stream *s) {
  struct siox__op *op = current(s), *next;
  struct siox__stream *waiting = NULL;
  int64_t end;
  r->now = end = s->due;
  int rc = perform(r, s, op, &end);
  op = current(s); /* joining reads other streams of its run, and perhaps this one */
  if (op->hint) {
    free(op->hint);
    op->hint = NULL;
  }
  if (rc < 0)
    return rc;
  siox__link_happened(s, op, r->now, end, &waiting);
  siox__account(s, op, r->now, end);
  tell_request(r, s, op, end);
  bool chance = (r->taker || s->run->truth) && siox__truth_chance(op);
  if (r->taker && (rc = siox__truth_note(r->taker, s, op, r->now)) < 0)
    return rc;
  s->base = op->async ? r->now : end;
  s->base_recorded = op->async ? op->at : op->end;
  siox__link_over(s, op);
  siox__run_pop(s);
  rc = waiting ? wake(r, waiting) : 0;
  if (rc == 0 && chance)
    rc = siox__truth_speak(r, s);
  if (rc == 0)
    rc = siox__run_current(s, &next);
  if (rc < 0)
    return rc;
  return next ? schedule(r, s) : stream_over(r, s);
}

static void progress(struct siox__replay *r) {
  const struct siox_replay_options *o = r->options;
  if (o->progress && ++r->told % PROGRESS_EVERY == 0)
    o->progress(o->progress_context, r->points ? fmin(1, (double)r->told / (double)r->points) : 1);
}

/* Is a server to write back before, or when, the next point is due and anybody is to be reminded?
 */
static bool flush_is_next(const struct siox__replay *r, int64_t due) {
  int64_t flush = siox__server_due(r->server);
  return flush <= due && (!r->teller.count || flush <= siox__teller_next(&r->teller));
}

int siox__replay_run(struct siox__replay *r) {
  int rc = 0;
  for (uint32_t i = 0; i < r->ntracks && rc == 0; i++)
    rc = begin_run(r, &r->track[i], r->sim->start + r->sim->job[r->track[i].job].is.start);
  const struct siox__turn *next;
  while (rc == 0 && ((next = siox__turns_next(&r->turns)) || r->parked)) {
    if (!next)
      rc = release_one(r);
    else if (r->server && flush_is_next(r, next->due))
      rc = siox__server_flush(r->server, siox__server_due(r->server));
    else if (r->teller.count && siox__teller_next(&r->teller) <= next->due)
      rc = siox__teller_remind(&r->teller);
    else
      rc = step(r, siox__turns_take(&r->turns));
    progress(r);
  }
  return rc;
}
