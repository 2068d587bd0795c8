/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The simulator's jobs, and the plain replay of one trace, which is a simulation of one job on the
 * disks of its record. */
#include "siox/sim.h"
#include "energy/replay_foresee.h"
#include "energy/replay_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int siox_sim_create(struct siox_sim **out, const struct siox_sim_options *options) {
  *out = NULL;
  const struct siox_cache_options *c = &options->cache;
  if (!options->ndisks || options->ndisks > SIOX_MAX_DISKS)
    return SIOX_ERANGE;
  if (c->size &&
      (!c->block || c->block > UINT64_C(1) << 30 || c->block > c->size || !(c->rate > 0) ||
       c->read_ahead > c->size / 2 || c->dirty_limit > c->size || c->flush_age < 0))
    return SIOX_ERANGE;
  struct siox_sim *sim = calloc(1, sizeof *sim);
  if (!sim)
    return SIOX_ENOMEM;
  sim->ndisks = options->ndisks;
  sim->drive = options->drive;
  sim->initial_level = options->initial_level;
  sim->hold_factor = options->hold_factor;
  sim->array = options->array;
  sim->cache = *c;
  if (options->limits)
    sim->limits = *options->limits;
  *out = sim;
  return 0;
}

static int refuse(struct siox_diag *diag, int code, const char *what) {
  if (diag)
    snprintf(diag->text, sizeof diag->text, "%s", what);
  return code;
}

static int check_generated(const struct siox_sim_generated *g, uint32_t ndisks,
                           struct siox_diag *diag) {
  if (!g->processes || !g->phases)
    return refuse(diag, SIOX_EINVAL, "a generated job needs processes and phases");
  if (g->gap_ns < 0 || (double)g->gap_ns * g->phases > 0x1p61)
    return refuse(diag, SIOX_EINVAL,
                  "a gap is negative, or all gaps together are longer than 2^61 ns");
  if (g->burst <= 0 || g->request < 0)
    return refuse(diag, SIOX_EINVAL, "a burst has at least one byte");
  if ((double)g->burst * g->phases * g->processes > 0x1p62)
    return refuse(diag, SIOX_EINVAL,
                  "all bursts together exceed the greatest offset of a file, 4294967296G");
  if (!(g->error >= 0 && g->error <= 1))
    return refuse(diag, SIOX_EINVAL, "the error is not between 0 and 1");
  if (!(g->jitter >= 0 && g->jitter <= 1))
    return refuse(diag, SIOX_EINVAL, "the jitter is not between 0 and 1");
  if (!g->layout || g->layout->ndisks != ndisks)
    return refuse(diag, SIOX_EINVAL, "a generated job needs a layout over the disks");
  return 0;
}

static int add(struct siox_sim *sim, const struct siox_sim_job *job, uint32_t ndisks,
               struct siox_diag *diag) {
  if (siox__room(&sim->job, sim->njobs, &sim->room, sizeof *sim->job) < 0)
    return SIOX_ENOMEM;
  for (uint32_t i = 0; i < sim->njobs; i++) /* what points into itself may have moved */
    if (sim->job[i].placed.nodes)
      sim->job[i].is.generated.layout = &sim->job[i].placed;
  struct siox__sim_job *j = &sim->job[sim->njobs];
  memset(j, 0, sizeof *j);
  j->is = *job;
  j->is.name = job->name ? strdup(job->name) : NULL;
  j->is.trace = job->trace ? strdup(job->trace) : NULL;
  if (job->hints != SIOX_SIM_GIVE_RECORDED)
    j->is.generated.hints = false;
  sim->njobs++;
  if ((job->name && !j->is.name) || (job->trace && !j->is.trace))
    return SIOX_ENOMEM;
  if (!job->trace)
    return 0;
  return siox__index_load(&j->index, job->trace,
                          &(struct siox__index_options){.ndisks = ndisks,
                                                        .array = sim->array,
                                                        .layout = job->layout,
                                                        .layout_context = job->layout_context},
                          diag);
}

