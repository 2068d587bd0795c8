/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cray's pm_counters on trees. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include <stdio.h>

static const struct siox_provider *const cray = &siox__provider_cray;
#define COUNTERS "/sys/cray/pm_counters/"

static void put(struct meter_test *t, const char *file, const char *text) {
  char path[128];
  snprintf(path, sizeof path, COUNTERS "%s", file);
  tree_put(&t->tree, path, "%s\n", text);
}
static void fresh(struct meter_test *t, int number) {
  tree_put(&t->tree, COUNTERS "freshness", "%d\n", number);
}
/* A node with two accelerators. */
static void node(struct meter_test *t) {
  put(t, "version", "2");
  put(t, "generation", "11");
  put(t, "startup", "1619457281");
  put(t, "energy", "1000 J");
  put(t, "power", "400 W");
  put(t, "cpu_energy", "300 J");
  put(t, "cpu_power", "120 W");
  put(t, "memory_energy", "100 J");
  put(t, "memory_power", "40 W");
  put(t, "accel0_energy", "200 J");
  put(t, "accel0_power", "100 W");
  put(t, "accel1_energy", "250 J");
  put(t, "accel1_power", "110 W");
  fresh(t, 1);
}
static double joules(struct meter_test *t, int64_t ms) {
  return siox_cycle_joules(meter_cycle(t, ms), NULL);
}

static void the_node_contains_all_and_counts_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 11);
  put(&t, "energy", "1400 J");
  put(&t, "cpu_energy", "420 J");
  put(&t, "memory_energy", "140 J");
  put(&t, "accel1_energy", "360 J");
  assert_near(joules(&t, 1000), 400, 1e-9);
  assert_near(meter_energy(&t, "cpu")->last.amount, 120, 1e-9);
  assert_int_equal(meter_energy(&t, "cpu")->metric.domain, SIOX_DOMAIN_PACKAGE);
  assert_int_equal(meter_energy(&t, "memory")->metric.domain, SIOX_DOMAIN_DRAM);
  assert_int_equal(meter_energy(&t, "accelerator-1")->metric.domain, SIOX_DOMAIN_ACCELERATOR);
  assert_near(meter_energy(&t, "accelerator-1")->last.amount, 110, 1e-9);
  assert_near(meter_series(&t, "power", "")->last.value, 400, 1e-9);
  meter_free(&t);
}

static void without_the_node_its_parts_are_summed_and_powers_are_not_added(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  tree_remove(&t.tree, COUNTERS "energy");
  tree_remove(&t.tree, COUNTERS "power");
  put(&t, "cpu0_energy", "150 J");
  put(&t, "cpu1_energy", "150 J");
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 11);
  put(&t, "cpu_energy", "420 J");
  put(&t, "cpu0_energy", "200 J");
  put(&t, "cpu1_energy", "220 J");
  put(&t, "memory_energy", "140 J");
  put(&t, "accel0_energy", "300 J");
  put(&t, "accel1_energy", "360 J");
  assert_near(joules(&t, 1000), 120 + 40 + 100 + 110, 1e-9);
  assert_near(meter_energy(&t, "package-1")->last.amount, 70, 1e-9);
  meter_free(&t);
}

static void readings_with_their_time_are_understood(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  put(&t, "energy", "1000 J 1619457281013246 us");
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 2);
  put(&t, "energy", "1040 J 1619457281113246 us");
  assert_near(joules(&t, 100), 40, 1e-9);
  meter_free(&t);
}

static void a_reading_that_nobody_wrote_anew_is_lost_and_its_time_is_not(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "")->last.state, SIOX_SAMPLE_LOST);
  fresh(&t, 2);
  put(&t, "energy", "1080 J");
  assert_near(joules(&t, 200), 80, 1e-9);
  assert_near(meter_energy(&t, "")->last.value, 400, 1e-9); /* over both cycles */
  meter_free(&t);
}

static void counters_that_began_anew_are_not_compared_with_before(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 2);
  put(&t, "startup", "1619499999");
  put(&t, "energy", "1010 J"); /* could be a difference of 10 J, and is not */
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "")->last.state, SIOX_SAMPLE_FIRST);
  fresh(&t, 3);
  put(&t, "energy", "1050 J");
  assert_near(joules(&t, 200), 40, 1e-9);
  meter_free(&t);
}

