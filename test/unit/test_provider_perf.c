/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The power PMU: /sys as a tree, and the test in place of perf_event_open. */
#include "meter_support.h"
#include "monitor/builtin.h"
#include "monitor/perf.h"
#include <stdio.h>

#define PMU "/sys/bus/event_source/devices/power/"
enum { MOST = 64 };

/* The kernel as the test plays it. */
static struct kernel {
  struct opened {
    struct perf_event_attr attr;
    int cpu;
    uint64_t count;
    bool open;
  } fds[MOST];
  int n, opening, reading; /* results; 0: it works */
} kernel;

static int fake_open(void *context, const struct perf_event_attr *attr, int cpu) {
  struct kernel *k = context;
  if (k->opening < 0)
    return k->opening;
  assert_true(k->n < MOST);
  k->fds[k->n] = (struct opened){.attr = *attr, .cpu = cpu, .open = true};
  return k->n++;
}
static int fake_read(void *context, int fd, uint64_t *count) {
  struct kernel *k = context;
  assert_true(k->fds[fd].open);
  *count = k->fds[fd].count;
  return k->reading;
}
static void fake_close(void *context, int fd) {
  struct kernel *k = context;
  assert_true(k->fds[fd].open);
  k->fds[fd].open = false;
}
static const struct siox__perf_calls calls = {fake_open, fake_read, fake_close, &kernel};

static int open_with_calls(const struct siox_provider_env *env, void **state,
                           struct siox_diag *diag) {
  return siox__perf_open(env, &calls, state, diag);
}
static struct siox_provider perf;

static void event(struct meter_test *t, const char *name, int number) {
  char path[128];
  snprintf(path, sizeof path, PMU "events/%s", name);
  tree_put(&t->tree, path, "event=0x%02x\n", number);
  snprintf(path, sizeof path, PMU "events/%s.unit", name);
  tree_put(&t->tree, path, "Joules\n");
  snprintf(path, sizeof path, PMU "events/%s.scale", name);
  tree_put(&t->tree, path, "2.3283064365386962890625e-10\n");
}
static void cpu(struct meter_test *t, int number, int package, int die) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", number);
  tree_put(&t->tree, path, "%d\n", package);
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/die_id", number);
  tree_put(&t->tree, path, "%d\n", die);
}
/* The PMU of two packages, with the packages' event only. */
static void start(struct meter_test *t) {
  kernel = (struct kernel){0};
  perf = siox__provider_perf;
  perf.open = open_with_calls;
  meter_new(t);
  tree_put(&t->tree, PMU "type", "9\n");
  tree_put(&t->tree, PMU "format/event", "config:0-7\n");
  tree_put(&t->tree, PMU "cpumask", "0,18\n");
  cpu(t, 0, 0, 0);
  cpu(t, 18, 1, 0);
  event(t, "energy-pkg", 2);
}
static void finish(struct meter_test *t) {
  meter_free(t);
  for (int i = 0; i < kernel.n; i++)
    assert_false(kernel.fds[i].open);
}
/* The counter of an event on a processor. */
static uint64_t *counter(uint64_t config, int number) {
  for (int i = 0; i < kernel.n; i++)
    if (kernel.fds[i].open && kernel.fds[i].attr.config == config && kernel.fds[i].cpu == number)
      return &kernel.fds[i].count;
  fail_msg("no counter of %d on cpu%d", (int)config, number);
  return NULL;
}
static uint64_t in_counts(double joules) { return (uint64_t)(joules * 4294967296.0); }

static void packages_are_counted_on_the_processors_of_cpumask(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(2, 0) = in_counts(5);
  *counter(2, 18) = in_counts(7);
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 12, 1e-9);
  assert_near(meter_energy(&t, "package-1")->last.amount, 7, 1e-9);
  assert_int_equal(kernel.fds[0].attr.type, 9);
  finish(&t);
}

