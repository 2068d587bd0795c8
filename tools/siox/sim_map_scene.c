/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A point of the map as a scenario: jobs that compute and then move a burst, so large that disks
 * are busy for the share of the run that is asked for. How large that is follows from a closed form
 * only without queues, so base is played a few times and the burst corrected. */
#include "common/random.h"
#include "sim_map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_GAPS = 30, /* of each job, and */
  JITTER = 10,     /* % of the gaps of jobs that are not in step: else they meet always or never */
  LEAST_SECONDS = 600,   /* so long, for what a scheme learns and waits for takes tens of seconds */
  MOST_REQUESTS = 16,    /* of a burst */
  MOST_PIECES = 150000,  /* that disks serve in a run */
  LEAST_PIECE = 512,     /* bytes of a request on one disk */
  USUAL_PIECE = 1 << 20, /* where a burst is large enough */
  TRIES = 12,
  STIRS = 3, /* runs of base that begin differently */
};
static const double close_enough = 0.005; /* of the share asked for */
static const double STIR = 0.002;         /* seconds by which a job begins later at most */

/* What the scenario consists of, besides the point itself. */
struct shape {
  uint32_t factor, requests, phases;
  double sharing; /* jobs on one disk */
  bool in_step;
  int64_t piece; /* bytes of one request on one disk */
};

static double part(uint64_t *state) { return (double)(siox__random(state) >> 11) * 0x1p-53; }

/* The same for every drive and error, so that these are compared on the same jobs. */
static uint64_t seed_of(const struct sim_point *p) {
  uint64_t state = p->seed;
  state = siox__random(&state) + (uint64_t)llround(p->busy * 1000);
  state = siox__random(&state) + (uint64_t)llround(p->gap * 1000);
  state = siox__random(&state) + p->jobs;
  return siox__random(&state) + p->disks;
}

static void begin(const struct sim_point *p, struct shape *s) {
  uint64_t random = seed_of(p);
  uint32_t each = p->disks / p->jobs;
  s->factor = each < 4 ? 4 : each > 8 ? 8 : each;
  s->factor = s->factor < p->disks ? s->factor : p->disks;
  s->sharing = fmax(1, (double)p->jobs * s->factor / p->disks);
  s->phases = (uint32_t)fmax(LEAST_GAPS, ceil(LEAST_SECONDS / p->gap));
  s->in_step = p->jobs > 1 && siox__random(&random) >> 63;
}

/* The first disk of a job: side by side, each round over the disks half a job's width further than
 * the one before, so that jobs share some disks and not others. */
static uint32_t first_disk(const struct sim_point *p, const struct shape *s, uint32_t job) {
  uint64_t at = (uint64_t)job * s->factor;
  return (uint32_t)((at + at / p->disks * (s->factor / 2)) % p->disks);
}

/* stir: 0, or which of the ways to begin up to 2 ms later. */
static char *write_text(const struct sim_point *p, const struct shape *s, uint32_t stir) {
  char *text = NULL;
  size_t size;
  uint64_t random = seed_of(p) + 1, stirred = seed_of(p) + 2 + stir;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  const char *rule = strchr(p->drive, ':');
  fputs("# siox sim --map --point ", out);
  sim_point_print(p, out);
  fprintf(out, "\ndisks: %u\ndrive: %.*s\n", p->disks, (int)strcspn(p->drive, ":"), p->drive);
  if (rule)
    fprintf(out, "transition_rule: %s\n", rule + 1);
  fputs("jobs:\n", out);
  for (uint32_t j = 0; j < p->jobs; j++) {
    double start = 0, gap = p->gap;
    if (!s->in_step) { /* not together, and not in the same order for ever */
      start = p->jobs > 1 ? gap * part(&random) : 0;
      gap *= p->jobs > 1 ? 0.9 + 0.2 * part(&random) : 1;
    }
    start += stir ? STIR * part(&stirred) : 0;
    fprintf(
        out,
        "- {name: j%u, start: %.6f, generate: {processes: 1, phases: %.0f, gap: %.6f, "
        "burst: %lld, request: %lld, error: %.15g, jitter: %d, seed: %u, layout: %u:%u:%lld}}\n",
        j, start, round(s->phases * p->gap / gap), gap,
        (long long)s->piece * s->factor * s->requests, (long long)s->piece * s->factor, p->error,
        p->jobs > 1 && !s->in_step ? JITTER : 0, p->seed + j, first_disk(p, s, j), s->factor,
        (long long)s->piece);
  }
  if (fclose(out) == 0)
    return text;
  free(text);
  return NULL;
}

/* How base goes: the share of time in which a disk that is used serves, and a piece's service. */
struct measured {
  double busy, seconds_a_piece;
};

static int play_base(const struct sim_scenario *s, struct siox_replay_result *r,
                     struct siox_diag *diag) {
  return siox_sim_run(s->sim, &(struct siox_replay_options){.policy = "base"}, r, diag);
}

