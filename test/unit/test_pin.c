/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Levels that an administrator sets: nothing else moves such a disk, and let go it does what is
 * wanted by then. */
#include "bank_support.h"

static int pin(struct lab *lab, double at, uint32_t disk, uint32_t level) {
  return siox_bank_pin(lab->bank, ns(at), disk, level);
}

static uint32_t lab_level(struct lab *lab, uint32_t disk) {
  uint32_t level, target;
  bool moving;
  siox_bank_disk_now(lab->bank, disk, &level, &target, &moving);
  return level;
}
static int32_t speed(struct lab *lab, double at, uint32_t disk) {
  siox_bank_advance(lab->bank, ns(at));
  return lab->drive.level[lab_level(lab, disk)].speed;
}

static void a_pinned_disk_stays_whatever_is_claimed(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 2);
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(pin(lab, 1, 0, 1), 0);
  assert_int_equal(siox_bank_pinned(lab->bank, 0), 1);
  assert_int_equal(siox_bank_pinned(lab->bank, 1), SIOX_NOBODY);
  lab_hint(lab, 2, a, "11", 12000, 1, 0, 0);
  assert_int_equal(speed(lab, 40, 0), 9000);
  assert_int_equal(speed(lab, 40, 1), 12000);
  lab_hint(lab, 41, a, "11", 6000, 0, 0, 0);
  assert_int_equal(speed(lab, 80, 0), 9000);
  lab_check(lab);
  lab_close(lab);
}

static void let_go_it_goes_to_what_is_wanted_by_then(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 2);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);
  assert_int_equal(pin(lab, 2, 0, 0), 0);
  assert_int_equal(speed(lab, 20, 0), 6000);
  lab_hint(lab, 21, a, "1", 12000, 1, 0, 0);
  assert_int_equal(pin(lab, 30, 0, SIOX_NOBODY), 0);
  assert_int_equal(speed(lab, 39, 0), 12000);
  assert_int_equal(pin(lab, 40, 0, 0), 0);
  assert_int_equal(pin(lab, 50, 0, SIOX_NOBODY), 0); /* nobody said anything meanwhile */
  assert_int_equal(speed(lab, 64, 0), 12000);
  lab_close(lab);
}

static void a_lower_level_waits_for_the_requests_before_it(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 1);
  uint32_t a = lab_join(lab, "A");
  struct siox_service s = lab_read(lab, 1, a, 550 * 1000 * 1000); /* 10 s */
  assert_int_equal(pin(lab, 2, 0, 0), 0);
  assert_int_equal(speed(lab, (double)s.completion * 1e-9 - 0.1, 0), 15000);
  double down = (double)s.completion * 1e-9 + ramp_s(15000, 6000);
  siox_bank_advance(lab->bank, ns(down + 0.1));
  uint32_t level, target;
  bool moving;
  siox_bank_disk_now(lab->bank, 0, &level, &target, &moving);
  assert_true(level == 0 && target == 0 && !moving);
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_start, s.completion);
  lab_check(lab);
  lab_close(lab);
}

static void what_is_no_level_that_serves_is_refused(void **state) {
  (void)state;
  static const int32_t with_standby[] = {0, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, with_standby, 2);
  lab_start(lab, "base", 1, NULL, 0);
  assert_int_equal(pin(lab, 1, 0, 0), SIOX_EINVAL);
  assert_int_equal(pin(lab, 1, 0, 2), SIOX_EINVAL);
  assert_int_equal(pin(lab, 1, 1, 1), SIOX_ERANGE);
  lab_close(lab);
}

