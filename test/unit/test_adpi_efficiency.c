/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processor seconds per joule: Listing 3 of the paper. */
#include "adpi_support.h"

enum { WORK, ENERGY, CLOCK };
static const double STEP = 61e-6; /* RAPL's joules */

static struct lab *node(const char *const *settings) {
  struct lab *lab = lab_open("efficiency", settings);
  lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "cpu_user", "", "s");
  lab->series[WORK].metric.scale = 0.01; /* ticks of USER_HZ */
  lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
  return lab;
}
static int told(struct lab *lab, double seconds, double joules) {
  lab_set(lab, WORK, seconds);
  lab_set(lab, ENERGY, joules);
  return lab_cycle(lab);
}
/* 6.4 processor seconds in 0.1 s (64 processors) at 0.25 s/J, with a deviation of a hundredth. */
static void learn(struct lab *lab, uint64_t *state, int n, double ratio) {
  for (int i = 0; i < n; i++)
    told(lab, 6.4, 6.4 / (ratio * (1 + 0.01 * test_normal(state))));
}

static void less_work_for_a_joule_is_bad_and_more_is_good(void **unused) {
  (void)unused;
  uint64_t state = 1;
  struct lab *lab = node(NULL);
  learn(lab, &state, 1000, 0.25);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.2), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_BAD);
  assert_int_equal(lab->issues[0].category, SIOX_CATEGORY_ENERGY);
  assert_near(lab->issues[0].value, 0.2, 1e-9);
  assert_true(lab->issues[0].low > 0.23 && lab->issues[0].high < 0.27);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.3), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_GOOD);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.25), 0);
  lab_close(lab);
}

static void nothing_is_said_before_the_distribution_is_stable(void **unused) {
  (void)unused;
  uint64_t state = 2;
  struct lab *lab = node((const char *[]){"stabilisation=500", NULL});
  learn(lab, &state, 400, 0.25);
  for (int i = 0; i < 50; i++)
    assert_int_equal(told(lab, 6.4, 6.4 / 0.05), 0);
  lab_close(lab);
}

static void k_says_how_many_deviations_are_abnormal(void **unused) {
  (void)unused;
  for (int k = 2; k <= 8; k += 3) {
    char text[16];
    snprintf(text, sizeof text, "k=%d", k);
    uint64_t state = 3;
    struct lab *lab = node((const char *[]){text, "energy_step=0", NULL});
    learn(lab, &state, 20000, 0.25);
    /* A deviation is 0.0025; ticks add 0.01 of 6.4 s. */
    const double ticks = 0.25 * 0.01 / 6.4;
    assert_int_equal(told(lab, 6.4, 6.4 / (0.25 - 0.0025 * k * 0.93 - 0)), 0);
    assert_int_equal(told(lab, 6.4, 6.4 / (0.25 - 0.0025 * k * 1.07 - 2 * ticks)), 1);
    lab_close(lab);
  }
}

static void each_clock_has_its_own_distribution(void **unused) {
  (void)unused;
  uint64_t state = 4;
  struct lab *lab = node(NULL);
  lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "frequency", "cpu0", "Hz");
  for (int i = 0; i < 2000; i++) {
    const bool fast = i / 10 % 2;
    lab_set(lab, CLOCK, fast ? 3.05e9 : 1.55e9);
    learn(lab, &state, 1, fast ? 0.25 : 0.5);
  }
  assert_int_equal(told(lab, 6.4, 6.4 / 0.25), 0); /* 3 GHz */
  assert_int_equal(told(lab, 6.4, 6.4 / 0.5), 1);
  lab_set(lab, CLOCK, 1.55e9);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.5), 0);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.25), 1);
  lab_lose(lab, CLOCK, SIOX_SAMPLE_LOST);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.1), 0);
  lab_close(lab);
}

