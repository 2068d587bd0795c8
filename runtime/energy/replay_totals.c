/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Latencies, what a trace says of itself, and the comparison of two runs. */
#include "energy/replay_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* I/O time of a rank: from issue to completion; of a collective access the whole call, in which the
 * rank waits for what others do for it. */
void siox__account(struct siox__stream *s, const struct siox__op *op, int64_t at, int64_t end) {
  struct siox__process *c = s->client;
  int64_t latency = end - at;
  if (op->kind == SIOX__OP_ENTER && op->group != SIOX__NONE) {
    s->inside = op->group;
    s->synchronous = op->wait == SIOX__WAIT_ALL;
    s->access = op->access;
    s->entered = at;
    return;
  }
  if (op->kind == SIOX__OP_EXIT && op->group == s->inside && s->inside != SIOX__NONE) {
    bool moved = s->access || siox__link_has_io(s->run, op->group);
    s->inside = SIOX__NONE;
    if (!moved)
      return;
    latency = at - s->entered;
  } else if (op->kind != SIOX__OP_IO) {
    return;
  } else if (s->inside != SIOX__NONE) {
    s->access |= op->group == s->inside;
    if (s->access)
      return;
  }
  c->io_ns += latency;
  c->worst_ns = latency > c->worst_ns ? latency : c->worst_ns;
}

int siox__result_ranks(struct siox__run *const *run, uint32_t nruns, int64_t start,
                       struct siox_replay_result *out) {
  size_t n = 0;
  for (uint32_t k = 0; k < nruns; k++)
    n += run[k]->nclients;
  out->rank = calloc(n + 1, sizeof *out->rank);
  if (!out->rank)
    return SIOX_ENOMEM;
  out->start = out->end = start;
  for (uint32_t k = 0; k < nruns; k++)
    for (uint32_t i = 0; i < run[k]->nclients; i++) {
      const struct siox__process *c = &run[k]->client[i];
      if (!c->main)
        continue;
      if (!out->nranks || c->start < out->start)
        out->start = c->start;
      if (!out->nranks || c->finish > out->end)
        out->end = c->finish;
      out->rank[out->nranks++] = (struct siox_replay_rank){.client = c->number,
                                                           .job = c->job,
                                                           .rank = c->rank,
                                                           .io_ns = c->io_ns,
                                                           .worst_ns = c->worst_ns,
                                                           .start = c->start,
                                                           .end = c->finish};
    }
  return 0;
}

/* Recorded segments: parts of one segment are told one by one, so counts and times are weighted by
 * their share. */
struct recorded {
  struct siox__index index;
  struct siox_replay_result *out;
  double nobody[SIOX_NSTATES];
  struct disk_parts {
    double level_ns[SIOX_MAX_LEVELS], up, down, requests, busy_ns, moving_ns, bytes;
  } * disk;
  uint32_t job_room;
  int failed;
};

static void take_segment(void *context, const struct siox_segment *s) {
  struct recorded *r = context;
  if (!r->disk) {
    r->out->ndisks = r->index.header->ndisks;
    r->disk = calloc(r->out->ndisks, sizeof *r->disk);
    r->out->disk = calloc(r->out->ndisks, sizeof *r->out->disk);
  }
  if (!r->disk || !r->out->disk) {
    r->failed = SIOX_ENOMEM;
    return;
  }
  struct disk_parts *d = &r->disk[s->disk];
  double ns = (double)(s->end - s->start) * s->share;
  const struct siox_drive *drive = r->index.header->drive[s->disk];
  r->out->disk[s->disk].joules[s->state] += s->joules;
  r->out->joules_state[s->state] += s->joules;
  if (s->state == SIOX_IDLE || s->state == SIOX_ACTIVE)
    for (uint32_t k = 0; k < drive->nlevels; k++)
      if (drive->level[k].speed == s->from_speed)
        d->level_ns[k] += ns;
  if (s->state == SIOX_ACTIVE) {
    d->busy_ns += ns;
    d->requests += s->share;
    d->bytes += (double)s->bytes * s->share;
  } else if (s->state != SIOX_IDLE) {
    d->moving_ns += ns;
    *(s->state == SIOX_UP ? &d->up : &d->down) += s->share;
  }
  uint32_t job = s->job;
  if (job >= r->index.njobs) { /* SIOX_NOBODY */
    r->nobody[s->state] += s->joules;
    return;
  }
  while (r->job_room <= job) {
    if (siox__room(&r->out->job, r->job_room, &r->job_room, sizeof *r->out->job) < 0) {
      r->failed = SIOX_ENOMEM;
      return;
    }
  }
  r->out->job[job].joules[s->state] += s->joules;
}

static int finish_disks(struct recorded *r) {
  struct siox_replay_result *out = r->out;
  out->ndisks = r->index.header->ndisks;
  if (!out->disk && !(out->disk = calloc((size_t)out->ndisks + 1, sizeof *out->disk)))
    return SIOX_ENOMEM;
  for (uint32_t i = 0; r->disk && i < out->ndisks; i++) {
    struct siox_disk_totals *d = &out->disk[i];
    for (uint32_t k = 0; k < SIOX_MAX_LEVELS; k++)
      d->level_ns[k] = llround(r->disk[i].level_ns[k]);
    d->transitions_up = (uint64_t)llround(r->disk[i].up);
    d->transitions_down = (uint64_t)llround(r->disk[i].down);
    d->requests = (uint64_t)llround(r->disk[i].requests);
    d->bytes = (uint64_t)llround(r->disk[i].bytes);
    d->busy_ns = llround(r->disk[i].busy_ns);
    d->moving_ns = llround(r->disk[i].moving_ns);
    out->transitions += d->transitions_up + d->transitions_down;
  }
  for (int k = 0; k < SIOX_NSTATES; k++)
    out->joules += out->joules_state[k];
  return 0;
}

