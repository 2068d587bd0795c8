/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RAPL's registers through a library that plays likwid, exit(1) and all. */
#include "likwid_double.h"
#include "meter_support.h"
#include "monitor/builtin.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>

static const struct siox_provider *const likwid = &siox__provider_likwid;

static void msr(struct meter_test *t) {
  for (int i = 0; i < 4; i++) {
    char path[64];
    snprintf(path, sizeof path, "/dev/cpu/%d/msr", i);
    tree_put(&t->tree, path, "x");
  }
}

#ifdef LIKWID_DOUBLE
enum { PKG, PP0, PP1, DRAM };
static const struct siox_option allowed[] = {{.key = "allow", .value = "daemon", .line = 2},
                                             {.key = "library", .value = LIKWID_DOUBLE, .line = 3}};
static const double UNIT = 6.1035e-05;

static bool is_loaded(void) {
  void *library = dlopen(LIKWID_DOUBLE, RTLD_NOW | RTLD_NOLOAD);
  if (library)
    dlclose(library);
  return library != NULL;
}
/* The machine behind the library. */
static struct likwid_double *machine(void) {
  static struct likwid_double *d;
  if (!d) {
    void *library = dlopen(LIKWID_DOUBLE, RTLD_NOW | RTLD_NODELETE);
    assert_non_null(library);
    d = dlsym(library, "likwid_double");
    assert_non_null(d);
  }
  return d;
}
static void start(struct meter_test *t) {
  *machine() = (struct likwid_double){
      .known = true, .rapl = true, .readable = true, .intel = true, .dies = 2, .unit = UNIT};
  meter_new(t);
  msr(t);
  t->env.settings = allowed;
  t->env.nsettings = 2;
}

/* These two come first: nothing may have loaded the library before. */
static void without_the_registers_device_it_is_not_even_loaded(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  meter_new(&t);
  t.env.settings = allowed;
  t.env.nsettings = 2;
  likwid->probe(&t.env, &probe);
  assert_int_equal(probe.error, SIOX_ENOENT);
  assert_non_null(strstr(probe.why, "/dev/cpu/0/msr"));
  assert_non_null(strstr(probe.why, "modprobe msr"));
  assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
  assert_false(is_loaded());
  meter_free(&t);
}
static void where_nobody_allows_it_it_is_not_even_loaded(void **unused) {
  (void)unused;
  const char *const values[] = {NULL, "", "yes", "application"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    struct meter_test t;
    struct siox_probe probe;
    const struct siox_option settings[] = {{.key = "library", .value = LIKWID_DOUBLE, .line = 3},
                                           {.key = "allow", .value = values[i], .line = 2}};
    meter_new(&t);
    msr(&t);
    t.env.settings = settings;
    t.env.nsettings = values[i] ? 2 : 1;
    likwid->probe(&t.env, &probe);
    assert_int_equal(probe.error, SIOX_EPERM);
    assert_non_null(strstr(probe.grant, "allow: daemon"));
    assert_int_equal(meter_refused(&t, likwid), SIOX_EPERM);
    assert_false(is_loaded());
    meter_free(&t);
  }
}

/* What the tests below would do to this program if the provider did not set direct access last. */
static void the_library_ends_the_process_in_any_other_mode(void **unused) {
  (void)unused;
  machine();
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    void *library = dlopen(LIKWID_DOUBLE, RTLD_NOW);
    void (*HPMmode)(int) = (void (*)(int))dlsym(library, "HPMmode");
    void (*affinity_init)(void) = (void (*)(void))dlsym(library, "affinity_init");
    int (*power_init)(int) = (int (*)(int))dlsym(library, "power_init");
    HPMmode(0); /* too early: initialisation sets the configuration's */
    affinity_init();
    fclose(stderr);
    power_init(0);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void energies_of_two_sockets_are_summed_and_their_parts_are_not(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  machine()->counters[0][PKG] = 80000;
  machine()->counters[2][PKG] = 50000;
  machine()->counters[0][PP0] = 30000;
  machine()->counters[2][DRAM] = 10000;
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 140000 * UNIT, 1e-9);
  assert_near(meter_energy(&t, "package-1")->last.amount, 50000 * UNIT, 1e-9);
  assert_near(meter_energy(&t, "package-0/core")->last.amount, 30000 * UNIT, 1e-9);
  assert_int_equal(meter_energy(&t, "package-1/dram")->metric.domain, SIOX_DOMAIN_DRAM);
  assert_int_equal(machine()->loads, 2); /* once a socket */
  meter_free(&t);
}

