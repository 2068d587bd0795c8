/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox starts a speed-up earlier by what it has measured: how early a site's uses come, and
 * the queue the transition starts behind. */
#include "bank_support.h"

static struct lab *lab_early(double quantile) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.early = quantile;
  lab_start(lab, "siox", 1, NULL, 0);
  return lab;
}

static const double GAP = 60;

/* A gap that begins at `at`, its use promised for the end of it and made that much earlier. */
static void gap(struct lab *lab, double at, uint32_t client, double early) {
  lab_hint(lab, at, client, "1", 0, 0, at + GAP, 0);
  lab_read(lab, at + GAP - early, client, 64 * KB);
}

/* When the disk of such a gap is back at full speed, counted back from its promised end. */
static double ready_before_end(struct lab *lab, double at, uint32_t client) {
  lab_hint(lab, at, client, "1", 0, 0, at + GAP, 0);
  assert_int_equal(lab_speed(lab, at + 10, 0), 6000);
  siox_bank_advance(lab->bank, ns(at + GAP));
  const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
  assert_int_equal(lab->drive.level[v->level].speed, 15000);
  return (double)(ns(at + GAP) - v->move_end) * 1e-9;
}

static void ready_earlier_by_the_quantile_of_the_sites_past(void **state) {
  (void)state;
  /* of 0, 1, 2, 3 s: the ceil(4 q)-th, and a fourth of it for a use that is earlier than all */
  static const struct {
    double quantile, early;
  } cases[] = {{0.25, 0}, {0.26, 1.25}, {0.5, 1.25}, {0.75, 2.5}, {0.9, 3.75}, {1, 3.75}, {0, 0}};
  static const double early[] = {2, 0, 3, 1};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = lab_early(cases[i].quantile);
    uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
    lab->site = 7;
    for (int g = 0; g < 4; g++)
      gap(lab, 100 * g + 1, a, early[g]);
    near(ready_before_end(lab, 500, b), cases[i].early); /* whoever comes by that site */
    lab_close(lab);
  }
}

static void a_late_use_counts_as_on_time(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  for (int g = 0; g < 4; g++)
    gap(lab, 100 * g + 1, a, -5);
  near(ready_before_end(lab, 500, a), 0);
  lab_close(lab);
}

/* The others were early by 2 s of 60, and the next may be by twice that. */
static void a_client_without_a_past_takes_everybodys_as_a_part_of_its_gap(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab->site = 7;
  gap(lab, 1, a, 2);
  lab->site = 8;
  lab_hint(lab, 100, b, "1", 0, 0, 130, 0);
  siox_bank_advance(lab->bank, ns(130));
  double early = 30.0 * 2 * 2 / 60;
  double at = (double)(ns(130) - siox_bank_view(lab->bank)->disk[0].move_end) * 1e-9;
  assert_true(fabs(at - early) < 1e-4); /* parts are kept in millionths */
  lab_close(lab);
}

static void a_site_without_a_past_takes_its_clients(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  gap(lab, 1, a, 2);
  lab->site = 8; /* one use: the next may be earlier by as much again */
  near(ready_before_end(lab, 100, a), 4);
  lab_close(lab);
}

static void a_promise_of_one_that_has_left_is_nobodys(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  lab_hint(lab, 1, a, "1", 0, 0, 1 + GAP, 0);
  assert_int_equal(siox_bank_leave(lab->bank, ns(2), a), 0);
  uint32_t b = lab_join(lab, "B"); /* with the number of A */
  lab_read(lab, 30, b, 64 * KB);
  /* not the 31 s by which A would have been early; what the slow request took is allowed for */
  assert_true(ready_before_end(lab, 200, b) < 0.1);
  lab_close(lab);
}

static void only_the_first_use_after_a_hint_counts(void **state) {
  (void)state;
  struct lab *lab = lab_early(0.5);
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  for (int g = 0; g < 3; g++) {
    double at = 100 * g + 1;
    gap(lab, at, a, 2);
    for (int i = 0; i < 5; i++)
      lab_read(lab, at + GAP + i, a, 64 * KB);
  }
  near(ready_before_end(lab, 500, a), 2 + 2 / 3.0);
  lab_close(lab);
}

