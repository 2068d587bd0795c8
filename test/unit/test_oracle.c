/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The optimum without delay: closed forms of single gaps, brute force over everything a disk can be
 * told in random small instances, the disk model given the oracle's own commands, and what it costs
 * in memory. Beside the policies it stands in test_oracle_bank.c, with a price in
 * test_oracle_bound.c. */
#include "disk/model.h"
#include "oracle_support.h"
#include <malloc.h>

#define SECOND 1e9

/* The 36Z15 of paper Table I, as in docs/drives.md. */
static double idle_w(double rpm) { return 2.5 + 7.7 * (rpm / 15000) * (rpm / 15000); }
static double ramp_s(double from, double to) { return 10.9 * fabs(from - to) / 15000; }
static struct siox_drive z15(enum siox_transition_rule rule) {
  struct siox_drive d = {.nlevels = 4,
                         .seek_ns = 3.4e6,
                         .ramp = true,
                         .ramp_ns_per_speed = 10.9e9 / 15000,
                         .base_w = 2.5,
                         .span_w = 7.7,
                         .rule = rule,
                         .kinetic_j = 148,
                         .kinetic_up_share = 135.0 / 148};
  for (int l = 0; l < 4; l++) {
    double rpm = 6000 + 3000 * l;
    d.level[l] = (struct siox_level){.speed = (int32_t)rpm,
                                     .serves = true,
                                     .idle_w = idle_w(rpm),
                                     .active_w = idle_w(rpm) + 3.3,
                                     .rate = 55e6 * rpm / 15000,
                                     .rotation_ns = 30e9 / rpm};
  }
  return d;
}

/* One gap between two services of 1 s. Less their joules. */
static double gap(const struct siox_drive *d, enum siox_oracle_ways ways, double seconds) {
  struct siox_oracle_options o = {.drive = d, .initial_level = 3, .end_level = 3, .ways = ways};
  struct siox_oracle *oracle;
  struct siox_oracle_result r;
  int64_t second = (int64_t)SECOND, ns = llround(seconds * SECOND);
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  struct siox_oracle_service a = {0, second, 0, 0}, b = {second + ns, second, 0, 0};
  assert_int_equal(siox_oracle_serve(oracle, &a), 0);
  assert_int_equal(siox_oracle_serve(oracle, &b), 0);
  assert_int_equal(siox_oracle_finish(oracle, 0, &r, NULL), 0);
  assert_int_equal(r.services, 2);
  siox_oracle_destroy(oracle);
  return r.joules - 2 * 13.5;
}

static void near(double got, double want, double tolerance) {
  if (!(fabs(got - want) <= tolerance))
    fail_msg("%.12g, expected %.12g", got, want);
}

/* Joules of 15000 -> rpm -> 15000 in one change each way. */
static double trip(enum siox_transition_rule rule, double rpm) {
  double w = rpm / 15000, t = ramp_s(15000, rpm);
  if (rule == SIOX_RULE_A)
    return 2 * t * 10.2;
  if (rule == SIOX_RULE_B)
    return 2 * 10.9 * (2.5 * (1 - w) + 7.7 * (1 - w * w * w) / 3);
  return fmax(135 * (1 - w * w), 2.5 * t) + fmax(13 * (1 - w * w), 2.5 * t);
}

static void a_direct_gap_takes_the_level_of_the_closed_form(void **state) {
  (void)state;
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++) {
    struct siox_drive d = z15((enum siox_transition_rule)rule);
    for (double g = 0.5; g < 80; g += 0.5) {
      double least = 10.2 * g;
      for (double rpm = 6000; rpm < 15000; rpm += 3000)
        if (2 * ramp_s(15000, rpm) <= g)
          least = fmin(least, trip((enum siox_transition_rule)rule, rpm) +
                                  idle_w(rpm) * (g - 2 * ramp_s(15000, rpm)));
      near(gap(&d, SIOX_ORACLE_DIRECT, g), least, 1e-7);
    }
  }
}

