/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 0 J is a fault of the sensor: paper, section 5. */
#include "adpi_support.h"

static struct lab *meter(const char *const *settings) {
  struct lab *lab = lab_open("sensor", settings);
  lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
  return lab;
}
static int told(struct lab *lab, double joules) {
  lab_set(lab, 0, joules);
  return lab_cycle(lab);
}
static void works(struct lab *lab, int cycles) {
  for (int i = 0; i < cycles; i++)
    assert_int_equal(told(lab, 10), 0);
}

static void a_meter_without_joules_for_a_second_is_a_fault_until_it_moves(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  works(lab, 20);
  for (int i = 0; i < 10; i++)
    assert_int_equal(told(lab, 0), 0);
  for (int i = 0; i < 100; i++)
    assert_int_equal(told(lab, 0), 1);
  assert_int_equal(lab->issues[0].kind, SIOX_ISSUE_SENSOR);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_OTHER);
  assert_int_equal(lab->issues[0].category, SIOX_CATEGORY_ENERGY);
  assert_non_null(strstr(lab->issues[0].evidence, "package-0 (meter) gave no joule for 11 s"));
  works(lab, 20);
  lab_close(lab);
}

static void how_long_is_set(void **unused) {
  (void)unused;
  struct lab *lab = meter((const char *[]){"after=0", NULL});
  works(lab, 20);
  assert_int_equal(told(lab, 0), 0); /* twice its own pace of 0.1 s */
  assert_int_equal(told(lab, 0), 0);
  assert_int_equal(told(lab, 0), 1);
  lab_close(lab);
}

static void a_meter_that_never_moved_is_a_fault_after_a_minute(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  for (int i = 0; i < 600; i++)
    assert_int_equal(told(lab, 0), 0);
  assert_int_equal(told(lab, 0), 1);
  lab_close(lab);
}

static void a_counter_coarser_than_the_cycle_never_fires(void **unused) {
  (void)unused;
  /* Moves every 1 to 20 cycles, and every 5 s: longer than `after`. */
  for (int most = 1; most <= 50; most += 7) {
    struct lab *lab = meter(NULL);
    uint64_t state = (uint64_t)most;
    int next = 0, gap = 1;
    for (int i = 0; i < 100000; i++) {
      const bool moves = i == next;
      assert_int_equal(told(lab, moves ? gap * 1.0 : 0), 0);
      if (moves)
        next += gap = most - (int)test_below(&state, (uint64_t)(most + 3) / 4);
    }
    lab_close(lab);
  }
}

static void a_pace_that_grows_is_learned_if_no_joule_is_missing(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  works(lab, 100);
  int n = 0;
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 19; i++)
      n += told(lab, 0);
    n += told(lab, 200); /* all that came in 2 s */
  }
  assert_int_equal(n, 9); /* the first time only: 1.1 to 1.9 s */
  lab_close(lab);
}

static void a_meter_that_was_dead_and_came_back_is_told_again(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  for (int k = 0; k < 5; k++) {
    works(lab, 100);
    int n = 0;
    for (int i = 0; i < 60; i++)
      n += told(lab, 0);
    assert_int_equal(n, 50);
  }
  lab_close(lab);
}

static void estimated_energy_is_refused(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  lab->series[0].metric.flags = SIOX_METRIC_ESTIMATED;
  for (int i = 0; i < 100000; i++)
    assert_int_equal(told(lab, i < 100 ? 1 : 0), 0);
  lab_close(lab);
}

static void a_gauge_of_watts_is_a_meter_and_graphics_may_be_off(void **unused) {
  (void)unused;
  struct lab *lab = lab_open("sensor", NULL);
  const size_t watts = lab_series(lab, &lab_meter, SIOX_METRIC_GAUGE, "power", "", "W");
  lab->series[watts].metric.domain = SIOX_DOMAIN_NODE;
  const size_t graphics = lab_energy(lab, "package-0/uncore", SIOX_DOMAIN_UNCORE);
  const size_t plain = lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "disk_reads", "sda", "1");
  int n = 0;
  for (int i = 0; i < 2000; i++) {
    lab_set(lab, watts, i < 100 || i >= 200 ? 250 : 0);
    lab_set(lab, graphics, 0);
    lab_set(lab, plain, 0);
    n += lab_cycle(lab);
  }
  assert_int_equal(n, 90);
  lab_close(lab);
}

static void lost_samples_never_fire(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  uint64_t state = 1;
  works(lab, 100);
  for (int i = 0; i < 10000; i++) {
    if (test_below(&state, 3)) {
      lab_lose(lab, 0, SIOX_SAMPLE_FIRST + (int)test_below(&state, 3));
      assert_int_equal(lab_cycle(lab), 0);
    } else {
      assert_int_equal(told(lab, test_below(&state, 2) ? 10 : 0), 0);
    }
  }
  lab_close(lab);
}

/* A sensor that dies for 3 to 8 s at random times: each death is told, nothing else is. */
static void dead_sensors_over_five_percent_of_a_run_are_found(void **unused) {
  (void)unused;
  struct scores scores = {.what = "sensor (deaths; precision of cycles)"};
  enum { N = 20000 };
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t state = seed;
    bool *dead = test_injected(&state, N, 100, 0.05, 30, 80);
    struct lab *lab = meter(NULL);
    struct score score = {0};
    bool found = false, still_dead = false;
    /* A meter that moves every 0.1 to 0.3 s. */
    double owed = 0;
    for (size_t i = 0; i < N; i++) {
      owed += dead[i] ? 0 : 5 + 10 * test_uniform(&state);
      const bool moves = !dead[i] && test_below(&state, 3) > 0;
      const int n = told(lab, moves ? floor(owed * 1e6) / 1e6 : 0);
      if (moves)
        owed = 0;
      found |= n > 0 && dead[i];
      /* Behind a death it is told until the meter has moved. */
      still_dead = dead[i] || (still_dead && !moves);
      score_told(&score, n > 0, still_dead);
      if (dead[i] && (i + 1 == N || !dead[i + 1])) {
        score_episode(&score, found);
        found = false;
      }
    }
    scores_add(&scores, &score);
    free(dead);
    lab_close(lab);
  }
  scores_check(&scores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_meter_without_joules_for_a_second_is_a_fault_until_it_moves),
      cmocka_unit_test(how_long_is_set),
      cmocka_unit_test(a_meter_that_never_moved_is_a_fault_after_a_minute),
      cmocka_unit_test(a_counter_coarser_than_the_cycle_never_fires),
      cmocka_unit_test(a_pace_that_grows_is_learned_if_no_joule_is_missing),
      cmocka_unit_test(a_meter_that_was_dead_and_came_back_is_told_again),
      cmocka_unit_test(estimated_energy_is_refused),
      cmocka_unit_test(a_gauge_of_watts_is_a_meter_and_graphics_may_be_off),
      cmocka_unit_test(lost_samples_never_fire),
      cmocka_unit_test(dead_sensors_over_five_percent_of_a_run_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
