/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shortest gap in which leaving full speed and coming back takes no more than staying there,
 * from a drive's profile by the forms of docs/drives.md. */
#include "check.h"
#include <math.h>

/* Joules and seconds of one change between two levels; false: the profile states none. */
static bool change(const struct siox_drive *d, uint32_t from, uint32_t to, double *joules,
                   double *seconds) {
  double a = d->level[from].speed, b = d->level[to].speed, full = d->level[d->nlevels - 1].speed;
  if (!d->ramp) {
    *seconds = (double)d->table[from][to].ns * 1e-9;
    *joules = d->table[from][to].joules;
    return d->table[from][to].ns >= 0;
  }
  double low = fmin(a, b) / full, high = fmax(a, b) / full;
  *seconds = d->ramp_ns_per_speed * fabs(a - b) * 1e-9;
  double least = d->base_w * *seconds, rotor = d->kinetic_j * (high * high - low * low);
  switch (d->rule) {
  case SIOX_RULE_A:
    *joules = least + d->span_w * high * high * *seconds;
    break;
  case SIOX_RULE_B:
    *joules = least + d->span_w * (low * low + low * high + high * high) / 3 * *seconds;
    break;
  default:
    *joules = fmax(least, rotor * (b > a ? d->kinetic_up_share : 1 - d->kinetic_up_share));
    break;
  }
  return true;
}

int64_t siox__check_break_even(const struct siox_drive *d) {
  double best = INFINITY, full_w = d->level[d->nlevels - 1].idle_w;
  for (uint32_t l = 0; l + 1 < d->nlevels; l++) {
    double down_j, down_s, up_j, up_s, low_w = d->level[l].idle_w;
    if (!change(d, d->nlevels - 1, l, &down_j, &down_s) ||
        !change(d, l, d->nlevels - 1, &up_j, &up_s) || low_w >= full_w)
      continue;
    double moving = down_s + up_s;
    double equal = (down_j + up_j - low_w * moving) / (full_w - low_w);
    best = fmin(best, fmax(moving, equal));
  }
  return isinf(best) ? SIOX_NEVER : (int64_t)llround(best * 1e9);
}
