/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RAPL zones of powercap on trees as machines show them. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include <stdio.h>

static const struct siox_provider *const powercap = &siox__provider_powercap;
static const uint64_t RANGE = UINT64_C(262143328850);

#define CLASS "/sys/class/powercap/"
#define DEVICE "/sys/devices/virtual/powercap/"

static void energy(struct meter_test *t, const char *zone, uint64_t uj) {
  char path[256];
  snprintf(path, sizeof path, CLASS "%s/energy_uj", zone);
  tree_put(&t->tree, path, "%llu\n", (unsigned long long)uj);
}
static void zone(struct meter_test *t, const char *id, const char *name, uint64_t uj) {
  char path[256];
  snprintf(path, sizeof path, CLASS "%s/name", id);
  tree_put(&t->tree, path, "%s\n", name);
  snprintf(path, sizeof path, CLASS "%s/max_energy_range_uj", id);
  tree_put(&t->tree, path, "%llu\n", (unsigned long long)RANGE);
  energy(t, id, uj);
}
/* A server with two sockets. */
static void server(struct meter_test *t) {
  zone(t, "intel-rapl:0", "package-0", 100000000);
  zone(t, "intel-rapl:0:0", "dram", 20000000);
  zone(t, "intel-rapl:1", "package-1", 300000000);
  zone(t, "intel-rapl:1:0", "dram", 40000000);
}
static double joules(struct meter_test *t, int64_t ms) {
  return siox_cycle_joules(meter_cycle(t, ms), NULL);
}

static void packages_and_memory_of_all_sockets_are_summed(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  server(&t);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 105000000);
  energy(&t, "intel-rapl:0:0", 21000000);
  energy(&t, "intel-rapl:1", 307000000);
  energy(&t, "intel-rapl:1:0", 42000000);
  assert_near(joules(&t, 100), 5 + 1 + 7 + 2, 1e-9);
  assert_int_equal(meter_energy(&t, "package-1/dram")->metric.domain, SIOX_DOMAIN_DRAM);
  meter_free(&t);
}

/* powercap#3 */
static void zones_are_a_tree_and_what_a_package_contains_is_not_added_to_it(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 10000000);
  zone(&t, "intel-rapl:0:0", "core", 6000000);
  zone(&t, "intel-rapl:0:1", "uncore", 2000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 20000000);
  energy(&t, "intel-rapl:0:0", 12000000);
  energy(&t, "intel-rapl:0:1", 4000000);
  assert_near(joules(&t, 100), 10, 1e-9);
  assert_near(meter_energy(&t, "package-0/core")->last.amount, 6, 1e-9);
  assert_int_equal(meter_energy(&t, "package-0/core")->metric.domain, SIOX_DOMAIN_CORES);
  assert_int_equal(meter_energy(&t, "package-0/uncore")->metric.domain, SIOX_DOMAIN_UNCORE);
  meter_free(&t);
}

static void a_tree_of_devices_gives_the_same_zones_as_the_class(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/name", "package-0\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/energy_uj", "1000\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/intel-rapl:0:0/name", "dram\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/intel-rapl:0:0/energy_uj", "500\n");
  meter_collect(&t, powercap);
  meter_cycle(&t, 0);
  assert_int_equal(siox_collector_last(t.collector)->nseries, 2);
  assert_int_equal(meter_energy(&t, "package-0/dram")->last.error, 0);
  meter_free(&t);
}

static void a_zone_that_the_class_links_to_counts_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/name", "package-0\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/energy_uj", "1000\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/intel-rapl:0:0/name", "dram\n");
  tree_put(&t.tree, DEVICE "intel-rapl/intel-rapl:0/intel-rapl:0:0/energy_uj", "500\n");
  tree_put(&t.tree, CLASS "README", "x");
  tree_link(&t.tree, "../../devices/virtual/powercap/intel-rapl", CLASS "intel-rapl");
  tree_link(&t.tree, "../../devices/virtual/powercap/intel-rapl/intel-rapl:0",
            CLASS "intel-rapl:0");
  tree_link(&t.tree, "../../devices/virtual/powercap/intel-rapl/intel-rapl:0/intel-rapl:0:0",
            CLASS "intel-rapl:0:0");
  meter_collect(&t, powercap);
  meter_cycle(&t, 0);
  assert_int_equal(siox_collector_last(t.collector)->nseries, 2);
  meter_free(&t);
}