static void operations_take_the_place_of_time_where_they_are_counted(void **unused) {
  (void)unused;
  uint64_t state = 5;
  struct lab *lab = lab_open("efficiency", (const char *[]){"work=flops", "domain=node", NULL});
  lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "flops", "package-0", "1");
  lab_energy(lab, "", SIOX_DOMAIN_NODE);
  for (int i = 0; i < 500; i++)
    told(lab, 1e9, 10 * (1 + 0.01 * test_normal(&state)));
  assert_int_equal(told(lab, 1e9, 10), 0);
  assert_int_equal(told(lab, 1e9, 13), 1);
  assert_non_null(strstr(lab->issues[0].evidence, "flops per joule of node"));
  lab_close(lab);
}

/* Energy is `joules` for a second of work, and counters show whole steps of what there is. */
static int constant_ratio(double joules, double tick, double step, uint64_t seed, int cycles) {
  struct lab *lab = node(NULL);
  uint64_t state = seed;
  double work = 0, work_read = 0, energy_read = 0;
  int n = 0;
  for (int i = 0; i < cycles; i++) {
    work += test_below(&state, 4)
                ? 0.1 * (double)(1 + test_below(&state, 8)) * (0.5 + 0.5 * test_uniform(&state))
                : 6.4 * test_uniform(&state);
    const double w = tick > 0 ? floor(work / tick) * tick : work,
                 e = step > 0 ? floor(work * joules / step) * step : work * joules;
    lab->series[WORK].metric.scale = tick > 0 ? tick : 1e-12;
    lab->series[ENERGY].metric.scale = step > 0 ? step : 1e-12;
    n += told(lab, w - work_read, e - energy_read);
    work_read = w;
    energy_read = e;
  }
  lab_close(lab);
  return n;
}

static void a_constant_ratio_never_fires_whatever_the_counters_steps(void **unused) {
  (void)unused;
  assert_int_equal(constant_ratio(4, 0, 0, 1, 100000), 0);
  assert_int_equal(constant_ratio(4, 0.01, STEP, 2, 100000), 0);
  assert_int_equal(constant_ratio(0.37, 0.01, 0.0153, 3, 100000),
                   0); /* 15.3 mJ: Sandy Bridge, paper section 3.1 */
  assert_int_equal(constant_ratio(133.7, 0.01, 1e-6, 4, 100000), 0);
}

static void estimated_energy_is_refused(void **unused) {
  (void)unused;
  struct lab *lab = node(NULL);
  lab->series[ENERGY].metric.flags = SIOX_METRIC_ESTIMATED;
  uint64_t state = 6;
  for (int i = 0; i < 100000; i++)
    assert_int_equal(told(lab, 6.4, test_below(&state, 20) == 0 ? 100 : 20), 0);
  lab_close(lab);
}

static void a_better_source_that_is_a_model_is_refused_too(void **unused) {
  (void)unused;
  uint64_t state = 7;
  struct lab *lab = node(NULL);
  const size_t model = lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
  lab->series[model].provider = &lab_better;
  lab->series[model].metric.flags = SIOX_METRIC_ESTIMATED;
  lab->series[ENERGY].best = false;
  lab_set(lab, model, 20);
  learn(lab, &state, 1000, 0.25);
  assert_int_equal(told(lab, 6.4, 100), 0);
  lab_close(lab);
}

/* Which source is the best of those that give readings the collector knows. */
static void joules_are_those_of_the_best_source_alone(void **unused) {
  (void)unused;
  uint64_t state = 17;
  struct lab *lab = node(NULL);
  const size_t other = lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
  lab->series[other].provider = &lab_better; /* by its priority, but silent */
  lab->series[other].best = false;
  lab_lose(lab, other, SIOX_SAMPLE_LOST);
  learn(lab, &state, 1000, 0.25);
  assert_int_equal(told(lab, 6.4, 6.4 / 0.2), 1);
  assert_near(lab->issues[0].value, 0.2, 1e-9);
  lab_close(lab);
}

static void a_memory_shorter_than_the_stabilisation_is_refused(void **unused) {
  (void)unused;
  const struct siox_option settings[] = {{.key = "memory", .value = "50", .line = 7}};
  const struct siox_adpi_env env = {.origin = "m.yaml", .settings = settings, .nsettings = 1};
  const struct siox_adpi *adpi = siox_adpi_find("efficiency");
  struct siox_diag diag = {""};
  void *opened = NULL;
  assert_int_equal(adpi->open(&env, &opened, &diag), SIOX_ERANGE);
  assert_non_null(strstr(diag.text, "m.yaml:7: memory: 50"));
}

