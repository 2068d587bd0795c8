/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose the processors' joules are: closed forms, and that none is lost or made. */
#include "siox/attribution.h"
#include "support.h"
#include <math.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

static void dynamic_joules_go_by_time_and_static_ones_by_cores(void **unused) {
  (void)unused;
  /* 10 s, 1000 J, 40 W static: 400 static, 600 dynamic; 8 cores, 20 busy seconds. */
  const struct siox_cpu_interval t = {1000, 10, 40, 8, 20};
  struct siox_cpu_share jobs[] = {{.busy_s = 10, .cores = 2}, {.busy_s = 5, .cores = 4}};
  struct siox_cpu_rest rest;
  assert_int_equal(siox_attribute_cpu(&t, jobs, 2, &rest), 0);
  assert_near(jobs[0].dynamic_j, 300, 1e-9);
  assert_near(jobs[0].static_j, 100, 1e-9);
  assert_near(jobs[1].dynamic_j, 150, 1e-9);
  assert_near(jobs[1].static_j, 200, 1e-9);
  assert_near(rest.unattributed_j, 150, 1e-9); /* 5 s of processes of no job */
  assert_near(rest.idle_j, 100, 1e-9);         /* 2 cores */
}

static void a_node_where_nothing_runs_is_idle(void **unused) {
  (void)unused;
  const struct siox_cpu_interval t = {500, 10, 40, 8, 0};
  struct siox_cpu_rest rest;
  assert_int_equal(siox_attribute_cpu(&t, NULL, 0, &rest), 0);
  assert_near(rest.idle_j, 500, 1e-9);
  assert_near(rest.unattributed_j, 0, 0);
}

static void with_less_than_the_static_power_nothing_is_dynamic(void **unused) {
  (void)unused;
  const struct siox_cpu_interval t = {300, 10, 40, 4, 40};
  struct siox_cpu_share job = {.busy_s = 40, .cores = 4};
  struct siox_cpu_rest rest;
  assert_int_equal(siox_attribute_cpu(&t, &job, 1, &rest), 0);
  assert_near(job.static_j, 300, 1e-9);
  assert_near(job.dynamic_j, 0, 0);
}

static void more_than_there_is_is_shared_in_proportion(void **unused) {
  (void)unused;
  const struct siox_cpu_interval t = {1000, 10, 40, 4,
                                      30}; /* 60 busy seconds of jobs, 8 cores allocated */
  struct siox_cpu_share jobs[] = {{.busy_s = 45, .cores = 6}, {.busy_s = 15, .cores = 2}};
  struct siox_cpu_rest rest;
  assert_int_equal(siox_attribute_cpu(&t, jobs, 2, &rest), 0);
  assert_near(jobs[0].dynamic_j, 450, 1e-9);
  assert_near(jobs[1].static_j, 100, 1e-9);
  assert_near(rest.idle_j + rest.unattributed_j, 0, 1e-9);
}

static void what_is_no_amount_is_refused(void **unused) {
  (void)unused;
  struct siox_cpu_rest rest;
  struct siox_cpu_share negative = {.busy_s = -1}, nothing = {.cores = NAN};
  const struct siox_cpu_interval good = {1, 1, 1, 1, 1};
  const struct siox_cpu_interval bad[] = {{-1, 1, 1, 1, 1},
                                          {1, 0, 1, 1, 1},
                                          {1, 1, NAN, 1, 1},
                                          {1, 1, 1, 0, 1},
                                          {1, 1, 1, 1, INFINITY}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(siox_attribute_cpu(&bad[i], NULL, 0, &rest), SIOX_ERANGE);
  assert_int_equal(siox_attribute_cpu(&good, &negative, 1, &rest), SIOX_ERANGE);
  assert_int_equal(siox_attribute_cpu(&good, &nothing, 1, &rest), SIOX_ERANGE);
}

static void no_joule_is_lost_or_made(void **unused) {
  (void)unused;
  uint64_t seed = 5;
  for (int round = 0; round < 10000; round++) {
    struct siox_cpu_share jobs[8];
    struct siox_cpu_rest rest;
    const size_t n = test_below(&seed, 9);
    const struct siox_cpu_interval t = {
        (double)test_below(&seed, 100000) / 7, 0.1 + (double)test_below(&seed, 1000) / 10,
        (double)test_below(&seed, 300) / 3, 1 + (double)test_below(&seed, 128),
        (double)test_below(&seed, 1000) / 11};
    for (size_t i = 0; i < n; i++)
      jobs[i] = (struct siox_cpu_share){.busy_s = (double)test_below(&seed, 300) / 13,
                                        .cores = (double)test_below(&seed, 64)};
    assert_int_equal(siox_attribute_cpu(&t, jobs, n, &rest), 0);
    double sum = rest.idle_j + rest.unattributed_j;
    assert_true(rest.idle_j >= 0 && rest.unattributed_j >= 0);
    for (size_t i = 0; i < n; i++) {
      assert_true(jobs[i].dynamic_j >= 0 && jobs[i].static_j >= 0);
      sum += jobs[i].dynamic_j + jobs[i].static_j;
    }
    assert_near(sum, t.joules, 1e-9 * (1 + t.joules));
  }
}

static void idle_power_is_the_least_ten_seconds_with_nothing_to_do(void **unused) {
  (void)unused;
  struct siox_idle_power p = {0};
  for (int i = 0; i < 99; i++)
    siox_idle_power_take(&p, 5, 0.1, 0.01); /* 50 W */
  assert_near(p.watts, 0, 0);
  siox_idle_power_take(&p, 5, 0.1, 0.5); /* work: begin again */
  for (int i = 0; i < 101; i++)
    siox_idle_power_take(&p, 4.5, 0.1, 0.02);
  assert_near(p.watts, 45, 1e-6);
  for (int i = 0; i < 101; i++)
    siox_idle_power_take(&p, 6, 0.1, 0.02);
  assert_near(p.watts, 45, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dynamic_joules_go_by_time_and_static_ones_by_cores),
      cmocka_unit_test(a_node_where_nothing_runs_is_idle),
      cmocka_unit_test(with_less_than_the_static_power_nothing_is_dynamic),
      cmocka_unit_test(more_than_there_is_is_shared_in_proportion),
      cmocka_unit_test(what_is_no_amount_is_refused),
      cmocka_unit_test(no_joule_is_lost_or_made),
      cmocka_unit_test(idle_power_is_the_least_ten_seconds_with_nothing_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
