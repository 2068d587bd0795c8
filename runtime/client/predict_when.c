/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Iterations in which a counted loop does I/O, where the program tells: if (it % n == 0) write();
 * What stands behind such a condition is not reached before the next iteration that fulfils it, or
 * the loop's end. */
#include "client/predict.h"

/* Iterations looked through for the next one; where there is none, it is later than these. */
enum { LOOK_AHEAD = 4096 };

void siox__predictor_when(struct siox__predictor *p, struct siox_steps_when *when, int64_t first,
                          int64_t modulus) {
  if (p->failed || p->env.lead == SIOX_LEAD_NONE || !p->env.ndisks)
    return;
  when->first = first;
  when->modulus = modulus;
  struct siox__region_state *loop = when->only ? siox__region_state(p, when->steps) : NULL;
  bool listed = !loop;
  for (const struct siox_steps_when *w = loop ? loop->only : NULL; w && !listed; w = w->also)
    listed = w == when;
  if (!listed) {
    when->also = loop->only;
    loop->only = when;
  }
  for (uint32_t i = 0; i < when->nsites; i++) {
    struct siox__site_state *s = siox__site_state(p, when->sites[i]);
    if (s)
      s->when = when;
  }
  for (uint32_t i = 0; i < when->ngaps; i++) {
    struct siox__region_state *s = siox__region_state(p, when->gaps[i]);
    if (s)
      s->when = when;
  }
}

/* The loop runs, and what is said of it was true so far. */
static bool active(const struct siox_steps_when *when) {
  const struct siox__region_state *s = when ? when->steps->state : NULL;
  return s && s->stepping && !when->broken && when->modulus > 0;
}

static bool fulfils(const struct siox_steps_when *when, int64_t iteration) {
  int64_t way, value;
  return __builtin_mul_overflow(when->step, iteration, &way) ||
         __builtin_add_overflow(when->first, way, &value) || value % when->modulus == when->rest;
}

static int64_t next_iteration(const struct siox_steps_when *when, int64_t iteration) {
  for (int64_t i = 0; i < LOOK_AHEAD; i++)
    if (fulfils(when, iteration + i))
      return iteration + i;
  return iteration + LOOK_AHEAD;
}

const struct siox_steps_when *siox__when_of(const struct siox_site *site) {
  const struct siox__site_state *s = site->state;
  return s && active(s->when) ? s->when : NULL;
}

void siox__when_used(const struct siox_site *site) {
  const struct siox__site_state *s = site->state;
  if (s && active(s->when) &&
      !fulfils(s->when, ((struct siox__region_state *)s->when->steps->state)->steps_done))
    s->when->broken = 1;
}

int64_t siox__when_time(const struct siox_steps_when *when, const struct siox_region *from,
                        int64_t at) {
  if (!active(when))
    return 0;
  const struct siox__region_state *s = when->steps->state;
  bool past = false;
  for (uint32_t i = 0; i < when->npast && !past; i++)
    past = when->past[i] == from;
  /* A first iteration often takes longer than the others: two are waited for. */
  if (s->nsteps < 2 && !(when->steps->flags & SIOX_REGION_MEASURED))
    return 0;
  int64_t next = next_iteration(when, s->steps_done + past);
  if (s->steps_trip > 0 && next > s->steps_trip)
    next = s->steps_trip;
  double step = siox__running_step(when->steps, at);
  if (next <= s->steps_done || step <= 0)
    return 0;
  /* A fiftieth of an iteration goes to the safe side. */
  double begin = (double)s->steps_seen + step * ((double)(next - s->steps_done) - 0.02);
  return begin < 9e18 ? (int64_t)begin : SIOX_NEVER - 1;
}

int64_t siox__when_any(const struct siox_steps_when *when, int64_t now) {
  int64_t soonest = when ? SIOX_NEVER : 0;
  for (; when; when = when->also) {
    int64_t time = siox__when_time(when, NULL, now);
    soonest = time < soonest ? time : soonest;
  }
  return soonest;
}
