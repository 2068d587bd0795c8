/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shortest gap that is worth telling. By rule b a ramp of g / 2 seconds down and as many up, to
 * the part w = 1 - g / (2 * 10.9 s) of full speed, takes g (base + span (1 + w + w^2) / 3) joules:
 * it saves a twentieth of g (base + span) where 7.7 (2 - w - w^2) / 3 = 0.51, w = 0.93223. */
#include "arbiter/gap.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>

static struct siox_drive z15(enum siox_transition_rule rule, double time_scale) {
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(siox_drive_load(&d, "36Z15", time_scale, &diag), 0);
  d.rule = rule;
  return d;
}

static void by_rule_b_a_ramp_turned_midway_is_worth_it_from_its_closed_form_on(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_B, 1);
  double w = (sqrt(1 + 4 * (2 - 0.05 * 10.2 * 3 / 7.7)) - 1) / 2;
  assert_true(fabs((double)siox__gap_worth(&d) * 1e-9 - 2 * 10.9 * (1 - w)) < 1e-3);
}

static void drives_ten_times_as_fast_have_a_tenth_of_it(void **state) {
  (void)state;
  struct siox_drive life = z15(SIOX_RULE_B, 1), fast = z15(SIOX_RULE_B, 10);
  assert_true(llabs(siox__gap_worth(&life) - 10 * siox__gap_worth(&fast)) <= 20);
}

static void by_rule_a_a_turned_ramp_saves_nothing(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_A, 1);
  assert_int_equal(siox__gap_worth(&d), SIOX_NEVER);
}

static void by_rule_c_it_takes_more_than_it_saves(void **state) {
  (void)state;
  struct siox_drive d = z15(SIOX_RULE_C, 1);
  assert_int_equal(siox__gap_worth(&d), SIOX_NEVER);
}

static void a_drive_with_a_table_of_changes_has_none(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(siox_drive_load(&d, "ES.3-assumed", 1, &diag), 0);
  assert_int_equal(siox__gap_worth(&d), SIOX_NEVER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_rule_b_a_ramp_turned_midway_is_worth_it_from_its_closed_form_on),
      cmocka_unit_test(drives_ten_times_as_fast_have_a_tenth_of_it),
      cmocka_unit_test(by_rule_a_a_turned_ramp_saves_nothing),
      cmocka_unit_test(by_rule_c_it_takes_more_than_it_saves),
      cmocka_unit_test(a_drive_with_a_table_of_changes_has_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
