/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The closed forms of the 36Z15 profile against the paper's figures: Table I, the break-even times
 * that follow from it by hand, and the share of energy a gap can save; and integrals against
 * numerical integration. */
#include "siox/drive.h"
#include "support.h"
#include <math.h>
#include <stdbool.h>

#define SECOND 1000000000.0

static struct siox_drive z15(enum siox_transition_rule rule, double time_scale) {
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(siox_drive_load(&d, "36Z15", time_scale, &diag), 0);
  d.rule = rule;
  return d;
}

static void expect_near(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance))
    fail_msg("%.9g, expected %.9g within %.3g", got, expected, tolerance);
}

static void table_1_watts_and_speeds(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  const int32_t speed[] = {6000, 9000, 12000, 15000};
  const double idle[] = {3.73, 5.27, 7.43, 10.2}, active[] = {7.03, 8.57, 10.73, 13.5};
  assert_int_equal(d.nlevels, 4);
  for (int l = 0; l < 4; l++) {
    assert_int_equal(d.level[l].speed, speed[l]);
    expect_near(d.level[l].idle_w, idle[l], 0.005);
    expect_near(d.level[l].active_w, active[l], 0.005);
  }
}

static void table_1_transition_times(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  const struct {
    double from, to, seconds;
  } rows[] = {{15000, 6000, 6.54}, {6000, 12000, 4.36}, {15000, 12000, 2.18}, {9000, 9000, 0}};
  for (size_t i = 0; i < 4; i++)
    expect_near((double)siox_drive_transition_ns(&d, rows[i].from, rows[i].to),
                rows[i].seconds * SECOND, 0.5);
}

static void service_time_is_seek_rotation_transfer(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  for (uint32_t l = 0; l < 4; l++) {
    double rpm = 6000 + 3000 * l, transfer = 65536 / (55e6 * rpm / 15000);
    expect_near((double)siox_drive_service_ns(&d, l, 65536, false),
                (0.0034 + 30 / rpm + transfer) * SECOND, 0.51);
    expect_near((double)siox_drive_service_ns(&d, l, 65536, true), (30 / rpm + transfer) * SECOND,
                0.51);
  }
  assert_int_equal(siox_drive_service_ns(&d, 4, 1, true), SIOX_EINVAL);
}

/* 13 J down and 135 J up in 12.4 s, against 2.5 W stopped and 10.2 W idle. */
static void break_even_of_stopping_is_the_papers(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  expect_near(siox_drive_stop_break_even_s(&d), (148 - 2.5 * 12.4) / 7.7, 1e-6);
}

static void break_even_of_stopping_is_in_wall_seconds(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 100);
  expect_near(siox_drive_stop_break_even_s(&d), (148 - 2.5 * 12.4) / 7.7 / 100, 1e-6);
}

static void without_standby_stopping_has_no_break_even(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  d.has_standby = false;
  assert_true(isnan(siox_drive_stop_break_even_s(&d)));
}

static void standby_that_saves_nothing_has_no_break_even(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  d.standby_w = d.level[3].idle_w;
  assert_true(isnan(siox_drive_stop_break_even_s(&d)));
}

/* The gap at which full -> level -> full draws level with staying, from transition energies alone.
 */
static double break_even(const struct siox_drive *d, uint32_t level) {
  double full = d->level[3].speed, speed = d->level[level].speed, down, up;
  assert_int_equal(siox_drive_transition_j(d, full, speed, &down), 0);
  assert_int_equal(siox_drive_transition_j(d, speed, full, &up), 0);
  double trip = 2 * 10.9 * (full - speed) / full;
  return (down + up - d->level[level].idle_w * trip) /
         (d->level[3].idle_w - d->level[level].idle_w);
}

