/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every scenario under every rule, shared by threads: nothing in the simulator is shared between
 * scenarios. */
#include "sim_paper.h"
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

struct work {
  struct sim_paper *p;
  bool json;
  const struct sim_watch *watch;
  pthread_mutex_t lock; /* of what follows, and of stderr */
  int next, done, status;
};

static const char schemes_text[] =
#define SIM_COMPARED(scheme, colour) scheme ","
#include "sim_paper.def"
    ;

static bool grow_files(struct sim_paper_result *result, size_t nfiles) {
  uint64_t *more = realloc(result->size, nfiles * sizeof *more);
  if (!more)
    return false;
  memset(more + result->nfiles, 0, (nfiles - result->nfiles) * sizeof *more);
  result->size = more;
  result->nfiles = nfiles;
  return true;
}

static void take_request(void *context, const struct siox_replay_request *r) {
  struct sim_paper_result *result = context;
  uint64_t end = (uint64_t)r->offset + r->bytes;
  if (result->nrequests == result->request_room) {
    size_t room = result->request_room ? 2 * result->request_room : 1024;
    struct sim_paper_request *more = realloc(result->request, room * sizeof *more);
    result->lost |= !more;
    result->request = more ? more : result->request;
    result->request_room = more ? room : result->request_room;
  }
  result->lost |= r->file > result->nfiles && !grow_files(result, r->file);
  if (result->lost)
    return;
  result->bytes += r->bytes;
  if (end > result->size[r->file - 1]) {
    result->data += end - result->size[r->file - 1];
    result->size[r->file - 1] = end;
  }
  result->request[result->nrequests++] = (struct sim_paper_request){
      .seconds = (double)r->time / 1e9, .bytes = r->bytes, .write = r->write};
}

/* What base did: idle periods of its disks, and its requests since it began; all in the time of the
 * disks' profile. */
static int take_base(struct sim_paper_result *result, const struct timeline *t, double scale) {
  int rc = 0;
  int64_t start = INT64_MAX;
  for (uint32_t d = 0; d < t->ndisks; d++)
    if (t->disk[d].npieces && t->disk[d].piece[0].start < start)
      start = t->disk[d].piece[0].start;
  result->before = calloc(2 * (size_t)t->ndisks + 1, sizeof *result->before);
  result->after = result->before + (result->before ? t->ndisks : 0);
  rc = result->before ? 0 : SIOX_ENOMEM;
  for (uint32_t d = 0; d < t->ndisks && rc == 0; d++) {
    const struct timeline_disk *disk = &t->disk[d];
    size_t n = disk->nrequests;
    rc = sim_idle_add(&result->idle, disk->request, n, start, t->end);
    result->before[d] = (double)((n ? disk->request[0].start : t->end) - start) / 1e9 * scale;
    result->after[d] = n ? (double)(t->end - disk->request[n - 1].end) / 1e9 * scale : 0;
  }
  for (size_t i = 0; i < result->idle.count; i++)
    result->idle.seconds[i] *= scale;
  for (size_t i = 0; i < result->nrequests; i++)
    result->request[i].seconds = (result->request[i].seconds - (double)start / 1e9) * scale;
  rc = rc ? rc : result->lost ? SIOX_ENOMEM : 0;
  return rc ? rc : sim_idle_sort(&result->idle);
}

/* Where its files lie, and whether all of them lie alike. */
static void take_layout(struct sim_paper_result *result, const struct sim_scenario *s) {
  const struct siox_layout *first = NULL, *one;
  result->same_layout = true;
  for (uint32_t job = 0; job < s->njobs; job++)
    for (uint32_t f = 0; f < siox_sim_nfiles(s->sim, job); f++) {
      siox_sim_file(s->sim, job, f, &one);
      if (first)
        result->same_layout &= siox_layout_equal(first, one);
      else
        first = one;
    }
  if (first) {
    result->base = first->nodes[0];
    result->factor = first->factor;
    result->unit = first->unit;
  }
}

/* Every file that a scenario reads stands in SHA256SUMS. */
static int inputs_named(const struct sim_paper *p, const struct sim_scenario *s,
                        struct siox_diag *diag) {
  for (char **one = s->input; *one; one++)
    if (!sim_paper_hash(&p->files, *one)) {
      snprintf(diag->text, sizeof diag->text,
               "%.300s: is read but is not in SHA256SUMS; sha256sum *.yaml *.siox makes it", *one);
      return SIOX_ENOENT;
    }
  return 0;
}

