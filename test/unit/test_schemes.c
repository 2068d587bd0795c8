/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schemes that hints do not reach or reach unarbitrated: timeout, hw and com. Expected times
 * are the forms of their definitions over the figures of Table I. */
#include "bank_support.h"
#include <stdio.h>

#define TRIP 13.08 /* 15000 to 6000 rpm and back; longer than its break-even of 5.61 s (rule b) */

static struct lab *lab_at(const char *policy, uint32_t ndisks, uint32_t level) {
  uint32_t initial[MAX_DISKS];
  for (uint32_t d = 0; d < ndisks; d++)
    initial[d] = level;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab_start(lab, policy, ndisks, initial, 0);
  return lab;
}

/* Start of the n-th transition (from 0) of a disk; -1: there is none. */
static double move_start(struct lab *lab, double until, uint32_t disk, int n) {
  siox_bank_advance(lab->bank, ns(until));
  lab_disk(lab, disk);
  for (size_t i = 0; i < lab->nseen; i++)
    if (lab->seen[i].disk == disk &&
        (lab->seen[i].state == SIOX_UP || lab->seen[i].state == SIOX_DOWN) && n-- == 0)
      return (double)lab->seen[i].start * 1e-9;
  return -1;
}
#define SAME_TIME(a, b) assert_int_equal(ns(a), ns(b))

static void timeout_is_the_gap_from_which_the_deepest_level_pays(void **state) {
  (void)state;
  struct lab *lab = lab_open("timeout", 1);
  uint32_t a = lab_join(lab, "A");
  double done = (double)lab_read(lab, 1, a, 64 * KB).completion * 1e-9;
  SAME_TIME(done, 1 + service_s(15000, 64 * KB, false));
  SAME_TIME(move_start(lab, 100, 0, 0), done + TRIP);
  assert_int_equal(lab_speed(lab, 100, 0), 6000);
  assert_int_equal(lab_disk(lab, 0).transitions_down, 1);
  near(lab_joules(lab, 0), 10.2 * (1 + TRIP) + 13.5 * service_s(15000, 64 * KB, false) +
                               ramp_j(15000, 6000) + idle_w(6000) * (100 - done - TRIP - 6.54));
  lab_check(lab);
  lab_close(lab);
}

static void timeout_takes_seconds(void **state) {
  (void)state;
  struct lab *lab = lab_open("timeout:2.5", 1);
  uint32_t a = lab_join(lab, "A");
  SAME_TIME(move_start(lab, 10, 0, 0), 2.5);
  struct siox_service s = lab_read(lab, 50, a, 64 * KB); /* at 6000, and up behind it */
  assert_int_equal(s.completion, ns(50) + ns(service_s(6000, 64 * KB, false)));
  double done = (double)s.completion * 1e-9;
  SAME_TIME(move_start(lab, 100, 0, 1), done);
  SAME_TIME(move_start(lab, 100, 0, 2), done + 6.54 + 2.5);
  lab_check(lab);
  lab_close(lab);
}

static void timeout_leaves_shorter_gaps_alone(void **state) {
  (void)state;
  struct lab *lab = lab_open("timeout:2", 1);
  uint32_t a = lab_join(lab, "A");
  double at = 1.9;
  for (int i = 0; i < 50; i++)
    at = (double)lab_read(lab, at, a, 64 * KB).completion * 1e-9 + 1.99;
  assert_int_equal(lab_disk(lab, 0).transitions_down, 0);
  lab_close(lab);
}

static void timeout_spins_a_sleeping_disk_up_before_it_serves(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speeds, 2);
  lab_start(lab, "timeout:1", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(lab_speed(lab, 20, 0), 0);
  struct siox_service s = lab_read(lab, 20, a, 64 * KB);
  assert_int_equal(s.transition_ns, ns(10.9));
  assert_int_equal(s.completion, ns(20 + 10.9) + ns(service_s(15000, 64 * KB, false)));
  lab_check(lab);
  lab_close(lab);
}

static void adaptive_timeout_doubles_after_a_sleep_too_short_and_halves_after_a_good_gap(void **s) {
  (void)s;
  /* Gaps between the end of what went before and the next request, and the timeout after them, in
   * units of TRIP: a sleep of less than 1 doubles, one of at least 1 halves, a gap of at least 1
   * without a sleep halves, a shorter one says nothing. */
  static const struct {
    double gap, timeout;
  } steps[] = {{1.5, 2},  {2.5, 4},   {1.5, 2},  {3.5, 1},   {0.5, 1},    {2.25, 0.5}, {0.4, 0.5},
               {2, 0.25}, {0.3, 0.5}, {5, 0.25}, {5, 0.125}, {5, 0.0625}, {5, 0.0625}};
  struct lab *lab = lab_open("timeout:adaptive", 1);
  uint32_t a = lab_join(lab, "A");
  double free = 0, timeout = TRIP;
  int moves = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    double gap = steps[i].gap * TRIP;
    bool sleeps = gap > timeout;
    double done = (double)lab_read(lab, free + gap, a, 64 * KB).completion * 1e-9;
    if (sleeps) { /* down, and up again behind the request or in the middle of the ramp */
      SAME_TIME(move_start(lab, done, 0, moves), free + timeout);
      moves += 2;
    }
    timeout = steps[i].timeout * TRIP;
    free = (double)siox_bank_view(lab->bank)->disk[0].free_at * 1e-9;
  }
  SAME_TIME(move_start(lab, free + 20 * TRIP, 0, moves), free + timeout);
  lab_check(lab);
  lab_close(lab);
}

