/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values in the tails of a learned range. */
#include "adpi_support.h"

enum { LEARNING = 600 };

/* A gauge that has learned [0, 100] with almost all values around the middle. */
static struct lab *learned(const char *const *settings, enum siox_polarity polarity) {
  struct lab *lab = lab_open("statistics", settings);
  const size_t i = lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "sda", "1");
  lab->series[i].metric.polarity = polarity;
  for (int k = 0; k < LEARNING; k++) {
    lab_set(lab, i, k == 0 ? 0 : k == 1 ? 100 : 40 + k % 20);
    assert_int_equal(lab_cycle(lab), 0);
  }
  return lab;
}
/* The next value, of a counter in unit a second. */
static int told(struct lab *lab, double value) {
  lab_set(lab, 0, lab->series[0].metric.kind == SIOX_METRIC_COUNTER ? value / 10 : value);
  lab->series[0].last.span_ns = 100000000;
  return lab_cycle(lab);
}

static void the_tails_begin_at_five_percent_of_the_range(void **unused) {
  (void)unused;
  struct lab *lab = learned(NULL, SIOX_NEITHER_IS_BETTER);
  assert_int_equal(told(lab, 94.9), 0);
  assert_int_equal(told(lab, 95), 1);
  assert_near(lab->issues[0].low, 5, 1e-9);
  assert_near(lab->issues[0].high, 95, 1e-9);
  assert_int_equal(lab->issues[0].series, 0);
  assert_int_equal(lab->issues[0].category, SIOX_CATEGORY_DISK);
  assert_non_null(strstr(lab->issues[0].evidence, "disk_queue of sda"));
  assert_int_equal(told(lab, 5.1), 0);
  assert_int_equal(told(lab, 5), 1);
  assert_int_equal(told(lab, -3), 1);
  assert_int_equal(told(lab, 300), 1);
  lab_close(lab);
}

static void the_tails_are_as_wide_as_set(void **unused) {
  (void)unused;
  struct lab *lab = learned((const char *[]){"tail=20 %", NULL}, SIOX_NEITHER_IS_BETTER);
  assert_int_equal(told(lab, 79), 0);
  assert_int_equal(told(lab, 80), 1);
  assert_int_equal(told(lab, 21), 0);
  assert_int_equal(told(lab, 20), 1);
  lab_close(lab);
}

static void the_polarity_says_which_tail_is_good(void **unused) {
  (void)unused;
  const struct {
    enum siox_polarity polarity;
    enum siox_condition high, low;
  } cases[] = {{SIOX_MORE_IS_BETTER, SIOX_ABNORMAL_GOOD, SIOX_ABNORMAL_BAD},
               {SIOX_LESS_IS_BETTER, SIOX_ABNORMAL_BAD, SIOX_ABNORMAL_GOOD},
               {SIOX_NEITHER_IS_BETTER, SIOX_ABNORMAL_OTHER, SIOX_ABNORMAL_OTHER}};
  for (int i = 0; i < 3; i++) {
    struct lab *lab = learned(NULL, cases[i].polarity);
    assert_int_equal(told(lab, 99), 1);
    assert_int_equal(lab->issues[0].severity, cases[i].high);
    assert_int_equal(told(lab, 1), 1);
    assert_int_equal(lab->issues[0].severity, cases[i].low);
    lab_close(lab);
  }
}

static void one_outlier_does_not_widen_the_range(void **unused) {
  (void)unused;
  struct lab *lab = learned(NULL, SIOX_NEITHER_IS_BETTER);
  assert_int_equal(told(lab, 1e9), 1);
  for (int i = 0; i < 3 * LEARNING; i++)
    assert_int_equal(told(lab, 50 + i % 10), 0);
  assert_int_equal(told(lab, 94.9), 0);
  assert_int_equal(told(lab, 95), 1);
  lab_close(lab);
}

