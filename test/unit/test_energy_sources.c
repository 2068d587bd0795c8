/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several sources of energy on one machine. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include <stdio.h>

#define RAPL "/sys/class/powercap/intel-rapl:0/"
#define CHIP "/sys/class/hwmon/hwmon0/"
#define CRAY "/sys/cray/pm_counters/"

static const struct siox_option calibrated[] = {{.key = "idle_watts", .value = "20", .line = 1},
                                                {.key = "dynamic_watts", .value = "80", .line = 2}};

/* Second number i of a package that takes 50 W by powercap, 40 W by hwmon and 100 W by the model.
 */
static void second(struct meter_test *t, int i, bool powercap, bool hwmon) {
  if (powercap)
    tree_put(&t->tree, RAPL "energy_uj", "%lld\n", (i + 1) * 50000000LL);
  else
    tree_remove(&t->tree, RAPL "energy_uj");
  if (hwmon)
    tree_put(&t->tree, CHIP "energy1_input", "%lld\n", (i + 10) * 40000000LL);
  else
    tree_remove(&t->tree, CHIP "energy1_input");
  tree_put(&t->tree, "/proc/stat", "cpu0 %d 0 0 0 0 0 0 0\nintr 0\n", 100 * i);
}
static void machine(struct meter_test *t) {
  meter_new(t);
  tree_put(&t->tree, RAPL "name", "package-0\n");
  tree_put(&t->tree, CHIP "name", "amd_energy\n");
  tree_put(&t->tree, CHIP "energy1_label", "Esocket0\n");
  tree_put(&t->tree, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  second(t, 0, true, true);
  t->env.settings = calibrated;
  t->env.nsettings = 2;
  meter_collect(t, &siox__provider_model); /* whatever order the configuration has */
  t->env.nsettings = 0;
  meter_collect(t, &siox__provider_hwmon);
  meter_collect(t, &siox__provider_processors);
  meter_collect(t, &siox__provider_powercap);
}
/* Watts of the node in second i. */
static double watts(struct meter_test *t, int i, bool *estimated) {
  return siox_cycle_joules(meter_cycle(t, 1000 * i), estimated);
}

static void a_package_with_three_sources_counts_by_the_best_of_them(void **unused) {
  (void)unused;
  struct meter_test t;
  bool estimated;
  machine(&t);
  watts(&t, 0, &estimated);
  for (int i = 1; i < 4; i++) {
    second(&t, i, true, true);
    assert_near(watts(&t, i, &estimated), 50, 1e-9);
    assert_false(estimated);
  }
  meter_free(&t);
}

static void what_falls_silent_hands_over_to_the_next_best_and_at_last_to_the_model(void **unused) {
  (void)unused;
  struct meter_test t;
  bool estimated;
  double last = 0;
  machine(&t);
  watts(&t, 0, &estimated);
  for (int i = 1; i <= 15; i++) {
    second(&t, i, i < 2, true);
    last = watts(&t, i, &estimated);
  }
  assert_near(last, 40, 1e-9);
  assert_false(estimated);
  for (int i = 16; i <= 30; i++) {
    second(&t, i, false, false);
    last = watts(&t, i, &estimated);
  }
  assert_near(last, 100, 1e-9);
  assert_true(estimated);
  second(&t, 31, true, true); /* and back */
  watts(&t, 31, &estimated);
  second(&t, 32, true, true);
  assert_near(watts(&t, 32, &estimated), 50, 1e-9);
  assert_false(estimated);
  meter_free(&t);
}

static void a_meter_of_the_node_contains_its_packages(void **unused) {
  (void)unused;
  struct meter_test t;
  bool estimated;
  machine(&t);
  tree_put(&t.tree, CRAY "freshness", "0\n");
  tree_put(&t.tree, CRAY "energy", "1000 J\n");
  meter_collect(&t, &siox__provider_cray);
  watts(&t, 0, &estimated);
  second(&t, 1, true, true);
  tree_put(&t.tree, CRAY "freshness", "10\n");
  tree_put(&t.tree, CRAY "energy", "1300 J\n");
  assert_near(watts(&t, 1, &estimated), 300, 1e-9);
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_package_with_three_sources_counts_by_the_best_of_them),
      cmocka_unit_test(what_falls_silent_hands_over_to_the_next_best_and_at_last_to_the_model),
      cmocka_unit_test(a_meter_of_the_node_contains_its_packages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