/* truth: jobs give hints that are placed from what they do. */
static int load(const struct sim_paper *p, enum sim_paper_scene scene, int rule, uint32_t truth,
                struct sim_scenario *s, struct siox_diag *diag) {
  struct sim_override *set = calloc(1 + truth, sizeof *set);
  char(*key)[32] = calloc(1 + truth, sizeof *key), name[32], *path = NULL;
  int rc = set && key ? 0 : SIOX_ENOMEM;
  for (uint32_t job = 0; job < truth && rc == 0; job++) {
    snprintf(key[job], sizeof key[job], "jobs[%u].hints", job);
    set[1 + job] = (struct sim_override){key[job], "truth", true};
  }
  sim_paper_name(scene, name);
  if (rc == 0 && asprintf(&path, "%s/%s.yaml", p->files.directory, name) < 0) {
    path = NULL;
    rc = SIOX_ENOMEM;
  }
  if (rc == 0) {
    set[0] = (struct sim_override){"transition_rule", sim_rule_name(rule), true};
    rc = sim_scenario_load(s, path, set, 1 + truth, diag);
  }
  free(path);
  free(key);
  free(set);
  return rc;
}

/* Those who heed hints once more, with hints from the truth, as rows of their own. */
static int add_truth(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                     uint32_t njobs, struct sim_rows *rows, struct siox_diag *diag) {
  static char com[] = "com", rt[] = "rt", siox[] = "siox";
  static char *const schemes[] = {com, rt, siox, NULL};
  struct sim_scenario s;
  struct sim_rows all;
  int rc = load(p, scene, rule, njobs, &s, diag);
  if (rc)
    return rc;
  rc = sim_rows_make(&all, &s, schemes, &(struct sim_watch){0}, diag);
  sim_scenario_free(&s);
  if (rc)
    return rc;
  struct sim_row *more = realloc(rows->row, (rows->count + 3) * sizeof *more);
  rows->row = more ? more : rows->row;
  for (uint32_t i = 0; more && i < all.count; i++)
    if (all.row[i].kind == SIM_SCHEME) {
      struct sim_row *row = &more[rows->count++];
      *row = all.row[i];
      strcat(row->name, SIM_PAPER_TRUE); /* short names */
    }
  sim_rows_free(&all);
  return more ? 0 : SIOX_ENOMEM;
}

static char *assumed_of(const struct sim_scenario *s) {
  for (uint32_t i = 0; i < s->drives.nprofiles; i++)
    if (s->drives.profile[i].assumed[0])
      return strdup(s->drives.profile[i].assumed);
  return NULL;
}

/* 0 or SIOX_E…, with diag. A scheme that failed has no figures and says why. */
static int play_one(struct work *w, enum sim_paper_scene scene, int rule, struct siox_diag *diag) {
  struct sim_paper_result *result = &w->p->scene[scene];
  struct sim_paper_play *play = &result->rule[rule];
  struct sim_scenario s;
  struct timeline timeline = {0};
  bool first = rule == w->p->first_rule;
  struct sim_watch watch = {0};
  int rc = load(w->p, scene, rule, 0, &s, diag);
  if (rc)
    return rc;
  char **schemes = sim_schemes(schemes_text, &s);
  if (first) {
    watch = (struct sim_watch){
        .drawn = "base", .timeline = &timeline, .request = take_request, .request_context = result};
    rc = siox__timeline_begin(&timeline, s.ndisks, s.drive, 0, "");
  }
  rc = schemes ? rc : SIOX_ENOMEM;
  rc = rc ? rc : sim_rows_make(&play->rows, &s, schemes, &watch, diag);
  rc = rc ? rc : add_truth(w->p, scene, rule, s.njobs, &play->rows, diag);
  result->drive[rule] = *s.drive[0];
  if (rc == 0 && w->json)
    play->json = sim_show_json(&play->rows, &s);
  if (rc == 0 && first) {
    result->ndisks = s.ndisks;
    result->notes = s.notes ? strdup(s.notes) : NULL;
    result->assumed = assumed_of(&s);
    take_layout(result, &s);
    rc = take_base(result, &timeline, s.drive[0]->time_scale);
  }
  free(schemes);
  siox__timeline_free(&timeline);
  sim_scenario_free(&s);
  return rc;
}

/* The next scenario and rule, as long as there are any and nothing went wrong. */
static bool next(struct work *w, int *scene, int *rule) {
  int rules = w->p->last_rule - w->p->first_rule + 1;
  pthread_mutex_lock(&w->lock);
  bool more = w->next < rules * SIM_NSCENES && w->status == 0;
  *scene = w->next / rules;
  *rule = w->p->first_rule + w->next % rules;
  w->next += more;
  pthread_mutex_unlock(&w->lock);
  return more;
}

