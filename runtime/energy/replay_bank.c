/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A replay's bank: made beforehand, with the jobs of every track, and read afterwards. */
#include "arbiter/bank_internal.h"
#include "common/hash.h"
#include "energy/replay_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t *initial_level(const struct siox__replay *r) {
  return r->options->initial_level ? r->options->initial_level : r->sim->initial_level;
}

static const struct siox_limits *limits_of(const struct siox__replay *r) {
  return r->options->limits ? r->options->limits : &r->sim->limits;
}

/* Levels that static:SPEED means, where the disks are to be brought there beforehand. */
static int prepare_levels(struct siox__replay *r) {
  const char *speed = strchr(r->options->policy, ':');
  if (!r->options->prepared || !speed || strncmp(r->options->policy, "static:", 7) != 0)
    return 0;
  r->prepared = malloc(((size_t)r->sim->ndisks + 1) * sizeof *r->prepared);
  if (!r->prepared)
    return SIOX_ENOMEM;
  for (uint32_t d = 0; d < r->sim->ndisks; d++)
    r->prepared[d] = siox_drive_level(r->sim->drive[d], (int32_t)strtol(speed + 1, NULL, 10));
  return 0;
}

/* Names of jobs that are taken, by their hash: the last number that was put behind each. Two names
 * of one hash would only leave numbers out. */
static uint32_t *number_of(struct siox__map *names, const char *name) {
  return siox__map_at(names, siox__fnv1a(name, strlen(name)), 0, 0);
}

/* A job of the bank that is nobody else's: the key, or the key with a number. */
static int new_job(struct siox__replay *r, struct siox__map *names, const char *key,
                   uint32_t *job) {
  char name[512];
  uint32_t n = 1, *last = number_of(names, key), *taken = last;
  snprintf(name, sizeof name, "%s", key);
  if (last && *last != SIOX__NONE) {
    for (n = *last + 1;; n++) {
      snprintf(name, sizeof name, "%.480s#%u", key, n);
      taken = number_of(names, name);
      if (!taken || *taken == SIOX__NONE)
        break;
    }
    if (taken)
      *taken = 1;
    taken = taken ? number_of(names, key) : NULL; /* may have moved */
  }
  if (!taken)
    return SIOX_ENOMEM;
  *taken = n;
  int rc = siox__bank_add_job(r->bank, name, job);
  return rc < 0 ? rc : 0;
}

static int make_track(struct siox__replay *r, struct siox__map *names, struct siox__instance *t,
                      uint32_t job, uint64_t *files) {
  const struct siox__sim_job *j = &r->sim->job[job];
  uint32_t n = j->is.trace ? j->index.njobs : 1;
  *t = (struct siox__instance){
      .job = job, .left = j->is.repeats ? j->is.repeats : 1, .files = *files};
  *files += j->is.trace ? j->index.nfiles : 1;
  t->jobs = malloc(((size_t)n + 1) * sizeof *t->jobs);
  if (!t->jobs)
    return SIOX_ENOMEM;
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    char key[512];
    if (!j->is.name)
      snprintf(key, sizeof key, "%s", j->is.trace ? j->index.job[i] : "generated");
    else if (n == 1)
      snprintf(key, sizeof key, "%s", j->is.name);
    else
      snprintf(key, sizeof key, "%.200s/%.200s", j->is.name, j->index.job[i]);
    rc = new_job(r, names, key, &t->jobs[i]);
    if (rc == 0 && j->is.trace) /* SIOX_NOBODY: an import does not know */
      rc = siox_bank_job_user(r->bank, t->jobs[i], j->index.uid[i]);
    if (rc == 0 && j->is.delay_budget >= 0 &&
        siox_bank_view(r->bank)->limits.delay_budget > 0) /* a scheme may set its own */
      rc = siox_bank_job_budget(r->bank, t->jobs[i], j->is.delay_budget);
  }
  return rc;
}

static uint64_t points_of(const struct siox__sim_job *j) {
  const struct siox_sim_generated *g = &j->is.generated;
  if (j->is.trace)
    return j->index.points + 2 * (uint64_t)j->index.nclients;
  uint64_t requests = g->request ? (uint64_t)((g->burst + g->request - 1) / g->request) : 1;
  return g->processes * (2 + g->phases * (requests + g->hints + 2u * g->together));
}