static void hw_steps_an_idle_disk_down_level_by_level(void **state) {
  (void)state;
  struct lab *lab = lab_open("hw", 1);
  for (int step = 0; step < 3; step++) /* idle for a step's time, then the step: 2.18 s each */
    SAME_TIME(move_start(lab, 60, 0, step), 2.18 + 4.36 * step);
  assert_int_equal(lab_speed(lab, 60, 0), 6000);
  assert_int_equal(lab_disk(lab, 0).transitions_down, 3);
  lab_close(lab);
  lab = lab_open("hw:check=0.5", 1);
  for (int step = 0; step < 3; step++)
    SAME_TIME(move_start(lab, 60, 0, step), 0.5 + 2.68 * step);
  lab_close(lab);
}

static void hw_speeds_nothing_up_for_a_request(void **state) {
  (void)state;
  struct lab *lab = lab_at("hw", 1, 0);
  uint32_t a = lab_join(lab, "A");
  double at = 1;
  for (int i = 0; i < 200; i++) /* fewer than two windows of 250 */
    at = (double)lab_read(lab, at, a, 64 * KB).completion * 1e-9 + 1;
  assert_int_equal(lab_speed(lab, at, 0), 6000);
  assert_int_equal(lab_disk(lab, 0).transitions_up, 0);
  lab_close(lab);
}

/* Bytes whose service takes `factor` times that of 64 KiB at 6000 rpm. */
static int64_t bytes_for(double factor) {
  double fixed = 0.0034 + 30.0 / 6000;
  return llround((service_s(6000, 64 * KB, false) * factor - fixed) * 22e6);
}

