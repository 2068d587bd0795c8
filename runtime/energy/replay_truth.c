/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the uses of a job's processes to what they say. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

/* A gap shorter than this part of a drive's quickest change is none: not a thousandth of what
 * standing takes can be saved in it, and a burst of requests has many such. */
enum { WORTH = 1000 };

struct placer {
  struct siox__truth *truth;
  const struct siox__truth_taker *taken;
  const struct siox__sim_job *job;
  const struct siox_drive *const *drive;
  uint32_t ndisks;
  int64_t *next;  /* by disk: its next use, SIOX_NEVER */
  int64_t *said;  /* by disk: the next use after the chance, of those that are wanted */
  int64_t *least; /* by disk: the shortest gap that is one */
  int64_t *last;  /* by disk: when the last of all uses begins; INT64_MIN: there is none */
  struct siox_mask used, wanted; /* in one burst; since the chance before */
  bool fresh;                    /* nothing was told before of some of them: nothing is left out */
  bool idle_known;               /* a process has said which disks no process uses */
};

static const struct siox_layout *layout_of(const void *job, uint32_t file) {
  const struct siox__sim_job *j = job;
  return j->is.trace ? &j->index.file[file].layout : j->is.generated.layout;
}

static int64_t least_gap(const struct siox_drive *drive) {
  int64_t least = SIOX_NEVER;
  uint32_t top = drive->nlevels - 1;
  for (uint32_t l = 0; l < top; l++) {
    int64_t ns = siox_drive_transition_ns(drive, drive->level[top].speed, drive->level[l].speed);
    least = ns >= 0 && ns < least ? ns : least;
  }
  return least == SIOX_NEVER ? 0 : least / WORTH;
}

/* Whether it saves anything to let a disk go to its lowest speed so long before the run ends, the
 * way back included. */
static bool pays(const struct siox_drive *drive, int64_t gap) {
  uint32_t top = drive->nlevels - 1, low = siox_drive_level(drive, SIOX_SPEED_LOWEST);
  double full = drive->level[top].speed, to = drive->level[low].speed, down, up;
  int64_t ns = siox_drive_transition_ns(drive, full, to);
  if (ns < 0 || (ns > gap && !drive->ramp))
    return false;
  if (ns > gap)
    to = full - (double)gap / drive->ramp_ns_per_speed;
  if (siox_drive_transition_j(drive, full, to, &down) < 0 ||
      siox_drive_transition_j(drive, to, full, &up) < 0)
    return false;
  double rest = ns < gap ? drive->level[low].idle_w * (double)(gap - ns) * 1e-9 : 0;
  return down + rest + up < drive->level[top].idle_w * (double)gap * 1e-9;
}

static void find_last(struct placer *p) {
  for (uint32_t d = 0; d < p->ndisks; d++)
    p->last[d] = INT64_MIN;
  for (uint32_t i = 0; i < p->taken->nprocesses; i++)
    for (uint32_t k = 0; k < p->taken->process[i].count; k++) {
      const struct siox__truth_item *item = &p->taken->process[i].item[k];
      if (item->stream != SIOX__NONE)
        continue;
      siox_mask_zero(&p->used);
      siox__burst_disks(&p->taken->bursts, item->ref, layout_of, p->job, &p->used);
      for (uint32_t d = siox_mask_next(&p->used, 0); d < p->ndisks;
           d = siox_mask_next(&p->used, d + 1))
        p->last[d] = item->time > p->last[d] ? item->time : p->last[d];
    }
}

static int open_placer(struct placer *p, const struct siox_sim *sim) {
  size_t size = ((size_t)p->ndisks + 1) * sizeof *p->next;
  p->next = malloc(size);
  p->said = malloc(size);
  p->least = malloc(size);
  p->last = malloc(size);
  p->drive = sim->drive;
  int rc = siox_mask_init(&p->used, p->ndisks);
  if (rc == 0)
    rc = siox_mask_init(&p->wanted, p->ndisks);
  if (!p->next || !p->said || !p->least || !p->last)
    return SIOX_ENOMEM;
  for (uint32_t d = 0; d < p->ndisks; d++)
    p->least[d] =
        d && sim->drive[d] == sim->drive[d - 1] ? p->least[d - 1] : least_gap(sim->drive[d]);
  if (rc == 0)
    find_last(p);
  return rc;
}

static void close_placer(struct placer *p) {
  free(p->next);
  free(p->said);
  free(p->least);
  free(p->last);
  siox_mask_free(&p->used);
  siox_mask_free(&p->wanted);
}

/* What the process says at a chance of the disks that are wanted. Within a burst that is nothing;
 * where it comes from waiting for others it may have to correct itself. */
static int say(struct placer *p, const struct siox__truth_item *chance) {
  struct siox__truth *t = p->truth;
  uint32_t first = t->nruns;
  bool later = false;
  for (uint32_t d = siox_mask_next(&p->wanted, 0); d < p->ndisks;
       d = siox_mask_next(&p->wanted, d + 1)) {
    int64_t next = p->said[d];
    if (!p->fresh && next < chance->time + p->least[d])
      continue;
    if (next == SIOX_NEVER && p->last[d] <= chance->time &&
        !pays(p->drive[d], p->taken->end - chance->time)) {
      later = true; /* it says so as it leaves */
      continue;
    }
    struct siox__truth_run *last = t->nruns > first ? &t->run[t->nruns - 1] : NULL;
    if (last && last->first + last->count == d && last->next == next) {
      last->count++;
      continue;
    }
    if (siox__room(&t->run, t->nruns, &t->run_room, sizeof *t->run) < 0)
      return SIOX_ENOMEM;
    t->run[t->nruns++] = (struct siox__truth_run){d, 1, next};
  }
  bool within = !siox_mask_empty(&p->wanted);
  siox_mask_zero(&p->wanted);
  p->fresh = false;
  if (t->nruns == first && within && !later)
    return 0;
  if (siox__room(&t->hint, t->nhints, &t->hint_room, sizeof *t->hint) < 0)
    return SIOX_ENOMEM;
  t->hint[t->nhints++] =
      (struct siox__truth_hint){chance->stream, chance->ref, chance->time, first, t->nruns - first};
  return 0;
}

