/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox with a delay budget: the level is chosen for the gap as it is known last. A burst of
 * 20 reads of 1 MiB takes 0.28 s longer at 9000 rpm than at full speed, and 0.63 s at 6000. */
#include "bank_support.h"

enum { READS = 20 };

static struct lab *lab_with(double budget) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.delay_budget = budget;
  lab_start(lab, "siox", 1, NULL, 0);
  return lab;
}

/* Reads one after the other; when the last one is done. */
static double reads(struct lab *lab, double at, uint32_t client, int count) {
  for (int r = 0; r < count; r++)
    at = (double)lab_read(lab, at, client, 1024 * KB).completion * 1e-9;
  return at;
}

static double burst_s(double rpm, int count) { return count * service_s(rpm, 1024 * KB, false); }

/* A job reads as it begins, tells of a gap, and later of another end of it. At which level is the
 * burst behind it served? */
static double told_twice(double budget, double gap, double later, double then) {
  struct lab *lab = lab_with(budget);
  uint32_t a = lab_join(lab, "A");
  double at = reads(lab, 0, a, READS), took;
  lab_hint(lab, at, a, "1", 0, 0, at + gap, 0);
  lab_hint(lab, at + later, a, "1", 0, 0, at + then, 0);
  took = reads(lab, at + then, a, READS) - at - then;
  double rpm = lab_speed(lab, at + then + took, 0);
  assert_true(fabs(took - burst_s(rpm, READS)) < 1e-6); /* and nobody waited for the disk */
  lab_close(lab);
  return rpm;
}

/* 3 % of 10 s pay for 9000 rpm, of 30 s for 6000. */
static void a_gap_that_turns_out_longer_pays_for_a_lower_level(void **state) {
  (void)state;
  assert_true(told_twice(0.03, 10, 1, 10) == 9000);
  assert_true(told_twice(0.03, 10, 3, 30) == 6000);
  assert_true(told_twice(0.03, 30, 1, 30) == 6000);
}

static void a_gap_that_turns_out_shorter_is_followed_by_a_higher_level(void **state) {
  (void)state;
  assert_true(told_twice(0.03, 30, 3, 15) == 9000);
  assert_true(told_twice(0.03, 30, 0.5, 8.5) == 12000);
}

/* One rank needs the disk while the other's sixteen bursts end, each without a gap, which are taken
 * for a cycle; then it lets it go, too, and nothing was read in between. */
static double after_overlaps(int ends) {
  struct lab *lab = lab_with(0.03);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "A");
  double at = 0;
  lab_hint(lab, at, a, "1", SIOX_SPEED_FULL, 1, 0, 0);
  for (int i = 0; i < ends; i++) {
    at = reads(lab, at, b, 1);
    lab_hint(lab, at, b, "1", 0, 0, at + (i + 1 < ends ? 0.1 : 30), 0);
    at += i + 1 < ends ? 0.1 : 0;
  }
  lab_hint(lab, at + 0.01, a, "1", 0, 0, at + 30, 0);
  double took = reads(lab, at + 30, b, 1) - at - 30, rpm = lab_speed(lab, at + 30 + took, 0);
  assert_true(fabs(took - burst_s(rpm, 1)) < 1e-6);
  lab_close(lab);
  return rpm;
}

static void a_gap_behind_bursts_that_overlapped_is_one(void **state) {
  (void)state;
  assert_true(after_overlaps(15) == 6000);
  assert_true(after_overlaps(16) == 6000);
}

/* What is known of the drive's gaps is the same whether an end was told at once or in parts: the
 * way down begins with the first word, for a gap that is long enough for the lowest level, and ends
 * as the last word says. */
static void a_gap_told_in_parts_is_one_gap(void **state) {
  (void)state;
  double joules[2];
  for (int parts = 0; parts < 2; parts++) {
    struct lab *lab = lab_with(0.03);
    uint32_t a = lab_join(lab, "A");
    double at = 0;
    for (int c = 0; c < 20; c++) {
      at = reads(lab, at, a, READS);
      for (int p = 1; p <= 9 && parts; p++) /* it never says a time that is too early to go down */
        lab_hint(lab, at + 0.001 * p, a, "1", 0, 0, at + 20 + p, 0);
      if (!parts)
        lab_hint(lab, at + 0.001, a, "1", 0, 0, at + 29, 0);
      at += 29;
    }
    assert_int_equal(siox_bank_finish(lab->bank, ns(at)), 0);
    joules[parts] = lab_joules(lab, 0);
    lab_close(lab);
  }
  assert_true(fabs(joules[1] - joules[0]) < 1e-9 * joules[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_that_turns_out_longer_pays_for_a_lower_level),
      cmocka_unit_test(a_gap_that_turns_out_shorter_is_followed_by_a_higher_level),
      cmocka_unit_test(a_gap_behind_bursts_that_overlapped_is_one),
      cmocka_unit_test(a_gap_told_in_parts_is_one_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