/* codecarbon#1274 */
static void psys_contains_packages_and_memory(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 10000000);
  zone(&t, "intel-rapl:0:0", "dram", 5000000);
  zone(&t, "intel-rapl:1", "psys", 90000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 12000000);
  energy(&t, "intel-rapl:0:0", 5500000);
  energy(&t, "intel-rapl:1", 94000000);
  assert_near(joules(&t, 100), 4, 1e-9);
  meter_free(&t);
}

static void packages_count_where_psys_stands_still(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 10000000);
  zone(&t, "intel-rapl:1", "psys", 90000000);
  meter_collect(&t, powercap);
  double last = 0;
  for (int i = 0; i < 15; i++) {
    energy(&t, "intel-rapl:0", 10000000 + (uint64_t)i * 2000000);
    last = joules(&t, i * 100);
  }
  assert_near(last, 2, 1e-9);
  assert_int_equal(meter_energy(&t, "psys")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

/* codecarbon#1274: Threadripper 1950X, a zone a die of one counter */
static void mirrored_dies_count_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0-die-0", 68000000);
  zone(&t, "intel-rapl:1", "package-0-die-1", 68000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 74800000);
  energy(&t, "intel-rapl:1", 74800000);
  assert_near(joules(&t, 100), 6.8, 1e-9);
  assert_true(meter_energy(&t, "package-0-die-1")->metric.flags & SIOX_METRIC_PART);
  assert_false(meter_energy(&t, "package-0-die-0")->metric.flags & SIOX_METRIC_PART);
  meter_free(&t);
}

/* amd_energy#5 */
static void identical_readings_of_numa_nodes_count_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  const char *const ids[] = {"intel-rapl:0", "intel-rapl:1", "intel-rapl:2", "intel-rapl:3"};
  for (int i = 0; i < 4; i++) {
    char name[32];
    snprintf(name, sizeof name, "package-%d", i);
    zone(&t, ids[i], name, i < 2 ? 5000000 : 7000000); /* two sockets of two nodes */
  }
  meter_collect(&t, powercap);
  joules(&t, 0);
  for (int i = 0; i < 4; i++)
    energy(&t, ids[i], i < 2 ? 6000000 : 10000000);
  assert_near(joules(&t, 100), 1 + 3, 1e-9);
  meter_free(&t);
}

static void counters_that_begin_at_zero_together_are_judged_when_they_move(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 0);
  zone(&t, "intel-rapl:1", "package-1", 0);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 3000000);
  energy(&t, "intel-rapl:1", 4000000);
  assert_near(joules(&t, 100), 7, 1e-9);
  meter_free(&t);
}

static void equal_counters_that_part_later_both_count(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 10000000);
  zone(&t, "intel-rapl:1", "package-1", 10000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 12000000);
  energy(&t, "intel-rapl:1", 13000000);
  assert_near(joules(&t, 100), 2 + 3, 1e-9);
  meter_free(&t);
}

static void copies_of_a_counter_that_are_written_one_after_the_other_count_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0-die-0", 68000000);
  zone(&t, "intel-rapl:1", "package-0-die-1", 67900000); /* 100 W, a millisecond ago */
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 78000000);
  energy(&t, "intel-rapl:1", 78100000);
  assert_near(joules(&t, 100), 10, 1e-9);
  meter_free(&t);
}

static void what_mmio_shows_again_counts_once(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl-mmio:0", "package-0", 777000000);
  zone(&t, "intel-rapl:0", "package-0", 100000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl-mmio:0", 780000000);
  energy(&t, "intel-rapl:0", 103000000);
  assert_near(joules(&t, 100), 3, 1e-9);
  assert_near(meter_energy(&t, "package-0@mmio")->last.amount, 3, 1e-9);
  meter_free(&t);
}

static void mmio_alone_counts(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl-mmio:0", "package-0", 777000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl-mmio:0", 780000000);
  assert_near(joules(&t, 100), 3, 1e-9);
  meter_free(&t);
}

