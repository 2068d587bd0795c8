/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Minimum, maximum, average and sum over intervals: by hand, and against a list of all samples. */
#include "siox/reductions.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))
static const int64_t MS = 1000000;

/* A cycle that ends at now_ms and lasted dt_ms, with one series. */
static void take(struct siox_reductions *r, enum siox_metric_kind kind, int64_t now_ms,
                 int64_t dt_ms, double value) {
  struct siox_series s = {.metric = {.kind = kind}, .last = {.value = value}};
  if (kind == SIOX_METRIC_COUNTER)
    s.last.amount = value * 1e-3 * (double)dt_ms;
  const struct siox_cycle cycle = {
      .now_ns = now_ms * MS, .dt_ns = dt_ms * MS, .number = 1, .series = &s, .nseries = 1};
  assert_int_equal(siox_reductions_take(r, &cycle), 0);
}

static void a_second_of_a_counter_has_the_sum_of_its_tenths(void **unused) {
  (void)unused;
  struct siox_reductions *r;
  struct siox_interval second, tenth[20];
  siox_reductions_new(&r);
  for (int i = 1; i <= 10; i++)
    take(r, SIOX_METRIC_COUNTER, 100 * i, 100, 10 * i);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_1S, 0, 1000 * MS, &second, 1), 1);
  assert_near(second.min, 10, 0);
  assert_near(second.max, 100, 0);
  assert_near(second.average, 55, 1e-9);
  assert_near(second.sum, 55, 1e-9); /* 550 tenths */
  assert_int_equal(second.samples, 10);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_100MS, 0, 1000 * MS, tenth, 20), 10);
  assert_near(tenth[3].sum, 4, 1e-9);
  assert_true(tenth[3].start_ns == 300 * MS);
  siox_reductions_free(r);
}

static void a_late_cycle_leaves_no_interval_empty(void **unused) {
  (void)unused;
  static const int64_t ends[] = {100, 207, 301, 419, 500}; /* late by up to 19 ms */
  struct siox_reductions *r;
  struct siox_interval tenth[8];
  siox_reductions_new(&r);
  for (size_t i = 0; i < 5; i++)
    take(r, SIOX_METRIC_COUNTER, ends[i], ends[i] - (i ? ends[i - 1] : 0), 1);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_100MS, 0, 500 * MS, tenth, 8), 5);
  for (size_t i = 0; i < 5; i++)
    assert_int_equal(tenth[i].samples, 1);
  siox_reductions_free(r);
}

static void an_average_counts_a_sample_for_as_long_as_it_lasts(void **unused) {
  (void)unused;
  struct siox_reductions *r;
  struct siox_interval second;
  siox_reductions_new(&r);
  take(r, SIOX_METRIC_SAMPLED, 100, 100, 1);
  take(r, SIOX_METRIC_SAMPLED, 1000, 900, 0);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_1S, 0, 1000 * MS, &second, 1), 1);
  assert_near(second.average, 0.1, 1e-12);
  siox_reductions_free(r);
}

static void what_is_lost_is_in_no_interval(void **unused) {
  (void)unused;
  struct siox_reductions *r;
  struct siox_interval out;
  siox_reductions_new(&r);
  struct siox_series s = {.last = {.state = SIOX_SAMPLE_LOST, .value = 7}};
  const struct siox_cycle cycle = {
      .now_ns = 100 * MS, .dt_ns = 100 * MS, .number = 1, .series = &s, .nseries = 1};
  assert_int_equal(siox_reductions_take(r, &cycle), 0);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_1S, 0, 1000 * MS, &out, 1), 0);
  assert_int_equal(siox_reductions_read(r, 9, SIOX_REDUCTION_1S, 0, 1000 * MS, &out, 1),
                   0); /* no such series */
  siox_reductions_free(r);
}

