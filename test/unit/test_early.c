/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox starts a speed-up earlier by what it has measured: how early a site's uses come, how
 * much of its I/O time the client has waited, and the queue the transition starts behind. Of n uses
 * that came early by up to m the next comes by more than x with probability (m/x)^n / (n+1); a
 * tenth may, of a client whose I/O takes long enough (RISK and MOST_RISK of history.c). */
#include "bank_support.h"

static struct lab *lab_early(double quantile) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.early = quantile;
  lab_start(lab, "siox", 1, NULL, 0);
  return lab;
}

static const double GAP = 60;

/* A client that has 1.5 s of waiting to spare, 1 % of its I/O: the way up from 6000 rpm takes 6.54
 * s, so a tenth of its uses may be missed. */
static uint32_t busy_client(struct lab *lab, const char *job) {
  uint32_t client = lab_join(lab, job);
  lab_hint(lab, siox_bank_now(lab->bank) * 1e-9, client, "1", SIOX_SPEED_FULL, 1, 0, 0);
  lab_read(lab, siox_bank_now(lab->bank) * 1e-9, client, INT64_C(8250) * 1000 * 1000);
  return client;
}

/* The x that is exceeded by a tenth, and by as many of those that have come. */
static double tenth(double m, int n) { return m * pow(0.1 * (n + 1), -1.0 / n); }

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
  } cases[] = {{0.25, 0}, {0.26, 1.25}, {0.5, 1.25}, {0.75, 2.5}, {0, 0}};
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

static void ready_so_early_that_a_tenth_at_most_comes_earlier(void **state) {
  (void)state;
  static const double early[] = {2, 0, 3, 1};
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A");
  lab->site = 7;
  for (int g = 0; g < 4; g++)
    gap(lab, 200 + 100 * g, a, early[g]);
  near(ready_before_end(lab, 700, a), tenth(3, 4));
  lab_close(lab);
}

static void as_many_of_many_uses_may_come_earlier(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A");
  lab->site = 7;
  for (int g = 0; g < 24; g++) /* 2 of 24 and one more are a tenth */
    gap(lab, 200 + 100 * g, a, g == 0 ? 5 : g == 1 ? 4 : 1);
  near(ready_before_end(lab, 3000, a), 4);
  lab_close(lab);
}

static void the_first_use_of_all_may_come_a_fifth_of_the_gap_early(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  near(ready_before_end(lab, 1, lab_join(lab, "A")), GAP / 5);
  lab_close(lab);
}

/* Predictions that are off by 5 s in one direction may be in the other. */
static void a_late_use_warns_of_early_ones_at_first(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A");
  gap(lab, 200, a, -5);
  double at = ready_before_end(lab, 300, a);
  assert_true(fabs(at - tenth(5, 1)) < 1e-4); /* parts of gaps are kept in millionths */
  lab_close(lab);
}

static void late_uses_count_as_on_time(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A");
  for (int g = 0; g < 8; g++)
    gap(lab, 200 + 100 * g, a, -5);
  near(ready_before_end(lab, 1100, a), 0);
  lab_close(lab);
}

/* For a client and a site that nothing is known of: others were early by 2 s of 60, once. */
static void takes_two_of_sixty_from_others(struct lab *lab, uint32_t client) {
  lab->site = 8;
  lab_hint(lab, 300, client, "1", 0, 0, 300 + GAP, 0);
  siox_bank_advance(lab->bank, ns(300 + GAP));
  int64_t ready = siox_bank_view(lab->bank)->disk[0].move_end;
  assert_true(fabs((double)(ns(300 + GAP) - ready) * 1e-9 - tenth(GAP * 2 / 60, 1)) < 1e-3);
}

static void a_client_without_a_past_takes_everybodys_as_a_part_of_its_gap(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A"), b = lab_join(lab, "B");
  lab->site = 7;
  gap(lab, 200, a, 2);
  takes_two_of_sixty_from_others(lab, b);
  lab_close(lab);
}

/* A library says again, as it comes nearer, when a use will be. */
static void a_gap_begins_with_the_first_word_of_its_use(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A"), b = lab_join(lab, "B");
  lab->site = 7;
  lab_hint(lab, 200, a, "1", 0, 0, 260, 0);
  lab_hint(lab, 255, a, "1", 0, 0, 260, 0);
  lab_read(lab, 258, a, 64 * KB);
  takes_two_of_sixty_from_others(lab, b);
  lab_close(lab);
}

static void a_site_without_a_past_takes_its_clients(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = busy_client(lab, "A");
  lab->site = 7;
  gap(lab, 200, a, 2);
  lab->site = 8;
  near(ready_before_end(lab, 300, a), tenth(2, 1));
  lab_close(lab);
}

/* What it has waited for disks that were not ready is more than 1 % of its I/O. */
static void a_client_that_has_waited_too_long_keeps_its_disk(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A");
  lab_read(lab, 1, a, 64 * KB);
  gap(lab, 100, a, 30); /* earlier than anybody would be */
  lab_hint(lab, 200, a, "1", 0, 0, 200 + GAP, 0);
  for (double at = 200; at < 200 + GAP; at++)
    assert_int_equal(lab_speed(lab, at, 0), 15000);
  lab_close(lab);
}

