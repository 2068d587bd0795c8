/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Estimated watts, from what /proc/stat counts in a tree. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include <stdio.h>

static const struct siox_provider *const model = &siox__provider_model;
enum { CPUS = 4 };

/* Ticks of four processors: 0 and 1 in package 0, 2 and 3 in package 1. */
static void ticks(struct meter_test *t, const int user[CPUS], const int idle[CPUS],
                  const int iowait[CPUS]) {
  char text[1024];
  int n = snprintf(text, sizeof text, "cpu  1 0 0 1 1 0 0 0\n");
  for (int i = 0; i < CPUS; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "cpu%d %d 0 0 %d %d 0 0 0\n", i, user[i],
                  idle[i], iowait[i]);
  tree_put(&t->tree, "/proc/stat", "%sintr 0\n", text);
}
static void packages(struct meter_test *t) {
  for (int i = 0; i < CPUS; i++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", i);
    tree_put(&t->tree, path, "%d\n", i / 2);
  }
}
static void start(struct meter_test *t, const struct siox_option *settings, size_t n) {
  meter_new(t);
  packages(t);
  ticks(t, (int[]){0, 0, 0, 0}, (int[]){0, 0, 0, 0}, (int[]){0, 0, 0, 0});
  meter_collect(t, &siox__provider_processors);
  t->env.settings = settings;
  t->env.nsettings = n;
}
static const struct siox_option calibrated[] = {{.key = "idle_watts", .value = "40", .line = 4},
                                                {.key = "dynamic_watts", .value = "60", .line = 5},
                                                {.key = "per", .value = "node", .line = 6}};

static void a_package_takes_idle_watts_and_its_share_of_the_dynamic_ones(void **unused) {
  (void)unused;
  struct meter_test t;
  bool estimated = false;
  start(&t, calibrated, 2);
  meter_collect(&t, model);
  meter_cycle(&t, 0);
  /* In one second: package 0 half busy, package 1 a tenth, the rest idle or waiting for I/O. */
  ticks(&t, (int[]){100, 0, 20, 0}, (int[]){0, 100, 50, 100}, (int[]){0, 0, 30, 0});
  const struct siox_cycle *c = meter_cycle(&t, 1000);
  assert_near(meter_series(&t, "power", "package-0")->last.value, 40 + 60 * 0.5, 1e-9);
  assert_near(meter_series(&t, "power", "package-1")->last.value, 40 + 60 * 0.1, 1e-9);
  assert_near(siox_cycle_joules(c, &estimated), 70 + 46, 1e-9);
  assert_true(estimated);
  meter_free(&t);
}

static void a_node_takes_them_once(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t, calibrated, 3);
  meter_collect(&t, model);
  meter_cycle(&t, 0);
  ticks(&t, (int[]){100, 100, 100, 0}, (int[]){0, 0, 0, 100}, (int[]){0, 0, 0, 0});
  meter_cycle(&t, 1000);
  const struct siox_series *s = meter_series(&t, "power", "");
  assert_near(s->last.value, 40 + 60 * 0.75, 1e-9);
  assert_int_equal(s->metric.domain, SIOX_DOMAIN_NODE);
  meter_free(&t);
}