static void a_need_that_is_told_early_counts_as_its_use(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  for (int g = 0; g < 3; g++) { /* as a library does when the access comes before its time */
    lab_hint(lab, 100 * g + 1, a, "1", 0, 0, 100 * g + 1 + GAP, 0);
    lab_hint(lab, 100 * g - 2 + GAP, a, "1", SIOX_SPEED_FULL, 1, 0, 0);
    assert_false(lab_read(lab, 100 * g - 2 + GAP, a, 64 * KB).missed);
  }
  near(ready_before_end(lab, 500, a), 4);
  lab_close(lab);
}

/* Files in turn: while one disk's use comes the other's is still promised for later. */
static void each_disk_is_judged_by_its_own_promise(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.early = 1;
  lab_start(lab, "siox", 2, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  for (int g = 0; g < 4; g++) {
    double at = 100 * g + 1;
    lab_hint(lab, at, a, "10", 0, 0, at + GAP, 0);
    lab_hint(lab, at, a, "01", 0, 0, at + 2 * GAP, 0);
    lab_read(lab, at + GAP, a, 64 * KB); /* disk 0, when it was promised */
  }
  near(ready_before_end(lab, 500, a), 0);
  lab_close(lab);
}

static void the_past_is_the_last_32_uses(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  gap(lab, 1, a, 9);
  for (int g = 1; g < 32; g++)
    gap(lab, 100 * g, a, 0.5);
  near(ready_before_end(lab, 3200, a), 9 + 9 / 32.0);
  lab_read(lab, 3260, a, 64 * KB); /* the 33rd pushes the first out */
  near(ready_before_end(lab, 3300, a), 0.5 + 0.5 / 32);
  lab_close(lab);
}

static void a_speed_up_allows_for_the_queue_it_starts_behind(void **state) {
  (void)state;
  struct lab *lab = lab_early(0);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 0, 0, 80, 0);
  lab_hint(lab, 1, b, "1", 9000, 1, 0, 0);
  assert_int_equal(lab_speed(lab, 10, 0), 9000);
  struct siox_service s = lab_read(lab, 30, b, 4096 * KB);
  assert_false(s.missed);
  assert_int_equal(s.completion - ns(30), ns(service_s(9000, 4096 * KB, false)));
  siox_bank_advance(lab->bank, ns(80));
  assert_in_range(ns(80) - (s.completion - ns(30)) - siox_bank_view(lab->bank)->disk[0].move_end, 0,
                  2); /* of a ramp that was turned */
  lab_close(lab);
}

static void an_until_slows_a_disk_only_when_the_gap_behind_it_pays(void **state) {
  (void)state;
  static const struct {
    double next;
    int moves;
  } cases[] = {{33, 0}, {34.3, 0}, {34.4, 2}, {80, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = lab_open_table("siox", 1);
    uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
    lab_hint(lab, 1, a, "1", SIOX_SPEED_FULL, 1, 0, 30);
    lab_hint(lab, 1, b, "1", 0, 0, cases[i].next, 0);
    lab_read(lab, cases[i].next, b, 64 * KB);
    struct siox_disk_totals t = lab_disk(lab, 0);
    assert_int_equal(t.transitions_down + t.transitions_up, cases[i].moves);
    lab_close(lab);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ready_earlier_by_the_quantile_of_the_sites_past),
      cmocka_unit_test(a_late_use_counts_as_on_time),
      cmocka_unit_test(a_site_without_a_past_takes_its_clients),
      cmocka_unit_test(a_client_without_a_past_takes_everybodys_as_a_part_of_its_gap),
      cmocka_unit_test(only_the_first_use_after_a_hint_counts),
      cmocka_unit_test(a_need_that_is_told_early_counts_as_its_use),
      cmocka_unit_test(a_promise_of_one_that_has_left_is_nobodys),
      cmocka_unit_test(each_disk_is_judged_by_its_own_promise),
      cmocka_unit_test(the_past_is_the_last_32_uses),
      cmocka_unit_test(a_speed_up_allows_for_the_queue_it_starts_behind),
      cmocka_unit_test(an_until_slows_a_disk_only_when_the_gap_behind_it_pays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