static void an_outlier_of_the_learning_period_is_forgotten_after_eight_windows(void **unused) {
  (void)unused;
  struct lab *lab =
      learned(NULL, SIOX_NEITHER_IS_BETTER); /* [0, 100], but afterwards only 40 to 59 */
  for (int i = 0; i < 7 * LEARNING; i++)
    assert_int_equal(told(lab, 40 + i % 20), 0);
  assert_int_equal(told(lab, 70), 0); /* in the ninth window: the first one still stands */
  for (int i = 1; i < 8 * LEARNING; i++)
    told(lab, 40 + i % 20);
  assert_int_equal(told(lab, 62), 0); /* [40, 70] */
  for (int i = 1; i < LEARNING; i++)
    told(lab, 40 + i % 20);
  assert_int_equal(told(lab, 65), 1); /* [40, 62] */
  lab_close(lab);
}

static void a_lasting_change_is_a_new_normal_after_a_window(void **unused) {
  (void)unused;
  struct lab *lab = learned(NULL, SIOX_NEITHER_IS_BETTER);
  for (int i = 0; i < LEARNING; i++)
    assert_int_equal(told(lab, 1000 + i % 10), 1);
  int after = 0;
  for (int i = 0; i < LEARNING; i++)
    after += told(lab, 1000 + i % 9);
  /* The tail of [0, 1009] has not been rare for as long as it was before the change; then it is. */
  for (int i = 0; i < LEARNING; i++)
    assert_int_equal(told(lab, 1000 + i % 9), 0);
  assert_true(after < LEARNING / 5);
  lab_close(lab);
}

static void a_constant_is_no_anomaly_and_what_leaves_it_is(void **unused) {
  (void)unused;
  struct lab *lab = lab_open("statistics", NULL);
  lab_series(lab, &lab_plain, SIOX_METRIC_SAMPLED, "mem_share", "", "1");
  for (int i = 0; i < 10 * LEARNING; i++)
    assert_int_equal(told(lab, i % 2 ? 0.3 : 0.1 + 0.2), 0); /* differ in the last digit */
  assert_int_equal(told(lab, 0.31), 1);
  lab_close(lab);
}

static void where_a_metric_usually_is_is_no_anomaly(void **unused) {
  (void)unused;
  /* Coarse ticks and a disk that sleeps: all values lie in the tails. */
  struct lab *lab = lab_open("statistics", NULL);
  lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "cpu_user", "", "s");
  lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "disk_bytes_read", "sda", "B");
  uint64_t state = 4;
  int n = 0;
  for (int i = 0; i < 20 * LEARNING; i++) {
    lab_set(lab, 0, 0.01 * (double)test_below(&state, 3));
    lab_set(lab, 1, test_below(&state, 10) == 0 ? 65536 : 0);
    n += lab_cycle(lab);
  }
  assert_int_equal(n, 0);
  lab_close(lab);
}

static void the_papers_rule_alone_tells_all_of_the_tails(void **unused) {
  (void)unused;
  struct lab *lab = lab_open("statistics", (const char *[]){"rare=100 %", NULL});
  lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  int n = 0;
  for (int i = 0; i < LEARNING; i++) /* 0 ... 99 uniformly */
    n += told(lab, i % 100);
  assert_int_equal(n, 0);
  for (int i = 0; i < LEARNING; i++)
    n += told(lab, i % 100);
  assert_int_equal(n, LEARNING / 10); /* 0 to 4 and 95 to 99: a tenth */
  lab_close(lab);
}

static void samples_that_are_not_valid_are_neither_judged_nor_learned(void **unused) {
  (void)unused;
  struct lab *lab = learned(NULL, SIOX_NEITHER_IS_BETTER);
  for (int i = 0; i < 5 * LEARNING; i++) {
    lab_lose(lab, 0, SIOX_SAMPLE_FIRST + i % 3);
    lab->series[0].last.value = 1e6;
    assert_int_equal(lab_cycle(lab), 0);
  }
  assert_int_equal(told(lab, 94), 0);
  assert_int_equal(told(lab, 96), 1);
  lab_close(lab);
}

static void processors_one_by_one_are_looked_at_when_asked(void **unused) {
  (void)unused;
  for (int asked = 0; asked < 2; asked++) {
    struct lab *lab =
        lab_open("statistics", asked ? (const char *[]){"each_processor=1", NULL} : NULL);
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "frequency", "cpu3", "Hz");
    for (int i = 0; i < LEARNING; i++)
      told(lab, i);
    assert_int_equal(told(lab, 1e6), asked);
    lab_close(lab);
  }
}