static void all_domains_have_the_places_of_powercap(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  event(&t, "energy-cores", 1);
  event(&t, "energy-ram", 3);
  event(&t, "energy-gpu", 4);
  event(&t, "energy-psys", 5);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(5, 0) = in_counts(50);
  *counter(5, 18) = in_counts(50); /* the platform is one */
  *counter(2, 0) = in_counts(20);
  *counter(3, 18) = in_counts(4);
  *counter(1, 0) = in_counts(10);
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 50, 1e-9);
  assert_int_equal(meter_energy(&t, "package-0/core")->metric.domain, SIOX_DOMAIN_CORES);
  assert_int_equal(meter_energy(&t, "package-0/uncore")->metric.domain, SIOX_DOMAIN_UNCORE);
  assert_near(meter_energy(&t, "package-1/dram")->last.amount, 4, 1e-9);
  finish(&t);
}

static void counters_do_not_wrap_at_32_bits(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  double total = 0;
  for (int i = 1; i <= 40; i++) { /* 0.1 J a cycle: past 2^32 counts of one joule */
    *counter(2, 0) = in_counts(0.1 * i);
    total += siox_cycle_joules(meter_cycle(&t, 100 * i), NULL);
  }
  assert_near(total, 4, 1e-6);
  assert_int_equal(meter_energy(&t, "package-0")->lost, 0);
  finish(&t);
}

static void processors_of_one_die_are_one_meter(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, PMU "cpumask", "0-1,18\n");
  cpu(&t, 1, 0, 0);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  assert_int_equal(siox_collector_last(t.collector)->nseries, 2);
  finish(&t);
}

static void dies_with_meters_of_their_own_are_summed(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\n");
  cpu(&t, 18, 0, 1);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(2, 0) = in_counts(5);
  *counter(2, 18) = in_counts(7);
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 12, 1e-9);
  assert_near(meter_energy(&t, "package-0-die-1")->last.amount, 7, 1e-9);
  finish(&t);
}

/* codecarbon#1274, amd_energy#5 */
static void mirrored_dies_count_once(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n");
  cpu(&t, 18, 0, 1);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(2, 0) = in_counts(6.8);
  *counter(2, 18) = in_counts(6.8);
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 6.8, 1e-9);
  finish(&t);
}

/* energymon#53 */
static void a_processor_without_a_power_pmu_says_so(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  start(&t);
  tree_remove(&t.tree, PMU "type");
  assert_int_equal(meter_refused(&t, &perf), SIOX_ENOENT);
  siox__perf_probe(&t.env, &calls, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "no power PMU"));
  finish(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  start(&t);
  kernel.opening = SIOX_EPERM;
  assert_int_equal(meter_refused(&t, &perf), SIOX_EPERM);
  siox__perf_probe(&t.env, &calls, &probe);
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_non_null(strstr(probe.why, "energy-pkg"));
  assert_non_null(strstr(probe.grant, "cap_perfmon"));
  assert_non_null(strstr(probe.grant, "perf_event_paranoid"));
  assert_true(strlen(probe.grant) < sizeof probe.grant - 1);
  finish(&t);
}

static void a_probe_that_works_leaves_nothing_open(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  start(&t);
  siox__perf_probe(&t.env, &calls, &probe);
  assert_int_equal(probe.error, 0);
  assert_string_equal(probe.why, "");
  finish(&t);
}

static void the_machines_own_counters_do_not_stand_in_for_a_tree(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  start(&t);
  assert_int_equal(meter_refused(&t, &siox__provider_perf), SIOX_ENOENT);
  siox__provider_perf.probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  finish(&t);
}

static void a_processor_that_goes_offline_is_lost_and_another_takes_over(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(2, 0) = in_counts(3);
  kernel.reading = SIOX_ENOENT;
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_ENOENT);
  kernel.reading = 0;
  tree_put(&t.tree, PMU "cpumask", "1,18\n");
  cpu(&t, 1, 0, 0);
  meter_cycle(&t, 1100); /* the new counter's count is not compared with the old one's */
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_FIRST);
  *counter(2, 1) = in_counts(2);
  meter_cycle(&t, 1200);
  assert_near(meter_energy(&t, "package-0")->last.amount, 2, 1e-9);
  finish(&t);
}

