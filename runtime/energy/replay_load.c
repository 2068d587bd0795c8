/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a trace into the replay's lists. */
#include "common/wire.h"
#include "energy/replay_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM(array, count, room) siox__room(&(array), count, &(room), sizeof *(array))

static int say(struct siox_diag *diag, const char *path, int code, const char *what,
               uint64_t number) {
  if (diag)
    snprintf(diag->text, sizeof diag->text, "%.400s: %s %llu", path, what,
             (unsigned long long)number);
  return code;
}

static int define_job(struct siox__trace *t, uint32_t number, const char *key) {
  if (number > 1 << 20)
    return SIOX_ERANGE;
  while (t->njobs <=
         number) { /* numbers are the bank's, so they come in order; a gap gets names of its own */
    char name[32];
    snprintf(name, sizeof name, "job-%u", t->njobs);
    if (ROOM(t->job, t->njobs, t->job_room) < 0 || !(t->job[t->njobs] = strdup(name)))
      return SIOX_ENOMEM;
    t->njobs++;
  }
  char *copy = strdup(key);
  if (!copy)
    return SIOX_ENOMEM;
  free(t->job[number]);
  t->job[number] = copy;
  return 0;
}

static int define_client(struct siox__trace *t, const struct siox_trace_event *e, const char *path,
                         struct siox_diag *diag) {
  if (e->u.client_def.job >= t->njobs)
    return say(diag, path, SIOX_EPROTO, "a client names an undefined job,", e->u.client_def.job);
  uint32_t *at = siox__map_at(&t->clients, e->u.client_def.client, 0, 0);
  if (!at || ROOM(t->client, t->nclients, t->client_room) < 0)
    return SIOX_ENOMEM;
  *at = t->nclients; /* a number used again is another client */
  t->client[t->nclients++] = (struct siox__client){.number = e->u.client_def.client,
                                                   .job = e->u.client_def.job,
                                                   .rank = e->u.client_def.rank,
                                                   .main = SIOX__NONE,
                                                   .bank = SIOX__NONE,
                                                   .waiting = SIOX__NONE,
                                                   .first = INT64_MAX,
                                                   .last = INT64_MIN};
  return 0;
}

static int define_file(struct siox__trace *t, const struct siox_trace_event *e, const char *path,
                       struct siox_diag *diag) {
  uint32_t *at = siox__map_at(&t->files, e->u.file.file, 0, 0);
  if (!at || ROOM(t->file, t->nfiles, t->file_room) < 0)
    return SIOX_ENOMEM;
  struct siox_layout layout = {0};
  if (siox_layout_parse(&layout, t->header->ndisks, e->u.file.layout) < 0)
    return say(diag, path, SIOX_EPROTO, "the layout cannot be read of file", e->u.file.file);
  *at = t->nfiles;
  t->file[t->nfiles++].layout = layout;
  return 0;
}

/* Stream of an event; threads are told apart, thread 0 (what the process does as such) is merged
 * later. */
static struct siox__stream *stream_of(struct siox__trace *t, const struct siox_trace_event *e) {
  uint32_t client = siox__map_get(&t->clients, e->client, 0, 0);
  if (client == SIOX__NONE)
    return NULL;
  uint32_t *at = siox__map_at(&t->streams, client, e->thread, 0);
  if (!at)
    return NULL;
  if (*at == SIOX__NONE) {
    if (ROOM(t->stream, t->nstreams, t->stream_room) < 0)
      return NULL;
    *at = t->nstreams;
    t->stream[t->nstreams++] = (struct siox__stream){.client = client,
                                                     .thread = e->thread,
                                                     .open_call = SIOX__NONE,
                                                     .in_group = SIOX__NONE,
                                                     .next_waiting = SIOX__NONE};
  }
  return &t->stream[*at];
}

static struct siox__op *add(struct siox__trace *t, struct siox__stream *s, enum siox__op_kind kind,
                            int64_t at) {
  struct siox__op *op = siox__op_add(s, kind, at, t->norder += 2);
  if (!op)
    return NULL;
  struct siox__client *c = &t->client[s->client];
  c->first = at < c->first ? at : c->first;
  c->last = at > c->last ? at : c->last;
  return op;
}

static uint32_t group_of(struct siox__trace *t, uint64_t uid, uint64_t seq) {
  if (!uid)
    return SIOX__NONE;
  uint32_t *at = siox__map_at(&t->groups, uid, seq, 0);
  if (!at || (*at == SIOX__NONE && ROOM(t->group, t->ngroups, t->group_room) < 0))
    return SIOX__NONE;
  if (*at == SIOX__NONE) {
    *at = t->ngroups;
    t->group[t->ngroups++] = (struct siox__group){.uid = uid, .waiting = SIOX__NONE};
  }
  return *at;
}

/* A collective's two ends. A synchronising MPI-IO call is told twice, as CALL and as SYNC: one pair
 * is kept. */