/* likwid#646, #94 */
static void a_wrap_at_262_kilojoules_is_placed(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", RANGE - 1999999);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 3000000);
  assert_near(joules(&t, 100), 5, 1e-9);
  meter_free(&t);
}

static void a_time_that_allows_two_wraps_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  tree_put(&t.tree, CLASS "intel-rapl:0/constraint_0_max_power_uw", "280000000\n");
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 2000000);
  meter_cycle(&t, 600000); /* 262 kJ last 234 s at four times 280 W */
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
  energy(&t, "intel-rapl:0", 90002000000);
  meter_cycle(&t, 800000); /* 450 W over 200 s */
  assert_near(meter_energy(&t, "package-0")->last.amount, 90000, 1e-6);
  meter_free(&t);
}

/* codecarbon#1309, kepler PR 53 */
static void a_wrap_without_a_readable_range_drops_the_sample_and_is_never_negative(void **unused) {
  (void)unused;
  for (size_t i = 0; i < NNONSENSE + 2; i++) {
    struct meter_test t;
    meter_new(&t);
    zone(&t, "intel-rapl:0", "package-0", 9000000);
    if (i == NNONSENSE)
      tree_remove(&t.tree, CLASS "intel-rapl:0/max_energy_range_uj");
    else
      tree_put(&t.tree, CLASS "intel-rapl:0/max_energy_range_uj", "%s",
               i > NNONSENSE ? "0" : nonsense[i]);
    meter_collect(&t, powercap);
    joules(&t, 0);
    energy(&t, "intel-rapl:0", 1000000);
    assert_true(joules(&t, 100) == 0);
    assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
    assert_true(meter_energy(&t, "package-0")->metric.wrap == SIOX_WRAP_UNKNOWN);
    energy(&t, "intel-rapl:0", 1500000);
    assert_near(joules(&t, 200), 0.5, 1e-9);
    meter_free(&t);
  }
}

/* energymon#53 */
static void a_processor_that_the_driver_does_not_know_has_no_zones(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  tree_put(&t.tree, CLASS "intel-rapl/enabled", "1\n");
  assert_int_equal(meter_refused(&t, powercap), SIOX_ENOENT);
  powercap->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "no driver for this processor"));
  meter_free(&t);
}

static void a_package_that_comes_later_is_taken_in(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  zone(&t, "intel-rapl:1", "package-1", 50000000);
  energy(&t, "intel-rapl:0", 4000000);
  assert_near(joules(&t, 1000), 3, 1e-9); /* the new one's first reading */
  energy(&t, "intel-rapl:0", 5000000);
  energy(&t, "intel-rapl:1", 52000000);
  assert_near(joules(&t, 1100), 1 + 2, 1e-9);
  meter_free(&t);
}

static void a_package_that_goes_is_not_billed_for_the_time_away(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  server(&t);
  meter_collect(&t, powercap);
  joules(&t, 0);
  tree_remove(&t.tree, CLASS "intel-rapl:1");
  tree_remove(&t.tree, CLASS "intel-rapl:1:0");
  meter_cycle(&t, 500);
  assert_int_equal(meter_energy(&t, "package-1")->last.error, SIOX_ENOENT);
  meter_cycle(&t, 1500);
  assert_true(meter_energy(&t, "package-1")->gone);
  zone(&t, "intel-rapl:1", "package-1", 900000000);
  meter_cycle(&t, 2600);
  assert_int_equal(meter_energy(&t, "package-1")->last.state, SIOX_SAMPLE_FIRST);
  meter_free(&t);
}

/* scaphandre#373 */
static void a_container_that_hides_the_zones_has_none(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  tree_put(&t.tree, CLASS "README", "x");
  tree_put(&t.tree, DEVICE "README", "x"); /* masked: the directory is there and empty */
  tree_link(&t.tree, "../../devices/virtual/powercap/intel-rapl/intel-rapl:0",
            CLASS "intel-rapl:0");
  assert_int_equal(meter_refused(&t, powercap), SIOX_ENOENT);
  powercap->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  meter_free(&t);
}

