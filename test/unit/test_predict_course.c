/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is left of something that went the same way before. */
#include "predict_support.h"

/* `trip` iterations, the first half of which takes `first`, the second `second`. */
static void went(struct siox__courses *all, int64_t trip, int64_t first, int64_t second) {
  struct siox__course c;
  siox__course_begins(&c, trip);
  siox__course_goes_on(&c, trip / 2, first);
  siox__course_ends(all, &c, first + second);
}

static int64_t left_of(const struct siox__courses *all, int64_t trip, int64_t done, int64_t at) {
  struct siox__course c;
  siox__course_begins(&c, trip);
  siox__course_goes_on(&c, done, at);
  return siox__course_left(all, &c);
}

static void before_the_first_is_over_nothing_is_known(void **state) {
  (void)state;
  struct siox__courses all = {0};
  assert_int_equal(left_of(&all, 64, 0, 0), -1);
}

static void of_one_an_eighth_is_not_trusted(void **state) {
  (void)state;
  struct siox__courses all = {0};
  went(&all, 64, 1000, 3000);
  assert_int_equal(left_of(&all, 64, 0, 0), 3500);
}

static void of_two_the_shorter_rest_counts(void **state) {
  (void)state;
  struct siox__courses all = {0};
  went(&all, 64, 1000, 3000);
  went(&all, 64, 1000, 2400);
  assert_int_equal(left_of(&all, 64, 0, 0), 3400);
  assert_int_equal(left_of(&all, 64, 32, 1000), 2400);
}

static void between_two_points_it_lies_on_the_line(void **state) {
  (void)state;
  struct siox__courses all = {0};
  for (int i = 0; i < 2; i++)
    went(&all, 64, 1600, 3200);
  assert_int_equal(left_of(&all, 64, 16, 800), 4000);
  struct siox__course c;
  siox__course_begins(&c, 64);
  siox__course_goes_on(&c, 32, 1600);
  siox__course_goes_on(&c, 48, 3200);
  assert_int_equal(siox__course_left(&all, &c), 1600);
  siox__course_goes_on(&c, 49, 3300); /* half of a 32nd */
  assert_int_equal(siox__course_left(&all, &c), 1500);
}

static void others_with_more_iterations_do_not_count(void **state) {
  (void)state;
  struct siox__courses all = {0};
  went(&all, 128, 1000, 3000);
  assert_int_equal(left_of(&all, 64, 0, 0), -1);
}

static void one_that_is_faster_so_far_has_as_much_less_left(void **state) {
  (void)state;
  struct siox__courses all = {0};
  for (int i = 0; i < 2; i++)
    went(&all, 64, 1000, 3000);
  assert_int_equal(left_of(&all, 64, 32, 500), 1500);
}

static void one_that_is_no_faster_than_the_fastest_has_all_of_it_left(void **state) {
  (void)state;
  struct siox__courses all = {0};
  went(&all, 64, 1000, 3000);
  went(&all, 64, 2000, 3000);
  assert_int_equal(left_of(&all, 64, 32, 1000), 3000);
}

static void one_that_has_become_faster_has_as_much_less_left(void **state) {
  (void)state;
  struct siox__courses all = {0};
  struct siox__course c;
  went(&all, 64, 3200, 3200);
  went(&all, 64, 3200, 3200);
  siox__course_begins(&c, 64);
  siox__course_goes_on(&c, 16, 2000); /* slower than ever, */
  siox__course_goes_on(&c, 32, 2800); /* and in its second quarter twice as fast */
  assert_int_equal(siox__course_left(&all, &c), 1600);
}

static void one_that_is_slower_so_far_has_no_more_left(void **state) {
  (void)state;
  struct siox__courses all = {0};
  for (int i = 0; i < 2; i++)
    went(&all, 64, 1000, 3000);
  assert_int_equal(left_of(&all, 64, 32, 2000), 3000);
}

static void only_the_latest_eight_count(void **state) {
  (void)state;
  struct siox__courses all = {0};
  went(&all, 64, 100, 100);
  for (int i = 0; i < 8; i++)
    went(&all, 64, 1000, 3000);
  assert_int_equal(left_of(&all, 64, 0, 0), 4000);
}