static void break_even_by_rule(void **state) {
  (void)state;
  /* rows: to 12000, 9000, 6000; round trips 4.36, 8.72, 13.08 s */
  const double expected[3][3] = {{4.36, 8.72, 13.08}, {2.10, 4.00, 5.61}, {7.54, 9.89, 11.67}};
  for (int r = 0; r < 3; r++)
    for (uint32_t i = 0; i < 3; i++) {
      struct siox_drive d = z15((enum siox_transition_rule)r, 1);
      if (r == SIOX_RULE_C)
        d.base_w = 0; /* the figures are without the floor of the electronics */
      double round_trip = 4.36 * (i + 1);
      expect_near(break_even(&d, 2 - i), expected[r][i], 0.006);
      expect_near((double)siox_drive_min_gap(&d, 2 - i) / SECOND, fmax(round_trip, expected[r][i]),
                  0.006);
    }
}

static void rule_c_never_falls_below_the_electronics(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_C, 1);
  double j;
  /* 15000 -> 9000: 13 J * 0.64 = 8.32 J, but 2.5 W * 4.36 s = 10.9 J */
  assert_int_equal(siox_drive_transition_j(&d, 15000, 9000, &j), 0);
  expect_near(j, 10.9, 1e-9);
  /* and back: 135 J * 0.64 = 86.4 J */
  assert_int_equal(siox_drive_transition_j(&d, 9000, 15000, &j), 0);
  expect_near(j, 86.4, 1e-9);
  /* (97.3 - 5.272 * 8.72) / 4.928 s */
  expect_near((double)siox_drive_min_gap(&d, 1) / SECOND, 10.4155, 0.0005);
}

/* Best saving of a gap as percent of staying at full speed. */
static double saved_percent(const struct siox_drive *d, double seconds) {
  int64_t gap = (int64_t)(seconds * SECOND);
  double saving = siox_drive_gap_saving(d, siox_drive_best_level(d, gap), gap);
  return 100 * saving / (d->level[3].idle_w * seconds);
}

static void saved_percent_by_gap(void **state) {
  (void)state;
  const double gap[] = {10, 20, 40};
  const double expected[3][3] = {{15, 27, 43}, {29, 46, 54}, {7, 26, 45}};
  const double at_30_9[] = {24, 11, 23}, at_44_2[] = {43, 18.5, 38.5};
  for (int r = 0; r < 3; r++) {
    struct siox_drive d = z15((enum siox_transition_rule)r, 1);
    if (r == SIOX_RULE_C)
      d.base_w = 0;
    for (int i = 0; i < 3; i++)
      expect_near(saved_percent(&d, gap[i]), expected[r][i], 0.75);
    expect_near(saved_percent(&d, at_30_9[r]), 30.9, 1.2);
    expect_near(saved_percent(&d, at_44_2[r]), 44.2, 1.2);
  }
}

static void best_level_is_the_exhaustive_best(void **state) {
  (void)state;
  for (int r = 0; r < 3; r++) {
    struct siox_drive d = z15((enum siox_transition_rule)r, 1);
    for (double gap = 0.05; gap < 60; gap += 0.05) {
      double most = 0, down, up;
      uint32_t best = 3;
      for (uint32_t l = 0; l < 3; l++) {
        double trip = 2 * 10.9 * (15000 - d.level[l].speed) / 15000;
        if (trip > gap)
          continue;
        siox_drive_transition_j(&d, 15000, d.level[l].speed, &down);
        siox_drive_transition_j(&d, d.level[l].speed, 15000, &up);
        double saving = 10.2 * gap - down - up - d.level[l].idle_w * (gap - trip);
        if (saving > most + 1e-6) {
          most = saving;
          best = l;
        }
      }
      int64_t ns = (int64_t)(gap * SECOND);
      uint32_t got = siox_drive_best_level(&d, ns);
      if (got != best) /* a tie but for rounding */
        expect_near(siox_drive_gap_saving(&d, got, ns), most, 1e-5);
    }
  }
}