static void a_machine_without_powercap_says_where_it_looked(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  assert_int_equal(meter_refused(&t, powercap), SIOX_ENOENT);
  assert_non_null(strstr(t.diag.text, "/sys/class/powercap"));
  powercap->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "/sys/class/powercap"));
  meter_free(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  char path[4096];
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  chmod(tree_path(&t.tree, CLASS "intel-rapl:0/energy_uj", path), 0400);
  if (getuid() != 0)
    chmod(path, 0);
  assert_true(meter_as_nobody());
  powercap->probe(&t.env, &probe);
  const int refused = meter_refused(&t, powercap);
  meter_as_root();
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_int_equal(refused, SIOX_EPERM);
  assert_non_null(strstr(probe.why, "intel-rapl:0/energy_uj"));
  assert_non_null(strstr(probe.grant, "chmod g+r"));
  assert_non_null(strstr(probe.grant, "CVE-2020-8694"));
  assert_true(strlen(probe.grant) < sizeof probe.grant - 1);
  meter_free(&t);
}

static void one_forbidden_zone_leaves_the_others(void **unused) {
  (void)unused;
  struct meter_test t;
  char path[4096];
  meter_new(&t);
  server(&t);
  chmod(tree_path(&t.tree, CLASS "intel-rapl:1/energy_uj", path), getuid() ? 0 : 0400);
  assert_true(meter_as_nobody());
  meter_collect(&t, powercap);
  meter_cycle(&t, 0);
  meter_as_root();
  assert_int_equal(meter_energy(&t, "package-1")->last.error, SIOX_EPERM);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, 0);
  meter_free(&t);
}

static void more_than_a_package_can_take_is_lost_and_turbo_is_not(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 0);
  tree_put(&t.tree, CLASS "intel-rapl:0/constraint_0_max_power_uw", "125000000\n");
  tree_put(&t.tree, CLASS "intel-rapl:0/constraint_0_power_limit_uw", "0\n");
  tree_put(&t.tree, CLASS "intel-rapl:0/constraint_1_power_limit_uw", "241000000\n");
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 48200000);
  assert_near(joules(&t, 100), 48.2, 1e-9); /* twice the short-term limit */
  energy(&t, "intel-rapl:0", 48200000 + UINT64_C(5400000000));
  meter_cycle(&t, 200); /* scaphandre#441: 54 kW */
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void
limits_that_make_no_sense_neither_lose_good_samples_nor_let_bad_ones_through(void **unused) {
  (void)unused;
  const char *const limits[] = {"0", "1", "18446744073709551615", "letters", ""};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct meter_test t;
    meter_new(&t);
    zone(&t, "intel-rapl:0", "package-0", 0);
    tree_put(&t.tree, CLASS "intel-rapl:0/constraint_0_max_power_uw", "%s\n", limits[i]);
    meter_collect(&t, powercap);
    joules(&t, 0);
    energy(&t, "intel-rapl:0", 40000000);
    assert_near(joules(&t, 100), 40, 1e-9); /* 400 W */
    energy(&t, "intel-rapl:0", 940000000);
    assert_near(joules(&t, 200), 0, 0); /* 9 kW */
    meter_free(&t);
  }
}

static void what_is_no_number_is_lost_and_the_next_one_is_not(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  for (size_t i = 0; i < NNONSENSE; i++) {
    tree_put(&t.tree, CLASS "intel-rapl:0/energy_uj", "%s", nonsense[i]);
    meter_cycle(&t, 100 + 10 * (int64_t)i);
    assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
  }
  tree_put(&t.tree, CLASS "intel-rapl:0/energy_uj", "%c12%c34", '1', 0);
  meter_cycle(&t, 300);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_ESYNTAX);
  energy(&t, "intel-rapl:0", 2000000);
  meter_cycle(&t, 500);
  assert_near(meter_energy(&t, "package-0")->last.amount, 1, 1e-9);
  meter_free(&t);
}