static void of_many_metrics_each_must_lie_further_out(void **unused) {
  (void)unused;
  /* 16 metrics: beyond [0, 100] by 5 * (1 + log2 16) = 25; nothing is known to be so rare as a 16th
   * of 2 %. */
  struct lab *lab = lab_open("statistics", NULL);
  for (int i = 0; i < 16; i++)
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  for (int k = 0; k < LEARNING; k++) {
    for (size_t i = 0; i < 16; i++)
      lab_set(lab, i, k % 101);
    assert_int_equal(lab_cycle(lab), 0);
  }
  assert_int_equal(told(lab, 124.9), 0);
  assert_int_equal(told(lab, 125.1), 1);
  assert_int_equal(told(lab, -24.9), 0);
  assert_int_equal(told(lab, -25.1), 1);
  lab_close(lab);
}

/* ---- one of many metrics: the others are constant ---- */

enum { MANY = 32, BYTES = 4096 };

/* MANY metrics, of which the first one is looked at. */
static struct lab *one_of_many(enum siox_metric_kind kind, const char *name, const char *unit) {
  struct lab *lab = lab_open("statistics", NULL);
  lab_series(lab, &lab_plain, kind, name, "7@1", unit);
  for (int i = 1; i < MANY; i++)
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  return lab;
}

static void the_first_burst_of_one_of_many_metrics_is_no_anomaly(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_asked_read", "B");
  for (int i = 0; i < 2 * LEARNING; i++)
    assert_int_equal(told(lab, 0), 0);
  assert_int_equal(told(lab, BYTES), 0);
  assert_int_equal(told(lab, 0), 0);
  /* Of one burst nobody knows how large the next one is. */
  assert_int_equal(told(lab, 2 * BYTES), 0);
  assert_int_equal(told(lab, 2 * BYTES), 0);
  assert_int_equal(told(lab, 0), 0);
  lab_close(lab);
}

static void what_leaves_zero_after_long_enough_is_told_at_once(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "net_receive_errors", "1");
  for (int i = 0; i < 4 * LEARNING; i++) /* more than MANY / 2 % = 1600 */
    assert_int_equal(told(lab, 0), 0);
  assert_int_equal(told(lab, 20), 1);
  lab_close(lab);
}

static void less_than_a_counters_step_is_no_anomaly(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_read", "B");
  lab->series[0].metric.step = 131072;
  for (int i = 0; i < 4 * LEARNING; i++)
    assert_int_equal(told(lab, 0), 0);
  for (int i = 0; i < 20; i++) /* pages of the program, one by one and read ahead */
    assert_int_equal(told(lab, i % 5 == 0 ? 1310720 : 10 * BYTES), 0);
  assert_int_equal(told(lab, 1.6 * 1310720), 1);
  lab_close(lab);
}

static void what_lasts_is_told_of_a_metric_that_always_rested(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_read", "B");
  for (int i = 0; i < 2 * LEARNING; i++)
    assert_int_equal(told(lab, 0), 0);
  for (int episode = 0; episode < 2; episode++) { /* what was told is not what is usual */
    assert_int_equal(told(lab, 1e6), 0);
    assert_int_equal(told(lab, 1e6), 0);
    for (int i = 0; i < 10; i++)
      assert_int_equal(told(lab, 1e6 + 1e4 * i), 1);
    for (int i = 0; i < LEARNING; i++)
      assert_int_equal(told(lab, 0), 0);
  }
  lab_close(lab);
}

/* Writes 2 to 4 MB every 50 cycles. Exponential sizes whose mean is the learned one's would be
 * above 20 MB once in 10^3 bursts at most. */
static struct lab *bursts_learned(uint64_t *state, int *n) {
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_written", "B");
  for (int i = 0; i < 4 * LEARNING; i++)
    *n += told(lab, i % 50 == 7 ? 2e6 + 2e6 * test_uniform(state) : 0);
  return lab;
}