/* Of the disks of a use the chance after it speaks, if no later use before that is one of them. */
static void use(struct placer *p, const struct siox__truth_item *item, bool spoken) {
  bool opened = item->stream == SIOX__OPENED;
  siox_mask_zero(&p->used);
  p->fresh |= opened;
  if (opened)
    siox_layout_disks(layout_of(p->job, item->ref), &p->used);
  else
    siox__burst_disks(&p->taken->bursts, item->ref, layout_of, p->job, &p->used);
  for (uint32_t d = siox_mask_next(&p->used, 0); d < p->ndisks;
       d = siox_mask_next(&p->used, d + 1)) {
    if (spoken && !siox_mask_test(&p->wanted, d)) {
      siox_mask_set(&p->wanted, d);
      p->said[d] = p->next[d];
    }
    if (!opened)
      p->next[d] = item->time;
  }
}

/* One process, from its end. In the beginning it speaks of every disk that it will use, and one
 * process of those that none will. */
static int place(struct placer *p, const struct siox__truth_items *all) {
  const struct siox__truth_item *chance = NULL;
  int rc = 0;
  for (uint32_t d = 0; d < p->ndisks; d++)
    p->next[d] = SIOX_NEVER;
  for (uint32_t i = all->count; i-- > 0 && rc == 0;) {
    const struct siox__truth_item *item = &all->item[i];
    if (item->stream >= SIOX__OPENED) {
      use(p, item, chance != NULL);
      continue;
    }
    if (chance)
      rc = say(p, chance);
    chance = item;
  }
  for (uint32_t d = 0; d < p->ndisks && chance; d++)
    if (p->next[d] != SIOX_NEVER || (!p->idle_known && p->last[d] == INT64_MIN)) {
      siox_mask_set(&p->wanted, d);
      p->said[d] = p->next[d];
    }
  p->fresh = true;
  p->idle_known |= chance != NULL;
  return rc == 0 && chance ? say(p, chance) : rc;
}

static int by_stream(const void *a, const void *b) {
  const struct siox__truth_hint *x = a, *y = b;
  if (x->stream != y->stream)
    return x->stream < y->stream ? -1 : 1;
  return (x->chance > y->chance) - (x->chance < y->chance);
}

static int sort(struct siox__truth *t, uint32_t nstreams) {
  t->nstreams = nstreams;
  t->first = calloc((size_t)nstreams + 1, sizeof *t->first);
  if (!t->first)
    return SIOX_ENOMEM;
  if (t->nhints)
    qsort(t->hint, t->nhints, sizeof *t->hint, by_stream);
  for (uint32_t i = 0; i < t->nhints; i++)
    t->first[t->hint[i].stream + 1] = i + 1;
  for (uint32_t s = 0; s < nstreams; s++)
    if (t->first[s + 1] < t->first[s])
      t->first[s + 1] = t->first[s];
  return 0;
}

/* Plays the job alone, as `base` does, and once. */
static int take(const struct siox_sim *sim, uint32_t index, struct siox__truth_taker *taker) {
  struct siox_sim alone = *sim;
  struct siox__sim_job job = sim->job[index];
  const struct siox_replay_options options = {.policy = "base"};
  struct siox__replay r = {.sim = &alone, .options = &options, .now = INT64_MIN, .taker = taker};
  job.is.instances = job.is.repeats = 1;
  job.is.start = 0;
  alone.job = &job;
  alone.njobs = 1;
  int rc = siox__replay_prepare(&r);
  if (rc == 0)
    rc = siox__replay_run(&r);
  siox__replay_close(&r);
  return rc;
}

int siox__truth_place(struct siox__truth **out, const struct siox_sim *sim, uint32_t index) {
  struct siox__truth_taker taker = {0};
  struct placer p = {.taken = &taker, .job = &sim->job[index], .ndisks = sim->ndisks};
  *out = NULL;
  int rc = take(sim, index, &taker);
  p.truth = calloc(1, sizeof *p.truth);
  if (rc == 0)
    rc = p.truth ? open_placer(&p, sim) : SIOX_ENOMEM;
  for (uint32_t i = 0; i < taker.nprocesses && rc == 0; i++) {
    rc = place(&p, &taker.process[i]);
    free(taker.process[i].item);
    taker.process[i] = (struct siox__truth_items){0};
  }
  if (rc == 0)
    rc = sort(p.truth, taker.nstreams);
  siox__truth_taker_free(&taker);
  close_placer(&p);
  if (rc == 0)
    *out = p.truth;
  else
    siox__truth_free(p.truth);
  return rc;
}

void siox__truth_free(struct siox__truth *t) {
  if (!t)
    return;
  free(t->hint);
  free(t->run);
  free(t->first);
  free(t);
}