static void what_is_older_than_its_time_is_gone_and_longer_intervals_still_have_it(void **unused) {
  (void)unused;
  struct siox_reductions *r;
  struct siox_interval out[400];
  siox_reductions_new(&r);
  for (int i = 1; i <= 1000; i++)
    take(r, SIOX_METRIC_COUNTER, 100 * i, 100, i);
  const size_t n = siox_reductions_read(r, 0, SIOX_REDUCTION_100MS, 0, INT64_MAX, out, 400);
  assert_int_equal(n, 300); /* reductions.def */
  assert_near(out[0].max, 701, 0);
  assert_int_equal(siox_reductions_read(r, 0, SIOX_REDUCTION_10S, 0, INT64_MAX, out, 400), 10);
  assert_near(out[0].max, 100, 0);
  siox_reductions_free(r);
}

/* All samples in a list; whatever is asked is computed from it. */
static void intervals_are_those_of_a_list_of_all_samples(void **unused) {
  (void)unused;
  enum { N = 3000 };
  struct {
    int64_t end, dt;
    double value;
  } *all = calloc(N, sizeof *all);
  struct siox_reductions *r;
  uint64_t seed = 11;
  int64_t now = -20000; /* ms; times before 0 are times as well */
  siox_reductions_new(&r);
  for (int i = 0; i < N; i++) {
    all[i].dt = 60 + (int64_t)test_below(&seed, 90);
    all[i].end = now += all[i].dt;
    all[i].value = (double)(float)((double)test_below(&seed, 1000) / 8);
    take(r, SIOX_METRIC_COUNTER, all[i].end, all[i].dt, all[i].value);
  }
  for (enum siox_reduction l = 0; l < SIOX_NREDUCTIONS; l++) {
    struct siox_interval out[1000];
    const int64_t ns = siox_reduction_ns(l);
    const size_t n = siox_reductions_read(r, 0, l, INT64_MIN + 1, INT64_MAX, out, 1000);
    assert_true(n > 0);
    for (size_t k = 0; k < n; k++) {
      double min = INFINITY, max = -INFINITY, weighted = 0, seconds = 0, sum = 0;
      uint32_t samples = 0;
      for (int i = 0; i < N; i++) {
        const int64_t middle = all[i].end * MS - all[i].dt * MS / 2;
        if (middle < out[k].start_ns || middle >= out[k].start_ns + ns)
          continue;
        min = fmin(min, all[i].value), max = fmax(max, all[i].value);
        weighted += all[i].value * (double)all[i].dt, seconds += (double)all[i].dt;
        sum += all[i].value * 1e-3 * (double)all[i].dt;
        samples++;
      }
      assert_int_equal(out[k].samples, samples);
      assert_near(out[k].min, min, 0);
      assert_near(out[k].max, max, 0);
      assert_near(out[k].average, weighted / seconds, 1e-9);
      assert_near(out[k].sum, sum, 1e-9 * (1 + sum));
    }
  }
  siox_reductions_free(r);
  free(all);
}

static void a_length_is_found_with_and_without_its_blank(void **state) {
  (void)state;
  assert_int_equal(siox_reduction_find("100ms"), SIOX_REDUCTION_100MS);
  assert_int_equal(siox_reduction_find("10 min"), SIOX_REDUCTION_10MIN);
  assert_int_equal(siox_reduction_find("1min "), SIOX_REDUCTION_1MIN);
  assert_int_equal(siox_reduction_find("1"), SIOX_NREDUCTIONS);
  assert_int_equal(siox_reduction_find(""), SIOX_NREDUCTIONS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_of_a_counter_has_the_sum_of_its_tenths),
      cmocka_unit_test(a_late_cycle_leaves_no_interval_empty),
      cmocka_unit_test(an_average_counts_a_sample_for_as_long_as_it_lasts),
      cmocka_unit_test(what_is_lost_is_in_no_interval),
      cmocka_unit_test(what_is_older_than_its_time_is_gone_and_longer_intervals_still_have_it),
      cmocka_unit_test(intervals_are_those_of_a_list_of_all_samples),
      cmocka_unit_test(a_length_is_found_with_and_without_its_blank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
