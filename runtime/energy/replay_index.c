/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one reading of a trace from end to end. */
#include "energy/replay_foresee.h"
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

/* How far a point of time can lie before points that stand ahead of it in the file: the greatest
 * times up to places 1, 2, 4 … back are remembered, so the answer is at most twice too large. */
enum { LEVELS = 40 };
struct siox__marks {
  int64_t latest;
  struct mark {
    uint64_t place;
    int64_t latest; /* of all before the place */
  } mark[LEVELS][2];
};

static void note_point(struct siox__flow *f, int64_t time, bool before_equals) {
  struct siox__marks *m = f->marks;
  int64_t least = before_equals ? time - 1 : time;
  if (m->latest > least) {
    uint64_t place = 0;
    for (int l = 0; l < LEVELS; l++)
      for (int k = 0; k < 2; k++)
        if (m->mark[l][k].latest <= least && m->mark[l][k].place > place)
          place = m->mark[l][k].place;
    uint64_t window = f->points - place + 1;
    if (window > f->window)
      f->window = window < UINT32_MAX / 4 ? (uint32_t)window : UINT32_MAX / 4;
  }
  for (int l = 0; l < LEVELS && f->points % (UINT64_C(1) << l) == 0; l++) {
    m->mark[l][1] = m->mark[l][0];
    m->mark[l][0] = (struct mark){f->points, m->latest};
  }
  m->latest = time > m->latest ? time : m->latest;
  f->points++;
}

static int define_job(struct siox__index *x, const struct siox_trace_event *e, const char *path,
                      struct siox_diag *diag) {
  const uint32_t gap = 1000; /* lost records; a few bytes must not ask for millions of jobs */
  uint32_t number = e->u.job.job;
  if (number > x->njobs + gap)
    return say(diag, path, SIOX_EPROTO, "many jobs are missing before job", number);
  while (x->njobs <=
         number) { /* numbers are the bank's, so they come in order; a gap gets names of its own */
    char name[32];
    snprintf(name, sizeof name, "job-%u", x->njobs);
    if (ROOM(x->job, x->njobs, x->job_room) < 0 || ROOM(x->uid, x->njobs, x->uid_room) < 0 ||
        !(x->job[x->njobs] = strdup(name)))
      return SIOX_ENOMEM;
    x->njobs++;
  }
  char *copy = strdup(e->u.job.key);
  if (!copy)
    return SIOX_ENOMEM;
  free(x->job[number]);
  x->job[number] = copy;
  x->uid[number] = e->u.job.uid;
  return 0;
}

static int define_client(struct siox__index *x, const struct siox_trace_event *e, const char *path,
                         struct siox_diag *diag) {
  if (e->u.client_def.job >= x->njobs)
    return say(diag, path, SIOX_EPROTO, "a client names an undefined job,", e->u.client_def.job);
  uint32_t *at = siox__map_at(&x->clients, e->u.client_def.client, 0, 0);
  if (!at || ROOM(x->client, x->nclients, x->client_room) < 0)
    return SIOX_ENOMEM;
  *at = x->nclients; /* a number used again is another client */
  x->client[x->nclients++] = (struct siox__client_def){.number = e->u.client_def.client,
                                                       .job = e->u.client_def.job,
                                                       .rank = e->u.client_def.rank,
                                                       .awaited = e->u.client_def.rank >= 0,
                                                       .main = SIOX__NONE,
                                                       .own = SIOX__NONE,
                                                       .first = INT64_MAX,
                                                       .last = INT64_MIN};
  return 0;
}

/* As the recording has it, on whatever number of disks, each an array where they are arrays now. */
static bool in_place(const struct siox__index *x, const struct siox__file_def *f) {
  struct siox_layout then = {0}, now = f->layout;
  if (siox_layout_copy(&then, &f->recorded) < 0)
    return false;
  if (!then.array.members && x->array.members)
    (void)siox_layout_over(&then, &x->array); /* where it would be refused, so is the other */
  now.ndisks = then.ndisks;
  bool same = siox_layout_equal(&now, &then);
  siox_layout_free(&then);
  return same;
}

