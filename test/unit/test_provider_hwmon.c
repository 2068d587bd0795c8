/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Meters of hwmon on trees as drivers show them. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include <stdio.h>

static const struct siox_provider *const hwmon = &siox__provider_hwmon;
#define CLASS "/sys/class/hwmon/"

static void put(struct meter_test *t, int chip, const char *file, const char *text) {
  char path[128];
  snprintf(path, sizeof path, CLASS "hwmon%d/%s", chip, file);
  tree_put(&t->tree, path, "%s\n", text);
}
/* Two sockets of amd_energy, with a core each. */
static void sockets(struct meter_test *t, const char *first, const char *second) {
  put(t, 0, "name", "amd_energy");
  put(t, 0, "energy1_label", "Ecore000");
  put(t, 0, "energy1_input", "11");
  put(t, 0, "energy2_label", "Ecore001");
  put(t, 0, "energy2_input", "12");
  put(t, 0, "energy3_label", "Esocket0");
  put(t, 0, "energy3_input", first);
  put(t, 0, "energy4_label", "Esocket1");
  put(t, 0, "energy4_input", second);
}
static double joules(struct meter_test *t, int64_t ms) {
  return siox_cycle_joules(meter_cycle(t, ms), NULL);
}

static void sockets_are_packages_and_cores_are_in_them(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "1000000", "5000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 0, "energy1_input", "2000011");
  put(&t, 0, "energy3_input", "4000000");
  put(&t, 0, "energy4_input", "9000000");
  assert_near(joules(&t, 100), 3 + 4, 1e-9);
  assert_int_equal(meter_energy(&t, "package-1")->metric.domain, SIOX_DOMAIN_PACKAGE);
  assert_near(meter_energy(&t, "amd_energy/Ecore000")->last.amount, 2, 1e-9);
  assert_true(meter_energy(&t, "amd_energy/Ecore000")->metric.flags & SIOX_METRIC_PART);
  meter_free(&t);
}

/* amd_energy#5 */
static void identical_readings_of_numa_nodes_count_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "1000000", "1000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 0, "energy3_input", "4000000");
  put(&t, 0, "energy4_input", "4000000");
  assert_near(joules(&t, 100), 3, 1e-9);
  meter_free(&t);
}

static void a_smaller_energy_is_lost_and_never_negative(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "9000000", "50000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 0, "energy3_input", "1000000");
  put(&t, 0, "energy4_input", "51000000");
  assert_near(joules(&t, 100), 1, 1e-9);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_EUNKNOWN);
  meter_free(&t);
}