/* Saved in a gap, by rule; docs/drives.md and the paper's Table I give the parts. */
static void a_direct_gap_saves_nothing_below_the_break_even(void **state) {
  (void)state;
  const double even[] = {4.36, 4.36, 7.82}; /* the least gap that fits and pays */
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++) {
    struct siox_drive d = z15((enum siox_transition_rule)rule);
    near(gap(&d, SIOX_ORACLE_DIRECT, even[rule] - 0.01), 10.2 * (even[rule] - 0.01), 1e-7);
    assert_true(gap(&d, SIOX_ORACLE_DIRECT, even[rule] + 0.01) < 10.2 * (even[rule] + 0.01) - 1e-3);
  }
}

static void under_rule_b_a_short_gap_is_one_turned_ramp(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B);
  for (double g = 0.25; g < 13; g += 0.25) {
    double w = 1 - g / 2 / 10.9;
    near(gap(&d, SIOX_ORACLE_ANY, g), 2 * 10.9 * (2.5 * (1 - w) + 7.7 * (1 - w * w * w) / 3), 1e-7);
  }
}

static void under_rule_b_a_long_gap_is_spent_at_the_lowest_level(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B);
  for (double g = 13.08; g < 100; g += 3.5)
    near(gap(&d, SIOX_ORACLE_ANY, g), trip(SIOX_RULE_B, 6000) + idle_w(6000) * (g - 13.08), 1e-7);
}

/* Each step is charged at its own upper end. */
static void under_rule_a_a_gap_goes_down_and_up_in_steps(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_A);
  near(gap(&d, SIOX_ORACLE_ANY, 4), 40.8, 1e-7);
  near(gap(&d, SIOX_ORACLE_ANY, 8), 4.36 * 10.2 + 3.64 * idle_w(12000), 1e-7);
  near(gap(&d, SIOX_ORACLE_ANY, 10), 4.36 * (10.2 + idle_w(12000)) + 1.28 * idle_w(9000), 1e-7);
  near(gap(&d, SIOX_ORACLE_ANY, 20),
       4.36 * (10.2 + idle_w(12000) + idle_w(9000)) + 6.92 * idle_w(6000), 1e-7);
}

static void under_rule_c_nothing_beats_direct_ways(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_C);
  for (double g = 0.5; g < 80; g += 0.5)
    near(gap(&d, SIOX_ORACLE_ANY, g), gap(&d, SIOX_ORACLE_DIRECT, g), 1e-7);
}

static double last_gap(enum siox_oracle_ways ways, uint32_t initial, double seconds) {
  struct siox_drive d = z15(SIOX_RULE_B);
  struct siox_oracle_options o = {
      .drive = &d, .initial_level = initial, .end_level = initial, .ways = ways};
  struct siox_oracle *oracle;
  struct siox_oracle_result r;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  struct siox_oracle_service a = {0, (int64_t)SECOND, 0, 0};
  assert_int_equal(siox_oracle_serve(oracle, &a), 0);
  int64_t served = initial == 3 ? (int64_t)SECOND : (int64_t)SECOND + llround(6.54e9);
  assert_int_equal(siox_oracle_finish(oracle, served + llround(seconds * SECOND), &r, NULL), 0);
  siox_oracle_destroy(oracle);
  return r.joules - 13.5 - (initial == 3 ? 0 : trip(SIOX_RULE_B, 6000) / 2);
}

static void the_last_way_back_costs_joules_and_no_time(void **state) {
  (void)state;
  /* direct: down, and 20 - 6.54 s at 6000 */
  near(last_gap(SIOX_ORACLE_DIRECT, 3, 20), trip(SIOX_RULE_B, 6000) + 13.46 * idle_w(6000), 1e-7);
  /* the change back can be made within the gap, where it takes the place of standing */
  near(last_gap(SIOX_ORACLE_ANY, 3, 20), trip(SIOX_RULE_B, 6000) + 6.92 * idle_w(6000), 1e-7);
}

