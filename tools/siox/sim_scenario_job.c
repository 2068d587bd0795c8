/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The jobs of a scenario, each a trace or generated. */
#include "common/conf/text.h"
#include "sim_loader.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(struct sim_loader *in, const char *key, const char *text, double fallback,
                     double low, double high) {
  double value = fallback;
  if (text && in->rc == 0)
    in->rc = siox__yaml_number(&in->yaml, key, text, low, high, &value, in->diag);
  return value;
}

static uint32_t count(struct sim_loader *in, const char *key, const char *text, uint32_t fallback,
                      long low, long high) {
  char what[256];
  long value = fallback;
  int rc = text ? siox__text_integer(text, low, high, &value, what, sizeof what) : 0;
  if (rc)
    sim_loader_fail(in, rc, key, what);
  return (uint32_t)value;
}

static bool truth(struct sim_loader *in, const char *key, const char *text, bool fallback) {
  if (!text)
    return fallback;
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    sim_loader_fail(in, SIOX_EINVAL, key, "expected true or false");
  return strcmp(text, "true") == 0;
}

static int64_t bytes(struct sim_loader *in, const char *key, const char *text, int64_t fallback) {
  int64_t value = fallback;
  if (text && in->rc == 0)
    in->rc = sim_store_bytes(&in->yaml, key, text, 1, &value, in->diag);
  return value;
}

static void widest(struct sim_loader *in, const struct siox_layout *l) {
  uint32_t disks = l->factor * (l->array.members ? l->array.members : 1);
  in->s->widest = disks > in->s->widest ? disks : in->s->widest;
}

/* Where a trace's file lies in the scenario. */
static int layout_of(void *context, const char *path, struct siox_layout *out,
                     struct siox_diag *diag) {
  struct sim_loader *in = context;
  const struct siox_layouts *l = &in->s->layouts;
  uint32_t found = l->count;
  for (uint32_t i = 0; i < l->count; i++) {
    char key[64];
    if (!siox__layouts_match(l->entry[i].file, path))
      continue;
    snprintf(key, sizeof key, "layouts[%u].file", i);
    if (found < l->count)
      return siox__yaml_fail(&in->yaml, diag, SIOX_EINVAL, key,
                             "\"%s\" overlaps layouts[%u], \"%s\": both match %s", l->entry[i].file,
                             found, l->entry[found].file, path);
    found = i;
  }
  if (found < l->count && in->matched)
    in->matched[found] = true;
  const struct siox_layout *layout = found < l->count           ? &l->entry[found].layout
                                     : in->text->default_layout ? &in->fallback
                                                                : NULL;
  int rc = layout ? siox_layout_copy(out, layout) : 0;
  return rc < 0 ? rc : layout != NULL;
}

static void read_generated(struct sim_loader *in, unsigned index, const struct sim_generate_text *t,
                           struct siox_sim_generated *g) {
  char key[80];
#define KEY(name) (snprintf(key, sizeof key, "jobs[%u].generate." #name, index), key)
  *g = (struct siox_sim_generated){.processes =
                                       count(in, KEY(processes), t->processes, 1, 1, 1 << 20),
                                   .phases = count(in, KEY(phases), t->phases, 1, 1, 1 << 30)};
  g->gap_ns = llround(number(in, KEY(gap), t->gap, 0, 0, 1e9) * 1e9);
  if (!t->burst)
    sim_loader_fail(in, SIOX_EINVAL, KEY(burst), "this key is missing");
  g->burst = bytes(in, KEY(burst), t->burst, 1);
  g->request = bytes(in, KEY(request), t->request, 0);
  g->error = number(in, KEY(error), t->error, 0, 0, 100) / 100;
  g->jitter = number(in, KEY(jitter), t->jitter, 0, 0, 100) / 100;
  g->seed = count(in, KEY(seed), t->seed, 1, 0, UINT32_MAX);
  g->hints = truth(in, KEY(hints), t->hints, true);
  g->together = truth(in, KEY(together), t->together, g->processes > 1);
  if (t->operation && strcmp(t->operation, "read") != 0 && strcmp(t->operation, "write") != 0)
    sim_loader_fail(in, SIOX_EINVAL, KEY(operation), "expected read or write");
  g->write = !t->operation || strcmp(t->operation, "write") == 0;
  struct siox_layout *l = &in->s->generated[index];
  if (t->layout)
    sim_loader_set(in, SIOX__KIND_layout, KEY(layout), t->layout, l);
  else if (in->rc == 0 && siox_layout_copy(l, &in->fallback) < 0)
    sim_loader_fail(in, SIOX_ENOMEM, KEY(layout), siox_strerror(SIOX_ENOMEM));
  g->layout = l;
  widest(in, l);
#undef KEY
}

