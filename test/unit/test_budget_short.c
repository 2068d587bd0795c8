/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox with a delay budget, for jobs that tell of many short gaps: of 3 s, which hold a step
 * of 2.18 s between neighbouring speeds, and of 2 s, which do not. */
#include "bank_support.h"

static struct lab *lab_with(double budget, bool table) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  if (table)
    make_table(&lab->drive);
  lab->limits.delay_budget = budget;
  lab_start(lab, "siox", 1, NULL, 0);
  return lab;
}

struct outcome {
  double end, lost, joules, first; /* s, s, J; s: first change */
};

/* Reads one MiB, and tells of the gap behind it, again and again; opens its file so long before the
 * use that it told. */
static struct outcome play(double budget, bool table, int cycles, double gap, double opens) {
  struct lab *lab = lab_with(budget, table);
  uint32_t a = lab_join(lab, "A");
  struct outcome o = {0};
  double at = 0;
  for (int c = 0; c < cycles; c++) {
    double done = (double)lab_read(lab, at, a, 1024 * KB).completion * 1e-9;
    o.lost += done - at - service_s(15000, 1024 * KB, false);
    at = done;
    lab_hint(lab, at, a, "1", 0, 0, at + gap, 0);
    if (opens > 0)
      assert_int_equal(siox_bank_open(lab->bank, ns(at + gap - opens), a, &lab->layout), 0);
    at += gap;
  }
  o.end = at;
  assert_int_equal(siox_bank_finish(lab->bank, ns(at)), 0);
  o.joules = lab_joules(lab, 0);
  o.first = lab_first_down(lab);
  lab_check(lab);
  lab_close(lab);
  return o;
}

static double static_joules(double rpm, int cycles, double gap) {
  return cycles * (gap * idle_w(rpm) + service_s(rpm, 1024 * KB, false) * (idle_w(rpm) + 3.3)) +
         ramp_j(15000, rpm) + ramp_j(rpm, 15000);
}

/* A use that comes 5 ms before the time that was told for it is that use: it costs what it costs at
 * the level that the disk serves at, and is no reason for the way to full speed. */
static void a_use_that_is_a_little_early_is_served_within_the_budget(void **state) {
  (void)state;
  double slow = service_s(6000, 1024 * KB, false) - service_s(15000, 1024 * KB, false);
  for (int early = 0; early < 2; early++) {
    struct outcome o = play(0.02, false, 100, 3, early ? 0.005 : 0);
    assert_true(o.lost <= 99 * slow + 1e-4);
    assert_true(o.lost <= 0.02 * (o.end - o.lost));
    assert_true(o.joules <= 1.01 * static_joules(6000, 100, 3));
  }
}

/* Without a budget, and for a job that has told nothing, it is: nobody knows what it will need. */
static void an_early_use_without_a_budget_gets_full_speed(void **state) {
  (void)state;
  struct lab *lab = lab_with(0, false);
  uint32_t a = lab_join(lab, "A");
  lab_read(lab, 0, a, 64 * KB);
  lab_hint(lab, 1, a, "1", 0, 0, 60, 0);
  assert_int_equal(lab_speed(lab, 30, 0), 6000);
  assert_int_equal(siox_bank_open(lab->bank, ns(30), a, &lab->layout), 0);
  assert_int_equal(lab_speed(lab, 37, 0), 15000);
  lab_close(lab);
}

static void a_use_of_somebody_who_told_nothing_gets_full_speed(void **state) {
  (void)state;
  struct lab *lab = lab_with(0.05, false);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "A");
  lab_read(lab, 0, a, 64 * KB);
  lab_hint(lab, 1, a, "1", 0, 0, 60, 0);
  assert_int_equal(lab_speed(lab, 30, 0), 6000);
  assert_int_equal(siox_bank_open(lab->bank, ns(30), b, &lab->layout), 0);
  assert_int_equal(lab_speed(lab, 37, 0), 15000);
  lab_close(lab);
}

/* The step takes 2.18 s, of which the gap holds 2: requests wait for 0.18 s, and 2 % of 9 s have
 * saved them. The drive cannot be turned midway, so that it changes its speed for that alone. */
static void what_a_gap_does_not_hold_of_a_step_is_saved_first(void **state) {
  (void)state;
  double rest = ramp_s(15000, 12000) - 2, cycle = 2 + service_s(15000, 1024 * KB, false);
  for (double budget = 0.01; budget < 0.05; budget *= 2) {
    double first = service_s(15000, 1024 * KB, false);
    while (budget * first < rest)
      first += cycle;
    struct outcome o = play(budget, true, 100, 2, 0);
    assert_true(fabs(o.first - first) < 1e-6);
    assert_true(o.lost <= budget * (o.end - o.lost));
  }
}

static void gaps_that_hold_no_step_are_gone_through_at_lower_levels(void **state) {
  (void)state;
  for (int early = 0; early < 2; early++) {
    struct outcome o = play(0.02, false, 200, 2, early ? 0.005 : 0);
    assert_true(o.lost <= 0.02 * (o.end - o.lost));
    assert_true(o.joules <= static_joules(9000, 200, 2));
  }
}

/* A disk on its way up is not slowed, so there is nothing to plan until it is there, and a use that
 * moves meanwhile is no reason to look at it before. A gap of 9.1 s is spent on the ramp, down for
 * a half and up for the other: from 26.55 s to 31.1 s. */
static void a_use_that_moves_while_its_disk_comes_up_is_not_looked_for_again_and_again(void **s) {
  (void)s;
  const double gap = 9.1, at = 22, up = at + gap;
  const int64_t rounded = 2; /* ns, one for each half */
  for (double by = 1e-9; by < 1; by *= 10) {
    struct lab *lab = lab_with(0, false);
    uint32_t a = lab_join(lab, "A");
    lab_read(lab, 0, a, 1024 * KB);
    lab_hint(lab, 1, a, "1", 0, 0, at - 1, 0);
    lab_read(lab, at - 1, a, 1024 * KB); /* so that its word is known */
    lab_hint(lab, at, a, "1", 0, 0, up, 0);
    lab_hint(lab, at + 0.9 * gap, a, "1", 0, 0, up + by, 0);
    assert_true(siox_bank_advance(lab->bank, 0) >= ns(up) - rounded);
    siox_bank_finish(lab->bank, ns(up + 1));
    bool rose = false;
    for (size_t i = 0; i < lab->nseen; i++)
      rose |= lab->seen[i].state == SIOX_UP &&
              llabs(lab->seen[i].start - ns(at + gap / 2)) <= rounded &&
              llabs(lab->seen[i].end - ns(up)) <= rounded;
    assert_true(rose);
    lab_close(lab);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_use_that_is_a_little_early_is_served_within_the_budget),
      cmocka_unit_test(an_early_use_without_a_budget_gets_full_speed),
      cmocka_unit_test(a_use_of_somebody_who_told_nothing_gets_full_speed),
      cmocka_unit_test(what_a_gap_does_not_hold_of_a_step_is_saved_first),
      cmocka_unit_test(gaps_that_hold_no_step_are_gone_through_at_lower_levels),
      cmocka_unit_test(a_use_that_moves_while_its_disk_comes_up_is_not_looked_for_again_and_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