static void a_lost_sample_fires_neither_in_its_cycle_nor_in_the_next(void **unused) {
  (void)unused;
  uint64_t state = 8;
  struct lab *lab = node(NULL);
  learn(lab, &state, 1000, 0.25);
  for (int i = 0; i < 1000; i++) {
    const size_t which = test_below(&state, 2);
    lab_set(lab, WORK, 6.4);
    lab_set(lab, ENERGY, 25.6);
    lab_lose(lab, which, test_below(&state, 2) ? SIOX_SAMPLE_LOST : SIOX_SAMPLE_SUSPENDED);
    assert_int_equal(lab_cycle(lab), 0);
    assert_int_equal(told(lab, which == WORK ? 12.8 : 6.4, which == ENERGY ? 51.2 : 25.6),
                     0); /* spans both */
    learn(lab, &state, 1, 0.25);
  }
  lab_close(lab);
}

static void an_idle_node_is_not_judged(void **unused) {
  (void)unused;
  uint64_t state = 9;
  struct lab *lab = node(NULL);
  learn(lab, &state, 1000, 0.25);
  assert_int_equal(told(lab, 0, 10), 0);
  assert_int_equal(told(lab, 6.4, 0), 0); /* the sensor's business */
  lab_close(lab);
}

static void anomalies_over_five_percent_of_a_run_are_found(void **unused) {
  (void)unused;
  struct scores scores = {.what = "efficiency"};
  enum { N = 10000 };
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t state = seed;
    bool *injected = test_injected(&state, N, 200, 0.05, 1, 20);
    struct lab *lab = node(NULL);
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "frequency", "cpu0", "Hz");
    struct score score = {0};
    bool fast = true;
    for (size_t i = 0; i < N; i++) {
      fast ^= i >= 1000 && test_below(&state, 50) == 0;
      double ratio = (fast || i < 150 ? 0.25 : 0.4) * (1 + 0.02 * test_normal(&state));
      if (i >= 1000 && i < 1250) { /* the second clock is learned, too */
        fast = false;
        ratio = 0.4 * (1 + 0.02 * test_normal(&state));
      }
      const bool abnormal = injected[i] && i >= 1250;
      if (abnormal)
        ratio = (fast ? 0.25 : 0.4) * (test_below(&state, 2) ? 0.7 - 0.3 * test_uniform(&state)
                                                             : 1.3 + 0.5 * test_uniform(&state));
      lab_set(lab, CLOCK, fast || i < 150 ? 3.05e9 : 1.55e9);
      const double work = 0.01 * (double)(200 + test_below(&state, 440));
      score_add(&score, abnormal, told(lab, work, floor(work / ratio / STEP) * STEP) > 0);
    }
    scores_add(&scores, &score);
    free(injected);
    lab_close(lab);
  }
  scores_check(&scores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(less_work_for_a_joule_is_bad_and_more_is_good),
      cmocka_unit_test(nothing_is_said_before_the_distribution_is_stable),
      cmocka_unit_test(k_says_how_many_deviations_are_abnormal),
      cmocka_unit_test(each_clock_has_its_own_distribution),
      cmocka_unit_test(operations_take_the_place_of_time_where_they_are_counted),
      cmocka_unit_test(a_constant_ratio_never_fires_whatever_the_counters_steps),
      cmocka_unit_test(estimated_energy_is_refused),
      cmocka_unit_test(a_better_source_that_is_a_model_is_refused_too),
      cmocka_unit_test(joules_are_those_of_the_best_source_alone),
      cmocka_unit_test(a_memory_shorter_than_the_stabilisation_is_refused),
      cmocka_unit_test(a_lost_sample_fires_neither_in_its_cycle_nor_in_the_next),
      cmocka_unit_test(an_idle_node_is_not_judged),
      cmocka_unit_test(anomalies_over_five_percent_of_a_run_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