static void a_disk_that_started_low_ends_low(void **state) {
  (void)state;
  near(last_gap(SIOX_ORACLE_ANY, 0, 20), trip(SIOX_RULE_B, 6000) / 2 + 13.46 * idle_w(6000), 1e-7);
  near(last_gap(SIOX_ORACLE_ANY, 0, 0), trip(SIOX_RULE_B, 6000) / 2, 1e-7);
}

/* Everything tried in every gap: the whole instance, one gap after the other. */
static double brute_force(const struct instance *in) {
  struct brute b;
  double joules = 0;
  int level = (int)in->initial;
  for (int i = 0; i < in->n; i++) {
    brute_gap(&in->drive, level, (int)in->end_level, in->gap[i], &b);
    level = LEVELS - 1;
    joules +=
        b.at[level][in->gap[i]] + in->drive.level[level].active_w * (double)full_ns(in, i) * 1e-9;
  }
  brute_gap(&in->drive, level, (int)in->end_level, in->gap[in->n], &b);
  return joules + b.end[in->gap[in->n]];
}

struct script {
  struct {
    int64_t at;
    uint32_t level;
  } command[64];
  int n;
};
static void write_down(void *context, int64_t at, uint32_t level) {
  struct script *s = context;
  assert_true(s->n < 64);
  assert_true(s->n == 0 || at >= s->command[s->n - 1].at);
  s->command[s->n].at = at;
  s->command[s->n++].level = level;
}

static void sum(void *context, uint32_t disk, const struct siox__piece *piece) {
  (void)disk;
  *(double *)context += piece->joules;
}

/* The disk model, told what the oracle would tell it. */
static double carry_out(const struct instance *in, const struct script *script) {
  struct siox__disk disk;
  double joules = 0;
  int64_t at = 0;
  int k = 0;
  siox__disk_init(&disk, 0, &in->drive, in->initial, 0, sum, &joules);
  for (int i = 0; i <= in->n; i++) {
    at += in->gap[i] * TICK;
    for (; k < script->n &&
           (script->command[k].at < at || (i < in->n && script->command[k].at == at));
         k++)
      assert_int_equal(
          siox__disk_command(&disk, script->command[k].at, script->command[k].level, 0), 0);
    if (i == in->n)
      break;
    struct siox__charge c = siox__disk_serve(&disk, at, 0, (uint64_t)i + 1, 0, in->bytes[i]);
    assert_int_equal(disk.level, LEVELS - 1);
    assert_int_equal(c.start, at);
    at = c.end;
  }
  assert_int_equal(k, script->n);
  siox__disk_finish(&disk, at, in->end_level);
  return joules;
}

static void compare(bool table, enum siox_transition_rule rule) {
  uint64_t random = 17 + (uint64_t)rule;
  int moved = 0;
  for (int i = 0; i < 1000; i++) {
    struct instance in;
    struct script script = {.n = 0};
    struct siox_oracle_result r;
    random_instance(&in, &random, table, rule, (int)test_below(&random, SERVICES + 1));
    solve(&in, SIOX_ORACLE_ANY, NULL, 0, write_down, &script, &r, NULL);
    double brute = brute_force(&in);
    if (!(r.joules <= brute * (1 + 1e-9)))
      fail_msg("instance %d: %.12g J, brute force %.12g J", i, r.joules, brute);
    /* Under rule a the best moment to start a last change lies between ticks. */
    if (rule != SIOX_RULE_A && !(r.joules >= brute * (1 - 1e-9)))
      fail_msg("instance %d: %.12g J, brute force %.12g J", i, r.joules, brute);
    near(r.joules, carry_out(&in, &script), 1e-9 * brute);
    assert_int_equal(r.commands, script.n);
    moved += script.n > 0;
  }
  assert_true(moved > 500);
}

