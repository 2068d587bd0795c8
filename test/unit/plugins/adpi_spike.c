/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Example of a detector of your own (docs/adpi.md): tells a metric that grows by more than `factor`
 * from one cycle to the next.
 *
 *   cc -std=c17 -O2 -fPIC -shared -o adpi_spike.so adpi_spike.c */
#include <math.h>
#include <siox/adpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spike {
  const char *metric;
  double factor;
  double *before; /* of each series; 0: nothing yet */
  size_t n;
};

extern const struct siox_adpi siox_adpi;

static int spike_open(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  struct spike *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  s->factor = 10;
  for (size_t i = 0; i < env->nsettings; i++) {
    const struct siox_option *o = &env->settings[i];
    char *end = NULL;
    if (strcmp(o->key, "metric") == 0) {
      s->metric = o->value; /* lives until close */
    } else if (strcmp(o->key, "factor") == 0 && (s->factor = strtod(o->value, &end)) > 1 && !*end) {
    } else {
      snprintf(diag->text, sizeof diag->text, "%s:%u: %s: %s", env->origin, o->line, o->key,
               end ? "is not a number above 1" : "spike has no such setting");
      free(s);
      return SIOX_EINVAL;
    }
  }
  *state = s;
  return 0;
}

static int spike_cycle(void *state, const struct siox_adpi_input *input, struct siox_issue *issues,
                       size_t max) {
  struct spike *s = state;
  const struct siox_cycle *cycle = input->cycle;
  if (cycle->nseries > s->n) { /* series come, and keep their index */
    double *more = realloc(s->before, cycle->nseries * sizeof *more);
    if (!more)
      return SIOX_ENOMEM;
    memset(more + s->n, 0, (cycle->nseries - s->n) * sizeof *more);
    s->before = more;
    s->n = cycle->nseries;
  }
  size_t found = 0;
  for (size_t i = 0; i < cycle->nseries; i++) {
    const struct siox_series *series = &cycle->series[i];
    if (series->last.state == SIOX_SAMPLE_HELD)
      continue; /* it is its turn in a later cycle */
    if (series->last.state != SIOX_SAMPLE_VALID) {
      s->before[i] = 0; /* what comes next is not one cycle later */
      continue;
    }
    if (s->metric && strcmp(series->metric.name, s->metric) != 0)
      continue;
    const double now = series->last.value, most = s->factor * s->before[i];
    if (most > 0 && now > most && found++ < max) { /* count all, write what there is room for */
      struct siox_issue *issue = &issues[found - 1];
      *issue = (struct siox_issue){
          .detector = siox_adpi.name,
          .kind = SIOX_ISSUE_DEVIATES,
          .severity = SIOX_ABNORMAL_OTHER,
          .category = SIOX_NCATEGORIES, /* let the host say: siox_category_of() */
          .series = i,
          .activity = SIOX_NO_INDEX,
          .value = now,
          .low = -INFINITY,
          .high = most,
      };
      snprintf(issue->evidence, sizeof issue->evidence, "%s rose from %.4g to %.4g in one cycle",
               series->metric.name, s->before[i], now);
    }
    s->before[i] = now;
  }
  return (int)found;
}

static void spike_close(void *state) {
  struct spike *s = state;
  free(s->before);
  free(s);
}

const struct siox_adpi siox_adpi = {
    .abi = SIOX_ADPI_ABI,
    .name = "spike",
    .about = "metrics that grow by a factor from one cycle to the next",
    .open = spike_open,
    .cycle = spike_cycle,
    .close = spike_close,
};