static void all_of_it_is_marked_as_estimated_and_a_meter_is_preferred(void **unused) {
  (void)unused;
  struct meter_test t;
  bool estimated = true;
  start(&t, calibrated, 2);
  meter_collect(&t, model);
  t.env.nsettings = 0;
  tree_put(&t.tree, "/sys/class/powercap/intel-rapl:0/name", "package-0\n");
  tree_put(&t.tree, "/sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
  meter_collect(&t, &siox__provider_powercap);
  meter_cycle(&t, 0);
  tree_put(&t.tree, "/sys/class/powercap/intel-rapl:0/energy_uj", "31000000\n");
  ticks(&t, (int[]){100, 0, 20, 0}, (int[]){0, 100, 50, 100}, (int[]){0, 0, 30, 0});
  assert_near(siox_cycle_joules(meter_cycle(&t, 1000), &estimated), 30, 1e-9);
  assert_false(estimated);
  assert_true(meter_series(&t, "power", "package-0")->metric.flags & SIOX_METRIC_ESTIMATED);
  meter_free(&t);
}

static void a_lost_count_of_a_processor_loses_its_package_and_is_never_guessed(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t, calibrated, 2);
  meter_collect(&t, model);
  ticks(&t, (int[]){0, 0, 0, 0}, (int[]){0, 0, 50, 0}, (int[]){0, 0, 0, 0});
  meter_cycle(&t, 0);
  ticks(&t, (int[]){100, 0, 0, 0}, (int[]){0, 100, 49, 100}, (int[]){0, 0, 0, 0});
  meter_cycle(&t, 1000);
  assert_near(meter_series(&t, "power", "package-0")->last.value, 70, 1e-9);
  assert_int_equal(meter_series(&t, "power", "package-1")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void without_the_processors_counts_there_is_no_sample(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  packages(&t);
  t.env.settings = calibrated;
  t.env.nsettings = 2;
  meter_collect(&t, model);
  meter_cycle(&t, 0);
  meter_cycle(&t, 1000);
  assert_int_equal(meter_series(&t, "power", "package-0")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void an_unreadable_stat_loses_the_cycle(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t, calibrated, 2);
  meter_collect(&t, model);
  meter_cycle(&t, 0);
  tree_put(&t.tree, "/proc/stat", "nothing of the kind\n");
  meter_cycle(&t, 1000);
  assert_int_equal(meter_series(&t, "power", "package-0")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void a_processor_of_a_new_package_adds_it(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t, calibrated, 2);
  for (int i = 2; i < CPUS; i++) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology", i);
    tree_remove(&t.tree, path);
  }
  tree_put(&t.tree, "/proc/stat", "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\nintr 0\n");
  meter_collect(&t, model);
  meter_cycle(&t, 0);
  assert_null(meter_series(&t, "power", "package-1"));
  packages(&t);
  ticks(&t, (int[]){100, 0, 0, 0}, (int[]){0, 100, 0, 0}, (int[]){0, 0, 0, 0});
  meter_cycle(&t, 1000);
  assert_non_null(meter_series(&t, "power", "package-1"));
  ticks(&t, (int[]){100, 0, 100, 100}, (int[]){100, 200, 0, 0}, (int[]){0, 0, 0, 0});
  meter_cycle(&t, 2000);
  assert_near(meter_series(&t, "power", "package-0")->last.value, 40, 1e-9);
  assert_near(meter_series(&t, "power", "package-1")->last.value, 100, 1e-9);
  meter_free(&t);
}

static void without_calibration_it_says_what_to_measure(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  start(&t, NULL, 0);
  model->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "idle_watts"));
  assert_int_equal(meter_refused(&t, model), SIOX_ENOENT);
  meter_free(&t);
}

static void watts_that_make_no_sense_are_refused_with_file_and_line(void **unused) {
  (void)unused;
  const char *const values[] = {"", "many", "-1", "nan", "inf", "1e300", "40 W", "30001"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    const struct siox_option settings[] = {{.key = "idle_watts", .value = "40", .line = 4},
                                           {.key = "dynamic_watts", .value = values[i], .line = 9}};
    struct meter_test t;
    start(&t, settings, 2);
    assert_int_equal(meter_refused(&t, model), SIOX_EINVAL);
    assert_non_null(strstr(t.diag.text, "siox.yaml:9: dynamic_watts"));
    meter_free(&t);
  }
}

static void a_machine_that_hides_its_packages_is_told_to_be_one_node(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t, calibrated, 2);
  tree_remove(&t.tree, "/sys");
  assert_int_equal(meter_refused(&t, model), SIOX_ENOENT);
  assert_non_null(strstr(t.diag.text, "per: node"));
  t.env.nsettings = 3;
  assert_int_equal(meter_refused(&t, model), 0);
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_package_takes_idle_watts_and_its_share_of_the_dynamic_ones),
      cmocka_unit_test(a_node_takes_them_once),
      cmocka_unit_test(all_of_it_is_marked_as_estimated_and_a_meter_is_preferred),
      cmocka_unit_test(a_lost_count_of_a_processor_loses_its_package_and_is_never_guessed),
      cmocka_unit_test(without_the_processors_counts_there_is_no_sample),
      cmocka_unit_test(an_unreadable_stat_loses_the_cycle),
      cmocka_unit_test(a_processor_of_a_new_package_adds_it),
      cmocka_unit_test(without_calibration_it_says_what_to_measure),
      cmocka_unit_test(watts_that_make_no_sense_are_refused_with_file_and_line),
      cmocka_unit_test(a_machine_that_hides_its_packages_is_told_to_be_one_node),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