int siox_sim_add(struct siox_sim *sim, const struct siox_sim_job *job, struct siox_diag *diag) {
  if (diag)
    diag->text[0] = 0;
  int rc = 0;
  if (job->start < 0 || job->pause < 0 || job->start > INT64_C(1) << 61 ||
      job->pause > INT64_C(1) << 61)
    rc = refuse(diag, SIOX_EINVAL, "a start or pause is negative or too long");
  else if (job->think > 1e9 || isnan(job->think))
    rc = refuse(diag, SIOX_EINVAL, "the factor on think times is too large");
  else if ((unsigned)job->hints > SIOX_SIM_GIVE_NONE)
    rc = refuse(diag, SIOX_EINVAL, "no such hints");
  else if (!job->trace)
    rc = check_generated(&job->generated, sim->ndisks, diag);
  rc = rc ? rc : add(sim, job, sim->ndisks, diag);
  if (rc < 0 && diag && !diag->text[0])
    refuse(diag, rc, siox_strerror(rc));
  return rc;
}

const struct siox_trace_header *siox_sim_header(const struct siox_sim *sim, uint32_t index) {
  return index < sim->njobs ? sim->job[index].index.header : NULL;
}

/* Whether the trace's hints say when a disk is needed: those given for a policy that takes a whole
 * gap. */
static bool hints_name_times(const struct siox__index *x) {
  const char *argument;
  const struct siox_policy *p = siox_policy_find(x->header->policy, &argument);
  return p && p->lead == SIOX_LEAD_GAP;
}

enum siox_sim_hints siox_sim_hints(const struct siox_sim *sim, uint32_t index) {
  if (index < sim->njobs && sim->job[index].is.hints == SIOX_SIM_GIVE_TRUTH)
    return SIOX_SIM_HINTS_TRUTH;
  if (index >= sim->njobs || !sim->job[index].is.trace || !sim->job[index].index.hints ||
      sim->job[index].is.hints == SIOX_SIM_GIVE_NONE)
    return SIOX_SIM_HINTS_NONE;
  const struct siox__index *x = &sim->job[index].index;
  if (!x->moved && !(sim->foresee && hints_name_times(x)))
    return SIOX_SIM_HINTS_RECORDED;
  return hints_name_times(x) ? SIOX_SIM_HINTS_DERIVED : SIOX_SIM_HINTS_LEFT_OUT;
}

enum siox__hints siox__sim_hints(const struct siox_sim *sim, uint32_t index) {
  enum siox_sim_hints hints = siox_sim_hints(sim, index);
  return hints == SIOX_SIM_HINTS_RECORDED  ? SIOX__HINTS_RECORDED
         : hints == SIOX_SIM_HINTS_DERIVED ? SIOX__HINTS_FORESEEN
         : hints == SIOX_SIM_HINTS_TRUTH   ? SIOX__HINTS_PLACED
                                           : SIOX__HINTS_NONE;
}

void siox_sim_derive(struct siox_sim *sim, bool always) { sim->foresee = always; }

static int foresee(struct siox_sim *sim) {
  int rc = 0;
  for (uint32_t i = 0; i < sim->njobs && rc == 0; i++) {
    struct siox__index *x = &sim->job[i].index;
    enum siox__hints hints = siox__sim_hints(sim, i);
    if (hints == SIOX__HINTS_PLACED && !sim->job[i].truth)
      rc = siox__truth_place(&sim->job[i].truth, sim, i);
    if (hints != SIOX__HINTS_FORESEEN || x->foreseen)
      continue;
    if (!x->foresight)
      rc = siox__foresight_load(&x->foresight, x, sim->job[i].is.trace);
    if (rc == 0)
      rc = siox__foresight_place(x->foresight, x);
    x->foreseen = rc == 0;
  }
  return rc;
}

const char *siox_sim_trace(const struct siox_sim *sim, uint32_t index) {
  return index < sim->njobs ? sim->job[index].is.trace : NULL;
}

uint32_t siox_sim_nfiles(const struct siox_sim *sim, uint32_t index) {
  if (index >= sim->njobs)
    return 0;
  return sim->job[index].is.trace ? sim->job[index].index.nfiles : 1;
}

const char *siox_sim_file(const struct siox_sim *sim, uint32_t index, uint32_t file,
                          const struct siox_layout **layout) {
  if (file >= siox_sim_nfiles(sim, index))
    return NULL;
  const struct siox__sim_job *j = &sim->job[index];
  if (layout)
    *layout = j->is.trace ? &j->index.file[file].layout : j->is.generated.layout;
  return j->is.trace ? j->index.file[file].path : NULL;
}