static void one_that_ends_early_is_kept_as_that(void **state) {
  (void)state;
  struct siox__courses all = {0};
  struct siox__course c;
  went(&all, 64, 1000, 3000);
  siox__course_begins(&c, 64);
  siox__course_goes_on(&c, 32, 1000);
  siox__course_ends(&all, &c, 1200); /* a break */
  assert_int_equal(left_of(&all, 64, 32, 1000), 200);
}

static void more_iterations_than_fit_into_a_double_do_no_harm(void **state) {
  (void)state;
  struct siox__courses all = {0};
  for (int i = 0; i < 2; i++)
    went(&all, INT64_MAX, INT64_MAX / 4, INT64_MAX / 4);
  int64_t left = left_of(&all, INT64_MAX, INT64_MAX - 1, INT64_MAX / 3);
  assert_true(left >= 0 && left <= INT64_MAX / 4);
}

/* 100 iterations of 10 ms, then 100 of 90 ms. */
static void uneven_loop(struct world *w, struct siox_region *r, int64_t stop) {
  int64_t next = siox__predictor_enter(&w->p, r, 200, w->now);
  for (int64_t i = 1; i <= stop; i++) {
    w->now += (i <= 100 ? 10 : 90) * SECOND / 1000;
    if (i == next)
      next = siox__predictor_tick(&w->p, r, i, w->now);
  }
}

static void a_loop_whose_iterations_grow_is_told_as_long_as_it_took(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region work, *succ[] = {&work};
  work = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 3; k++) {
    uneven_loop(&w, &work, 200);
    siox__predictor_leave(&w.p, &work, w.now);
    touch(&w, &read, &handle_a, 0, 3 << 16);
  }
  int64_t begun = w.now;
  uneven_loop(&w, &work, 100);
  /* Ten seconds in all; 200 of the shortest iterations would be two. */
  int64_t use = last_for(&w, 1, w.n)->need_by - begun;
  assert_true(use > 9 * SECOND && use <= 10 * SECOND);
  end(&w);
}

/* A gap of that length, of which nobody knows the iterations; then a use. */
static void gap(struct world *w, struct siox_region *r, struct siox_site *read, int64_t length) {
  siox__predictor_enter(&w->p, r, SIOX_UNKNOWN, w->now);
  w->now += length;
  siox__predictor_leave(&w->p, r, w->now);
  touch(w, read, &handle_a, 0, 3 << 16);
}

static void what_was_missed_once_is_forgotten_also_in_gaps_shorter_than_the_way_up(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  w.p.env.lead_ns = 9 * SECOND;
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region work, *succ[] = {&work};
  work = loop_region(next, 1, succ, 1);
  open_files(&w);
  for (int k = 0; k < 3; k++)
    gap(&w, &work, &read, 10 * SECOND);
  gap(&w, &work, &read, 8 * SECOND); /* 2 s sooner than foretold */
  for (int k = 0; k < 6; k++)
    gap(&w, &work, &read, 10 * SECOND);
  siox__predictor_enter(&w.p, &work, SIOX_UNKNOWN, w.now);
  /* Eight seconds but for 3 % and what is left of the two: 0.5 * 0.75^6 twice. */
  int64_t use = last_for(&w, 1, w.n)->need_by - w.now;
  assert_true(use >= 75 * SECOND / 10 && use <= 8 * SECOND);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(before_the_first_is_over_nothing_is_known),
      cmocka_unit_test(of_one_an_eighth_is_not_trusted),
      cmocka_unit_test(of_two_the_shorter_rest_counts),
      cmocka_unit_test(between_two_points_it_lies_on_the_line),
      cmocka_unit_test(others_with_more_iterations_do_not_count),
      cmocka_unit_test(one_that_is_faster_so_far_has_as_much_less_left),
      cmocka_unit_test(one_that_is_no_faster_than_the_fastest_has_all_of_it_left),
      cmocka_unit_test(one_that_has_become_faster_has_as_much_less_left),
      cmocka_unit_test(one_that_is_slower_so_far_has_no_more_left),
      cmocka_unit_test(only_the_latest_eight_count),
      cmocka_unit_test(one_that_ends_early_is_kept_as_that),
      cmocka_unit_test(more_iterations_than_fit_into_a_double_do_no_harm),
      cmocka_unit_test(a_loop_whose_iterations_grow_is_told_as_long_as_it_took),
      cmocka_unit_test(what_was_missed_once_is_forgotten_also_in_gaps_shorter_than_the_way_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
