/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Response times: for each kind of call and size class a histogram in powers of two of how long
 * calls took.
 *
 * The slow end begins at the bucket beyond which at most `top` of the learned calls lie, the fast
 * end likewise. That a cycle has calls there is no anomaly, since one in a hundred always has; that
 * it has so many is, if so many or more would come by chance with a probability of `chance` at
 * most, when each call lands there as often as was learned (binomial, with one call more than was
 * seen there, for what has not been seen yet). So nothing is said before about 1 / chance calls
 * were learned.
 *
 * A collective call is one event, though each rank makes it: when it is slow it is for all of them.
 * So its calls count as the part of one that a caller has.
 *
 * Calls of an abnormal cycle are learned with a weight of ADOPT, so that a burst of slow ones does
 * not become what is usual and a lasting change does in time. When `memory` calls are known all
 * weights are halved. */
#include "monitor/adpi.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double ADOPT = 0.05;

struct histogram {
  double total, calls[SIOX_TIME_BUCKETS];
};
struct response {
  double top, least, chance, memory;
  struct siox__slots slots; /* SIOX_SIZE_CLASSES histograms a kind */
};

static int open_response(const struct siox_adpi_env *env, void **state, struct siox_diag *diag) {
  static const struct siox__number numbers[] = {
      {"top", offsetof(struct response, top), 0.01, 0, 0.5},
      {"least_calls", offsetof(struct response, least), 1000, 1, 1e12},
      {"chance", offsetof(struct response, chance), 0.001, 1e-15, 0.5},
      {"memory", offsetof(struct response, memory), 1e6, 100, 1e15},
  };
  struct response *s = calloc(1, sizeof *s);
  if (!s)
    return SIOX_ENOMEM;
  const int e = siox__numbers_read(env->origin, env->settings, env->nsettings, "response", numbers,
                                   sizeof numbers / sizeof numbers[0], s, NULL, NULL, diag);
  if (e < 0) {
    free(s);
    return e;
  }
  *state = s;
  return 0;
}

static void close_response(void *state) {
  struct response *s = state;
  siox__slots_free(&s->slots);
  free(s);
}

/* That of n calls x or more land where one does with probability p. */
static double chance_of(double x, double n, double p) {
  if (x <= n * p || p >= 1)
    return 1;
  int sign;
  double term = exp(lgamma_r(n + 1, &sign) - lgamma_r(x + 1, &sign) - lgamma_r(n - x + 1, &sign) +
                    x * log(p) + (n - x) * log1p(-p));
  double sum = term;
  for (; x < n && term > 1e-12 * sum; x++) {
    term *= (n - x) / (x + 1) * p / (1 - p);
    sum += term;
  }
  return sum;
}

/* One end of a histogram: buckets [from, to), the share of learned calls in them and the number of
 * this cycle's. */
struct end {
  int from, to;
  double share, calls;
};
static struct end end_of(const struct histogram *h, const struct siox_activity_class *c, double top,
                         bool slow) {
  struct end e = {0};
  double in = 0;
  int b = slow ? SIOX_TIME_BUCKETS : -1;
  const int step = slow ? -1 : 1;
  while (b + step >= 0 && b + step < SIOX_TIME_BUCKETS && in + h->calls[b + step] <= top * h->total)
    in += h->calls[b += step];
  e.from = slow ? b : 0;
  e.to = slow ? SIOX_TIME_BUCKETS : b + 1;
  for (int i = e.from; i < e.to; i++)
    e.calls += c->times[i];
  e.share = (in + 1) / (h->total + 1);
  return e;
}

static void tell(const struct siox_adpi_input *input, size_t kind, unsigned size_class,
                 const struct end *slow, bool is_slow, double limit_ns, double fast_ns,
                 struct siox__issues *issues) {
  const struct siox_activity_kind *k = &input->activities->kinds[kind];
  const struct siox_activity_class *c = &k->classes[size_class];
  struct siox_issue spare, *issue = siox__issue(issues, &spare);
  issue->detector = siox__adpi_response.name;
  issue->severity = is_slow ? SIOX_ABNORMAL_BAD : SIOX_ABNORMAL_GOOD;
  issue->category = k->category;
  issue->activity = kind;
  issue->size_class = size_class;
  issue->value = (double)c->longest_ns * 1e-9;
  issue->low = fast_ns * 1e-9;
  issue->high = limit_ns * 1e-9;
  snprintf(
      issue->evidence, sizeof issue->evidence,
      "%.0f of %llu calls %s.%s took %s than %.3g ms, where %.2g %% do; the longest took %.3g ms",
      slow->calls, (unsigned long long)c->calls, k->layer, k->call, is_slow ? "longer" : "less",
      (is_slow ? limit_ns : fast_ns) * 1e-6, 100 * slow->share, issue->value * 1e3);
}

static int cycle_response(void *state, const struct siox_adpi_input *input, struct siox_issue *list,
                          size_t max) {
  struct response *set = state;
  struct siox__issues issues = {.list = list, .max = max};
  if (!input->activities)
    return 0;
  const struct siox_activity_summary *a = input->activities;
  const int e =
      siox__slots_grow(&set->slots, a->nkinds, SIOX_SIZE_CLASSES * sizeof(struct histogram));
  if (e < 0)
    return e;
  for (size_t i = 0; i < a->nkinds * SIOX_SIZE_CLASSES; i++) {
    const size_t kind = i / SIOX_SIZE_CLASSES;
    const unsigned size_class = i % SIOX_SIZE_CLASSES;
    const struct siox_activity_class *c = &a->kinds[kind].classes[size_class];
    if (c->calls == 0)
      continue;
    struct histogram *h = (struct histogram *)set->slots.at + i;
    const double part = a->kinds[kind].together && c->callers > 1 ? 1.0 / c->callers : 1;
    double weight = part;
    if (h->total >= set->least) {
      const struct end slow = end_of(h, c, set->top, true), fast = end_of(h, c, set->top, false);
      const double n = part * (double)c->calls;
      const bool is_slow =
          slow.calls > 0 && chance_of(part * slow.calls, n, slow.share) <= set->chance;
      const bool is_fast =
          fast.calls > 0 && chance_of(part * fast.calls, n, fast.share) <= set->chance;
      if (is_slow || is_fast) {
        tell(input, kind, size_class, is_slow ? &slow : &fast, is_slow, ldexp(1, slow.from),
             ldexp(1, fast.to), &issues);
        weight = ADOPT * part;
      }
    }
    for (int b = 0; b < SIOX_TIME_BUCKETS; b++) {
      h->calls[b] += weight * c->times[b];
      h->total += weight * c->times[b];
    }
    if (h->total >= set->memory) {
      h->total /= 2;
      for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
        h->calls[b] /= 2;
    }
  }
  return (int)issues.n;
}

const struct siox_adpi siox__adpi_response = {
    .abi = SIOX_ADPI_ABI,
    .name = "response",
    .about = "calls that take longer, or less, than calls of their kind and size do",
    .open = open_response,
    .cycle = cycle_response,
    .close = close_response,
};