static void counters_that_do_not_open_again_are_tried_every_second(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  kernel.opening = SIOX_EPERM;
  tree_put(&t.tree, PMU "cpumask", "1,18\n");
  cpu(&t, 1, 0, 0);
  meter_cycle(&t, 1100); /* closed, */
  meter_cycle(&t, 1200); /* and not open again */
  kernel.opening = 0;
  meter_cycle(&t, 1300);
  meter_cycle(&t, 2300);
  meter_cycle(&t, 2400);
  *counter(2, 1) = in_counts(2);
  meter_cycle(&t, 2500);
  assert_near(meter_energy(&t, "package-0")->last.amount, 2, 1e-9);
  finish(&t);
}

static void a_package_that_comes_later_is_taken_in(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, PMU "cpumask", "0\n");
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  assert_null(meter_series(&t, "energy", "package-1"));
  tree_put(&t.tree, PMU "cpumask", "0,18\n");
  meter_cycle(&t, 1000);
  assert_non_null(meter_series(&t, "energy", "package-1"));
  finish(&t);
}

static void terms_go_where_their_format_says(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, PMU "format/umask", "config:8-15\n");
  tree_put(&t.tree, PMU "format/edge", "config:18\n");
  tree_put(&t.tree, PMU "events/energy-pkg", "event=0x02,umask=0x3,edge\n");
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  *counter(0x40302, 0) = in_counts(1);
  finish(&t);
}

static void a_description_that_makes_no_sense_is_never_counted(void **unused) {
  (void)unused;
  static const struct {
    const char *path, *right;
  } files[] = {{PMU "type", "9\n"},
               {PMU "cpumask", "0,18\n"},
               {PMU "events/energy-pkg", "event=0x02\n"},
               {PMU "events/energy-pkg.scale", "2.3283064365386962890625e-10\n"},
               {PMU "events/energy-pkg.unit", "Joules\n"},
               {PMU "format/event", "config:0-7\n"}};
  struct meter_test t;
  start(&t);
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    for (size_t i = 0; i < NNONSENSE; i++) {
      tree_put(&t.tree, files[f].path, "%s", nonsense[i]);
      assert_true(meter_refused(&t, &perf) < 0);
      assert_true(t.diag.text[0] != 0);
    }
    tree_remove(&t.tree, files[f].path);
    assert_true(meter_refused(&t, &perf) < 0);
    char below[128];
    snprintf(below, sizeof below, "%s/is_a_directory", files[f].path);
    tree_put(&t.tree, below, "1");
    assert_true(meter_refused(&t, &perf) < 0);
    tree_remove(&t.tree, files[f].path);
    tree_put(&t.tree, files[f].path, "%s", files[f].right);
    assert_int_equal(meter_refused(&t, &perf), 0);
    kernel.n = 0;
  }
  finish(&t);
}

static void processors_that_nobody_places_have_places_of_their_own(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_put(&t.tree, "/sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");
  tree_remove(&t.tree, "/sys/devices/system/cpu/cpu18/topology/physical_package_id");
  meter_collect(&t, &perf);
  meter_cycle(&t, 0);
  assert_non_null(meter_series(&t, "energy", "cpu0"));
  assert_non_null(meter_series(&t, "energy", "cpu18"));
  finish(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packages_are_counted_on_the_processors_of_cpumask),
      cmocka_unit_test(all_domains_have_the_places_of_powercap),
      cmocka_unit_test(counters_do_not_wrap_at_32_bits),
      cmocka_unit_test(processors_of_one_die_are_one_meter),
      cmocka_unit_test(dies_with_meters_of_their_own_are_summed),
      cmocka_unit_test(mirrored_dies_count_once),
      cmocka_unit_test(a_processor_without_a_power_pmu_says_so),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
      cmocka_unit_test(a_probe_that_works_leaves_nothing_open),
      cmocka_unit_test(the_machines_own_counters_do_not_stand_in_for_a_tree),
      cmocka_unit_test(a_processor_that_goes_offline_is_lost_and_another_takes_over),
      cmocka_unit_test(counters_that_do_not_open_again_are_tried_every_second),
      cmocka_unit_test(a_package_that_comes_later_is_taken_in),
      cmocka_unit_test(terms_go_where_their_format_says),
      cmocka_unit_test(a_description_that_makes_no_sense_is_never_counted),
      cmocka_unit_test(processors_that_nobody_places_have_places_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
