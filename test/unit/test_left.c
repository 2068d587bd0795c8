/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Disks that were used without a word, and whose users are gone. */
#include "bank_support.h"

static double hold(const struct lab *lab) {
  return (double)siox_bank_view(lab->bank)->hold[0] / 1e9;
}

/* Somebody comes, reads and is gone again a second later. */
static void visit(struct lab *lab, double at) {
  const uint32_t client = lab_join(lab, "passes by");
  lab_read(lab, at, client, 64 * KB);
  assert_int_equal(siox_bank_leave(lab->bank, ns(at + 1), client), 0);
}

static void assert_falls_at(struct lab *lab, double at) {
  assert_int_equal(lab_speed(lab, at - 1e-3, 0), 15000);
  assert_int_equal(lab_speed(lab, at + 1e-3, 0), 6000);
}

static void they_fall_a_tenth_of_hold_after_the_last_is_gone(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  visit(lab, 1);
  assert_falls_at(lab, 2 + hold(lab) / 10);
  lab_close(lab);
}

static void under_claims_they_wait_for_all_of_hold(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  visit(lab, 1);
  assert_falls_at(lab, 1 + service_s(15000, 64 * KB, false) + hold(lab)); /* of the touch */
  lab_close(lab);
}

static void while_somebody_is_there_who_used_it_all_of_hold_counts(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  const uint32_t stays = lab_join(lab, "stays");
  lab_read(lab, 1, stays, 64 * KB);
  visit(lab, 1);
  assert_int_equal(lab_speed(lab, hold(lab), 0), 15000);
  lab_close(lab);
}

static void somebody_who_has_not_used_it_does_not_count(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  lab_join(lab, "elsewhere");
  visit(lab, 1);
  assert_falls_at(lab, 2 + hold(lab) / 10);
  lab_close(lab);
}

static void once_others_have_followed_all_of_hold_counts(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  visit(lab, 1);
  visit(lab, 2 + hold(lab) / 2);
  assert_falls_at(lab, 3 + hold(lab) * 1.5);
  lab_close(lab);
}

static void who_comes_much_later_has_not_followed(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  visit(lab, 1);
  visit(lab, 3 + hold(lab));
  assert_int_equal(lab_speed(lab, 3.5 + hold(lab), 0), 15000); /* or on its way there */
  assert_int_equal(lab_speed(lab, 4 + hold(lab) * 1.5, 0), 6000);
  lab_close(lab);
}

static void once_nobody_has_followed_a_tenth_is_enough_again(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  visit(lab, 1);
  visit(lab, 2 + hold(lab) / 2);
  visit(lab, 4 + hold(lab) * 3);
  assert_int_equal(lab_speed(lab, 4.5 + hold(lab) * 3, 0), 15000);
  assert_int_equal(lab_speed(lab, 5 + hold(lab) * 3.5, 0), 6000);
  lab_close(lab);
}

static void who_was_needed_there_until_it_left_counts_likewise(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  const uint32_t client = lab_join(lab, "needs it");
  lab_hint(lab, 1, client, "1", SIOX_SPEED_FULL, 1, 0, 0);
  lab_read(lab, 1, client, 64 * KB);
  assert_int_equal(siox_bank_leave(lab->bank, ns(5), client), 0);
  assert_falls_at(lab, 5 + hold(lab) / 10);
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_fall_a_tenth_of_hold_after_the_last_is_gone),
      cmocka_unit_test(under_claims_they_wait_for_all_of_hold),
      cmocka_unit_test(while_somebody_is_there_who_used_it_all_of_hold_counts),
      cmocka_unit_test(somebody_who_has_not_used_it_does_not_count),
      cmocka_unit_test(once_others_have_followed_all_of_hold_counts),
      cmocka_unit_test(who_comes_much_later_has_not_followed),
      cmocka_unit_test(once_nobody_has_followed_a_tenth_is_enough_again),
      cmocka_unit_test(who_was_needed_there_until_it_left_counts_likewise),
  };
  return cmocka_run_group_tests_name("left", tests, NULL, NULL);
}
