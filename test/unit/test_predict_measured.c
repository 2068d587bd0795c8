/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The predictor on programs compiled with a profile: what was measured stands for what it has not
 * seen yet. */
#include "predict_support.h"

static struct siox_region measured(struct siox_region r, int64_t body_ns, int64_t measured_ns) {
  r.flags |= SIOX_REGION_MEASURED;
  r.body_ns = body_ns;
  r.measured_ns = measured_ns;
  return r;
}

/* 0 to 1/32 less than it will be: the margin. */
static void assert_about(int64_t need_by, int64_t time, int64_t length) {
  assert_true(need_by <= time && need_by >= time - length / 32);
}

static void first_gap_of_a_measured_loop_is_predicted_at_its_entry(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = measured(loop_region(next, 1, succ, 1), SECOND / 10, 20 * SECOND);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 100, w.now); /* 100 iterations of 0.1 s this time */
  struct told *t = last_for(&w, 1, w.n);
  assert_int_equal(t->flag, 0);
  assert_int_equal(t->at, start);
  assert_about(t->need_by, start + 10 * SECOND, 10 * SECOND);
  end(&w);
}

static void first_time_of_a_measured_call_is_what_it_took(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r = measured(loop_region(next, 1, NULL, 0), 20 * SECOND, 20 * SECOND);
  r.kind = SIOX_REGION_CALL;
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, SIOX_UNKNOWN, w.now);
  assert_about(last_for(&w, 1, w.n)->need_by, start + 20 * SECOND, 20 * SECOND);
  end(&w);
}

static void what_follows_a_measured_region_comes_after_it(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:3:64K", "3:3:64K");
  struct siox_site read_a = data_site(origin_a, 1), read_b = data_site(origin_b, 1);
  struct siox_site *next_a[] = {&read_a}, *next_b[] = {&read_b};
  struct siox_region second = measured(loop_region(next_b, 1, NULL, 0), SIOX_UNKNOWN, 30 * SECOND);
  struct siox_region *succ[] = {&second};
  struct siox_region first = measured(loop_region(next_a, 1, succ, 1), SECOND / 10, 10 * SECOND);
  open_files(&w);
  touch(&w, &read_a, &handle_a, 0, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &first, 100, w.now);
  assert_about(last_for(&w, 0, w.n)->need_by, start + 10 * SECOND, 10 * SECOND);
  assert_about(last_for(&w, 3, w.n)->need_by, start + 40 * SECOND, 10 * SECOND);
  end(&w);
}

static void what_was_measured_to_be_short_gives_no_hint(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "0:6:64K", "0:6:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r = measured(loop_region(next, 1, NULL, 0), SECOND / 100, SECOND);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 6 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  for (int i = 0; i < w.n; i++)
    assert_int_equal(w.told[i].flag, 1);
  end(&w);
}

static void what_the_run_shows_replaces_what_was_measured_before(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = measured(loop_region(next, 1, succ, 1), SECOND / 10, 10 * SECOND);
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  run_loop(&w, &r, 100, 50 * SECOND); /* a slower machine */
  touch(&w, &read, &handle_a, 3 << 16, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 100, w.now);
  assert_about(last_for(&w, 1, w.n)->need_by, start + 50 * SECOND, 50 * SECOND);
  end(&w);
}

/* A loop that took 0.1 s an iteration in the profile's run; `n` windows of ten of its 320
 * iterations, with the ms that its iterations take here. */