static void what_never_rests_is_told_at_once_after_a_short_time_of_learning(void **unused) {
  (void)unused;
  uint64_t state = 7;
  struct lab *lab = lab_open("statistics", (const char *[]){"learning=40", NULL});
  for (int i = 0; i < MANY; i++)
    lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "energy", "package-0", "J");
  for (int i = 0; i < 50; i++)
    assert_int_equal(told(lab, 100 + 20 * test_uniform(&state)), 0);
  assert_int_equal(told(lab, 150), 1);
  lab_close(lab);
}

static void periodic_bursts_with_a_longer_gap_are_no_anomaly(void **unused) {
  (void)unused;
  uint64_t state = 8;
  int n = 0;
  struct lab *lab = bursts_learned(&state, &n);
  for (int i = 0; i < 20 * LEARNING; i++) {
    const bool bursts = i % 50 == 7 && test_below(&state, 10) > 0; /* or it is held up */
    /* and writes more then, or over two cycles */
    const double size = 2e6 + 3e6 * test_uniform(&state);
    n += told(lab, bursts || (i % 50 == 8 && test_below(&state, 4) == 0) ? size : 0);
  }
  assert_int_equal(n, 0);
  lab_close(lab);
}

static void a_burst_that_is_many_times_as_large_is_told_at_once(void **unused) {
  (void)unused;
  uint64_t state = 9;
  int n = 0;
  struct lab *lab = bursts_learned(&state, &n);
  assert_int_equal(n, 0);
  assert_int_equal(told(lab, 40e6), 1);
  assert_int_equal(told(lab, 0), 0);
  assert_int_equal(told(lab, 40e6), 1);
  lab_close(lab);
}

static double at_work(uint64_t *state) { return 90 + 20 * test_uniform(state); }

static void what_a_program_that_was_held_up_catches_up_is_no_anomaly(void **unused) {
  (void)unused;
  uint64_t state = 11;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_asked_written", "B");
  for (int i = 0; i < 4 * LEARNING; i++)
    assert_int_equal(told(lab, at_work(&state)), 0);
  for (int i = 0; i < 3; i++)
    assert_int_equal(told(lab, 0), 1); /* it is held up: nothing comes for three cycles */
  assert_int_equal(told(lab, 300), 0); /* of 300 that are owed it brings 200, */
  assert_int_equal(told(lab, 180), 0); /* then 80 */
  assert_int_equal(told(lab, at_work(&state)), 0);
  assert_int_equal(told(lab, 300), 1); /* and that is more than it lacked */
  lab_close(lab);
}

static void what_is_owed_is_forgotten_when_all_is_as_usual(void **unused) {
  (void)unused;
  uint64_t state = 12;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "process_bytes_asked_written", "B");
  for (int i = 0; i < 4 * LEARNING; i++)
    told(lab, at_work(&state));
  for (int i = 0; i < 3; i++)
    assert_int_equal(told(lab, 0), 1);
  for (int i = 0; i < 10; i++)
    assert_int_equal(told(lab, at_work(&state)), 0);
  assert_int_equal(told(lab, 300), 1);
  lab_close(lab);
}

static void the_steps_of_a_counter_are_no_anomaly(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_COUNTER, "cpu_system", "s");
  lab->series[0].metric.scale = 0.01;
  for (int i = 0; i < 4 * LEARNING; i++) /* a tick or none */
    assert_int_equal(told(lab, i % 3 == 0 ? 0.1 : 0), 0);
  assert_int_equal(told(lab, 0.2), 0);
  assert_int_equal(told(lab, 0.3), 1);
  lab_close(lab);
}

static void memory_that_runs_out_is_told(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_GAUGE, "mem_available", "B");
  for (int i = 0; i < 4 * LEARNING; i++)
    assert_int_equal(told(lab, 80e9 - 1e6 * (i % 20)), 0);
  assert_int_equal(told(lab, 60e9), 0); /* 5 % of 80 GB, times 1 + log2 32, is 24 GB */
  assert_int_equal(told(lab, 50e9), 1);
  lab_close(lab);
}