static void a_file_that_vanishes_between_readings_is_lost_until_it_comes_back(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  tree_remove(&t.tree, CLASS "intel-rapl:0/energy_uj");
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_ENOENT);
  tree_put(&t.tree, CLASS "intel-rapl:0/energy_uj/is_a_directory", "1");
  meter_cycle(&t, 200);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_EIO);
  tree_remove(&t.tree, CLASS "intel-rapl:0/energy_uj");
  energy(&t, "intel-rapl:0", 4000000);
  meter_cycle(&t, 300);
  assert_near(meter_energy(&t, "package-0")->last.amount, 3, 1e-9);
  meter_free(&t);
}

static void a_zone_with_a_name_that_nobody_knows_is_read_and_not_summed(void **unused) {
  (void)unused;
  const char *const names[] = {"", "\001\002", "a name with spaces", "mystery",
                               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct meter_test t;
    meter_new(&t);
    zone(&t, "intel-rapl:0", "package-0", 1000000);
    zone(&t, "intel-rapl:0:0", names[i], 1000000);
    meter_collect(&t, powercap);
    joules(&t, 0);
    energy(&t, "intel-rapl:0", 2000000);
    energy(&t, "intel-rapl:0:0", 1700000);
    assert_near(joules(&t, 100), 1, 1e-9);
    assert_int_equal(siox_collector_last(t.collector)->nseries, 2);
    meter_free(&t);
  }
}

static void links_in_a_circle_end(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  tree_link(&t.tree, "..", CLASS "intel-rapl:0/intel-rapl");
  tree_link(&t.tree, ".", CLASS "intel-rapl:0/intel-rapl:0:0");
  tree_link(&t.tree, "intel-rapl:7", CLASS "intel-rapl:7");
  tree_link(&t.tree, ".", CLASS "intel-rapl");
  meter_collect(&t, powercap);
  meter_cycle(&t, 0);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, 0);
  meter_free(&t);
}

/* s-tui#42 */
static void what_came_while_the_machine_slept_is_marked_and_not_billed(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 1000000);
  meter_collect(&t, powercap);
  joules(&t, 0);
  energy(&t, "intel-rapl:0", 9000000);
  const int64_t hour = 3600 * 1000 * MS;
  assert_int_equal(siox_collector_cycle(t.collector, 100 * MS, 100 * MS + hour), 0);
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_SUSPENDED);
  energy(&t, "intel-rapl:0", 11000000);
  assert_int_equal(siox_collector_cycle(t.collector, 200 * MS, 200 * MS + hour), 0);
  assert_near(meter_energy(&t, "package-0")->total, 2, 1e-9);
  meter_free(&t);
}

/* Puts something into one of the files that are read. */
static void disturb(struct meter_test *t, uint64_t *seed) {
  static const char *const files[] = {
      CLASS "intel-rapl:0/energy_uj", CLASS "intel-rapl:1/energy_uj",
      CLASS "intel-rapl:2/energy_uj", CLASS "intel-rapl:1/max_energy_range_uj",
      CLASS "intel-rapl:1/name"};
  const char *file = files[test_below(seed, sizeof files / sizeof files[0])];
  char below[256];
  tree_remove(&t->tree, file);
  switch (test_below(seed, 5)) {
  case 0:
    break;
  case 1:
    tree_put(&t->tree, file, "%s", nonsense[test_below(seed, NNONSENSE)]);
    break;
  case 2:
    snprintf(below, sizeof below, "%s/is_a_directory", file);
    tree_put(&t->tree, below, "1");
    break;
  case 3: /* any number of any length */
    tree_put(&t->tree, file, "%llu",
             (unsigned long long)(test_random(seed) >> test_below(seed, 64)));
    break;
  default:
    tree_put(&t->tree, file, "%llu", (unsigned long long)test_below(seed, RANGE));
  }
}

