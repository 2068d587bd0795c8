/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Utilisation out of other measurements, and readings out of a file. */
#include "provider_support.h"
#include <time.h>

/* A node with one processor, a disk and a link of 1 Gbit/s. */
static void put_node(const struct tree *t, unsigned user, unsigned idle, unsigned busy_ms,
                     unsigned long sent) {
  tree_put(t, "/proc/stat", "cpu  %u 0 0 %u 0 0 0 0\ncpu0 %u 0 0 %u 0 0 0 0\nintr 1\n", user, idle,
           user, idle);
  tree_put(t, "/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 250 kB\n");
  tree_put(t, "/sys/block/sda/dev", "8:0");
  tree_put(t, "/sys/block/sdb/dev", "8:16");
  tree_put(t, "/proc/diskstats",
           " 8 0 sda 0 0 0 0 0 0 0 0 0 %u 0\n 8 16 sdb 0 0 0 0 0 0 0 0 0 0 0\n", busy_ms);
  tree_put(t, "/sys/class/net/eth0/speed", "1000\n");
  tree_put(t, "/proc/net/dev",
           "a\nb\n lo: 0 0 0 0 0 0 0 0 9999999 0 0 0 0 0 0 0\n eth0: 0 0 0 0 0 0 0 0 %lu 0 0 0 0 0 "
           "0 0\n",
           sent);
}

static struct siox_collector *node_on(const struct tree *t) {
  static const char *const others[] = {"utilisation", "processors", "memory", "blocks", "networks"};
  struct siox_collector *c;
  struct siox_diag diag;
  assert_int_equal(siox_collector_new(&c), 0);
  for (size_t i = 0; i < 5;
       i++) /* utilisation first: its phase, not its place, says when it is read */
    assert_int_equal(siox_collector_add(c, siox_provider_find(others[i]),
                                        &(struct siox_provider_env){.root = t->root}, &diag),
                     0);
  return c;
}

static void utilisation_is_of_the_same_cycle_and_of_the_fullest_place(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_node(&t, 0, 0, 0, 0);
  struct siox_collector *c = node_on(&t);
  cycle_at(c, 0);
  put_node(&t, 75, 25, 400, 25000000);
  cycle_at(c, 1000);
  assert_near(value_of(c, "utilisation", "cpu"), 0.75, 1e-12);
  assert_near(value_of(c, "utilisation", "memory"), 0.75, 1e-12);
  assert_near(value_of(c, "utilisation", "disk"), 0.4, 1e-12);
  assert_near(value_of(c, "utilisation", "network"), 0.2,
              1e-12); /* 25 of 125 MB/s; lo has no speed */
  siox_collector_free(c);
  tree_free(&t);
}