int siox_sim_place(struct siox_sim *sim, uint32_t index, uint32_t file,
                   const struct siox_layout *layout) {
  if (file >= siox_sim_nfiles(sim, index) || layout->ndisks != sim->ndisks)
    return SIOX_EINVAL;
  struct siox__sim_job *j = &sim->job[index];
  siox__truth_free(j->truth); /* it was of where files lay */
  j->truth = NULL;
  if (j->is.trace)
    return siox__index_place(&j->index, file, layout);
  struct siox_layout copy;
  int rc = siox_layout_copy(&copy, layout);
  if (rc)
    return rc;
  siox_layout_free(&j->placed);
  j->placed = copy;
  j->is.generated.layout = &j->placed;
  return 0;
}

bool siox_sim_waits_told(const struct siox_sim *sim, uint32_t index) {
  const struct siox__sim_job *job = &sim->job[index];
  if (!job->is.trace || job->index.nclients < 2)
    return true;
  enum siox_trace_waits waits = job->index.header->waits;
  return waits == SIOX_WAITS_UNSAID ? job->index.linked : waits == SIOX_WAITS_TOLD;
}

uint32_t siox_sim_most_pieces(const struct siox_sim *sim) {
  uint32_t most = 1, one;
  for (uint32_t j = 0; j < sim->njobs; j++) {
    const struct siox__sim_job *job = &sim->job[j];
    if (!job->is.trace && (one = siox_layout_most_pieces(job->is.generated.layout)) > most)
      most = one;
    for (uint32_t f = 0; f < job->index.nfiles; f++)
      if ((one = siox_layout_most_pieces(&job->index.file[f].layout)) > most)
        most = one;
  }
  return most;
}

int siox_sim_run(struct siox_sim *sim, const struct siox_replay_options *options,
                 struct siox_replay_result *result, struct siox_diag *diag) {
  struct siox__replay r = {.sim = sim, .options = options, .now = INT64_MIN};
  memset(result, 0, sizeof *result);
  if (diag)
    diag->text[0] = 0;
  int rc = options->policy ? foresee(sim) : SIOX_EINVAL;
  if (rc == 0)
    rc = siox__replay_prepare(&r);
  if (rc == 0)
    rc = siox__replay_run(&r);
  if (rc == 0)
    rc = siox__replay_collect(&r, result);
  siox__replay_close(&r);
  if (rc < 0) {
    if (diag)
      snprintf(diag->text, sizeof diag->text, "%.400s: cannot be replayed: %s",
               sim->path         ? sim->path
               : options->policy ? options->policy
                                 : "no policy",
               siox_strerror(rc));
    siox_replay_free(result);
  }
  return rc;
}

void siox_sim_destroy(struct siox_sim *sim) {
  if (!sim)
    return;
  for (uint32_t j = 0; j < sim->njobs; j++) {
    siox__index_unload(&sim->job[j].index);
    siox_layout_free(&sim->job[j].placed);
    siox__truth_free(sim->job[j].truth);
    free((char *)(uintptr_t)sim->job[j].is.name);
    free((char *)(uintptr_t)sim->job[j].is.trace);
  }
  free(sim->job);
  free(sim);
}

int siox_replay(const char *path, const struct siox_replay_options *options,
                struct siox_replay_result *result, struct siox_diag *diag) {
  struct siox_replay_options o = options ? *options : (struct siox_replay_options){0};
  struct siox_sim *sim = calloc(1, sizeof *sim);
  memset(result, 0, sizeof *result);
  if (diag)
    diag->text[0] = 0;
  int rc = sim ? add(sim, &(struct siox_sim_job){.trace = path, .delay_budget = -1}, 0, diag)
               : SIOX_ENOMEM;
  if (rc == 0) {
    const struct siox_trace_header *h = sim->job[0].index.header;
    sim->ndisks = h->ndisks;
    sim->drive = o.drive ? o.drive : h->drive;
    sim->initial_level = h->initial_level;
    sim->hold_factor = h->hold_factor;
    if (h->limits)
      sim->limits = *h->limits;
    sim->start = h->start;
    sim->path = path;
    o.policy = o.policy ? o.policy : h->policy;
    rc = siox_sim_run(sim, &o, result, diag);
  } else if (diag && !diag->text[0]) {
    snprintf(diag->text, sizeof diag->text, "%.400s: cannot be replayed: %s", path,
             siox_strerror(rc));
  }
  siox_sim_destroy(sim);
  return rc;
}