static void a_smaller_energy_is_lost_and_never_negative(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  tree_remove(&t.tree, COUNTERS "startup");
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 2);
  put(&t, "energy", "3 J");
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "")->last.error, SIOX_EUNKNOWN);
  assert_true(meter_energy(&t, "")->total == 0);
  meter_free(&t);
}

static void more_than_a_node_can_take_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  fresh(&t, 2);
  put(&t, "energy", "6400 J"); /* scaphandre#441: 54 kW */
  put(&t, "power", "54000 W");
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "")->last.state, SIOX_SAMPLE_LOST);
  assert_int_equal(meter_series(&t, "power", "")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void what_is_no_quantity_is_lost(void **unused) {
  (void)unused;
  const char *const texts[] = {"1001 W",      "1001",     "1001  J",    "J",
                               "1001 J 5 ms", "1001 J 5", "1001 Joules"};
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  for (size_t i = 0; i < NNONSENSE + sizeof texts / sizeof texts[0]; i++) {
    tree_put(&t.tree, COUNTERS "energy", "%s", i < NNONSENSE ? nonsense[i] : texts[i - NNONSENSE]);
    fresh(&t, 2 + (int)i);
    meter_cycle(&t, 10 + 10 * (int64_t)i);
    assert_int_equal(meter_energy(&t, "")->last.state, SIOX_SAMPLE_LOST);
  }
  meter_free(&t);
}

static void a_freshness_that_cannot_be_read_loses_all(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  put(&t, "freshness", "yes");
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "")->last.error, SIOX_ESYNTAX);
  tree_remove(&t.tree, COUNTERS "freshness");
  meter_cycle(&t, 200);
  assert_int_equal(meter_energy(&t, "")->last.error, SIOX_ENOENT);
  meter_free(&t);
}

static void files_that_vanish_or_become_directories_lose_their_samples_alone(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  node(&t);
  meter_collect(&t, cray);
  joules(&t, 0);
  tree_remove(&t.tree, COUNTERS "cpu_energy");
  tree_remove(&t.tree, COUNTERS "memory_energy");
  tree_put(&t.tree, COUNTERS "memory_energy/x", "1");
  tree_remove(&t.tree, COUNTERS "accel0_energy");
  tree_link(&t.tree, "accel0_energy", COUNTERS "accel0_energy");
  fresh(&t, 2);
  put(&t, "energy", "1040 J");
  assert_near(joules(&t, 100), 40, 1e-9);
  assert_int_equal(meter_energy(&t, "cpu")->last.error, SIOX_ENOENT);
  assert_int_equal(meter_energy(&t, "memory")->last.error, SIOX_EIO);
  assert_int_equal(meter_energy(&t, "accelerator-0")->last.error, SIOX_EIO);
  meter_free(&t);
}

static void another_machine_says_where_it_looked(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  cray->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "/sys/cray/pm_counters"));
  assert_int_equal(meter_refused(&t, cray), SIOX_ENOENT);
  fresh(&t, 1);
  assert_int_equal(meter_refused(&t, cray), SIOX_ENOENT);
  meter_free(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  char path[4096];
  meter_new(&t);
  node(&t);
  chmod(tree_path(&t.tree, COUNTERS "freshness", path), getuid() ? 0 : 0400);
  assert_true(meter_as_nobody());
  cray->probe(&t.env, &probe);
  meter_as_root();
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_non_null(strstr(probe.grant, "chmod"));
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_node_contains_all_and_counts_once),
      cmocka_unit_test(without_the_node_its_parts_are_summed_and_powers_are_not_added),
      cmocka_unit_test(readings_with_their_time_are_understood),
      cmocka_unit_test(a_reading_that_nobody_wrote_anew_is_lost_and_its_time_is_not),
      cmocka_unit_test(counters_that_began_anew_are_not_compared_with_before),
      cmocka_unit_test(a_smaller_energy_is_lost_and_never_negative),
      cmocka_unit_test(more_than_a_node_can_take_is_lost),
      cmocka_unit_test(what_is_no_quantity_is_lost),
      cmocka_unit_test(a_freshness_that_cannot_be_read_loses_all),
      cmocka_unit_test(files_that_vanish_or_become_directories_lose_their_samples_alone),
      cmocka_unit_test(another_machine_says_where_it_looked),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
