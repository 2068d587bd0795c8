/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Differences of counters that start again. */
#include "siox/collector.h"

int siox_counter_gain(const struct siox_metric *m, uint64_t before, uint64_t now, int64_t dt_ns,
                      uint64_t *gain) {
  const bool wraps = m->wrap != 0 && m->wrap != SIOX_WRAP_UNKNOWN;
  *gain = 0;
  if (dt_ns <= 0)
    return SIOX_EINVAL;
  if (wraps && (before >= m->wrap || now >= m->wrap))
    return SIOX_ERANGE;
  if (now < before && !wraps)
    return SIOX_EUNKNOWN; /* it wrapped nobody knows where, or began anew */
  const uint64_t counts = now >= before ? now - before : m->wrap - before + now;
  if (m->bound > 0) {
    const double most = m->bound * 1e-9 * (double)dt_ns / m->scale;
    if ((double)counts > most || (wraps && most >= (double)m->wrap))
      return SIOX_ERANGE;
  }
  *gain = counts;
  return 0;
}