static void gap_saving_of_full_is_zero_and_of_what_does_not_fit_is_never(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  expect_near(siox_drive_gap_saving(&d, 3, 1000), 0, 0);
  assert_true(siox_drive_gap_saving(&d, 0, (int64_t)(13 * SECOND)) == -INFINITY);
  assert_int_equal(siox_drive_best_level(&d, (int64_t)(4.3 * SECOND)), 3);
  assert_int_equal(siox_drive_min_gap(&d, 3), 0);
}

static void hold_unit_is_the_least_gap_that_pays(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  expect_near((double)siox_drive_break_even(&d) / SECOND, 4.36, 1e-8);
}

/* Rule b on any part of a ramp equals a fine numerical integral of the idle power. */
static void rule_b_is_the_integral_along_the_ramp(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  uint64_t seed = 20;
  for (int round = 0; round < 200; round++) {
    double from = (double)test_below(&seed, 150001) / 10,
           to = (double)test_below(&seed, 150001) / 10;
    const int steps = 2000;
    double sum = 0, joules, seconds = 10.9 * fabs(to - from) / 15000;
    for (int i = 0; i < steps; i++) { /* midpoint rule */
      double w = (from + (to - from) * (i + 0.5) / steps) / 15000;
      sum += (2.5 + 7.7 * w * w) * seconds / steps;
    }
    assert_int_equal(siox_drive_transition_j(&d, from, to, &joules), 0);
    expect_near(joules, sum, 1e-5);
  }
}

/* A ramp turned round midway costs what its two parts cost. */
static void ramps_add_up_in_parts(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  double whole, first, second;
  assert_int_equal(siox_drive_transition_j(&d, 15000, 6000, &whole), 0);
  assert_int_equal(siox_drive_transition_j(&d, 15000, 10000.5, &first), 0);
  assert_int_equal(siox_drive_transition_j(&d, 10000.5, 6000, &second), 0);
  expect_near(first + second, whole, 1e-9);
}

static void time_scale_changes_times_but_not_joules(void **state) {
  (void)state;
  for (int r = 0; r < 3; r++) {
    struct siox_drive real = z15((enum siox_transition_rule)r, 1);
    struct siox_drive fast = z15((enum siox_transition_rule)r, 10);
    double a, b;
    assert_int_equal(siox_drive_transition_j(&real, 15000, 6000, &a), 0);
    assert_int_equal(siox_drive_transition_j(&fast, 15000, 6000, &b), 0);
    expect_near(b, a, 1e-9);
    expect_near((double)siox_drive_transition_ns(&fast, 15000, 6000), 0.654 * SECOND, 0.5);
    expect_near((double)siox_drive_service_ns(&fast, 3, 1 << 20, false),
                (double)siox_drive_service_ns(&real, 3, 1 << 20, false) / 10, 0.6);
    expect_near((double)siox_drive_min_gap(&fast, 0), (double)siox_drive_min_gap(&real, 0) / 10, 1);
    int64_t gap = (int64_t)(20 * SECOND);
    expect_near(siox_drive_gap_saving(&fast, 0, gap / 10), siox_drive_gap_saving(&real, 0, gap),
                1e-9);
    /* joules at rest: watts * wall seconds */
    expect_near(fast.level[0].idle_w * 2, real.level[0].idle_w * 20, 1e-9);
  }
}