static void brute_force_finds_nothing_better_under_rule_a(void **state) {
  (void)state;
  compare(false, SIOX_RULE_A);
}
static void brute_force_finds_the_same_under_rule_b(void **state) {
  (void)state;
  compare(false, SIOX_RULE_B);
}
static void brute_force_finds_the_same_under_rule_c(void **state) {
  (void)state;
  compare(false, SIOX_RULE_C);
}
static void brute_force_finds_the_same_with_a_table_of_changes(void **state) {
  (void)state;
  compare(true, SIOX_RULE_B);
}

static void memory_does_not_grow_with_the_services(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B);
  double price[8];
  const struct siox_drive *drive = &d;
  assert_int_equal(siox_oracle_prices(&drive, 1, 1, price, 8), 0);
  struct siox_oracle_options o = {
      .drive = &d, .initial_level = 3, .end_level = 3, .price = price, .nprices = 8};
  struct siox_oracle *oracle;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  size_t before = mallinfo2().uordblks;
  for (int64_t i = 0; i < 20000; i++) {
    struct siox_oracle_service s = {i * 5000000000, 0, 65536, 0};
    assert_int_equal(siox_oracle_serve(oracle, &s), 0);
  }
  assert_int_equal(mallinfo2().uordblks, before);
  siox_oracle_destroy(oracle);
}

static void wrong_input_is_refused(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B);
  double low = 1, good = 20;
  struct siox_oracle *oracle;
  struct siox_oracle_result r;
  struct siox_oracle_options o = {.drive = &d, .initial_level = 4};
  assert_int_equal(siox_oracle_create(&oracle, &o), SIOX_ERANGE);
  o = (struct siox_oracle_options){.drive = NULL};
  assert_int_equal(siox_oracle_create(&oracle, &o), SIOX_EINVAL);
  o = (struct siox_oracle_options){
      .drive = &d, .initial_level = 3, .end_level = 3, .price = &low, .nprices = 1};
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  struct siox_oracle_service s = {0, 0, 1, 0};
  assert_int_equal(siox_oracle_serve(oracle, &s), SIOX_ERANGE); /* below 10.2 W */
  siox_oracle_destroy(oracle);
  o.price = &good;
  o.start = 5;
  assert_int_equal(siox_oracle_create(&oracle, &o), 0);
  assert_int_equal(siox_oracle_serve(oracle, &s), SIOX_EINVAL); /* before the start */
  s = (struct siox_oracle_service){10, -1, 1, 0};
  assert_int_equal(siox_oracle_serve(oracle, &s), SIOX_EINVAL);
  s = (struct siox_oracle_service){10, 0, 1, 1.5};
  assert_int_equal(siox_oracle_serve(oracle, &s), SIOX_EINVAL);
  assert_int_equal(siox_oracle_finish(oracle, 20, &r, NULL), 0);
  assert_int_equal(siox_oracle_finish(oracle, 20, &r, NULL), SIOX_EINVAL);
  siox_oracle_destroy(oracle);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_direct_gap_takes_the_level_of_the_closed_form),
      cmocka_unit_test(a_direct_gap_saves_nothing_below_the_break_even),
      cmocka_unit_test(under_rule_b_a_short_gap_is_one_turned_ramp),
      cmocka_unit_test(under_rule_b_a_long_gap_is_spent_at_the_lowest_level),
      cmocka_unit_test(under_rule_a_a_gap_goes_down_and_up_in_steps),
      cmocka_unit_test(under_rule_c_nothing_beats_direct_ways),
      cmocka_unit_test(the_last_way_back_costs_joules_and_no_time),
      cmocka_unit_test(a_disk_that_started_low_ends_low),
      cmocka_unit_test(brute_force_finds_nothing_better_under_rule_a),
      cmocka_unit_test(brute_force_finds_the_same_under_rule_b),
      cmocka_unit_test(brute_force_finds_the_same_under_rule_c),
      cmocka_unit_test(brute_force_finds_the_same_with_a_table_of_changes),
      cmocka_unit_test(memory_does_not_grow_with_the_services),
      cmocka_unit_test(wrong_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
