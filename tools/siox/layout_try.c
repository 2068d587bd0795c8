/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Trying layouts. A candidate that is compared with a better one need not be played out: at full
 * speed it may add too much already, or the least that is possible without delay (the oracle, an
 * optimistic guess rather than a strict bound: who is late may use less) takes more joules. */
#include "layout_try.h"
#include <math.h>
#include <pthread.h>
#include <siox/oracle.h>
#include <stdlib.h>
#include <string.h>

struct worker {
  struct layout_trier *trier;
  struct sim_scenario scenario;
  uint32_t *placed; /* by file: where it lies in this simulator */
  struct siox_oracle **oracle;
  int oracle_code;
  struct siox_diag diag;
};
struct layout_trier {
  const struct layout_files *files;
  const char *policy;
  double most_added;
  struct siox_replay_result base; /* at full speed, as files lie now */
  struct worker *worker;
  uint32_t workers;
  /* of the batch under way */
  pthread_mutex_t lock;
  const uint32_t *choice;
  const struct layout_figures *than;
  struct layout_figures *out;
  uint32_t n, next;
  int code;
  char error[512];
};

int layout_of_place(const struct layout_files *files, const struct layout_file *file,
                    const struct siox_layout *present, uint32_t place, struct siox_layout *out) {
  if (!place)
    return siox_layout_copy(out, present);
  const struct layout_space *s = &files->space;
  uint32_t members = file->present.array.members ? file->present.array.members : 1;
  uint32_t unit = (place - 1) % s->nunits, factor = (place - 1) / s->nunits % s->nfactors;
  uint32_t base = (place - 1) / s->nunits / s->nfactors;
  int rc = siox_layout_triplet(out, files->ndisks / members, files->base[base],
                               files->factor[factor], files->unit[unit]);
  if (rc == 0 && members > 1)
    rc = siox_layout_over(out, &file->present.array);
  return rc;
}

/* Puts the movable files where a choice says; NULL: where they lie now. */
static int place_files(struct siox_sim *sim, const struct layout_files *files, uint32_t *placed,
                       const uint32_t *choice) {
  int rc = 0;
  for (uint32_t i = 0; i < files->nmovable && rc == 0; i++) {
    const struct layout_file *f = &files->file[files->movable[i]];
    uint32_t place = choice ? choice[i] : 0;
    if (placed && placed[i] == place)
      continue;
    for (uint32_t k = 0; k < f->nwhere && rc == 0; k++) {
      struct siox_layout layout = {0};
      rc = layout_of_place(files, f, &f->where[k].present, place, &layout);
      rc = rc ? rc : siox_sim_place(sim, f->where[k].job, f->where[k].file, &layout);
      siox_layout_free(&layout);
    }
    if (placed)
      placed[i] = place;
  }
  return rc;
}

static void take_segment(void *context, const struct siox_segment *s) {
  struct worker *w = context;
  if (s->state == SIOX_ACTIVE && w->oracle_code == 0)
    w->oracle_code = siox_oracle_serve(
        w->oracle[s->disk], &(struct siox_oracle_service){
                                .arrival = s->start, .ns = s->end - s->start, .bytes = s->bytes});
}

static void close_oracles(struct worker *w) {
  for (uint32_t d = 0; w->oracle && d < w->scenario.ndisks; d++)
    siox_oracle_destroy(w->oracle[d]);
  free(w->oracle);
  w->oracle = NULL;
}

static int open_oracles(struct worker *w) {
  const struct sim_scenario *s = &w->scenario;
  w->oracle_code = 0;
  if (!(w->oracle = calloc((size_t)s->ndisks + 1, sizeof(struct siox_oracle *))))
    return SIOX_ENOMEM;
  for (uint32_t d = 0; d < s->ndisks && w->oracle_code == 0; d++)
    w->oracle_code = siox_oracle_create(
        &w->oracle[d], &(struct siox_oracle_options){.drive = s->drive[d],
                                                     .initial_level = s->initial_level[d],
                                                     .end_level = s->initial_level[d]});
  return w->oracle_code == SIOX_ENOMEM ? SIOX_ENOMEM : 0;
}

/* Full speed, and what the oracle makes of it. Figures that are worse than `than` are lower bounds
 * and marked. */
static int look_ahead(struct worker *w, const struct layout_figures *than,
                      struct layout_figures *out) {
  struct layout_trier *t = w->trier;
  struct siox_replay_result r = {0};
  struct siox_oracle_result one;
  int rc = open_oracles(w);
  if (rc == 0)
    rc = siox_sim_run(
        w->scenario.sim,
        &(struct siox_replay_options){.policy = "base", .segment = take_segment, .context = w}, &r,
        &w->diag);
  *out = (struct layout_figures){.added = rc == 0 ? siox_added_io(&r, &t->base) : 0};
  for (uint32_t d = 0; d < w->scenario.ndisks && rc == 0 && w->oracle_code == 0; d++) {
    w->oracle_code = siox_oracle_finish(w->oracle[d], r.end, &one, NULL);
    out->joules += w->oracle_code ? 0 : one.joules;
  }
  out->pruned = rc == 0 && (out->added > t->most_added + 1e-12 ||
                            (w->oracle_code == 0 && out->joules >= than->joules));
  siox_replay_free(&r);
  close_oracles(w);
  return rc;
}