static int measure(const struct sim_scenario *s, struct measured *m, struct siox_diag *diag) {
  struct siox_replay_result r;
  uint64_t pieces = 0;
  uint32_t used = 0;
  int64_t busy = 0;
  int rc = play_base(s, &r, diag);
  if (rc)
    return rc;
  for (uint32_t d = 0; d < r.ndisks; d++) {
    used += r.disk[d].requests > 0;
    pieces += r.disk[d].requests;
    busy += r.disk[d].busy_ns;
  }
  m->busy = (double)busy / (double)(r.end - r.start) / used;
  m->seconds_a_piece = (double)busy / 1e9 / (double)pieces;
  siox_replay_free(&r);
  return 0;
}

/* As if every job found its disks free. */
static void first_guess(const struct sim_point *p, struct shape *s, const struct siox_drive *d) {
  const struct siox_level *full = &d->level[d->nlevels - 1];
  double busy = p->busy / 100, burst = busy * p->gap / (s->sharing * (1 - busy));
  double usual = USUAL_PIECE / full->rate + full->rotation_ns / 1e9;
  double most = floor((double)MOST_PIECES / p->jobs / s->phases / s->factor);
  s->requests = (uint32_t)fmax(1, fmin(fmin(MOST_REQUESTS, most), floor(burst / usual)));
  double transfer = burst / s->requests - full->rotation_ns / 1e9;
  s->piece = llround(fmax(LEAST_PIECE, transfer * full->rate));
}

static int try_shape(struct sim_scene *scene, const struct sim_point *p, struct shape *s,
                     bool first, bool *settled, struct siox_diag *diag) {
  struct sim_scenario scenario;
  struct measured m = {0};
  free(scene->text);
  scene->text = write_text(p, s, 0);
  if (!scene->text)
    return SIOX_ENOMEM;
  int rc = sim_scenario_parse(&scenario, "point", scene->text, diag);
  if (rc)
    return rc;
  const struct siox_drive *d = scenario.drive[0];
  double rate = d->level[d->nlevels - 1].rate, want = p->busy / 100;
  if (first) { /* written only so that the drive is known */
    first_guess(p, s, d);
    sim_scenario_free(&scenario);
    return 0;
  }
  rc = measure(&scenario, &m, diag);
  sim_scenario_free(&scenario);
  if (rc)
    return rc;
  scene->busy = m.busy;
  *settled = fabs(m.busy / want - 1) <= close_enough;
  if (*settled)
    return 0;
  /* busy / (1 - busy) grows in proportion to a service, as long as waiting does. */
  double longer = want / (1 - want) / (m.busy / (1 - m.busy));
  int64_t piece = s->piece + llround(m.seconds_a_piece * (longer - 1) * rate);
  piece = piece < LEAST_PIECE ? LEAST_PIECE : piece;
  *settled = piece == s->piece;
  s->piece = piece;
  return 0;
}

static int play_text(const char *text, struct siox_replay_result *r, struct siox_diag *diag) {
  struct sim_scenario s;
  int rc = sim_scenario_parse(&s, "point", text, diag);
  if (rc)
    return rc;
  rc = play_base(&s, r, diag);
  sim_scenario_free(&s);
  return rc;
}

/* One job alone has nobody to wait for. */
static int find_noise(struct sim_scene *scene, const struct sim_point *p, const struct shape *s,
                      struct siox_diag *diag) {
  struct siox_replay_result base, other;
  if (p->jobs < 2)
    return 0;
  int rc = play_text(scene->text, &base, diag);
  if (rc)
    return rc;
  for (uint32_t i = 1; i <= STIRS && rc == 0; i++) {
    char *text = write_text(p, s, i);
    rc = text ? play_text(text, &other, diag) : SIOX_ENOMEM;
    free(text);
    if (rc)
      break;
    struct siox_added more = siox_added(&other, &base), less = siox_added(&base, &other);
    struct sim_noise *n = &scene->noise;
    n->io = fmax(n->io, fmax(more.io, less.io));
    n->run = fmax(n->run, fmax(more.run, less.run));
    n->joules = fmax(n->joules, fabs(other.joules / base.joules - 1));
    siox_replay_free(&other);
  }
  siox_replay_free(&base);
  return rc;
}

int sim_scene_make(struct sim_scene *scene, const struct sim_point *p, struct siox_diag *diag) {
  struct shape s = {.requests = 1, .piece = LEAST_PIECE};
  bool settled = false;
  diag->text[0] = 0;
  *scene = (struct sim_scene){0};
  begin(p, &s);
  scene->in_step = s.in_step;
  int rc = try_shape(scene, p, &s, true, &settled, diag);
  for (int i = 0; i < TRIES && rc == 0 && !settled; i++)
    rc = try_shape(scene, p, &s, false, &settled, diag);
  if (rc == 0 && s.piece == LEAST_PIECE && scene->busy * 100 / p->busy > 1 + 10 * close_enough) {
    free(scene->text);
    scene->text = NULL;
  }
  if (rc == 0 && scene->text)
    rc = find_noise(scene, p, &s, diag);
  if (rc) {
    if (!diag->text[0])
      snprintf(diag->text, sizeof diag->text, "%s", siox_strerror(rc));
    sim_scene_free(scene);
  }
  return rc;
}

void sim_scene_free(struct sim_scene *scene) {
  free(scene->text);
  *scene = (struct sim_scene){0};
}
