/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small random drives and services, and the optimum by brute force: time in ticks, a ramp changes
 * the speed by one unit a tick, and in every tick every command is tried. Shares no formula with
 * the oracle. */
#ifndef SIOX_TEST_UNIT_ORACLE_SUPPORT_H
#define SIOX_TEST_UNIT_ORACLE_SUPPORT_H
#include "siox/oracle.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK INT64_C(250000000) /* ns */
#define TICK_S 0.25
enum { UNITS = 12, LEVELS = 3, LATE = 2 * UNITS, TICKS = 30 + LATE };

static inline double between(uint64_t *random, double low, double high) {
  return low + (high - low) * ((double)(test_random(random) >> 11) * 0x1p-53);
}

/* Watts of standing, or passing, at a speed. */
static inline double watts(const struct siox_drive *d, double speed) {
  double w = speed / d->level[d->nlevels - 1].speed;
  return d->base_w + d->span_w * w * w;
}
/* Joules of a ramp in one piece. */
static inline double ramp_joules(const struct siox_drive *d, int from, int to) {
  double t = abs(to - from) * TICK_S, full = d->level[d->nlevels - 1].speed;
  double a = fmin(from, to) / full, b = fmax(from, to) / full;
  if (d->rule == SIOX_RULE_A)
    return t * watts(d, fmax(from, to));
  if (d->rule == SIOX_RULE_B) /* the antiderivative */
    return full * TICK_S * (d->base_w * (b - a) + d->span_w * (b * b * b - a * a * a) / 3);
  double share = to > from ? d->kinetic_up_share : 1 - d->kinetic_up_share;
  return fmax(d->kinetic_j * share * (b * b - a * a), d->base_w * t);
}

/* Levels at even speeds, so that a gap of an even number of ticks can be filled by a turned ramp.
 */
static inline void random_drive(struct siox_drive *d, uint64_t *random,
                                enum siox_transition_rule rule) {
  memset(d, 0, sizeof *d);
  strcpy(d->name, "random");
  d->nlevels = LEVELS;
  d->ramp = true;
  d->ramp_ns_per_speed = (double)TICK;
  d->rule = rule;
  d->base_w = between(random, 1, 4);
  d->span_w = between(random, 3, 10);
  d->seek_ns = 3e6;
  int speed = 2 * (int)test_below(random, 2);
  for (int l = 0; l < LEVELS; l++) {
    speed += 2 * (1 + (int)test_below(random, 2));
    d->level[l].speed = speed > UNITS ? UNITS : speed;
  }
  double full = d->level[LEVELS - 1].speed;
  /* Going to and fro on a ramp is dearer than standing: rule c charges the rotor's energy for it.
   */
  double low = d->level[0].speed / full;
  d->kinetic_j = between(random, 1, 1.5) * full * TICK_S *
                 fmax(d->base_w + d->span_w, d->base_w / low + d->span_w * low);
  d->kinetic_up_share = between(random, 0.5, 0.95);
  for (int l = 0; l < LEVELS; l++) {
    double w = d->level[l].speed / full;
    d->level[l] = (struct siox_level){.speed = d->level[l].speed,
                                      .serves = l > 0 || test_below(random, 3) > 0,
                                      .idle_w = watts(d, d->level[l].speed),
                                      .active_w = watts(d, d->level[l].speed) + 3,
                                      .rate = 50e6 * w,
                                      .rotation_ns = 2e6 / w};
  }
}

/* Changes of any length and cost, some not possible; going round is never cheaper than standing. */
static inline void random_table(struct siox_drive *d, uint64_t *random) {
  random_drive(d, random, SIOX_RULE_B);
  d->ramp = false;
  for (int f = 0; f < LEVELS; f++)
    for (int t = 0; t < LEVELS; t++) {
      int64_t ticks = 1 + (int64_t)test_below(random, 6);
      bool known = t == LEVELS - 1 || test_below(random, 5) > 0;
      double w = fmax(d->level[f].idle_w, d->level[t].idle_w) * between(random, 1, 2);
      d->table[f][t] = f == t  ? (struct siox_transition){0, 0}
                       : known ? (struct siox_transition){ticks * TICK, w * (double)ticks * TICK_S}
                               : (struct siox_transition){-1, 0};
    }
}

