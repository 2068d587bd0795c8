/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running mean and deviation against two passes over the values, and what they say of the next
 * value against tables of Student's t. */
#include "adpi_support.h"
#include "monitor/moments.h"

static void they_are_those_of_two_passes(void **unused) {
  (void)unused;
  uint64_t state = 1;
  for (int run = 0; run < 50; run++) {
    enum { N = 1000 };
    double x[N], mean = 0, variance = 0;
    struct siox__moments m = {0};
    const double offset = 1e6 * (run % 3),
                 scale =
                     pow(10, run % 7 - 3); /* a large mean costs one-pass formulas their digits */
    for (int i = 0; i < N; i++) {
      x[i] = offset + scale * test_normal(&state);
      siox__moments_add(&m, x[i], 1e9);
    }
    for (int i = 0; i < N; i++)
      mean += x[i] / N;
    for (int i = 0; i < N; i++)
      variance += (x[i] - mean) * (x[i] - mean) / N;
    assert_near(m.mean, mean, 1e-9 * (fabs(mean) + scale));
    assert_near(m.variance, variance, 1e-6 * variance);
    assert_true(m.n == N);
  }
}

static void a_constant_has_no_deviation(void **unused) {
  (void)unused;
  struct siox__moments m = {0};
  for (int i = 0; i < 100000; i++)
    siox__moments_learn(&m, 0.1, 0, 1000);
  assert_near(m.mean, 0.1, 1e-15);
  assert_near(m.variance, 0, 1e-30);
}

static void older_values_fade(void **unused) {
  (void)unused;
  struct siox__moments m = {0};
  for (int i = 0; i < 100; i++)
    siox__moments_add(&m, 1, 100);
  for (int i = 0; i < 50; i++)
    siox__moments_add(&m, 0, 100);
  assert_near(m.mean, pow(0.99, 50), 1e-12);
}

static void outliers_widen_by_a_bounded_factor(void **unused) {
  (void)unused;
  uint64_t state = 2;
  struct siox__moments m = {0};
  for (int i = 0; i < 1000; i++)
    siox__moments_add(&m, test_normal(&state), 1e5);
  for (int i = 0; i < 200000; i++)
    siox__moments_learn(&m, test_below(&state, 20) == 0 ? 1e6 : test_normal(&state), 0, 1e5);
  /* v = 0.95 s^2 + 0.05 * (9 v) around a mean that they move by 0.15 deviations: at most 1.4. */
  assert_in_range((long)(100 * sqrt(m.variance)), 100, 140);
  assert_true(fabs(m.mean) < 0.3);
}

static void a_new_level_is_learned(void **unused) {
  (void)unused;
  uint64_t state = 3;
  struct siox__moments m = {0};
  for (int i = 0; i < 1000; i++)
    siox__moments_add(&m, test_normal(&state), 1000);
  for (int i = 0; i < 20000; i++)
    siox__moments_learn(&m, 1000 + test_normal(&state), 0, 1000);
  assert_near(m.mean, 1000, 1);
  assert_true(sqrt(m.variance) < 1.5);
}

static void the_reach_is_students_t(void **unused) {
  (void)unused;
  /* Two-sided 99.73 % (3 deviations of a normal), t with 9, 19, 99 degrees of
   * freedom: 4.094, 3.447, 3.077 (R: qt). */
  const double n[] = {10, 20, 100}, t[] = {4.094, 3.447, 3.077};
  for (int i = 0; i < 3; i++) {
    const struct siox__moments m = {
        .n = n[i], .mean = 5, .variance = (n[i] - 1) / n[i]}; /* sample deviation 1 */
    assert_near(siox__moments_reach(&m, 3) / sqrt(1 + 1 / n[i]), t[i], 0.02 * t[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_those_of_two_passes),
      cmocka_unit_test(a_constant_has_no_deviation),
      cmocka_unit_test(older_values_fade),
      cmocka_unit_test(outliers_widen_by_a_bounded_factor),
      cmocka_unit_test(a_new_level_is_learned),
      cmocka_unit_test(the_reach_is_students_t),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