int siox__replay_prepare(struct siox__replay *r) {
  const struct siox_sim *sim = r->sim;
  int rc = prepare_levels(r);
  if (rc)
    return rc;
  struct siox_bank_options bank = {
      .ndisks = sim->ndisks,
      .drive = sim->drive,
      .initial_level = r->prepared ? r->prepared : initial_level(r),
      .policy = r->options->policy,
      .hold_factor = r->options->hold_factor > 0 ? r->options->hold_factor : sim->hold_factor,
      .start = sim->start,
      .segment = r->options->segment,
      .context = r->options->context,
      .limits = *limits_of(r)};
  rc = siox_bank_create(&r->bank, &bank);
  if (rc == 0)
    rc = siox__teller_open(&r->teller, r->bank, r->options->policy);
  struct siox__map names = {0};
  size_t tracks = 0;
  uint64_t files = 0;
  for (uint32_t j = 0; j < sim->njobs; j++)
    tracks += sim->job[j].is.instances ? sim->job[j].is.instances : 1;
  if (rc == 0 && !(r->track = calloc(tracks + 1, sizeof *r->track)))
    rc = SIOX_ENOMEM;
  for (uint32_t j = 0; j < sim->njobs && rc == 0; j++) {
    const struct siox_sim_job *is = &sim->job[j].is;
    uint32_t instances = is->instances ? is->instances : 1;
    r->points += points_of(&sim->job[j]) * instances * (is->repeats ? is->repeats : 1);
    for (uint32_t i = 0; i < instances && rc == 0; i++)
      rc = make_track(r, &names, &r->track[r->ntracks++], j, &files);
  }
  uint32_t job;
  if (rc == 0 && sim->cache.size)
    rc = new_job(r, &names, "server", &job);
  if (rc == 0 && sim->cache.size)
    rc = siox__server_open(&r->server, &sim->cache, r->bank, job);
  free(names.entry);
  return rc;
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

static void add_job(struct siox_replay_result *out, const struct siox_job_totals *job) {
  out->hints += job->hints;
  out->granted += job->granted;
  out->refused += job->refused;
  out->requests += job->requests;
  out->missed += job->missed;
}

static int collect_disks(struct siox__replay *r, struct siox_replay_result *out) {
  int rc = 0;
  for (uint32_t d = 0; d < out->ndisks && rc >= 0; d++) {
    rc = siox_bank_disk_totals(r->bank, d, &out->disk[d]);
    if (rc >= 0 && r->prepared) {
      const struct siox_drive *drive = r->sim->drive[d];
      uint32_t from = initial_level(r) ? initial_level(r)[d] : drive->nlevels - 1;
      rc = pay_preparation(drive, from, r->prepared[d], &out->disk[d]);
    }
    out->transitions += out->disk[d].transitions_up + out->disk[d].transitions_down;
    for (int k = 0; k < SIOX_NSTATES; k++)
      out->joules_state[k] += out->disk[d].joules[k];
  }
  for (int k = 0; k < SIOX_NSTATES; k++)
    out->joules += out->joules_state[k];
  return rc;
}

int siox__replay_collect(struct siox__replay *r, struct siox_replay_result *out) {
  out->ndisks = r->sim->ndisks;
  uint32_t njobs = siox_bank_njobs(r->bank);
  out->disk = calloc((size_t)out->ndisks + 1, sizeof *out->disk);
  out->job = calloc((size_t)njobs + 1, sizeof *out->job);
  if (!out->disk || !out->job)
    return SIOX_ENOMEM;
  int rc = siox__result_ranks(r->run, r->nruns, r->sim->start, out);
  while (rc == 0 && r->server && siox__server_due(r->server) != SIOX_NEVER)
    rc = siox__server_flush(r->server, out->end);
  if (rc == 0)
    rc = siox_bank_finish(r->bank, out->end);
  if (rc >= 0)
    rc = collect_disks(r, out);
  for (uint32_t j = 0; j <= njobs && rc >= 0; j++) {
    rc = siox_bank_job_totals(r->bank, j < njobs ? j : SIOX_NOBODY, &out->job[j]);
    out->job[j].key = j < njobs && out->job[j].key ? strdup(out->job[j].key) : NULL;
    out->njobs = j < njobs ? j + 1 : njobs;
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
  if (r->server) {
    out->cache = r->server->totals;
    out->requests += r->server->memory;
  }
  out->released = r->released;
  for (uint32_t j = 0; j < r->sim->njobs; j++)
    out->cut |= r->sim->job[j].index.cut;
  return rc < 0 ? rc : 0;
}

void siox__replay_close(struct siox__replay *r) {
  for (uint32_t i = 0; i < r->nruns; i++) {
    siox__run_free(r->run[i]);
    free(r->run[i]);
  }
  for (uint32_t i = 0; i < r->ntracks; i++)
    free(r->track[i].jobs);
  for (uint32_t i = 0; i < r->nmembers; i++)
    free(r->members[i].client);
  siox__teller_close(&r->teller);
  siox__server_close(r->server);
  siox_bank_destroy(r->bank);
  free(r->run);
  free(r->track);
  free(r->members);
  free(r->uids.entry);
  free(r->turns.heap);
  free(r->prepared);
}