static int add_pair(struct siox__trace *t, struct siox__stream *s, int64_t enter, int64_t leave,
                    uint32_t group, enum siox__wait wait_enter, enum siox__wait wait, bool root) {
  uint32_t last = s->open_call;
  if (last != SIOX__NONE && s->op[last].group == group && s->op[last].at == leave &&
      s->op[last - 1].at == enter) {
    s->op[last].wait = wait;
    s->op[last - 1].wait = wait_enter;
    s->op[last - 1].root = root;
    return 0;
  }
  uint32_t inner = s->count;
  while (inner > 0 && s->op[inner - 1].at >= enter)
    inner--;
  struct siox__op *op = add(t, s, SIOX__OP_ENTER, enter);
  if (!op)
    return SIOX_ENOMEM;
  if (inner < s->count - 1) /* what happened inside was told before */
    op->order = s->op[inner].order - 1;
  op->group = group;
  op->wait = wait_enter;
  op->root = root;
  if (!(op = add(t, s, SIOX__OP_EXIT, leave)))
    return SIOX_ENOMEM;
  op->group = group;
  op->wait = wait;
  return 0;
}

static int add_sync(struct siox__trace *t, struct siox__stream *s,
                    const struct siox_trace_event *e) {
  bool root = e->u.sync.root == e->u.sync.self;
  enum siox__wait wait = SIOX__WAIT_ALL;
  if (e->u.sync.kind == SIOX_SYNC_FROM_ROOT)
    wait = root ? SIOX__WAIT_NONE : SIOX__WAIT_ROOT;
  else if (e->u.sync.kind == SIOX_SYNC_TO_ROOT)
    wait = root ? SIOX__WAIT_ALL : SIOX__WAIT_NONE;
  return add_pair(t, s, e->u.sync.enter, e->u.sync.leave, group_of(t, e->u.sync.uid, e->u.sync.seq),
                  SIOX__WAIT_ALL, wait, root);
}

static int add_call(struct siox__trace *t, struct siox__stream *s,
                    const struct siox_trace_event *e) {
  uint32_t group = group_of(t, e->u.call.coll_uid, e->u.call.coll_seq);
  if (group == SIOX__NONE)
    return 0; /* the requests below it say it all */
  int rc = add_pair(t, s, e->u.call.start, e->u.call.end, group, SIOX__WAIT_NONE, SIOX__WAIT_NONE,
                    false);
  s->open_call = s->count - 1;
  return rc;
}

static int add_io(struct siox__trace *t, struct siox__stream *s, const struct siox_trace_event *e,
                  const char *path, struct siox_diag *diag) {
  uint32_t file = siox__map_get(&t->files, e->u.io.file, 0, 0);
  if (file == SIOX__NONE)
    return say(diag, path, SIOX_EPROTO, "a request names an undefined file,", e->u.io.file);
  struct siox__op *op = add(t, s, SIOX__OP_IO, e->u.io.arrival);
  if (!op)
    return SIOX_ENOMEM;
  op->end = e->u.io.completion;
  op->thing = file;
  op->group = group_of(t, e->u.io.coll_uid, e->u.io.coll_seq);
  op->write = e->u.io.op == SIOX_IO_WRITE;
  op->missed = e->u.io.missed;
  op->async = e->u.io.flags & SIOX_IO_ASYNC;
  op->offset = e->u.io.offset;
  op->bytes = e->u.io.bytes;
  op->dep = op->async ? e->u.io.request : SIOX__NONE; /* the number, until it is linked */
  t->requests_seen++;
  t->missed_seen += op->missed;
  struct siox__client *c = &t->client[s->client];
  c->last = op->end > c->last ? op->end : c->last;
  return 0;
}

static int add_hint(struct siox__trace *t, struct siox__stream *s,
                    const struct siox_trace_event *e) {
  struct siox__op *op = add(t, s, SIOX__OP_HINT, e->u.hint.time);
  if (!op || ROOM(t->hint, t->nhints, t->hint_room) < 0)
    return SIOX_ENOMEM;
  op->thing = t->nhints;
  t->hint[t->nhints++] = (struct siox__hint){e->u.hint.head, t->nruns};
  for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
    if (ROOM(t->run, t->nruns, t->run_room) < 0)
      return SIOX_ENOMEM;
    t->run[t->nruns++] = e->u.hint.runs[i];
  }
  return 0;
}

/* The nth message of (communicator, sender, receiver, tag); SEND and AFTER carry the channel until
 * they are linked. */
static int add_message(struct siox__trace *t, struct siox__stream *s,
                       const struct siox_trace_event *e) {
  int32_t from = e->u.message.receive ? e->u.message.peer : e->u.message.self;
  int32_t to = e->u.message.receive ? e->u.message.self : e->u.message.peer;
  uint32_t *at =
      siox__map_at(&t->channels, e->u.message.uid, (uint64_t)(uint32_t)from << 32 | (uint32_t)to,
                   (uint64_t)(uint32_t)e->u.message.tag);
  if (!at)
    return SIOX_ENOMEM;
  if (*at == SIOX__NONE)
    *at = t->channels.count - 1;
  uint32_t channel = *at;
  struct siox__op *op =
      add(t, s, e->u.message.receive ? SIOX__OP_POINT : SIOX__OP_SEND, e->u.message.start);
  if (!op)
    return SIOX_ENOMEM;
  if (!e->u.message.receive)
    op->thing = channel;
  op = add(t, s, e->u.message.receive ? SIOX__OP_AFTER : SIOX__OP_POINT, e->u.message.end);
  if (op && e->u.message.receive)
    op->thing = channel;
  return op ? 0 : SIOX_ENOMEM;
}