static void hw_goes_to_full_speed_when_responses_grow_by_more_than_ut(void **state) {
  (void)state;
  static const struct {
    double change;
    int32_t speed;
  } cases[] = {{0.14, 12000}, {0.149, 12000}, {0.151, 15000}, {2, 15000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = lab_at("hw:n=2,ut=15,lt=5,check=1000", 2, 0);
    uint32_t a = lab_join(lab, "A");
    for (int r = 0; r < 3; r++)
      lab_read(lab, 1 + r, a, 64 * KB);
    /* the second window: 1 and 1 + 2 change, so its average is 1 + change of the first */
    struct siox_service s = lab_read(lab, 4, a, bytes_for(1 + 2 * cases[i].change));
    double done = (double)s.completion * 1e-9;
    assert_int_equal(lab_speed(lab, done - 1e-6, 1), 6000); /* not before it is known */
    assert_int_equal(lab_speed(lab, done, 0), cases[i].speed);
    assert_int_equal(lab_speed(lab, done, 1), cases[i].speed); /* all disks */
    lab_close(lab);
  }
}

static void hw_raises_the_floor_between_lt_and_ut_by_parts(void **state) {
  (void)state;
  /* of the three levels above 6000: (change - 5) / 10, whole levels */
  static const struct {
    double change;
    int32_t speed;
  } cases[] = {{0, 6000}, {0.051, 6000}, {0.08, 6000}, {0.085, 9000}, {0.11, 9000}, {0.12, 12000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = lab_at("hw:n=1,ut=15,lt=5,check=1000", 1, 0);
    uint32_t a = lab_join(lab, "A");
    lab_read(lab, 1, a, 64 * KB);
    double done = (double)lab_read(lab, 2, a, bytes_for(1 + cases[i].change)).completion * 1e-9;
    assert_int_equal(lab_speed(lab, done, 0), cases[i].speed);
    lab_close(lab);
  }
}

static void hw_lets_the_floor_down_a_level_when_responses_grow_by_less_than_lt(void **state) {
  (void)state;
  struct lab *lab = lab_at("hw:n=1,ut=15,lt=5,check=0.25", 1, 0);
  uint32_t a = lab_join(lab, "A");
  lab_read(lab, 1, a, 64 * KB);
  lab_read(lab, 2, a, 256 * (int64_t)KB * KB);
  assert_int_equal(lab_speed(lab, 40, 0), 15000); /* the floor is there: it stays */
  static const int32_t after[] = {12000, 9000, 6000, 6000};
  for (int i = 0; i < 4; i++) { /* each a quarter as long, whatever the level */
    lab_read(lab, 40 + 20 * i, a, (64 * (int64_t)KB * KB) >> (2 * i));
    assert_int_equal(lab_speed(lab, 59 + 20 * i, 0), after[i]);
  }
  lab_close(lab);
}

static void com_lets_the_last_caller_win(void **state) {
  (void)state;
  struct lab *lab = lab_open("com", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);
  lab_hint(lab, 2, b, "1", 6000, 0, 0, 0); /* A needs it: paper, Fig. 5 (b) */
  assert_int_equal(lab_speed(lab, 2, 0), 6000);
  lab_hint(lab, 20, a, "1", 12000, 0, 0, 0);
  assert_int_equal(lab_speed(lab, 20, 0), 12000);
  assert_int_equal(lab_job(lab, 0).granted + lab_job(lab, 1).granted, 3);
  assert_int_equal(siox_bank_leave(lab->bank, ns(30), a), 0);
  assert_int_equal(siox_bank_leave(lab->bank, ns(30), b), 0);
  assert_int_equal(lab_speed(lab, 1e6, 0), 12000);
  lab_close(lab);
}

static void com_has_no_rule_for_the_unknown(void **state) {
  (void)state;
  struct lab *lab = lab_at("com", 1, 0);
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(siox_bank_open(lab->bank, ns(1), a, &lab->layout), 0);
  struct siox_service s = lab_read(lab, 2, a, 64 * KB);
  assert_int_equal(s.completion, ns(2) + ns(service_s(6000, 64 * KB, false)));
  assert_int_equal(lab_speed(lab, 1000, 0), 6000);
  lab_close(lab);
}

static void com_slows_a_busy_disk_when_it_is_free(void **state) {
  (void)state;
  struct lab *lab = lab_open("com", 1);
  uint32_t a = lab_join(lab, "A");
  double done = (double)lab_read(lab, 1, a, 64 * (int64_t)KB * KB).completion * 1e-9;
  assert_true(done > 1.5);
  lab_hint(lab, 1.5, a, "1", 6000, 0, 0, 0);
  SAME_TIME(move_start(lab, 20, 0, 0), done);
  assert_int_equal(lab_job(lab, 0).refused, 0);
  lab_close(lab);
}

static void every_name_is_a_policy_and_only_those(void **state) {
  (void)state;
  size_t n = 0;
  for (const char *const *name = siox_policy_names(); *name; name++, n++) {
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(*name, ":["), *name);
    const struct siox_policy *policy = siox_policy_find(bare, NULL);
    assert_non_null(policy);
    assert_string_equal(policy->name, bare);
  }
  assert_int_equal(n, 8);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "timeout:",      "timeout:-1",  "timeout:x",    "timeout:1s", "timeout:nan", "timeout:1e10",
      "com:1",         "hw:",         "hw:n=0",       "hw:n",       "hw:n=1,",     "hw:m=1",
      "hw:ut=5,lt=15", "hw:n=1;ut=2", "hw:check=inf", "hw:lt=-1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_drive drive;
    make_drive(&drive, FOUR_SPEEDS, 4);
    const struct siox_drive *drives[] = {&drive};
    struct siox_bank *bank = NULL;
    struct siox_bank_options o = {.ndisks = 1, .drive = drives, .policy = bad[i]};
    assert_int_equal(siox_bank_create(&bank, &o), SIOX_EINVAL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(timeout_is_the_gap_from_which_the_deepest_level_pays),
      cmocka_unit_test(timeout_takes_seconds),
      cmocka_unit_test(timeout_leaves_shorter_gaps_alone),
      cmocka_unit_test(timeout_spins_a_sleeping_disk_up_before_it_serves),
      cmocka_unit_test(
          adaptive_timeout_doubles_after_a_sleep_too_short_and_halves_after_a_good_gap),
      cmocka_unit_test(hw_steps_an_idle_disk_down_level_by_level),
      cmocka_unit_test(hw_speeds_nothing_up_for_a_request),
      cmocka_unit_test(hw_goes_to_full_speed_when_responses_grow_by_more_than_ut),
      cmocka_unit_test(hw_raises_the_floor_between_lt_and_ut_by_parts),
      cmocka_unit_test(hw_lets_the_floor_down_a_level_when_responses_grow_by_less_than_lt),
      cmocka_unit_test(com_lets_the_last_caller_win),
      cmocka_unit_test(com_has_no_rule_for_the_unknown),
      cmocka_unit_test(com_slows_a_busy_disk_when_it_is_free),
      cmocka_unit_test(every_name_is_a_policy_and_only_those),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