static enum siox_sim_give give(struct sim_loader *in, const char *key, const char *text) {
  static const char *const word[] = {[SIOX_SIM_GIVE_RECORDED] = "recorded",
                                     [SIOX_SIM_GIVE_TRUTH] = "truth",
                                     [SIOX_SIM_GIVE_NONE] = "none"};
  for (int i = 0; text && i < 3; i++)
    if (strcmp(text, word[i]) == 0)
      return (enum siox_sim_give)i;
  if (text)
    sim_loader_fail(in, SIOX_EINVAL, key, "expected recorded, truth or none");
  return SIOX_SIM_GIVE_RECORDED;
}

static void note(struct sim_loader *in, const char *text) {
  char *more = NULL;
  if (asprintf(&more, "%s%s\n", in->s->notes ? in->s->notes : "", text) < 0)
    return;
  free(in->s->notes);
  in->s->notes = more;
}

/* A trace must have been recorded at the pace that the disks have here. */
static void check_added(struct sim_loader *in, unsigned index, const char *key) {
  const struct siox_trace_header *h = siox_sim_header(in->s->sim, index);
  char what[256];
  if (h && h->ndisks && h->drive[0]->time_scale != in->s->drive[0]->time_scale) {
    snprintf(what, sizeof what,
             "recorded at time scale %g, but the disks are at %g (setting time_scale)",
             h->drive[0]->time_scale, in->s->drive[0]->time_scale);
    sim_loader_fail(in, SIOX_EINVAL, key, what);
  }
  enum siox_sim_hints hints = siox_sim_hints(in->s->sim, index);
  if (hints == SIOX_SIM_HINTS_DERIVED || hints == SIOX_SIM_HINTS_LEFT_OUT) {
    snprintf(what, sizeof what,
             "jobs[%u]: files lie elsewhere than they were recorded, so its hints are %s", index,
             hints == SIOX_SIM_HINTS_DERIVED ? "derived anew from its accesses" : "left out");
    note(in, what);
  }
  if (hints == SIOX_SIM_HINTS_TRUTH) {
    snprintf(what, sizeof what,
             "jobs[%u]: hints are placed from what the job does alone at full speed", index);
    note(in, what);
  }
  if (!siox_sim_waits_told(in->s->sim, index)) {
    in->s->waits_untold = true;
    snprintf(what, sizeof what,
             "jobs[%u]: its trace does not tell who waits for whom, so a delay stays in its rank: "
             "no slow-down is known,\n  and I/O and run time added are at least what is shown",
             index);
    note(in, what);
  }
  in->s->widest = h ? in->s->ndisks : in->s->widest;
}

void sim_loader_job(struct sim_loader *in, unsigned index) {
  const struct sim_job_text *t = &in->text->jobs[index];
  char key[80];
#define KEY(name) (snprintf(key, sizeof key, "jobs[%u]." #name, index), key)
  if (!t->trace == !t->generate)
    sim_loader_fail(in, SIOX_EINVAL, KEY(trace), "a job has either a trace or generate");
  struct siox_sim_job job = {
      .name = t->name,
      .start = llround(number(in, KEY(start), t->start, 0, 0, 1e9) * 1e9),
      .instances = count(in, KEY(instances), t->instances, 1, 1, 1 << 20),
      .repeats = count(in, KEY(repeats), t->repeats, 1, 1, 1 << 30),
      .pause = llround(number(in, KEY(pause), t->pause, 0, 0, 1e9) * 1e9),
      .think = number(in, KEY(think), t->think, 1, 1e-9, 1e9),
      .hints = give(in, KEY(hints), t->hints),
      .delay_budget =
          t->delay_budget ? number(in, KEY(delay_budget), t->delay_budget, 0, 0, 100) / 100 : -1,
      .layout = layout_of,
      .layout_context = in};
  if (t->delay_budget && !(in->s->limits.delay_budget > 0))
    sim_loader_fail(in, SIOX_EINVAL, KEY(delay_budget),
                    "needs a delay_budget of the scenario above 0");
  if (t->generate && in->rc == 0)
    read_generated(in, index, t->generate, &job.generated);
  char *path = t->trace ? sim_loader_trace(in, index) : NULL;
  job.trace = path;
  if (path)
    sim_loader_input(in, path);
  if (in->rc == 0) {
    struct siox_diag why = {""};
    int rc = siox_sim_add(in->s->sim, &job, &why);
    if (rc && strncmp(why.text, in->yaml.path, strlen(in->yaml.path)) == 0) {
      *in->diag = why; /* has its place already */
      in->rc = rc;
    } else if (rc) {
      sim_loader_fail(in, rc, t->trace ? KEY(trace) : KEY(generate), why.text);
    } else {
      check_added(in, index, KEY(trace));
    }
  }
  in->moved |= in->text->jobs_count > 1 || t->generate || t->repeats || t->instances || t->think ||
               job.hints != SIOX_SIM_GIVE_RECORDED;
  if (in->rc == 0 && !in->moved) {
    in->s->only_trace = path;
    path = NULL;
  }
  free(path);
#undef KEY
}