static void memory_that_grows_by_a_part_of_itself_is_no_anomaly_and_that_doubles_is(void **unused) {
  (void)unused;
  struct lab *lab = one_of_many(SIOX_METRIC_GAUGE, "process_resident", "B");
  for (int i = 0; i < 2 * LEARNING; i++)
    assert_int_equal(told(lab, 22.0e6 + 1e3 * (i % 20)), 0);
  for (int i = 0; i < LEARNING / 4; i++)
    assert_int_equal(told(lab, 24.6e6), 0); /* a plateau */
  assert_int_equal(told(lab, 27e6), 0);     /* 5 % of 22 MB, times 1 + log2 32, is 6.6 MB */
  assert_int_equal(told(lab, 45e6), 1);
  lab_close(lab);
}

/* Values of a metric with anomalies over 5 % of the run, at least a tenth of its range beyond it.
 */
static void run(struct scores *scores, uint64_t seed, bool normal) {
  enum { N = 20000 };
  uint64_t state = seed;
  bool *injected = test_injected(&state, N, LEARNING, 0.05, 1, 20);
  struct lab *lab = lab_open("statistics", NULL);
  lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  struct score score = {0};
  for (size_t i = 0; i < N; i++) {
    double v = normal ? 100 + test_normal(&state) : 100 + 5 * test_uniform(&state);
    if (injected[i])
      v = test_below(&state, 2) ? 106 + 20 * test_uniform(&state) : 94 - 20 * test_uniform(&state);
    score_add(&score, injected[i], told(lab, v) > 0);
  }
  scores_add(scores, &score);
  free(injected);
  lab_close(lab);
}

static void anomalies_over_five_percent_of_a_run_are_found(void **unused) {
  (void)unused;
  struct scores normal = {.what = "statistics, normal values"},
                uniform = {.what = "statistics, uniform values"};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    run(&normal, seed, true);
    run(&uniform, seed, false);
  }
  scores_check(&normal);
  scores_check(&uniform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tails_begin_at_five_percent_of_the_range),
      cmocka_unit_test(the_tails_are_as_wide_as_set),
      cmocka_unit_test(the_polarity_says_which_tail_is_good),
      cmocka_unit_test(one_outlier_does_not_widen_the_range),
      cmocka_unit_test(an_outlier_of_the_learning_period_is_forgotten_after_eight_windows),
      cmocka_unit_test(a_lasting_change_is_a_new_normal_after_a_window),
      cmocka_unit_test(a_constant_is_no_anomaly_and_what_leaves_it_is),
      cmocka_unit_test(where_a_metric_usually_is_is_no_anomaly),
      cmocka_unit_test(the_papers_rule_alone_tells_all_of_the_tails),
      cmocka_unit_test(samples_that_are_not_valid_are_neither_judged_nor_learned),
      cmocka_unit_test(processors_one_by_one_are_looked_at_when_asked),
      cmocka_unit_test(of_many_metrics_each_must_lie_further_out),
      cmocka_unit_test(the_first_burst_of_one_of_many_metrics_is_no_anomaly),
      cmocka_unit_test(what_leaves_zero_after_long_enough_is_told_at_once),
      cmocka_unit_test(less_than_a_counters_step_is_no_anomaly),
      cmocka_unit_test(what_lasts_is_told_of_a_metric_that_always_rested),
      cmocka_unit_test(what_never_rests_is_told_at_once_after_a_short_time_of_learning),
      cmocka_unit_test(periodic_bursts_with_a_longer_gap_are_no_anomaly),
      cmocka_unit_test(a_burst_that_is_many_times_as_large_is_told_at_once),
      cmocka_unit_test(what_a_program_that_was_held_up_catches_up_is_no_anomaly),
      cmocka_unit_test(what_is_owed_is_forgotten_when_all_is_as_usual),
      cmocka_unit_test(the_steps_of_a_counter_are_no_anomaly),
      cmocka_unit_test(memory_that_runs_out_is_told),
      cmocka_unit_test(memory_that_grows_by_a_part_of_itself_is_no_anomaly_and_that_doubles_is),
      cmocka_unit_test(anomalies_over_five_percent_of_a_run_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