static int add_wait(struct siox__trace *t, struct siox__stream *s,
                    const struct siox_trace_event *e) {
  struct siox__op *op = add(t, s, SIOX__OP_POINT, e->u.wait.start);
  if (!op || !(op = add(t, s, SIOX__OP_AFTER, e->u.wait.end)))
    return SIOX_ENOMEM;
  op->dep = e->u.wait.request; /* the number, until it is linked */
  return 0;
}

static int take(struct siox__trace *t, const struct siox_trace_event *e, const char *path,
                struct siox_diag *diag) {
  if (e->kind == SIOX_TRACE_JOB)
    return define_job(t, e->u.job.job, e->u.job.key);
  if (e->kind == SIOX_TRACE_CLIENT)
    return define_client(t, e, path, diag);
  if (e->kind == SIOX_TRACE_FILE)
    return define_file(t, e, path, diag);
  if (e->kind == SIOX_TRACE_SITE || e->kind == SIOX_TRACE_SEGMENT)
    return 0;
  if (siox__map_get(&t->clients, e->client, 0, 0) == SIOX__NONE)
    return say(diag, path, SIOX_EPROTO, "an event names an undefined client,", e->client);
  struct siox__stream *s = stream_of(t, e);
  if (!s || t->norder > UINT32_MAX - 16)
    return SIOX_ENOMEM;
  struct siox__client *c = &t->client[s->client];
  if (e->kind != SIOX_TRACE_SYNC)
    s->open_call = SIOX__NONE;
  switch (e->kind) {
  case SIOX_TRACE_JOIN:
    c->has_join = true;
    return add(t, s, SIOX__OP_JOIN, e->u.join.time) ? 0 : SIOX_ENOMEM;
  case SIOX_TRACE_LEAVE:
    c->has_leave = true;
    return add(t, s, SIOX__OP_LEAVE, e->u.leave.time) ? 0 : SIOX_ENOMEM;
  case SIOX_TRACE_OPEN: {
    uint32_t file = siox__map_get(&t->files, e->u.open.file, 0, 0);
    if (file == SIOX__NONE)
      return say(diag, path, SIOX_EPROTO, "an open names an undefined file,", e->u.open.file);
    struct siox__op *op = add(t, s, SIOX__OP_OPEN, e->u.open.time);
    if (op)
      op->thing = file;
    return op ? 0 : SIOX_ENOMEM;
  }
  case SIOX_TRACE_IO:
    return add_io(t, s, e, path, diag);
  case SIOX_TRACE_HINT:
    return add_hint(t, s, e);
  case SIOX_TRACE_CALL:
    return add_call(t, s, e);
  case SIOX_TRACE_SYNC:
    return add_sync(t, s, e);
  case SIOX_TRACE_MESSAGE:
    return add_message(t, s, e);
  default:
    return add_wait(t, s, e);
  }
}

int siox__trace_load(struct siox__trace *t, const char *path, siox_segment_fn segment,
                     void *context, struct siox_diag *diag) {
  memset(t, 0, sizeof *t);
  int rc = siox_trace_open(&t->reader, path, diag);
  if (rc)
    return rc;
  t->header = siox_trace_header(t->reader);
  struct siox_trace_event e;
  while ((rc = siox_trace_read(t->reader, &e, diag)) > 0) {
    if (e.kind == SIOX_TRACE_SEGMENT && segment)
      segment(context, &e.u.segment);
    rc = take(t, &e, path, diag);
    if (rc < 0)
      break;
  }
  if (rc == SIOX_ETRUNCATED) { /* what is there is replayed */
    t->cut = true;
    rc = 0;
    if (diag)
      diag->text[0] = 0;
  }
  return rc;
}

void siox__trace_unload(struct siox__trace *t) {
  for (uint32_t i = 0; i < t->njobs; i++)
    free(t->job[i]);
  for (uint32_t i = 0; i < t->nstreams; i++)
    free(t->stream[i].op);
  for (uint32_t i = 0; i < t->nfiles; i++)
    siox_layout_free(&t->file[i].layout);
  for (uint32_t i = 0; i < t->ngroups; i++) {
    struct siox__list *list[] = {&t->group[i].entry, &t->group[i].io};
    for (int k = 0; k < 2; k++) {
      free(list[k]->recorded);
      free(list[k]->replayed);
      free(list[k]->is_done);
    }
  }
  void *owned[] = {t->job,
                   t->client,
                   t->stream,
                   t->file,
                   t->hint,
                   t->run,
                   t->group,
                   t->dep,
                   t->clients.entry,
                   t->streams.entry,
                   t->files.entry,
                   t->groups.entry,
                   t->channels.entry,
                   t->requests.entry};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  siox_trace_reader_close(t->reader);
  memset(t, 0, sizeof *t);
}
