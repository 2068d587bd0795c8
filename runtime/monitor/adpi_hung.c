/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that do not end: they run for longer than `limit` seconds, and than `factor` times the
 * greatest time that a call of their kind and size took.
 *
 * A call that hung and ended says nothing of how long calls take, or the next one would be told
 * `factor` times later. Such ends are only counted, and each nine others take one from the count;
 * when it is ACCEPT, more than a tenth of the calls end so, and the least of them is what calls
 * take. */
#include "monitor/adpi.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCEPT = 8 };

static const double OTHERS = 9;

struct seen {
  double greatest_s;
  double beyond, least_beyond_s;
};
struct hung {
  double limit_s, factor;
  struct siox__slots slots; /* SIOX_SIZE_CLASSES a kind */
};

static int open_hung(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"limit", offsetof(struct hung, limit_s), 10, 0, 1e7},
      {"factor", offsetof(struct hung, factor), 10, 1, 1e6},
  };
  struct hung *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  const int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "hung", numbers,
                                   sizeof numbers / sizeof numbers[0], s, NULL, NULL, diag);
  if (e < 0) {
    free(s);
    return e;
  }
  *state = s;
  return 0;
}

static void close_hung(void *state) {
  struct hung *s = state;
  siox__slots_free(&s->slots);
  free(s);
}

static double bound_of(const struct hung *set, const struct seen *s) {
  return fmax(set->limit_s, set->factor * s->greatest_s);
}

static void learn(const struct hung *set, struct seen *s, double calls, double longest_s) {
  const bool beyond = longest_s > bound_of(set, s);
  s->beyond = fmax(0, s->beyond - (calls - beyond) / OTHERS);
  if (!beyond) {
    s->greatest_s = fmax(s->greatest_s, longest_s);
    return;
  }
  s->least_beyond_s = s->beyond == 0 ? longest_s : fmin(s->least_beyond_s, longest_s);
  if (++s->beyond < ACCEPT)
    return;
  s->greatest_s = s->least_beyond_s;
  s->beyond = 0;
}

static int cycle_hung(void *state, const struct siox_adpi_input *input, struct siox_issue *list,
                      size_t max) {
  struct hung *set = state;
  struct siox__issues issues = {.list = list, .max = max};
  const struct siox_activity_summary *a = input->activities;
  if (!a)
    return 0;
  const int e = siox__slots_grow(&set->slots, a->nkinds, SIOX_SIZE_CLASSES * sizeof(struct seen));
  if (e < 0)
    return e;
  for (size_t i = 0; i < a->nkinds * SIOX_SIZE_CLASSES; i++) {
    const struct siox_activity_kind *k = &a->kinds[i / SIOX_SIZE_CLASSES];
    const struct siox_activity_class *c = &k->classes[i % SIOX_SIZE_CLASSES];
    struct seen *s = (struct seen *)set->slots.at + i;
    if (c->calls > 0)
      learn(set, s, (double)c->calls, (double)c->longest_ns * 1e-9);
    const double runs = (double)(input->cycle->now_ns - c->oldest_ns) * 1e-9,
                 bound = bound_of(set, s);
    if (c->running == 0 || runs <= bound)
      continue;
    struct siox_issue spare, *issue = siox__issue(&issues, &spare);
    issue->detector = siox__adpi_hung.name;
    issue->kind = SIOX_ISSUE_HUNG;
    issue->severity = SIOX_ABNORMAL_BAD;
    issue->category = k->category;
    issue->activity = i / SIOX_SIZE_CLASSES;
    issue->size_class = i % SIOX_SIZE_CLASSES;
    issue->value = runs;
    issue->low = 0;
    issue->high = bound;
    if (s->greatest_s > 0)
      snprintf(issue->evidence, sizeof issue->evidence,
               "a call %s.%s runs for %.3g s; of its size the longest took %.3g s", k->layer,
               k->call, runs, s->greatest_s);
    else
      snprintf(issue->evidence, sizeof issue->evidence,
               "a call %s.%s runs for %.3g s; none of its size has ended yet", k->layer, k->call,
               runs);
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_hung = {
    .abi = SIOX_ADPI_ABI,
    .name = "hung",
    .about = "calls that do not end",
    .open = open_hung,
    .cycle = cycle_hung,
    .close = close_hung,
};