static void tell(struct work *w, int scene, int rule, int rc, const struct siox_diag *diag) {
  char name[32], what[64];
  int all = (w->p->last_rule - w->p->first_rule + 1) * SIM_NSCENES;
  const struct sim_rows *rows = &w->p->scene[scene].rule[rule].rows;
  const char *rule_name = sim_rule_name(rule);
  sim_paper_name((enum sim_paper_scene)scene, name);
  pthread_mutex_lock(&w->lock);
  w->done++;
  if (rc && *diag->text)
    fprintf(stderr, "siox sim: %s\n", diag->text);
  else if (rc)
    fprintf(stderr, "siox sim: %s, rule %s: %s\n", name, rule_name, siox_strerror(rc));
  else if (rows->cut && rule == w->p->first_rule)
    fprintf(stderr, "siox sim: %s: a trace has no end; it is played as far as it goes\n", name);
  for (uint32_t i = 0; i < rows->count && !rc; i++)
    if (rows->row[i].wrong[0]) {
      fprintf(stderr, "siox sim: %s, rule %s: %s: %s\n", name, rule_name, rows->row[i].name,
              rows->row[i].wrong);
      w->status = 1;
    }
  w->status = rc ? 1 : w->status;
  snprintf(what, sizeof what, "%d/%d", w->done, all);
  if (w->watch->progress && !w->status)
    w->watch->progress(w->watch->context, what, (double)w->done / all);
  pthread_mutex_unlock(&w->lock);
}

static void *run(void *work) {
  struct work *w = work;
  int scene, rule;
  while (next(w, &scene, &rule)) {
    struct siox_diag diag = {""};
    int rc = play_one(w, (enum sim_paper_scene)scene, rule, &diag);
    tell(w, scene, rule, rc, &diag);
  }
  return NULL;
}

/* The rule under which siox saves least in the mean of all scenarios. */
static int worst_rule(const struct sim_paper *p) {
  double least = 0;
  int worst = p->first_rule;
  for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
    double sum = 0;
    for (int scene = 0; scene < SIM_NSCENES; scene++)
      sum += sim_paper_saved(p, (enum sim_paper_scene)scene, rule, "siox");
    if (rule == p->first_rule || sum < least) {
      least = sum;
      worst = rule;
    }
  }
  return worst;
}

/* Every scenario before the first is played, so that a mistake is told at once. */
static int check(const struct sim_paper *p) {
  int status = 0;
  for (int scene = 0; scene < SIM_NSCENES; scene++) {
    struct sim_scenario s;
    struct siox_diag diag = {""};
    int rc = load(p, (enum sim_paper_scene)scene, p->first_rule, 0, &s, &diag);
    int wrong = rc ? rc == SIOX_ENOMEM ? 1 : SIOX__USAGE : 0;
    if (rc == 0) {
      rc = inputs_named(p, &s, &diag);
      wrong = rc != 0;
      sim_scenario_free(&s);
    }
    if (rc)
      fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    status = wrong > status ? wrong : status;
  }
  return status;
}

int sim_paper_play(struct sim_paper *p, bool json, const struct sim_watch *watch) {
  struct work w = {.p = p, .json = json, .watch = watch};
  pthread_t thread[MAX_THREADS];
  cpu_set_t cpus;
  int status = check(p);
  if (status)
    return status;
  int n = 0, most = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
  most = most > MAX_THREADS ? MAX_THREADS : most;
  pthread_mutex_init(&w.lock, NULL);
  while (n < most - 1 && pthread_create(&thread[n], NULL, run, &w) == 0)
    n++;
  run(&w);
  while (n > 0)
    pthread_join(thread[--n], NULL);
  pthread_mutex_destroy(&w.lock);
  p->headline = w.status ? p->first_rule : worst_rule(p);
  return w.status;
}

void sim_paper_free(struct sim_paper *p) {
  for (int scene = 0; scene < SIM_NSCENES; scene++) {
    struct sim_paper_result *r = &p->scene[scene];
    for (int rule = 0; rule < SIM_NRULES; rule++) {
      sim_rows_free(&r->rule[rule].rows);
      json_decref(r->rule[rule].json);
    }
    sim_idle_free(&r->idle);
    free(r->before);
    free(r->request);
    free(r->size);
    free(r->notes);
    free(r->assumed);
  }
  sim_paper_files_close(&p->files);
  *p = (struct sim_paper){0};
}