static int try_one(struct worker *w, const uint32_t *choice, const struct layout_figures *than,
                   struct layout_figures *out) {
  struct layout_trier *t = w->trier;
  struct siox_replay_result r;
  int rc = place_files(w->scenario.sim, t->files, w->placed, choice);
  if (rc == 0 && than)
    rc = look_ahead(w, than, out);
  if (rc || (than && out->pruned))
    return rc;
  rc = siox_sim_run(w->scenario.sim,
                    &(struct siox_replay_options){.policy = t->policy, .prepared = true}, &r,
                    &w->diag);
  if (rc == 0)
    *out = (struct layout_figures){.joules = r.joules, .added = siox_added_io(&r, &t->base)};
  siox_replay_free(&r);
  return rc;
}

static void *work(void *context) {
  struct worker *w = context;
  struct layout_trier *t = w->trier;
  for (;;) {
    pthread_mutex_lock(&t->lock);
    uint32_t i = t->code ? t->n : t->next;
    t->next++;
    pthread_mutex_unlock(&t->lock);
    if (i >= t->n)
      return NULL;
    int rc = try_one(w, t->choice + (size_t)i * t->files->nmovable, t->than, &t->out[i]);
    if (rc == 0)
      continue;
    pthread_mutex_lock(&t->lock);
    t->code = rc;
    snprintf(t->error, sizeof t->error, "%s", *w->diag.text ? w->diag.text : siox_strerror(rc));
    pthread_mutex_unlock(&t->lock);
  }
}

int layout_trier_cost(void *context, const uint32_t *choice, uint32_t n,
                      const struct layout_figures *than, struct layout_figures *out) {
  struct layout_trier *t = context;
  pthread_t thread[64];
  uint32_t started = 0;
  t->choice = choice;
  t->than = than;
  t->out = out;
  t->n = n;
  t->next = 0;
  t->code = 0;
  while (started + 1 < t->workers && started + 1 < n &&
         pthread_create(&thread[started], NULL, work, &t->worker[started + 1]) == 0)
    started++;
  work(&t->worker[0]); /* which does it all where no thread can be had */
  for (uint32_t i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  return t->code;
}

const char *layout_trier_error(const struct layout_trier *t) { return t->error; }

int layout_play_load(const struct layout_play *play, struct sim_scenario *s,
                     struct siox_diag *diag) {
  return play->text ? sim_scenario_parse(s, play->path, play->text, diag)
                    : sim_scenario_load(s, play->path, NULL, 0, diag);
}

int layout_trier_open(struct layout_trier **out, const struct layout_play *play,
                      const struct layout_files *files, const char *policy, uint32_t workers,
                      double most_added, struct siox_diag *diag) {
  struct layout_trier *t = calloc(1, sizeof *t);
  *out = t;
  if (!t)
    return SIOX_ENOMEM;
  *t = (struct layout_trier){.files = files, .policy = policy, .most_added = most_added};
  pthread_mutex_init(&t->lock, NULL);
  t->worker = calloc(workers, sizeof *t->worker);
  int rc = t->worker ? 0 : SIOX_ENOMEM;
  for (; t->workers < workers && rc == 0; t->workers++) {
    struct worker *w = &t->worker[t->workers];
    w->trier = t;
    rc = layout_play_load(play, &w->scenario, diag);
    if (rc)
      break;
    w->placed = calloc((size_t)files->nmovable + 1, sizeof *w->placed);
    rc = w->placed ? 0 : SIOX_ENOMEM;
    siox_sim_derive(w->scenario.sim, true); /* so that all choices are judged alike */
  }
  if (rc == 0)
    rc = siox_sim_run(t->worker[0].scenario.sim, &(struct siox_replay_options){.policy = "base"},
                      &t->base, diag);
  if (rc) {
    layout_trier_close(t);
    *out = NULL;
  }
  return rc;
}

void layout_trier_close(struct layout_trier *t) {
  if (!t)
    return;
  for (uint32_t i = 0; i < t->workers; i++) {
    sim_scenario_free(&t->worker[i].scenario);
    free(t->worker[i].placed);
  }
  siox_replay_free(&t->base);
  pthread_mutex_destroy(&t->lock);
  free(t->worker);
  free(t);
}

int layout_try_once(const struct layout_play *play, const struct layout_files *files,
                    const uint32_t *choice, const char *policy, bool derive,
                    struct siox_replay_result *result, struct siox_diag *diag) {
  struct sim_scenario s;
  memset(result, 0, sizeof *result);
  int rc = layout_play_load(play, &s, diag);
  if (rc)
    return rc;
  siox_sim_derive(s.sim, derive);
  if (choice)
    rc = place_files(s.sim, files, NULL, choice);
  if (rc == 0)
    rc = siox_sim_run(s.sim, &(struct siox_replay_options){.policy = policy, .prepared = true},
                      result, diag);
  sim_scenario_free(&s);
  return rc;
}