/* Least joules of ways through a gap that begin at a level. */
struct brute {
  double at[LEVELS][TICKS + 1]; /* standing there after so many ticks */
  double end[TICKS + 1]; /* under way or standing after so many ticks, way to `end` included */
};
static inline double lesser(double a, double b) { return a < b ? a : b; }

/* A disk on its ramp: in a piece that began at `from`, now at `speed`, on the way to `level`;
 * from = speed: standing there. */
struct brute_state {
  int turned, from, speed, level;
};
enum { STATES = 2 * (UNITS + 1) * (UNITS + 1) * LEVELS };
static inline int brute_index(struct brute_state s) {
  return ((s.turned * (UNITS + 1) + s.from) * (UNITS + 1) + s.speed) * LEVELS + s.level;
}
static inline struct brute_state brute_of(int i) {
  return (struct brute_state){i / (LEVELS * (UNITS + 1) * (UNITS + 1)),
                              i / (LEVELS * (UNITS + 1)) % (UNITS + 1), i / LEVELS % (UNITS + 1),
                              i % LEVELS};
}

/* One tick later, told to go to a level; false when that is not a thing to do. Under rule a a ramp
 * is turned once in a gap at most: to and fro it would cost ever less. */
static inline bool brute_step(const struct siox_drive *d, struct brute_state *s, int to,
                              double *joules) {
  int goal = d->level[to].speed;
  if (s->from == s->speed && goal == s->speed) {
    *joules += watts(d, s->speed) * TICK_S;
    return true;
  }
  if (s->from != s->speed && to != s->level) {
    if (goal == s->speed || (goal > s->speed) == (s->speed > s->from) ||
        (d->rule == SIOX_RULE_A && s->turned))
      return false;
    *joules += ramp_joules(d, s->from, s->speed);
    s->from = s->speed;
    s->turned = 1;
  }
  s->level = to;
  s->speed += goal > s->speed ? 1 : -1;
  if (s->speed == goal) {
    *joules += ramp_joules(d, s->from, goal);
    s->from = goal;
  }
  return true;
}

static inline void brute_ramp(const struct siox_drive *d, int start, int end, int ticks,
                              struct brute *out) {
  static double now[STATES], next[STATES];
  int first = d->level[start].speed, back = d->level[end].speed;
  for (int i = 0; i < STATES; i++)
    now[i] = INFINITY;
  now[brute_index((struct brute_state){0, first, first, start})] = 0;
  for (int t = 0; t <= ticks; t++) {
    out->end[t] = INFINITY;
    for (int l = 0; l < LEVELS; l++)
      out->at[l][t] = INFINITY;
    for (int i = 0; i < STATES; i++)
      next[i] = INFINITY;
    for (int i = 0; i < STATES; i++) {
      struct brute_state s = brute_of(i);
      if (!(now[i] < INFINITY))
        continue;
      if (s.from == s.speed)
        out->at[s.level][t] = lesser(out->at[s.level][t], now[i]);
      out->end[t] =
          lesser(out->end[t], now[i] + (s.from == s.speed ? 0 : ramp_joules(d, s.from, s.speed)) +
                                  (s.speed == back ? 0 : ramp_joules(d, s.speed, back)));
      for (int to = 0; to < LEVELS; to++) {
        struct brute_state after = s;
        double joules = now[i];
        if (brute_step(d, &after, to, &joules))
          next[brute_index(after)] = lesser(next[brute_index(after)], joules);
      }
    }
    memcpy(now, next, sizeof now);
  }
}

