/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/moments.h"
#include <math.h>

static const double CLIP = 3; /* standard deviations; 2.7 in 1,000 normal values lie beyond */

void siox__moments_add(struct siox__moments *m, double x, double memory) {
  m->n = m->n + 1 < memory ? m->n + 1 : memory;
  const double w = 1 / m->n, d = x - m->mean;
  m->mean += w * d;
  m->variance = (1 - w) * (m->variance + w * d * d);
}

void siox__moments_learn(struct siox__moments *m, double x, double least, double memory) {
  const double far = m->n > 0 ? fmax(CLIP * sqrt(m->variance), least) : INFINITY;
  siox__moments_add(m, fmin(fmax(x, m->mean - far), m->mean + far), memory);
}

double siox__moments_reach(const struct siox__moments *m, double k) {
  const double v = m->n - 1, k3 = k * k * k;
  const double t = k + (k3 + k) / (4 * v) + (5 * k3 * k * k + 16 * k3 + 3 * k) / (96 * v * v);
  return t * sqrt(m->variance * m->n / v * (1 + 1 / m->n));
}