static void what_a_part_of_is_lost_has_no_utilisation(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_node(&t, 100, 100, 0, 0);
  struct siox_collector *c = node_on(&t);
  cycle_at(c, 0);
  put_node(&t, 50, 150, 0, 0); /* user went back */
  cycle_at(c, 1000);
  assert_int_equal(series_of(c, "utilisation", "cpu")->last.state, SIOX_SAMPLE_LOST);
  assert_near(value_of(c, "utilisation", "disk"), 0, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void what_may_be_the_fullest_disk_is_not_left_out(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_node(&t, 0, 0, 100, 0);
  struct siox_collector *c = node_on(&t);
  cycle_at(c, 0);
  tree_put(&t, "/proc/diskstats",
           " 8 0 sda 0 0 0 0 0 0 0 0 0 x 0\n 8 16 sdb 0 0 0 0 0 0 0 0 0 100 0\n");
  cycle_at(c, 1000);
  assert_int_equal(series_of(c, "utilisation", "disk")->last.state, SIOX_SAMPLE_LOST);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_disk_that_comes_is_looked_at_like_the_others(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_node(&t, 0, 0, 0, 0);
  tree_put(&t, "/proc/diskstats", " 8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n");
  struct siox_collector *c = node_on(&t);
  cycle_at(c, 0);
  cycle_at(c, 1000);
  assert_near(value_of(c, "utilisation", "disk"), 0, 0);
  for (unsigned s = 2; s < 4; s++) { /* sdb is busy for 0.9 s a second */
    tree_put(&t, "/proc/diskstats",
             " 8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n 8 16 sdb 0 0 0 0 0 0 0 0 0 %u 0\n", s * 900);
    cycle_at(c, s * 1000);
  }
  assert_near(value_of(c, "utilisation", "disk"), 0.9, 1e-12);
  tree_put(&t, "/proc/diskstats", " 8 0 sda 0 0 0 0 0 0 0 0 0 100 0\n");
  cycle_at(c, 4000);
  assert_near(value_of(c, "utilisation", "disk"), 0.1, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static const char script[] = "/script";
static int scripted(const struct tree *t, struct siox_collector **c, struct siox_diag *diag) {
  static char path[4096];
  const struct siox_option setting = {"file", tree_path(t, script, path), 1};
  assert_int_equal(siox_collector_new(c), 0);
  return siox_collector_add(
      *c, siox_provider_find("scripted"),
      &(struct siox_provider_env){.root = "", .settings = &setting, .nsettings = 1}, diag);
}

static void a_row_of_a_script_holds_until_the_next(void **unused) {
  (void)unused;
  struct tree t;
  struct siox_collector *c;
  struct siox_diag diag;
  tree_new(&t);
  tree_put(&t, script,
           "# energy\nmetric energy package-0 J counter domain=package scale=1e-6 bound=400\n"
           "metric load - 1 gauge\nat 0 0 0.25\nat 1 20000000 0.5 # then\nat 2 50000000 -\n");
  assert_int_equal(scripted(&t, &c, &diag), 0);
  cycle_at(c, 7000); /* times count from the first reading */
  assert_near(value_of(c, "load", ""), 0.25, 0);
  cycle_at(c, 7900);
  assert_near(value_of(c, "energy", "package-0"), 0, 0);
  cycle_at(c, 8000);
  assert_near(series_of(c, "energy", "package-0")->last.amount, 20, 1e-9);
  assert_near(siox_cycle_joules(siox_collector_last(c), NULL), 20, 1e-9);
  cycle_at(c, 9999000);
  assert_near(series_of(c, "energy", "package-0")->total, 50, 1e-9);
  assert_int_equal(series_of(c, "load", "")->last.state, SIOX_SAMPLE_LOST);
  siox_collector_free(c);
  tree_free(&t);
}

static void what_is_wrong_in_a_script_is_named_with_its_line(void **unused) {
  (void)unused;
  static const struct {
    const char *text, *says;
  } wrong[] = {
      {"", "has no row"},
      {"metric a b 1 gauge\nhello\n", ":2: hello"},
      {"metric a b 1\n", ":1: metric"},
      {"metric a b 1 gouge\n", ":1: gouge"},
      {"metric a b 1 counter wrap=x\n", ":1: x"},
      {"metric a b 1 counter domain=moon\n", ":1: moon"},
      {"metric a b 1 counter colour=red\n", ":1: colour"},
      {"metric a b 1 counter\nat 0 1.5\n", ":2: 1.5"},
      {"metric a b 1 counter\nat 0 -1\n", ":2: -1"},
      {"metric a b 1 gauge\nat 0 nan\n", ":2: nan"},
      {"metric a b 1 gauge\nat 1 1\nat 1 2\n", ":3: 1"},
      {"metric a b 1 gauge\nat 0\n", ":2: a"},
      {"metric a b 1 gauge\nat 0 1 2\n", ":2: 2"},
      {"metric a b 1 gauge\nat 0 1\nmetric c d 1 gauge\n", ":3: c"},
      {"at\n", ":1:"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct tree t;
    struct siox_collector *c;
    struct siox_diag diag;
    tree_new(&t);
    tree_put(&t, script, "%s", wrong[i].text);
    assert_true(scripted(&t, &c, &diag) < 0);
    if (!strstr(diag.text, wrong[i].says))
      print_error("%s in place of %s\n", diag.text, wrong[i].says);
    assert_non_null(strstr(diag.text, wrong[i].says));
    siox_collector_free(c);
    tree_free(&t);
  }
}

static void a_setting_that_is_not_there_is_named_with_file_and_line(void **unused) {
  (void)unused;
  const struct siox_option setting = {"colour", "red", 12};
  struct siox_diag diag;
  void *state;
  for (const struct siox_provider *const *p = siox_providers(); *p; p++) {
    const struct siox_provider_env env = {
        .root = "/nowhere", .origin = "siox.yaml", .settings = &setting, .nsettings = 1};
    assert_int_equal((*p)->open(&env, &state, &diag), SIOX_EINVAL);
    assert_non_null(strstr(diag.text, "siox.yaml:12: colour"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(utilisation_is_of_the_same_cycle_and_of_the_fullest_place),
      cmocka_unit_test(what_a_part_of_is_lost_has_no_utilisation),
      cmocka_unit_test(what_may_be_the_fullest_disk_is_not_left_out),
      cmocka_unit_test(a_disk_that_comes_is_looked_at_like_the_others),
      cmocka_unit_test(a_row_of_a_script_holds_until_the_next),
      cmocka_unit_test(what_is_wrong_in_a_script_is_named_with_its_line),
      cmocka_unit_test(a_setting_that_is_not_there_is_named_with_file_and_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