static inline void brute_table(const struct siox_drive *d, int start, int end, int ticks,
                               struct brute *out) {
  double back[LEVELS];
  for (int l = 0; l < LEVELS; l++) {
    back[l] = l == end ? 0 : d->table[l][end].ns < 0 ? INFINITY : d->table[l][end].joules;
    for (int t = 0; t <= ticks; t++)
      out->at[l][t] = INFINITY;
  }
  for (int t = 0; t <= ticks; t++)
    out->end[t] = INFINITY;
  out->at[start][0] = 0;
  for (int t = 0; t <= ticks; t++)
    for (int l = 0; l < LEVELS; l++) {
      double joules = out->at[l][t];
      out->end[t] = lesser(out->end[t], joules + back[l]);
      if (t < ticks)
        out->at[l][t + 1] = lesser(out->at[l][t + 1], joules + d->level[l].idle_w * TICK_S);
      for (int to = 0; to < LEVELS; to++) {
        if (to == l || d->table[l][to].ns < 0)
          continue;
        int after = t + (int)(d->table[l][to].ns / TICK);
        if (after <= ticks)
          out->at[to][after] = lesser(out->at[to][after], joules + d->table[l][to].joules);
        for (int cut = t + 1; cut < after && cut <= ticks; cut++) /* it goes on to its end */
          out->end[cut] = lesser(out->end[cut], joules + d->table[l][to].joules + back[to]);
      }
    }
}

static inline void brute_gap(const struct siox_drive *d, int start, int end, int ticks,
                             struct brute *out) {
  (d->ramp ? brute_ramp : brute_table)(d, start, end, ticks, out);
}

enum { SERVICES = 4 };
struct instance {
  struct siox_drive drive;
  uint32_t initial, end_level;
  int n, gap[SERVICES + 1]; /* ticks; even; gap[n] is the last one */
  uint64_t bytes[SERVICES];
  double weight[SERVICES];
};

static inline int64_t full_ns(const struct instance *in, int i) {
  return siox_drive_service_ns(&in->drive, LEVELS - 1, in->bytes[i], false);
}

static inline void random_instance(struct instance *in, uint64_t *random, bool table,
                                   enum siox_transition_rule rule, int services) {
  memset(in, 0, sizeof *in);
  if (table)
    random_table(&in->drive, random);
  else
    random_drive(&in->drive, random, rule);
  in->initial = (uint32_t)(test_below(random, 3) ? LEVELS - 1 : test_below(random, LEVELS));
  in->end_level = table ? LEVELS - 1 : in->initial;
  in->n = services;
  for (int i = 0; i <= in->n; i++)
    in->gap[i] = test_below(random, 6) ? 2 * (int)test_below(random, 16) : 0;
  int64_t up = siox_drive_transition_ns(&in->drive, in->drive.level[in->initial].speed,
                                        in->drive.level[LEVELS - 1].speed);
  in->gap[0] += (int)(up / TICK + up / TICK % 2);
  if (in->gap[0] > 30)
    in->gap[0] = 30;
  for (int i = 0; i < in->n; i++) {
    in->bytes[i] =
        test_below(random, 2) ? test_below(random, 1 << 16) : test_below(random, 50000000);
    in->weight[i] = test_below(random, 2) ? 1 : between(random, 0.3, 1);
  }
}

/* Feeds it; the commands go to `told`. */
static inline void solve(const struct instance *in, enum siox_oracle_ways ways, const double *price,
                         uint32_t nprices, void (*told)(void *, int64_t, uint32_t), void *context,
                         struct siox_oracle_result *result, struct siox_oracle_point *point) {
  struct siox_oracle_options o = {.drive = &in->drive,
                                  .initial_level = in->initial,
                                  .end_level = in->end_level,
                                  .ways = ways,
                                  .price = price,
                                  .nprices = nprices,
                                  .command = told,
                                  .context = context};
  struct siox_oracle *oracle;
  int64_t at = 0;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  for (int i = 0; i < in->n; i++) {
    at += in->gap[i] * TICK;
    struct siox_oracle_service s = {at, 0, in->bytes[i], in->weight[i]};
    assert_int_equal(siox_oracle_serve(oracle, &s), 0);
    at += full_ns(in, i);
  }
  assert_int_equal(siox_oracle_finish(oracle, at + in->gap[in->n] * TICK, result, point), 0);
  siox_oracle_destroy(oracle);
}
#endif