static void level_is_never_slower_than_asked(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  const struct {
    int32_t speed;
    uint32_t level;
  } rows[] = {{SIOX_SPEED_LOWEST, 0},
              {1, 0},
              {6000, 0},
              {6001, 1},
              {9000, 1},
              {12001, 3},
              {15000, 3},
              {15001, 3},
              {SIOX_SPEED_FULL, 3},
              {INT32_MIN, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(siox_drive_level(&d, rows[i].speed), rows[i].level);
}

/* A drive of table changes with a level that only waits. */
static struct siox_drive table_drive(void) {
  struct siox_drive d = {.name = "table", .nlevels = 3, .time_scale = 1};
  d.level[0] = (struct siox_level){.speed = 1, .serves = false, .idle_w = 1};
  d.level[1] =
      (struct siox_level){.speed = 2, .serves = true, .idle_w = 4, .active_w = 5, .rate = 1e6};
  d.level[2] =
      (struct siox_level){.speed = 3, .serves = true, .idle_w = 6, .active_w = 9, .rate = 2e6};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      d.table[i][j].ns = -1;
  d.table[2][0] = (struct siox_transition){.ns = 1000000000, .joules = 5};
  d.table[0][2] = (struct siox_transition){.ns = 2000000000, .joules = 28};
  return d;
}

static void table_changes_are_as_stated_and_no_others_are_known(void **state) {
  (void)state;
  struct siox_drive d = table_drive();
  double j;
  assert_int_equal(siox_drive_transition_ns(&d, 3, 1), 1000000000);
  assert_int_equal(siox_drive_transition_j(&d, 1, 3, &j), 0);
  expect_near(j, 28, 0);
  assert_int_equal(siox_drive_transition_ns(&d, 3, 2), SIOX_EUNKNOWN);
  assert_int_equal(siox_drive_transition_j(&d, 3, 2.5, &j), SIOX_EUNKNOWN);
  assert_int_equal(siox_drive_transition_ns(&d, 2, 2), 0);
}

static void table_drive_break_even(void **state) {
  (void)state;
  struct siox_drive d = table_drive();
  /* 33 J + 1 W * (g - 3 s) = 6 W * g */
  assert_int_equal(siox_drive_min_gap(&d, 0), 6000000000);
  assert_int_equal(siox_drive_min_gap(&d, 1), SIOX_NEVER);
  assert_int_equal(siox_drive_break_even(&d), 6000000000);
  assert_int_equal(siox_drive_best_level(&d, 5900000000), 2);
  assert_int_equal(siox_drive_best_level(&d, 6100000000), 0);
}

static void lowest_is_the_lowest_that_serves(void **state) {
  (void)state;
  struct siox_drive d = table_drive();
  assert_int_equal(siox_drive_level(&d, SIOX_SPEED_LOWEST), 1);
  assert_int_equal(siox_drive_service_ns(&d, 0, 1, true), SIOX_EINVAL);
}

static void rule_names_round_trip(void **state) {
  (void)state;
  enum siox_transition_rule r;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(siox_rule_parse(siox_rule_name((enum siox_transition_rule)i), &r), 0);
    assert_int_equal(r, i);
  }
  assert_int_equal(siox_rule_parse("d", &r), SIOX_EINVAL);
  assert_int_equal(siox_rule_parse("", &r), SIOX_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_1_watts_and_speeds),
      cmocka_unit_test(table_1_transition_times),
      cmocka_unit_test(service_time_is_seek_rotation_transfer),
      cmocka_unit_test(break_even_of_stopping_is_the_papers),
      cmocka_unit_test(break_even_of_stopping_is_in_wall_seconds),
      cmocka_unit_test(without_standby_stopping_has_no_break_even),
      cmocka_unit_test(standby_that_saves_nothing_has_no_break_even),
      cmocka_unit_test(break_even_by_rule),
      cmocka_unit_test(rule_c_never_falls_below_the_electronics),
      cmocka_unit_test(saved_percent_by_gap),
      cmocka_unit_test(best_level_is_the_exhaustive_best),
      cmocka_unit_test(gap_saving_of_full_is_zero_and_of_what_does_not_fit_is_never),
      cmocka_unit_test(hold_unit_is_the_least_gap_that_pays),
      cmocka_unit_test(rule_b_is_the_integral_along_the_ramp),
      cmocka_unit_test(ramps_add_up_in_parts),
      cmocka_unit_test(time_scale_changes_times_but_not_joules),
      cmocka_unit_test(level_is_never_slower_than_asked),
      cmocka_unit_test(table_changes_are_as_stated_and_no_others_are_known),
      cmocka_unit_test(table_drive_break_even),
      cmocka_unit_test(lowest_is_the_lowest_that_serves),
      cmocka_unit_test(rule_names_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