static int finish_jobs(struct recorded *r) {
  struct siox_replay_result *out = r->out;
  while (r->job_room < r->index.njobs + 1)
    if (siox__room(&out->job, r->job_room, &r->job_room, sizeof *out->job) < 0)
      return SIOX_ENOMEM;
  out->njobs = r->index.njobs;
  for (uint32_t j = 0; j < out->njobs; j++)
    out->job[j].key = strdup(r->index.job[j]);
  memcpy(out->job[out->njobs].joules, r->nobody, sizeof r->nobody);
  return 0;
}

static void count(struct recorded *r, struct siox__stream *s, const struct siox__op *op) {
  struct siox_job_totals *job = &r->out->job[s->client->job];
  siox__account(s, op, op->at, op->end);
  job->requests += op->kind == SIOX__OP_IO;
  job->missed += op->missed;
  job->hints += op->kind == SIOX__OP_HINT;
  r->out->hints += op->kind == SIOX__OP_HINT;
  if (op->kind == SIOX__OP_JOIN)
    s->client->start = op->at;
  else if (op->kind == SIOX__OP_LEAVE)
    s->client->finish = op->at;
}

/* Latencies, from the streams side by side. */
static int count_events(struct recorded *r) {
  struct siox__run run, *runs[1] = {&run};
  int rc = siox__run_open(
      &run, &(struct siox__run_options){.index = &r->index, .hints = SIOX__HINTS_RECORDED});
  while (rc == 0 && siox__run_ahead(&run) != INT64_MAX) {
    uint64_t enough = run.read + 4096;
    while (rc == 0 && siox__run_ahead(&run) != INT64_MAX && run.read < enough)
      rc = siox__run_read_to(&run, siox__run_ahead(&run));
    for (uint32_t i = 0; i < run.nstreams && rc == 0; i++)
      for (struct siox__stream *s = &run.stream[i]; s->count; siox__run_pop(s)) {
        struct siox__op *op = &s->op[s->head];
        count(r, s, op);
        siox__link_over(s, op);
        free(op->hint);
      }
  }
  if (rc == 0)
    rc = siox__result_ranks(runs, 1, r->index.header->start, r->out);
  siox__run_free(&run);
  return rc;
}

int siox_replay_recorded(const char *path, struct siox_replay_result *result,
                         struct siox_diag *diag) {
  struct recorded r = {.out = result};
  memset(result, 0, sizeof *result);
  if (diag)
    diag->text[0] = 0;
  int rc = siox__index_load(
      &r.index, path, &(struct siox__index_options){.segment = take_segment, .segment_context = &r},
      diag);
  rc = rc == 0 && r.failed ? r.failed : rc;
  if (rc == 0)
    rc = finish_disks(&r);
  if (rc == 0)
    rc = finish_jobs(&r);
  if (rc == 0)
    rc = count_events(&r);
  result->requests = r.index.requests;
  result->missed = r.index.missed;
  result->cut = r.index.cut;
  if (rc < 0) {
    if (diag && !diag->text[0])
      snprintf(diag->text, sizeof diag->text, "%.400s: cannot be read: %s", path,
               siox_strerror(rc));
    siox_replay_free(result);
  }
  free(r.disk);
  siox__index_unload(&r.index);
  return rc;
}

void siox_replay_free(struct siox_replay_result *result) {
  for (uint32_t j = 0; result->job && j < result->njobs; j++)
    free((char *)(uintptr_t)result->job[j].key);
  free(result->disk);
  free(result->job);
  free(result->rank);
  memset(result, 0, sizeof *result);
}

/* The run's row of a rank: usually at the same place, as both come from one trace. */
static const struct siox_replay_rank *find(const struct siox_replay_result *base, uint32_t at,
                                           const struct siox_replay_result *run) {
  const struct siox_replay_rank *want = &run->rank[at];
  if (at < base->nranks && base->rank[at].job == want->job && base->rank[at].rank == want->rank)
    return &base->rank[at];
  uint32_t order = 0;
  for (uint32_t i = 0; i < at; i++)
    order += run->rank[i].job == want->job && run->rank[i].rank == want->rank;
  for (uint32_t i = 0; i < base->nranks; i++)
    if (base->rank[i].job == want->job && base->rank[i].rank == want->rank && order-- == 0)
      return &base->rank[i];
  return NULL;
}

struct siox_added siox_added(const struct siox_replay_result *run,
                             const struct siox_replay_result *base) {
  struct siox_added all = {0};
  for (uint32_t i = 0; i < run->nranks; i++) {
    const struct siox_replay_rank *r = &run->rank[i], *b = find(base, i, run);
    if (!b)
      continue;
    int64_t took = b->end - b->start, later = r->end - r->start - took;
    all.io = b->io_ns > 0 ? fmax(all.io, (double)(r->io_ns - b->io_ns) / (double)b->io_ns) : all.io;
    all.run = took > 0 ? fmax(all.run, (double)later / (double)took) : all.run;
    all.io_ns += r->io_ns > b->io_ns ? r->io_ns - b->io_ns : 0;
  }
  return all;
}

double siox_added_io(const struct siox_replay_result *run, const struct siox_replay_result *base) {
  return siox_added(run, base).io;
}