/* likwid#646, #94 */
static void a_wrap_of_a_sockets_register_is_placed(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  machine()->counters[0][PKG] = UINT32_MAX - 999;
  machine()->counters[2][PKG] = 7;
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  machine()->counters[0][PKG] = 4000;
  machine()->counters[2][PKG] = 1007;
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), (1000 + 4000 + 1000) * UNIT, 1e-9);
  meter_cycle(&t, 400000); /* 262 kJ last 131 s at 2 kW: it may have wrapped twice */
  assert_int_equal(meter_energy(&t, "package-0")->last.state, SIOX_SAMPLE_LOST);
  meter_free(&t);
}

static void dies_with_registers_of_their_own_are_meters(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  machine()->dies = 4;
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  machine()->counters[3][PKG] = 1000;
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 1000 * UNIT, 1e-9);
  assert_near(meter_energy(&t, "package-1-die-1")->last.amount, 1000 * UNIT, 1e-9);
  meter_free(&t);
}

/* codecarbon#1274 */
static void amds_mirrored_dies_and_single_cores_are_left_out(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  machine()->intel = false;
  machine()->dies = 4;
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  for (int i = 0; i < 4; i++)
    machine()->counters[i][PKG] = machine()->counters[i][PP0] = 1000;
  assert_near(siox_cycle_joules(meter_cycle(&t, 100), NULL), 2000 * UNIT, 1e-9);
  assert_null(meter_series(&t, "energy", "package-0/core"));
  meter_free(&t);
}

static void a_register_that_cannot_be_read_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  machine()->readable = false;
  meter_cycle(&t, 100);
  assert_int_equal(meter_energy(&t, "package-0")->last.error, SIOX_EIO);
  meter_free(&t);
}

static void a_processor_that_it_does_not_know_has_no_meter(void **unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    struct meter_test t;
    struct siox_probe probe;
    start(&t);
    machine()->known = i != 0;
    machine()->rapl = i != 1;
    machine()->unit = i == 2 ? 0 : UNIT;
    assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
    likwid->probe(&t.env, &probe);
    assert_int_equal(probe.error, SIOX_ENOENT);
    assert_non_null(strstr(probe.why, "likwid"));
    meter_free(&t);
  }
}

static const struct siox_option with_group[] = {
    {.key = "allow", .value = "daemon", .line = 2},
    {.key = "library", .value = LIKWID_DOUBLE, .line = 3},
    {.key = "group", .value = "MEM_DP", .line = 4}};
static void start_group(struct meter_test *t) {
  start(t);
  t->env.settings = with_group;
  t->env.nsettings = 3;
}

static void a_group_counts_operations_and_bytes_of_each_package(void **unused) {
  (void)unused;
  struct meter_test t;
  start_group(&t);
  meter_collect(&t, likwid);
  assert_true(machine()->counting);
  machine()->seconds = 0.1;
  meter_cycle(&t, 0);
  const double megaflops[] = {1000, 500, 20, 0}, megabytes[] = {8000, 0, 400, 0};
  memcpy(machine()->megaflops, megaflops, sizeof megaflops);
  memcpy(machine()->megabytes, megabytes,
         sizeof megabytes); /* a socket's: one processor has them */
  meter_cycle(&t, 100);
  assert_near(meter_series(&t, "flops_dp", "package-0")->last.amount, 1500e6 * 0.1, 1);
  assert_near(meter_series(&t, "flops_dp", "package-1")->last.value, 20e6, 20);
  assert_near(meter_series(&t, "memory_moved", "package-0")->last.amount, 8000e6 * 0.1, 1);
  /* A cycle that could not be read is in the next one: likwid counts on. */
  machine()->readable = false;
  meter_cycle(&t, 200);
  assert_int_equal(meter_series(&t, "flops_dp", "package-0")->last.error, SIOX_EIO);
  machine()->readable = true;
  machine()->seconds = 0.2;
  meter_cycle(&t, 300);
  assert_near(meter_series(&t, "flops_dp", "package-0")->last.amount, 1500e6 * 0.2, 1);
  meter_free(&t);
  assert_false(machine()->counting);
}

static void a_rate_that_is_no_number_is_lost(void **unused) {
  (void)unused;
  struct meter_test t;
  start_group(&t);
  meter_collect(&t, likwid);
  machine()->seconds = 0.1;
  meter_cycle(&t, 0);
  machine()->megaflops[1] = NAN;
  machine()->megaflops[3] = 100;
  meter_cycle(&t, 100);
  assert_int_equal(meter_series(&t, "flops_dp", "package-0")->last.state, SIOX_SAMPLE_LOST);
  assert_near(meter_series(&t, "flops_dp", "package-1")->last.amount, 1e7, 1);
  meter_free(&t);
}

