/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shares of an interval's joules. */
#include "siox/attribution.h"
#include <math.h>
#include <stdbool.h>

static bool amount(double x) { return isfinite(x) && x >= 0; }

int siox_attribute_cpu(const struct siox_cpu_interval *t, struct siox_cpu_share *jobs, size_t n,
                       struct siox_cpu_rest *rest) {
  if (!amount(t->joules) || !amount(t->static_w) || !amount(t->busy_s) || !(t->seconds > 0) ||
      !(t->cores > 0) || !isfinite(t->seconds) || !isfinite(t->cores))
    return SIOX_ERANGE;
  double busy = 0, cores = 0;
  for (size_t i = 0; i < n; i++) {
    if (!amount(jobs[i].busy_s) || !amount(jobs[i].cores))
      return SIOX_ERANGE;
    busy += jobs[i].busy_s;
    cores += jobs[i].cores;
  }
  const double all_static = fmin(t->joules, t->static_w * t->seconds),
               all_dynamic = t->joules - all_static;
  const double all_busy = fmax(t->busy_s, busy), all_cores = fmax(t->cores, cores);
  for (size_t i = 0; i < n; i++) {
    jobs[i].dynamic_j = all_busy > 0 ? all_dynamic * (jobs[i].busy_s / all_busy) : 0;
    jobs[i].static_j = all_static * (jobs[i].cores / all_cores);
  }
  rest->idle_j = all_static * ((all_cores - cores) / all_cores) + (all_busy > 0 ? 0 : all_dynamic);
  rest->unattributed_j = all_busy > 0 ? all_dynamic * ((all_busy - busy) / all_busy) : 0;
  return 0;
}

void siox_idle_power_take(struct siox_idle_power *p, double joules, double seconds,
                          double utilisation) {
  static const double idle = 0.05, window_s = 10;
  if (!(utilisation <= idle) || !amount(joules) || !(seconds > 0)) {
    p->joules = p->seconds = 0;
    return;
  }
  p->joules += joules;
  p->seconds += seconds;
  if (p->seconds < window_s)
    return;
  const double watts = p->joules / p->seconds;
  if (p->watts == 0 || watts < p->watts)
    p->watts = watts;
  p->joules = p->seconds = 0;
}