static void first_windows(struct world *w, struct siox_region *r, const int *ms, int n) {
  static struct siox_site read, *next[] = {&read};
  static struct siox_region *succ[1];
  begin(w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  read = data_site(origin_a, 1);
  *r = measured(loop_region(next, 1, succ, 1), SECOND / 10, 32 * SECOND);
  succ[0] = r;
  open_files(w);
  touch(w, &read, &handle_a, 0, 3 << 16);
  siox__predictor_enter(&w->p, r, 320, w->now);
  for (int i = 0; i < n; i++) {
    w->now += 10 * ms[i] * (SECOND / 1000);
    siox__predictor_tick(&w->p, r, 10 * (i + 1), w->now);
  }
}

static void assert_left(struct world *w, double seconds) {
  const int64_t left = llround(seconds * SECOND);
  assert_about(last_for(w, 1, w->n)->need_by, w->now + left, left);
}

static void what_is_over_of_the_first_window_counts_as_that_part_of_one(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  first_windows(&w, &r, NULL, 0);
  w.now += SECOND / 20;
  siox__predictor_tick(&w.p, &r, 1, w.now);
  assert_left(&w, 319 * (0.1 * 0.05 + 0.1) / 1.1); /* a tenth of a window */
  end(&w);
}

static void what_was_measured_counts_as_one_window_beside_fast_ones(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {60, 60};
  first_windows(&w, &r, ms, 2);
  assert_left(&w, 300 * (2 * 0.06 + 0.1) / 3);
  end(&w);
}

static void what_was_measured_counts_as_one_window_beside_slow_ones(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {180, 150};
  first_windows(&w, &r, ms, 2);
  assert_left(&w, 300 * (2 * 0.15 + 0.1) / 3); /* the shortest */
  end(&w);
}

static void a_window_twice_as_fast_or_slow_as_measured_counts_alone(void **state) {
  (void)state;
  for (int ms = 40; ms <= 250; ms += 210) {
    struct world w;
    struct siox_region r;
    first_windows(&w, &r, &ms, 1);
    assert_left(&w, 310 * ms / 1000.0);
    end(&w);
  }
}

/* Half the way up from the lowest level takes a second. */
static void a_first_instance_is_looked_at_until_eight_windows_are_over(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {1};
  first_windows(&w, &r, ms, 1); /* by these it lasts for 0.3 s */
  int64_t next = siox__predictor_tick(&w.p, &r, 11, w.now + SECOND / 1000);
  assert_true(next > 11 && next <= 21);
  end(&w);
  first_windows(&w, &r, NULL, 0);
  assert_int_equal(siox__predictor_tick(&w.p, &r, 1, w.now + 1), 2);
  end(&w);
}

static void eight_fast_windows_replace_what_was_measured(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {60, 60, 60, 60, 60, 60, 60, 60};
  first_windows(&w, &r, ms, 8);
  assert_left(&w, 240 * 0.06);
  end(&w);
}

static void eight_slow_windows_replace_what_was_measured(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {300, 200, 300, 200, 300, 200, 300, 200};
  first_windows(&w, &r, ms, 8);
  assert_left(&w, 240 * 0.2);
  end(&w);
}

static void a_short_window_of_a_slower_run_is_no_reason_to_expect_less_than_measured(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {60, 200, 60, 200, 60, 200, 60, 200};
  first_windows(&w, &r, ms, 8);
  assert_left(&w, 240 * 0.1);
  end(&w);
}

static void a_run_that_has_become_faster_is_believed(void **state) {
  (void)state;
  struct world w;
  struct siox_region r;
  const int ms[] = {150, 150, 150, 150, 150, 150, 150, 150, 60, 60, 60, 60, 60, 60, 60, 60};
  first_windows(&w, &r, ms, 16);
  assert_left(&w, 160 * 0.06);
  end(&w);
}

/* Nothing in such a loop counts, so that it can be vectorised; the compiler's least time of an
 * iteration is a fraction of what it takes. */
static void a_loop_without_a_counter_is_paced_as_a_whole(void **state) {
  (void)state;
  struct world w;
  begin(&w, SIOX_LEAD_GAP, "1:3:64K", "0:1:64K");
  struct siox_site read = data_site(origin_a, 1), *next[] = {&read};
  struct siox_region r, *succ[] = {&r};
  r = loop_region(next, 1, succ, 1);
  r.body_ns = 1;
  open_files(&w);
  touch(&w, &read, &handle_a, 0, 3 << 16);
  siox__predictor_enter(&w.p, &r, 100, w.now);
  w.now += 10 * SECOND;
  siox__predictor_leave(&w.p, &r, w.now);
  touch(&w, &read, &handle_a, 3 << 16, 3 << 16);
  int64_t start = w.now;
  siox__predictor_enter(&w.p, &r, 200, w.now); /* twice as many as last time */
  assert_about(last_for(&w, 1, w.n)->need_by, start + 20 * SECOND, 20 * SECOND);
  end(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_gap_of_a_measured_loop_is_predicted_at_its_entry),
      cmocka_unit_test(first_time_of_a_measured_call_is_what_it_took),
      cmocka_unit_test(what_follows_a_measured_region_comes_after_it),
      cmocka_unit_test(what_was_measured_to_be_short_gives_no_hint),
      cmocka_unit_test(what_the_run_shows_replaces_what_was_measured_before),
      cmocka_unit_test(what_is_over_of_the_first_window_counts_as_that_part_of_one),
      cmocka_unit_test(what_was_measured_counts_as_one_window_beside_fast_ones),
      cmocka_unit_test(what_was_measured_counts_as_one_window_beside_slow_ones),
      cmocka_unit_test(a_window_twice_as_fast_or_slow_as_measured_counts_alone),
      cmocka_unit_test(a_first_instance_is_looked_at_until_eight_windows_are_over),
      cmocka_unit_test(eight_fast_windows_replace_what_was_measured),
      cmocka_unit_test(eight_slow_windows_replace_what_was_measured),
      cmocka_unit_test(a_short_window_of_a_slower_run_is_no_reason_to_expect_less_than_measured),
      cmocka_unit_test(a_run_that_has_become_faster_is_believed),
      cmocka_unit_test(a_loop_without_a_counter_is_paced_as_a_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
