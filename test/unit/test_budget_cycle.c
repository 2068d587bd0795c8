/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a cycle takes on average: told late, it counts as if it had been told at once. */
#include "arbiter/budget_cycle.h"
#include "bank_support.h"

/* A cycle that is over at 10 s, with a gap of 30 s behind it. */
static struct siox__budget_disk after(const struct siox_drive *drive, bool known, bool untold) {
  struct siox__budget_disk b = {0};
  for (uint32_t l = 0; l < drive->nlevels; l++) {
    b.active[l] = 10.0 * (l + 1);
    b.cycle[l] = 100.0 * (l + 1);
  }
  b.known = known;
  b.period = ns(40);
  b.usual = ns(30);
  siox__cycle_ends(&b, drive, ns(10), ns(30), ns(40), untold);
  return b;
}

static void assert_alike(const struct siox_drive *drive, const struct siox__budget_disk *a,
                         const struct siox__budget_disk *b) {
  for (uint32_t l = 0; l < drive->nlevels; l++)
    assert_true(fabs(a->cycle[l] - b->cycle[l]) < 1e-9);
  assert_int_equal(a->gap, b->gap);
}

static void told_after_it_was_taken_for_a_silence(const bool known) {
  struct siox_drive drive;
  make_drive(&drive, FOUR_SPEEDS, 4);
  struct siox__budget_disk at_once = after(&drive, known, false);
  struct siox__budget_disk late = after(&drive, known, true);
  assert_true(late.cycle[3] > at_once.cycle[3]); /* nobody goes below full speed in a silence */
  siox__cycle_told(&late, &drive, ns(40));
  assert_alike(&drive, &late, &at_once);
  siox__cycle_told(&late, &drive, ns(40)); /* once */
  assert_alike(&drive, &late, &at_once);
}
static void the_first_gap_may_be_told_after_it_was_taken_for_a_silence(void **state) {
  (void)state;
  told_after_it_was_taken_for_a_silence(false);
}
static void a_later_gap_may_be_told_after_it_was_taken_for_a_silence(void **state) {
  (void)state;
  told_after_it_was_taken_for_a_silence(true);
}

static void a_gap_told_longer_counts_as_long(void **state) {
  (void)state;
  struct siox_drive drive;
  make_drive(&drive, FOUR_SPEEDS, 4);
  struct siox__budget_disk moved = after(&drive, true, false), there = {0};
  for (uint32_t l = 0; l < drive.nlevels; l++) {
    there.active[l] = 10.0 * (l + 1);
    there.cycle[l] = 100.0 * (l + 1);
  }
  there.known = true;
  there.period = ns(40);
  there.usual = ns(30);
  siox__cycle_ends(&there, &drive, ns(10), ns(50), ns(60), false);
  siox__cycle_told(&moved, &drive, ns(60));
  assert_alike(&drive, &moved, &there);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_gap_may_be_told_after_it_was_taken_for_a_silence),
      cmocka_unit_test(a_later_gap_may_be_told_after_it_was_taken_for_a_silence),
      cmocka_unit_test(a_gap_told_longer_counts_as_long),
  };
  return cmocka_run_group_tests_name("budget_cycle", tests, NULL, NULL);
}
