/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "monitor/pace.h"

/* A reading that was disturbed changes little, and a cost that stays is known within ten cycles. */
static const double WEIGHT = 0.125;

size_t siox__pace_many(const struct siox__pace *p, size_t n, double room_ns) {
  if (n == 0 || (p->cost_ns <= 0 && room_ns > 0))
    return n;
  if (!(room_ns > p->cost_ns))
    return 1;
  const double fit = room_ns / p->cost_ns;
  return fit >= (double)n ? n : (size_t)fit;
}

void siox__pace_took(struct siox__pace *p, size_t n, size_t many, size_t of, double took_ns,
                     int64_t now_ns) {
  if (of > 0 && took_ns > 0) {
    const double cost = took_ns / (double)of;
    p->cost_ns += p->cost_ns > 0 ? WEIGHT * (cost - p->cost_ns) : cost;
  }
  if (n == 0) {
    *p = (struct siox__pace){.cost_ns = p->cost_ns};
    return;
  }
  p->next += many;
  if (p->next < n)
    return;
  p->next %= n; /* processes may have gone since the turn before */
  p->round_ns = p->began_ns > 0 ? now_ns - p->began_ns : 0;
  p->began_ns = now_ns;
}