static void a_rail_that_nobody_places_is_read_and_not_summed(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  put(&t, 2, "name", "ina219");
  put(&t, 2, "power1_input", "12500000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  assert_near(joules(&t, 1000), 0, 0);
  const struct siox_series *s = meter_series(&t, "power", "ina219/power1");
  assert_non_null(s);
  assert_near(s->last.value, 12.5, 1e-9);
  assert_int_equal(s->metric.domain, SIOX_DOMAIN_OTHER);
  meter_free(&t);
}

static void a_setting_tells_what_a_rail_meters(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  const struct siox_option setting = {
      .key = "domains", .value = "ina3221/VDD_IN=node ina219/*=dram", .line = 3};
  t.env.settings = &setting;
  t.env.nsettings = 1;
  put(&t, 0, "name", "ina3221");
  put(&t, 0, "power1_label", "VDD_IN");
  put(&t, 0, "power1_input", "20000000");
  put(&t, 0, "power2_label", "VDD_CPU");
  put(&t, 0, "power2_input", "8000000");
  put(&t, 1, "name", "ina219");
  put(&t, 1, "power1_input", "3000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  assert_near(joules(&t, 1000), 20, 1e-9); /* the node contains the memory */
  assert_int_equal(meter_series(&t, "power", "ina219/power1")->metric.domain, SIOX_DOMAIN_DRAM);
  meter_free(&t);
}

static void a_setting_that_makes_no_sense_is_refused_with_file_and_line(void **unused) {
  (void)unused;
  const char *const values[] = {"nothing", "=node", "a/b=", "a/b=moon", "a/b=node c"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    struct meter_test t;
    meter_new(&t);
    sockets(&t, "1", "2");
    const struct siox_option setting = {.key = "domains", .value = values[i], .line = 7};
    t.env.settings = &setting;
    t.env.nsettings = 1;
    assert_int_equal(meter_refused(&t, hwmon), SIOX_EINVAL);
    assert_non_null(strstr(t.diag.text, "siox.yaml:7: domains"));
    meter_free(&t);
  }
}

static void mean_power_is_taken_before_momentary(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  put(&t, 0, "name", "amdgpu");
  put(&t, 0, "power1_label", "PPT");
  put(&t, 0, "power1_input", "99000000");
  put(&t, 0, "power1_average", "60000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  assert_near(joules(&t, 1000), 60, 1e-9);
  assert_int_equal(siox_collector_last(t.collector)->nseries, 1);
  assert_int_equal(meter_series(&t, "power", "amdgpu/PPT")->metric.domain, SIOX_DOMAIN_ACCELERATOR);
  meter_free(&t);
}

static void power_beside_energy_of_the_same_chip_is_not_added(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  put(&t, 0, "name", "i915");
  put(&t, 0, "energy1_input", "1000000");
  put(&t, 0, "power1_input", "50000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 0, "energy1_input", "51000000");
  assert_near(joules(&t, 1000), 50, 1e-9);
  meter_free(&t);
}

static void chips_of_one_name_have_places_of_their_own(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  for (int i = 0; i < 3; i++) {
    put(&t, i, "name", "ina219");
    put(&t, i, "power1_input", i == 1 ? "2000000" : "1000000");
  }
  meter_collect(&t, hwmon);
  meter_cycle(&t, 0);
  assert_int_equal(siox_collector_last(t.collector)->nseries, 3);
  assert_near(meter_series(&t, "power", "ina219@hwmon1/power1")->last.value, 2, 1e-9);
  meter_free(&t);
}

static void labels_that_are_cut_to_the_same_have_places_of_their_own(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  put(&t, 0, "name", "ina3221");
  for (int i = 1; i <= 3; i++) {
    char file[32], text[64];
    snprintf(file, sizeof file, "power%d_label", i);
    snprintf(text, sizeof text, "VDD_CPU_GPU_CV_OF_MODULE_%d", i);
    put(&t, 0, file, text);
    snprintf(file, sizeof file, "power%d_input", i);
    snprintf(text, sizeof text, "%d000000", i);
    put(&t, 0, file, text);
  }
  meter_collect(&t, hwmon);
  meter_cycle(&t, 0);
  const struct siox_cycle *c = siox_collector_last(t.collector);
  double sum = 0;
  for (size_t i = 0; i < c->nseries; i++) {
    sum += c->series[i].last.value;
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(c->series[i].metric.where, c->series[k].metric.where);
  }
  assert_int_equal(c->nseries, 3);
  assert_near(sum, 1 + 2 + 3, 1e-9);
  meter_free(&t);
}

static void a_chip_that_comes_later_is_taken_in_and_one_that_goes_is_gone(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "1000000", "5000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 4, "name", "amdgpu");
  put(&t, 4, "power1_average", "60000000");
  meter_cycle(&t, 1000);
  assert_non_null(meter_series(&t, "power", "amdgpu/power1"));
  tree_remove(&t.tree, CLASS "hwmon4");
  meter_cycle(&t, 1500);
  assert_int_equal(meter_series(&t, "power", "amdgpu/power1")->last.error, SIOX_ENOENT);
  meter_cycle(&t, 2500);
  assert_true(meter_series(&t, "power", "amdgpu/power1")->gone);
  meter_free(&t);
}

static void a_machine_without_meters_says_so(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  hwmon->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  put(&t, 0, "name", "coretemp");
  put(&t, 0, "temp1_input", "45000");
  hwmon->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "no chip meters"));
  assert_int_equal(meter_refused(&t, hwmon), SIOX_ENOENT);
  meter_free(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  char path[4096];
  meter_new(&t);
  put(&t, 0, "name", "amd_energy");
  put(&t, 0, "energy1_label", "Esocket0");
  put(&t, 0, "energy1_input", "1");
  chmod(tree_path(&t.tree, CLASS "hwmon0/energy1_input", path), getuid() ? 0 : 0400);
  assert_true(meter_as_nobody());
  hwmon->probe(&t.env, &probe);
  const int refused = meter_refused(&t, hwmon);
  meter_as_root();
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_int_equal(refused, SIOX_EPERM);
  assert_non_null(strstr(probe.grant, "chmod g+r"));
  assert_true(strlen(probe.grant) < sizeof probe.grant - 1);
  meter_free(&t);
}

static void more_than_a_socket_can_take_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "1000000", "5000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  put(&t, 0, "energy3_input", "5401000000"); /* 54 kW */
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void what_is_no_number_is_lost_and_the_next_one_is_not(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  sockets(&t, "1000000", "5000000");
  put(&t, 1, "name", "ina219");
  put(&t, 1, "power1_input", "12000000");
  meter_collect(&t, hwmon);
  joules(&t, 0);
  for (size_t i = 0; i < NNONSENSE; i++) {
    put(&t, 0, "energy3_input", nonsense[i]);
    put(&t, 1, "power1_input", nonsense[i]);
    meter_cycle(&t, 10 + 10 * (int64_t)i);
    assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
    assert_int_equal(meter_series(&t, "power", "ina219/power1")->last.state, SIOX_SAMPLE_LOST);
  }
  put(&t, 0, "energy3_input", "2000000");
  meter_cycle(&t, 500);
  assert_near(meter_energy(&t, "package-0")->last.amount, 1, 1e-9);
  meter_free(&t);
}

static void names_and_labels_that_make_no_sense_do_no_harm(void **unused) {
  (void)unused;
  for (size_t i = 0; i < NNONSENSE; i++) {
    struct meter_test t;
    meter_new(&t);
    put(&t, 0, "name", nonsense[i]);
    put(&t, 0, "energy1_label", nonsense[i]);
    put(&t, 0, "energy1_input", "1000000");
    put(&t, 0, "energy_input", "1");
    put(&t, 0, "energy99999999999999999999999_input", "1");
    put(&t, 0, "power0_input", "1");
    tree_put(&t.tree, CLASS "hwmon0/energy7_input/is_a_directory", "1");
    tree_put(&t.tree, CLASS "hwmon1/name/is_a_directory", "1");
    tree_link(&t.tree, "hwmon2", CLASS "hwmon2");
    tree_link(&t.tree, "../hwmon0", CLASS "hwmon0/device");
    meter_collect(&t, hwmon);
    meter_cycle(&t, 0);
    assert_int_equal(siox_collector_last(t.collector)->nseries, 2);
    assert_int_equal(siox_collector_last(t.collector)->series[0].last.error, 0);
    assert_int_equal(siox_collector_last(t.collector)->series[1].last.error, SIOX_EIO);
    meter_free(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sockets_are_packages_and_cores_are_in_them),
      cmocka_unit_test(identical_readings_of_numa_nodes_count_once),
      cmocka_unit_test(a_smaller_energy_is_lost_and_never_negative),
      cmocka_unit_test(a_rail_that_nobody_places_is_read_and_not_summed),
      cmocka_unit_test(a_setting_tells_what_a_rail_meters),
      cmocka_unit_test(a_setting_that_makes_no_sense_is_refused_with_file_and_line),
      cmocka_unit_test(mean_power_is_taken_before_momentary),
      cmocka_unit_test(power_beside_energy_of_the_same_chip_is_not_added),
      cmocka_unit_test(chips_of_one_name_have_places_of_their_own),
      cmocka_unit_test(labels_that_are_cut_to_the_same_have_places_of_their_own),
      cmocka_unit_test(a_chip_that_comes_later_is_taken_in_and_one_that_goes_is_gone),
      cmocka_unit_test(a_machine_without_meters_says_so),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
      cmocka_unit_test(more_than_a_socket_can_take_is_lost),
      cmocka_unit_test(what_is_no_number_is_lost_and_the_next_one_is_not),
      cmocka_unit_test(names_and_labels_that_make_no_sense_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