/* A drive that is back from sleep in a millisecond. While its use may come early, such a client
 * needs it no faster than that. */
static void a_wait_that_the_client_can_bear_is_risked(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  static const int32_t speeds[] = {0, 1, 15000};
  make_drive(&lab->drive, speeds, 3);
  make_table(&lab->drive);
  lab->drive.level[1].serves = false;
  lab->drive.table[1][2] = (struct siox_transition){ns(0.001), 0.01};
  lab->limits.early = 1;
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = busy_client(lab, "A");
  lab_hint(lab, 200, a, "1", 0, 0, 200 + GAP, 0);
  assert_int_equal(lab_speed(lab, 200 + GAP - 1, 0), 1); /* within the fifth */
  siox_bank_advance(lab->bank, ns(200 + GAP));
  const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
  assert_int_equal(lab->drive.level[v->level].speed, 15000);
  near((double)(ns(200 + GAP) - v->move_start) * 1e-9, 0.001);
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
  /* not the 31 s by which A would have been early: as if nothing was known; what the slow request
   * took is allowed for */
  double early = ready_before_end(lab, 200, b);
  assert_true(early >= GAP / 5 && early < GAP / 5 + 0.1);
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
  uint32_t a = busy_client(lab, "A");
  lab->site = 7;
  for (int g = 2; g < 5; g++) { /* as a library does when the access comes before its time */
    lab_hint(lab, 100 * g + 1, a, "1", 0, 0, 100 * g + 1 + GAP, 0);
    lab_hint(lab, 100 * g - 2 + GAP, a, "1", SIOX_SPEED_FULL, 1, 0, 0);
    assert_false(lab_read(lab, 100 * g - 2 + GAP, a, 64 * KB).missed);
  }
  near(ready_before_end(lab, 600, a), tenth(3, 3));
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
  struct lab *lab = lab_early(0.96); /* the second greatest of 32 */
  uint32_t a = lab_join(lab, "A");
  lab->site = 7;
  gap(lab, 1, a, 9);
  for (int g = 1; g < 32; g++)
    gap(lab, 100 * g, a, g < 2 ? 10 : 0.5);
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

/* A ramp that is turned after half a second saves 3 % of the second's joules. */
static void a_gap_that_saves_little_is_taken_where_uses_come_when_they_were_promised(void **state) {
  (void)state;
  static const struct {
    double early;
    int moves;
  } cases[] = {{0, 1}, {0.001, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = lab_early(1);
    uint32_t a = busy_client(lab, "A");
    lab->site = 7;
    for (int g = 0; g < 8; g++)
      gap(lab, 200 + 100 * g, a, cases[i].early);
    int before = lab_disk(lab, 0).transitions_down;
    lab_hint(lab, 961, a, "1", 0, 0, 962, 0);
    lab_read(lab, 962, a, 64 * KB);
    assert_int_equal(lab_disk(lab, 0).transitions_down - before, cases[i].moves);
    lab_close(lab);
  }
}

/* A gap of 4 s is none for a level and back: its ramp is turned on the way. */
static void a_ramp_is_turned_for_whom_one_use_was_judged(void **state) {
  (void)state;
  struct lab *lab = lab_early(1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  for (int g = 0; g < 4; g++) {
    uint32_t client = g < 3 ? a : b;
    int before = lab_disk(lab, 0).transitions_down;
    lab_hint(lab, 1 + 10 * g, client, "1", 0, 0, 5 + 10 * g, 0);
    assert_int_equal(lab_read(lab, 5 + 10 * g, client, 64 * KB).transition_ns, 0);
    assert_int_equal(lab_disk(lab, 0).transitions_down - before, g == 1 || g == 2);
  }
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
      cmocka_unit_test(ready_so_early_that_a_tenth_at_most_comes_earlier),
      cmocka_unit_test(as_many_of_many_uses_may_come_earlier),
      cmocka_unit_test(the_first_use_of_all_may_come_a_fifth_of_the_gap_early),
      cmocka_unit_test(a_late_use_warns_of_early_ones_at_first),
      cmocka_unit_test(late_uses_count_as_on_time),
      cmocka_unit_test(a_client_that_has_waited_too_long_keeps_its_disk),
      cmocka_unit_test(a_wait_that_the_client_can_bear_is_risked),
      cmocka_unit_test(a_site_without_a_past_takes_its_clients),
      cmocka_unit_test(a_gap_begins_with_the_first_word_of_its_use),
      cmocka_unit_test(a_client_without_a_past_takes_everybodys_as_a_part_of_its_gap),
      cmocka_unit_test(only_the_first_use_after_a_hint_counts),
      cmocka_unit_test(a_need_that_is_told_early_counts_as_its_use),
      cmocka_unit_test(a_promise_of_one_that_has_left_is_nobodys),
      cmocka_unit_test(each_disk_is_judged_by_its_own_promise),
      cmocka_unit_test(the_past_is_the_last_32_uses),
      cmocka_unit_test(a_speed_up_allows_for_the_queue_it_starts_behind),
      cmocka_unit_test(a_gap_that_saves_little_is_taken_where_uses_come_when_they_were_promised),
      cmocka_unit_test(a_ramp_is_turned_for_whom_one_use_was_judged),
      cmocka_unit_test(an_until_slows_a_disk_only_when_the_gap_behind_it_pays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