static void whatever_files_say_no_energy_is_negative_or_more_than_is_possible(void **unused) {
  (void)unused;
  struct meter_test t;
  uint64_t seed = 5;
  meter_new(&t);
  zone(&t, "intel-rapl:0", "package-0", 100000000);
  zone(&t, "intel-rapl:1", "package-1", 300000000);
  zone(&t, "intel-rapl:2", "psys", 1000000000);
  meter_collect(&t, powercap);
  int64_t ms = 0;
  for (int i = 0; i < 1000; i++) {
    if (test_below(&seed, 3) == 0) { /* a good reading, near to any other good one */
      tree_remove(&t.tree, CLASS "intel-rapl:0/energy_uj");
      energy(&t, "intel-rapl:0", 100000000 + (uint64_t)i * 1000000);
    }
    if (test_below(&seed, 2) == 0)
      disturb(&t, &seed);
    ms += 1 + (int64_t)test_below(&seed, 300);
    const struct siox_cycle *c = meter_cycle(&t, ms);
    for (size_t k = 0; k < c->nseries; k++) {
      const struct siox_series *s = &c->series[k];
      assert_true(s->last.amount >= 0 && s->last.value >= 0);
      assert_true(s->last.value <= s->metric.bound * (1 + 1e-12));
      assert_true(s->total <= s->metric.bound * 1e-3 * (double)ms * (1 + 1e-9));
    }
  }
  assert_true(meter_energy(&t, "package-0")->total > 0);
  meter_free(&t);
}

static void unknown_settings_are_refused_with_file_and_line(void **unused) {
  (void)unused;
  struct meter_test t;
  meter_new(&t);
  server(&t);
  const struct siox_option setting = {.key = "colour", .value = "blue", .line = 12};
  t.env.settings = &setting;
  t.env.nsettings = 1;
  assert_int_equal(meter_refused(&t, powercap), SIOX_EINVAL);
  assert_non_null(strstr(t.diag.text, "siox.yaml:12: colour"));
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packages_and_memory_of_all_sockets_are_summed),
      cmocka_unit_test(zones_are_a_tree_and_what_a_package_contains_is_not_added_to_it),
      cmocka_unit_test(a_tree_of_devices_gives_the_same_zones_as_the_class),
      cmocka_unit_test(a_zone_that_the_class_links_to_counts_once),
      cmocka_unit_test(psys_contains_packages_and_memory),
      cmocka_unit_test(packages_count_where_psys_stands_still),
      cmocka_unit_test(mirrored_dies_count_once),
      cmocka_unit_test(identical_readings_of_numa_nodes_count_once),
      cmocka_unit_test(counters_that_begin_at_zero_together_are_judged_when_they_move),
      cmocka_unit_test(equal_counters_that_part_later_both_count),
      cmocka_unit_test(copies_of_a_counter_that_are_written_one_after_the_other_count_once),
      cmocka_unit_test(what_mmio_shows_again_counts_once),
      cmocka_unit_test(mmio_alone_counts),
      cmocka_unit_test(a_wrap_at_262_kilojoules_is_placed),
      cmocka_unit_test(a_time_that_allows_two_wraps_is_lost),
      cmocka_unit_test(a_wrap_without_a_readable_range_drops_the_sample_and_is_never_negative),
      cmocka_unit_test(a_processor_that_the_driver_does_not_know_has_no_zones),
      cmocka_unit_test(a_package_that_comes_later_is_taken_in),
      cmocka_unit_test(a_package_that_goes_is_not_billed_for_the_time_away),
      cmocka_unit_test(a_container_that_hides_the_zones_has_none),
      cmocka_unit_test(a_machine_without_powercap_says_where_it_looked),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
      cmocka_unit_test(one_forbidden_zone_leaves_the_others),
      cmocka_unit_test(more_than_a_package_can_take_is_lost_and_turbo_is_not),
      cmocka_unit_test(
          limits_that_make_no_sense_neither_lose_good_samples_nor_let_bad_ones_through),
      cmocka_unit_test(what_is_no_number_is_lost_and_the_next_one_is_not),
      cmocka_unit_test(a_file_that_vanishes_between_readings_is_lost_until_it_comes_back),
      cmocka_unit_test(a_zone_with_a_name_that_nobody_knows_is_read_and_not_summed),
      cmocka_unit_test(links_in_a_circle_end),
      cmocka_unit_test(what_came_while_the_machine_slept_is_marked_and_not_billed),
      cmocka_unit_test(whatever_files_say_no_energy_is_negative_or_more_than_is_possible),
      cmocka_unit_test(unknown_settings_are_refused_with_file_and_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
