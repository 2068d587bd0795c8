/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Minutes against hours, in cycles of a second. */
#include "adpi_support.h"

static struct lab *meter(const char *const *settings) {
  struct lab *lab = lab_open("drift", settings);
  lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
  return lab;
}
static int told(struct lab *lab, double watts) {
  lab->series[0].last = (struct siox_sample){.value = watts, .amount = watts};
  return lab_cycle_ms(lab, 1000);
}
/* Hours of 100 W with a deviation of 10 W a second. */
static int hours(struct lab *lab, uint64_t *state, double n, double watts) {
  int alarms = 0;
  for (int i = 0; i < n * 3600; i++)
    alarms += told(lab, watts + 10 * test_normal(state));
  return alarms;
}

static void a_new_level_is_told_when_five_minutes_show_it(void **unused) {
  (void)unused;
  uint64_t state = 1;
  struct lab *lab = meter(NULL);
  assert_int_equal(hours(lab, &state, 6, 100), 0);
  /* 5 % is 5 W: of the last five minutes the k-th at 120 W makes 4 k W more. */
  int first = 0;
  while (first < 600 && told(lab, 120) == 0)
    first++;
  assert_in_range(first, 60, 180);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_BAD);
  assert_int_equal(lab->issues[0].category, SIOX_CATEGORY_ENERGY);
  assert_near((lab->issues[0].low + lab->issues[0].high) / 2, 100, 1);
  for (int i = 0; i < 600; i++)
    assert_int_equal(told(lab, 120), 1);
  lab_close(lab);
}

static void less_energy_is_good(void **unused) {
  (void)unused;
  uint64_t state = 2;
  struct lab *lab = meter(NULL);
  hours(lab, &state, 3, 100);
  for (int i = 0; i < 600; i++)
    told(lab, 80);
  assert_int_equal(told(lab, 80), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_GOOD);
  lab_close(lab);
}

static void nothing_is_said_in_the_first_hour(void **unused) {
  (void)unused;
  uint64_t state = 3;
  struct lab *lab = meter(NULL);
  assert_int_equal(hours(lab, &state, 0.5, 100), 0);
  assert_int_equal(hours(lab, &state, 0.5, 300), 0);
  lab_close(lab);
}

static void a_level_that_lasts_becomes_the_average(void **unused) {
  (void)unused;
  uint64_t state = 4;
  struct lab *lab = meter((const char *[]){"long=14400", NULL});
  hours(lab, &state, 4, 100);
  assert_true(hours(lab, &state, 1, 150) > 3000);
  hours(lab, &state, 48, 150);
  assert_int_equal(hours(lab, &state, 1, 150), 0);
  lab_close(lab);
}

static void a_constant_never_fires_whatever_the_counters_step(void **unused) {
  (void)unused;
  for (int k = 0; k < 3; k++) {
    const double step = (const double[]){1e-6, 0.0153, 1}[k];
    struct lab *lab = meter(NULL);
    double total = 0, read = 0;
    for (int i = 0; i < 100000; i++) {
      total += 73.21;
      const double now = floor(total / step) * step;
      assert_int_equal(told(lab, now - read), 0);
      read = now;
    }
    lab_close(lab);
  }
}

static void estimated_energy_is_refused(void **unused) {
  (void)unused;
  struct lab *lab = meter(NULL);
  lab->series[0].metric.flags = SIOX_METRIC_ESTIMATED;
  for (int i = 0; i < 100000; i++)
    assert_int_equal(told(lab, i / 10000 % 2 ? 100 : 200), 0);
  lab_close(lab);
}

static void lost_samples_are_no_zeros(void **unused) {
  (void)unused;
  uint64_t state = 5;
  struct lab *lab = meter(NULL);
  hours(lab, &state, 6, 100);
  for (int i = 0; i < 20000; i++) {
    if (i % 1000 < 700) {
      lab_lose(lab, 0, SIOX_SAMPLE_FIRST + i % 3);
      assert_int_equal(lab_cycle_ms(lab, 1000), 0);
    } else {
      assert_int_equal(told(lab, 100 + 10 * test_normal(&state)), 0);
    }
  }
  lab_close(lab);
}

static void other_metrics_are_followed_when_named(void **unused) {
  (void)unused;
  uint64_t state = 6;
  struct lab *lab = lab_open("drift", (const char *[]){"metrics=mem_available", NULL});
  lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "mem_available", "", "B");
  lab->series[0].metric.polarity = SIOX_MORE_IS_BETTER;
  hours(lab, &state, 2, 100);
  for (int i = 0; i < 600; i++)
    told(lab, 50);
  assert_int_equal(told(lab, 50), 1);
  assert_int_equal(lab->issues[0].severity, SIOX_ABNORMAL_BAD);
  lab_close(lab);
}

static void long_must_hold_enough_of_recent(void **unused) {
  (void)unused;
  struct siox_diag diag = {{0}};
  void *state;
  const struct siox_option o = {.key = "long", .value = "600", .line = 3};
  assert_int_equal(
      siox_adpi_find("drift")->open(
          &(struct siox_adpi_env){.origin = "x", .settings = &o, .nsettings = 1}, &state, &diag),
      SIOX_ERANGE);
  assert_non_null(strstr(diag.text, "x: drift: 'long' (600 s)"));
}

/* A week in cycles of 5 s with episodes of 10 to 40 min at 12 to 60 % more or less over 5 % of it;
 * values hang together as those of machines do (AR(1), 0.9). An episode is found if it is told
 * while the last five minutes still touch it. */
static void episodes_over_five_percent_of_a_week_are_found(void **unused) {
  (void)unused;
  struct scores scores = {.what = "drift (episodes; precision of cycles)"};
  enum { N = 7 * 24 * 720, WINDOW = 60 + 12 };
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t state = seed;
    bool *injected = test_injected(&state, N, 12 * 720, 0.05, 120, 480);
    struct lab *lab = meter(NULL);
    struct score score = {0};
    double noise = 0, factor = 1;
    bool found = false;
    size_t touched = 0; /* cycles since an episode */
    for (size_t i = 0; i < N; i++) {
      if (injected[i] && !injected[i - 1]) {
        factor = test_below(&state, 2) ? 1.12 + 0.48 * test_uniform(&state)
                                       : 0.88 - 0.48 * test_uniform(&state);
        found = false;
      }
      noise = 0.9 * noise + 0.436 * 3 * test_normal(&state); /* 3 W */
      lab->series[0].last.value = (100 + noise) * (injected[i] ? factor : 1);
      const int n = lab_cycle_ms(lab, 5000);
      touched = injected[i] ? 0 : touched + 1;
      found |= n > 0 && touched < WINDOW;
      score_told(&score, n > 0, touched < WINDOW);
      if (injected[i] && (i + 1 == N || !injected[i + 1]))
        score_episode(&score, found);
    }
    scores_add(&scores, &score);
    free(injected);
    lab_close(lab);
  }
  scores_check(&scores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_level_is_told_when_five_minutes_show_it),
      cmocka_unit_test(less_energy_is_good),
      cmocka_unit_test(nothing_is_said_in_the_first_hour),
      cmocka_unit_test(a_level_that_lasts_becomes_the_average),
      cmocka_unit_test(a_constant_never_fires_whatever_the_counters_step),
      cmocka_unit_test(estimated_energy_is_refused),
      cmocka_unit_test(lost_samples_are_no_zeros),
      cmocka_unit_test(other_metrics_are_followed_when_named),
      cmocka_unit_test(long_must_hold_enough_of_recent),
      cmocka_unit_test(episodes_over_five_percent_of_a_week_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