static void note_moved(struct siox__index *x, struct siox__file_def *f) {
  bool moved = !in_place(x, f);
  x->nmoved += (uint32_t)moved - (uint32_t)f->moved;
  f->moved = moved;
  x->moved = x->nmoved || x->renamed;
  x->foreseen = false;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int define_file(struct siox__index *x, const struct siox__index_options *o,
                       const struct siox_trace_event *e, const char *path, struct siox_diag *diag) {
  uint32_t ndisks = o->ndisks ? o->ndisks : x->header->ndisks;
  uint32_t *at = siox__map_at(&x->files, e->u.file.file, 0, 0);
  if (!at || ROOM(x->file, x->nfiles, x->file_room) < 0)
    return SIOX_ENOMEM;
  struct siox_layout recorded = {0}, layout = {0};
  if (siox_layout_parse(&recorded, x->header->ndisks, e->u.file.layout) < 0)
    return say(diag, path, SIOX_EPROTO, "the layout cannot be read of file", e->u.file.file);
  int rc = o->layout ? o->layout(o->layout_context, e->u.file.path, &layout, diag) : 0;
  if (rc == 0 && siox_layout_parse_over(&layout, ndisks, &o->array, e->u.file.layout) < 0) {
    rc = SIOX_ERANGE;
    if (diag)
      snprintf(
          diag->text, sizeof diag->text,
          "%.150s: %.100s lies at %.60s, which %u disks do not have: it needs more `disks`, or an "
          "entry of `layouts`, as {file: \"%.60s\", layout: \"0:%u:64K\"}",
          path, e->u.file.path, e->u.file.layout, ndisks, base_name(e->u.file.path), ndisks);
  }
  if (rc >= 0) {
    x->stated |= recorded.array.members;
    x->unstated |= !recorded.array.members;
  }
  char *name = rc >= 0 ? strdup(e->u.file.path) : NULL;
  if (!name) {
    siox_layout_free(&recorded);
    siox_layout_free(&layout);
    return rc < 0 ? rc : SIOX_ENOMEM;
  }
  x->file[x->nfiles] = (struct siox__file_def){
      .layout = layout, .recorded = recorded, .path = name, .since = x->events, .earlier = *at};
  *at = x->nfiles++;
  note_moved(x, &x->file[*at]);
  return 0;
}

int siox__index_place(struct siox__index *x, uint32_t file, const struct siox_layout *layout) {
  struct siox_layout copy;
  int rc = siox_layout_copy(&copy, layout);
  if (rc)
    return rc;
  siox_layout_free(&x->file[file].layout);
  x->file[file].layout = copy;
  note_moved(x, &x->file[file]);
  return 0;
}

uint32_t siox__index_file(const struct siox__index *x, uint64_t number, uint64_t event) {
  uint32_t file = siox__map_get(&x->files, number, 0, 0);
  while (file != SIOX__NONE && x->file[file].since > event)
    file = x->file[file].earlier;
  return file;
}

/* The flow of an event, with the event's block noted. NULL: no memory. */
static struct siox__flow *flow_of(struct siox__index *x, uint32_t client,
                                  const struct siox_trace_event *e) {
  uint32_t *at = siox__map_at(&x->flows, client, e->thread, 0);
  if (!at)
    return NULL;
  if (*at == SIOX__NONE) {
    if (ROOM(x->flow, x->nflows, x->flow_room) < 0)
      return NULL;
    struct siox__flow *f = &x->flow[x->nflows];
    *f = (struct siox__flow){.client = client, .thread = e->thread};
    if (!(f->marks = calloc(1, sizeof *f->marks)))
      return NULL;
    f->marks->latest = INT64_MIN;
    for (int l = 0; l < LEVELS; l++)
      f->marks->mark[l][0].latest = f->marks->mark[l][1].latest = INT64_MAX;
    *at = x->nflows++;
  }
  struct siox__flow *f = &x->flow[*at];
  uint64_t block = siox__trace_block(x->reader);
  if (!f->nblocks || f->block[f->nblocks - 1].at != block) {
    if (ROOM(f->block, f->nblocks, f->room) < 0)
      return NULL;
    f->block[f->nblocks++] = (struct siox__place){block, x->events};
  }
  return f;
}

static void note_pair(struct siox__flow *f, struct siox__client_def *c, int64_t start, int64_t end,
                      bool encloses) {
  note_point(f, start, encloses);
  note_point(f, end, false);
  c->first = start < c->first ? start : c->first;
  c->last = end > c->last ? end : c->last;
}

static void note_one(struct siox__flow *f, struct siox__client_def *c, int64_t time) {
  note_point(f, time, false);
  c->first = time < c->first ? time : c->first;
  c->last = time > c->last ? time : c->last;
}

static int take(struct siox__index *x, const struct siox_trace_event *e, const char *path,
                struct siox_diag *diag) {
  uint32_t number = siox__map_get(&x->clients, e->client, 0, 0);
  if (number == SIOX__NONE)
    return say(diag, path, SIOX_EPROTO, "an event names an undefined client,", e->client);
  struct siox__flow *f = flow_of(x, number, e);
  if (!f)
    return SIOX_ENOMEM;
  struct siox__client_def *c = &x->client[number];
  x->linked |= e->kind == SIOX_TRACE_SYNC || e->kind == SIOX_TRACE_MESSAGE ||
               (e->kind == SIOX_TRACE_CALL && e->u.call.coll_uid);
  c->awaited &= e->kind != SIOX_TRACE_JOIN || !e->u.join.known;
  switch (e->kind) {
  case SIOX_TRACE_JOIN:
  case SIOX_TRACE_LEAVE:
  case SIOX_TRACE_HINT:
    x->hints += e->kind == SIOX_TRACE_HINT;
    note_one(f, c, e->kind == SIOX_TRACE_HINT ? e->u.hint.time : e->u.join.time);
    return 0;
  case SIOX_TRACE_OPEN:
    if (siox__index_file(x, e->u.open.file, x->events) == SIOX__NONE)
      return say(diag, path, SIOX_EPROTO, "an open names an undefined file,", e->u.open.file);
    note_one(f, c, e->u.open.time);
    return 0;
  case SIOX_TRACE_IO:
    if (siox__index_file(x, e->u.io.file, x->events) == SIOX__NONE)
      return say(diag, path, SIOX_EPROTO, "a request names an undefined file,", e->u.io.file);
    note_one(f, c, e->u.io.arrival);
    c->last = e->u.io.completion > c->last ? e->u.io.completion : c->last;
    x->requests++;
    x->missed += e->u.io.missed;
    return 0;
  case SIOX_TRACE_CALL:
    if (e->u.call.coll_uid)
      note_pair(f, c, e->u.call.start, e->u.call.end, true);
    return 0;
  case SIOX_TRACE_SYNC:
    note_pair(f, c, e->u.sync.enter, e->u.sync.leave, true);
    return 0;
  case SIOX_TRACE_MESSAGE:
    note_pair(f, c, e->u.message.start, e->u.message.end, false);
    return 0;
  case SIOX_TRACE_POSIX:
    return 0;
  default:
    note_pair(f, c, e->u.wait.start, e->u.wait.end, false);
    return 0;
  }
}

/* A client's main stream is that of its first thread with I/O; what the process did as such goes
 * into it. */
static void settle_clients(struct siox__index *x) {
  for (uint32_t i = 0; i < x->nflows; i++) {
    struct siox__flow *f = &x->flow[i];
    struct siox__client_def *c = &x->client[f->client];
    if (f->thread == 0)
      c->own = i;
    else if (c->main == SIOX__NONE || f->thread < x->flow[c->main].thread)
      c->main = i;
    c->nstreams += f->thread != 0;
    x->points += f->points;
    free(f->marks);
    f->marks = NULL;
  }
  for (uint32_t i = 0; i < x->nclients; i++) {
    struct siox__client_def *c = &x->client[i];
    if (c->main == SIOX__NONE && c->own != SIOX__NONE) {
      c->main = c->own;
      c->own = SIOX__NONE;
      c->nstreams = 1;
    }
    if (c->first > c->last)
      c->main = SIOX__NONE; /* it made calls that have no place in time, if any */
  }
}

int siox__index_load(struct siox__index *x, const char *path,
                     const struct siox__index_options *options, struct siox_diag *diag) {
  memset(x, 0, sizeof *x);
  int rc = siox_trace_open(&x->reader, path, diag);
  if (rc)
    return rc;
  x->header = siox_trace_header(x->reader);
  x->ndisks = options->ndisks ? options->ndisks : x->header->ndisks;
  x->array = options->array;
  struct siox_trace_event e;
  while ((rc = siox_trace_read(x->reader, &e, diag)) > 0) {
    rc = 0;
    if (e.kind == SIOX_TRACE_JOB)
      rc = define_job(x, &e, path, diag);
    else if (e.kind == SIOX_TRACE_CLIENT)
      rc = define_client(x, &e, path, diag);
    else if (e.kind == SIOX_TRACE_FILE)
      rc = define_file(x, options, &e, path, diag);
    else if (e.kind == SIOX_TRACE_SEGMENT && options->segment)
      options->segment(options->segment_context, &e.u.segment);
    else if (e.kind != SIOX_TRACE_SITE && e.kind != SIOX_TRACE_SEGMENT)
      rc = take(x, &e, path, diag);
    if (rc < 0)
      break;
    x->events += e.kind > SIOX_TRACE_SITE && e.kind != SIOX_TRACE_SEGMENT;
  }
  if (rc == SIOX_ETRUNCATED) { /* what is there is replayed */
    x->cut = true;
    rc = 0;
    if (diag)
      diag->text[0] = 0;
  }
  x->widen = x->stated ? 0 : options->array.members;
  uint64_t named = (uint64_t)x->header->ndisks * (x->widen ? x->widen : 1);
  x->renamed = x->ndisks < named || (options->array.members && x->stated && x->unstated);
  x->moved |= x->renamed;
  settle_clients(x);
  return rc;
}

void siox__index_unload(struct siox__index *x) {
  for (uint32_t i = 0; i < x->njobs; i++)
    free(x->job[i]);
  for (uint32_t i = 0; i < x->nfiles; i++) {
    siox_layout_free(&x->file[i].layout);
    siox_layout_free(&x->file[i].recorded);
    free(x->file[i].path);
  }
  siox__foresight_free(x->foresight);
  for (uint32_t i = 0; i < x->nflows; i++) {
    free(x->flow[i].block);
    free(x->flow[i].marks);
  }
  void *owned[] = {x->uid,  x->job,           x->client,      x->file,
                   x->flow, x->clients.entry, x->files.entry, x->flows.entry};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  siox_trace_reader_close(x->reader);
  memset(x, 0, sizeof *x);
}