static void wear_left_is_what_was_not_spent(void **state) {
  (void)state;
  static const int32_t with_standby[] = {0, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  double a_day, left;
  make_drive(&lab->drive, with_standby, 2);
  lab->limits = (struct siox_limits){.wear = true, .start_stop_per_day = 24};
  lab_start(lab, "timeout:1", 1, NULL, 0);
  assert_true(siox_bank_wear(lab->bank, 0, SIOX_WEAR_START, &a_day, &left));
  near(a_day, 24);
  near(left, 24);
  siox_bank_advance(lab->bank, ns(30)); /* it has been stopped once */
  siox_bank_wear(lab->bank, 0, SIOX_WEAR_START, &a_day, &left);
  near(left, 23);
  siox_bank_advance(lab->bank, ns(3600 + 30)); /* one comes back every hour */
  siox_bank_wear(lab->bank, 0, SIOX_WEAR_START, &a_day, &left);
  near(left, 24);
  assert_false(siox_bank_wear(lab->bank, 0, SIOX_WEAR_LOAD, &a_day, &left));
  lab_close(lab);
}

/* Under every policy, with and without limits: pinned at random, the disks are where they were put
 * once nothing is before them, time goes on, and the books balance. */
static void random_pins_hold_under_every_policy(void **state) {
  (void)state;
  static const char *const policies[] = {"base", "static:9000", "timeout:3", "hw",
                                         "com",  "rt",          "claims",    "siox"};
  for (uint64_t seed = 1; seed <= 800; seed++) {
    uint64_t random = seed;
    struct lab *lab = calloc(1, sizeof *lab);
    make_drive(&lab->drive, FOUR_SPEEDS, 4);
    if (test_below(&random, 2))
      lab->limits = (struct siox_limits){
          .wear = true, .inrush_w = 12, .inrush_wait_ns = ns(5), .delay_budget = 0.02};
    lab_start(lab, policies[seed % 8], 4, NULL, 1);
    siox_layout_free(&lab->layout);
    assert_int_equal(siox_layout_triplet(&lab->layout, 4, 0, 4, 64 * KB), 0);
    uint32_t client[2] = {lab_join(lab, "A"), lab_join(lab, "B")};
    double at = 0;
    for (int e = 0; e < 120; e++) {
      static const char *const masks[] = {"1111", "0110", "1000", "0001"};
      static const int32_t speeds[] = {6000, 9000, 12000, 15000};
      at += (double)test_below(&random, 4000) * 1e-3;
      uint32_t disk = (uint32_t)test_below(&random, 4), who = client[test_below(&random, 2)];
      switch (test_below(&random, 4)) {
      case 0:
        assert_int_equal(
            pin(lab, at, disk,
                test_below(&random, 3) ? (uint32_t)test_below(&random, 4) : SIOX_NOBODY),
            0);
        break;
      case 1:
        lab_read_at(lab, at, who, (int64_t)test_below(&random, 100) * 64 * KB,
                    1 + (int64_t)test_below(&random, 1 << 20));
        break;
      default:
        lab_hint(lab, at, who, masks[test_below(&random, 4)], speeds[test_below(&random, 4)],
                 (int)test_below(&random, 2), test_below(&random, 2) ? at + 20 : 0, 0);
      }
    }
    at += 60; /* the longest that anything takes, a wait for power included */
    siox_bank_advance(lab->bank, ns(at));
    for (uint32_t d = 0; d < 4; d++) {
      uint32_t level = siox_bank_pinned(lab->bank, d);
      if (level != SIOX_NOBODY)
        assert_int_equal(lab_level(lab, d), level);
    }
    assert_int_equal(siox_bank_finish(lab->bank, ns(at + 1)), 0);
    lab_check(lab);
    lab_close(lab);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pinned_disk_stays_whatever_is_claimed),
      cmocka_unit_test(let_go_it_goes_to_what_is_wanted_by_then),
      cmocka_unit_test(a_lower_level_waits_for_the_requests_before_it),
      cmocka_unit_test(what_is_no_level_that_serves_is_refused),
      cmocka_unit_test(wear_left_is_what_was_not_spent),
      cmocka_unit_test(random_pins_hold_under_every_policy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