static void a_group_is_there_without_meters_of_energy(void **unused) {
  (void)unused;
  struct meter_test t;
  start_group(&t);
  machine()->rapl = false;
  meter_collect(&t, likwid);
  meter_cycle(&t, 0);
  assert_null(meter_series(&t, "energy", "package-0"));
  assert_non_null(meter_series(&t, "flops_dp", "package-1"));
  meter_free(&t);
}

static void a_group_that_is_not_there_or_counts_nothing_of_use_is_refused_by_name(void **unused) {
  (void)unused;
  static const char *const names[] = {"NOTHING", "BRANCH"};
  for (int i = 0; i < 2; i++) {
    struct meter_test t;
    start_group(&t);
    const struct siox_option settings[] = {
        allowed[0], allowed[1], {.key = "group", .value = names[i], .line = 4}};
    t.env.settings = settings;
    assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
    assert_non_null(strstr(t.diag.text, names[i]));
    meter_free(&t);
  }
}

static void without_the_second_sockets_device_it_is_refused(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  tree_remove(&t.tree, "/dev/cpu/2/msr");
  assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
  assert_non_null(strstr(t.diag.text, "/dev/cpu/2/msr"));
  meter_free(&t);
}

/* codecarbon#232 */
static void without_permission_the_command_that_grants_it_is_told(void **unused) {
  (void)unused;
  struct meter_test t;
  struct siox_probe probe;
  char path[4096];
  start(&t);
  chmod(tree_path(&t.tree, "/dev/cpu/0/msr", path), getuid() ? 0 : 0600);
  assert_true(meter_as_nobody());
  likwid->probe(&t.env, &probe);
  meter_as_root();
  assert_int_equal(probe.error, SIOX_EPERM);
  assert_non_null(strstr(probe.grant, "cap_sys_rawio"));
  assert_true(strlen(probe.grant) < sizeof probe.grant - 1);
  meter_free(&t);
}

static void the_machines_own_registers_do_not_stand_in_for_a_tree(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  t.env.nsettings = 1; /* allowed, and the usual library */
  assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
  assert_non_null(strstr(t.diag.text, "the machine itself only"));
  meter_free(&t);
}

static void a_library_of_another_kind_is_refused_by_name(void **unused) {
  (void)unused;
  struct meter_test t;
  start(&t);
  const struct siox_option settings[] = {{.key = "allow", .value = "daemon", .line = 2},
                                         {.key = "library", .value = "libm.so.6", .line = 3}};
  t.env.settings = settings;
  assert_int_equal(meter_refused(&t, likwid), SIOX_EVERSION);
  assert_non_null(strstr(t.diag.text, "libm.so.6: no topology_init"));
  meter_free(&t);
}
#endif

static void an_absent_library_is_said(void **unused) {
  (void)unused;
  struct meter_test t;
  const struct siox_option settings[] = {
      {.key = "allow", .value = "daemon", .line = 2},
      {.key = "library", .value = "/nowhere/liblikwid.so", .line = 3}};
  meter_new(&t);
  msr(&t);
  t.env.settings = settings;
  t.env.nsettings = 2;
  assert_int_equal(meter_refused(&t, likwid), SIOX_ENOENT);
  assert_non_null(strstr(t.diag.text, "likwid"));
  meter_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef LIKWID_DOUBLE
      cmocka_unit_test(without_the_registers_device_it_is_not_even_loaded),
      cmocka_unit_test(where_nobody_allows_it_it_is_not_even_loaded),
      cmocka_unit_test(the_library_ends_the_process_in_any_other_mode),
      cmocka_unit_test(energies_of_two_sockets_are_summed_and_their_parts_are_not),
      cmocka_unit_test(a_wrap_of_a_sockets_register_is_placed),
      cmocka_unit_test(dies_with_registers_of_their_own_are_meters),
      cmocka_unit_test(amds_mirrored_dies_and_single_cores_are_left_out),
      cmocka_unit_test(a_register_that_cannot_be_read_is_lost),
      cmocka_unit_test(a_processor_that_it_does_not_know_has_no_meter),
      cmocka_unit_test(a_group_counts_operations_and_bytes_of_each_package),
      cmocka_unit_test(a_rate_that_is_no_number_is_lost),
      cmocka_unit_test(a_group_is_there_without_meters_of_energy),
      cmocka_unit_test(a_group_that_is_not_there_or_counts_nothing_of_use_is_refused_by_name),
      cmocka_unit_test(without_the_second_sockets_device_it_is_refused),
      cmocka_unit_test(without_permission_the_command_that_grants_it_is_told),
      cmocka_unit_test(the_machines_own_registers_do_not_stand_in_for_a_tree),
      cmocka_unit_test(a_library_of_another_kind_is_refused_by_name),
#endif
      cmocka_unit_test(an_absent_library_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
