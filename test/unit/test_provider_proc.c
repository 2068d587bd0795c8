/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What /proc and cpufreq say, on trees written by the test; values by hand. */
#include "monitor/input.h"
#include "provider_support.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_stat(const struct tree *t, unsigned user0, unsigned idle0, bool second) {
  tree_put(t, "/proc/stat",
           "cpu  %u 0 20 %u 0 0 0 0 0 0\ncpu0 %u 0 10 %u 0 0 0 0 0 0\n%sintr 1 2 3\nctxt 9\n",
           user0, idle0, user0, idle0, second ? "cpu1 0 0 10 0 0 0 0 0 0 0\n" : "");
}

static void processors_are_counted_in_seconds(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_stat(&t, 1000, 500, false);
  struct siox_collector *c = collector_on(&t, "processors");
  cycle_at(c, 0);
  put_stat(&t, 1080, 520, false);
  cycle_at(c, 1000);
  assert_near(value_of(c, "cpu_user", "cpu0"), 0.8, 1e-12); /* 80 ticks of 10 ms */
  assert_near(value_of(c, "cpu_idle", ""), 0.2, 1e-12);
  assert_near(value_of(c, "cpu_system", "cpu0"), 0, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_processor_that_comes_is_seen(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_stat(&t, 1000, 500, false);
  struct siox_collector *c = collector_on(&t, "processors");
  cycle_at(c, 0);
  put_stat(&t, 1010, 500, true);
  cycle_at(c, 100);
  assert_near(value_of(c, "cpu_user", "cpu0"), 1, 1e-12);
  assert_int_equal(series_of(c, "cpu_user", "cpu1")->last.state, SIOX_SAMPLE_FIRST);
  put_stat(&t, 1020, 500, false);
  cycle_at(c, 200);
  assert_true(series_of(c, "cpu_user", "cpu1")->gone);
  assert_near(value_of(c, "cpu_user", "cpu0"), 1, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_count_of_the_kernel_that_goes_back_is_lost(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_stat(&t, 1000, 500, false);
  struct siox_collector *c = collector_on(&t, "processors");
  cycle_at(c, 0);
  put_stat(&t, 1001, 499, false);
  cycle_at(c, 100);
  assert_int_equal(series_of(c, "cpu_idle", "cpu0")->last.state, SIOX_SAMPLE_LOST);
  assert_near(value_of(c, "cpu_user", "cpu0"), 0.1, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void memory_is_in_bytes(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/proc/meminfo",
           "MemTotal:       24576 kB\nMemFree:         1024 kB\nMemAvailable:    2048 kB\nCached: "
           "7 kB\n");
  struct siox_collector *c = collector_on(&t, "memory");
  cycle_at(c, 0);
  assert_near(value_of(c, "mem_total", ""), 24576. * 1024, 0);
  assert_near(value_of(c, "mem_available", ""), 2048. * 1024, 0);
  assert_int_equal(series_of(c, "mem_dirty", "")->last.error, SIOX_ENOENT); /* not said is not 0 */
  siox_collector_free(c);
  tree_free(&t);
}

static void put_disks(const struct tree *t, unsigned sectors, unsigned busy) {
  tree_put(t, "/proc/diskstats",
           "   8       0 sda 10 0 %u 40 5 0 16 60 3 %u 100 0 0 0 0 0 0\n   8       1 sda1 10 0 %u "
           "40 5 0 16 60 0 1 100\n"
           "   7       0 loop0 9 0 9 9 9 0 9 9 0 9 9\n",
           sectors, busy, sectors);
}

static void block_devices_are_whole_ones(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/sys/block/sda/dev", "8:0");
  tree_put(&t, "/sys/block/loop0/dev", "7:0");
  put_disks(&t, 1000, 500);
  struct siox_collector *c = collector_on(&t, "blocks");
  cycle_at(c, 0);
  put_disks(&t, 1200, 750);
  cycle_at(c, 1000);
  assert_near(value_of(c, "disk_bytes_read", "sda"), 200 * 512, 1e-9);
  assert_near(value_of(c, "disk_busy_time", "sda"), 0.25, 1e-12);
  assert_near(value_of(c, "disk_in_flight", "sda"), 3, 0);
  assert_null(series_of(c, "disk_bytes_read", "sda1"));
  assert_null(series_of(c, "disk_bytes_read", "loop0"));
  siox_collector_free(c);
  tree_free(&t);
}

static void what_becomes_a_device_is_found_within_seconds(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/sys/block/sda/dev", "8:0");
  tree_put(&t, "/proc/diskstats",
           " 8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n 8 1 md0 0 0 0 0 0 0 0 0 0 0 0\n");
  struct siox_collector *c = collector_on(&t, "blocks");
  cycle_at(c, 0);
  assert_null(series_of(c, "disk_reads", "md0"));
  tree_put(&t, "/sys/block/md0/dev", "8:1");
  cycle_at(c, 4000);
  assert_non_null(series_of(c, "disk_reads", "md0"));
  siox_collector_free(c);
  tree_free(&t);
}

static void a_line_between_others_is_asked_about_itself(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/sys/block/sda/dev", "8:0");
  tree_put(&t, "/sys/block/sdb/dev", "8:16");
  tree_put(&t, "/proc/diskstats",
           " 8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n 8 16 sdb 2 0 0 0 0 0 0 0 0 0 0\n");
  struct siox_collector *c = collector_on(&t, "blocks");
  cycle_at(c, 1);
  tree_put(&t, "/proc/diskstats",
           " 8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n 8 1 sda1 9 0 0 0 0 0 0 0 0 0 0\n"
           " 8 16 sdb 5 0 0 0 0 0 0 0 0 0 0\n");
  cycle_at(c, 1001);
  assert_null(series_of(c, "disk_reads", "sda1"));
  assert_near(value_of(c, "disk_reads", "sdb"), 3, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_kept_file_of_what_went_away_from_the_machine_is_gone(void **unused) {
  (void)unused;
  char path[64], text[1024];
  struct siox__input in;
  const pid_t child = fork();
  if (child == 0)
    for (;;)
      pause();
  assert_true(child > 0);
  snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
  assert_int_equal(siox__input_at(&in, "", path), 0);
  assert_true(siox__input_again(&in, text, sizeof text) > 0);
  assert_true(siox__input_again(&in, text, sizeof text) > 0);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert_int_equal(siox__input_again(&in, text, sizeof text), SIOX_ENOENT);
  assert_int_equal(in.fd, -1);
}

static void a_devices_milliseconds_start_again_after_49_days(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/sys/block/sda/dev", "8:0");
  put_disks(&t, 0, 4294967200u); /* 2^32 - 96 */
  struct siox_collector *c = collector_on(&t, "blocks");
  cycle_at(c, 0);
  put_disks(&t, 0, 4);
  cycle_at(c, 1000);
  assert_near(value_of(c, "disk_busy_time", "sda"), 0.1, 1e-12);
  siox_collector_free(c);
  tree_free(&t);
}

static void put_net(const struct tree *t, const char *line) {
  tree_put(t, "/proc/net/dev",
           "Inter-|   Receive                                                |  Transmit\n"
           " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets "
           "errs drop fifo colls carrier compressed\n%s",
           line);
}

static void an_interface_may_have_colons_and_no_space_behind_the_last(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_net(&t,
          "    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\neth0:1:100 1 2 0 0 0 0 0 700 1 0 5 0 0 0 0\n");
  struct siox_collector *c = collector_on(&t, "networks");
  cycle_at(c, 0);
  put_net(&t,
          "    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\neth0:1:400 1 3 0 0 0 0 0 900 1 0 5 0 0 0 0\n");
  cycle_at(c, 2000);
  assert_near(value_of(c, "net_bytes_received", "eth0:1"), 150, 1e-9);
  assert_near(value_of(c, "net_receive_errors", "eth0:1"), 0.5, 1e-12);
  assert_near(value_of(c, "net_bytes_sent", "eth0:1"), 100, 1e-9);
  assert_near(value_of(c, "net_send_drops", "eth0:1"), 0, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void an_interface_that_is_made_anew_begins_anew(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  put_net(&t, "veth1: 5000 1 2 0 0 0 0 0 700 1 0 5 0 0 0 0\n");
  struct siox_collector *c = collector_on(&t, "networks");
  cycle_at(c, 0);
  put_net(&t, "");
  cycle_at(c, 100);
  put_net(&t, "veth1: 9000 1 2 0 0 0 0 0 800 1 0 5 0 0 0 0\n");
  cycle_at(c, 200);
  assert_int_equal(series_of(c, "net_bytes_received", "veth1")->last.state, SIOX_SAMPLE_FIRST);
  assert_near(series_of(c, "net_bytes_received", "veth1")->total, 0, 0);
  siox_collector_free(c);
  tree_free(&t);
}

static void clocks_are_in_hertz_and_in_order_of_number(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_put(&t, "/sys/devices/system/cpu/cpu10/cpufreq/scaling_cur_freq", "1200000\n");
  tree_put(&t, "/sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "3400000\n");
  tree_put(&t, "/sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "1\n");
  tree_put(&t, "/sys/devices/system/cpu/cpu3/topology/core_id", "3\n");
  struct siox_collector *c = collector_on(&t, "frequency");
  cycle_at(c, 0);
  assert_int_equal(siox_collector_last(c)->nseries, 2);
  assert_string_equal(siox_collector_last(c)->series[0].metric.where, "cpu2");
  assert_near(value_of(c, "frequency", "cpu2"), 3.4e9, 1);
  assert_near(value_of(c, "frequency", "cpu10"), 1.2e9, 1);
  siox_collector_free(c);
  tree_free(&t);
}

static void a_machine_without_a_source_says_which(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  assert_refused(&t, "frequency", SIOX_ENOENT, "/sys/devices/system/cpu");
  assert_refused(&t, "processors", SIOX_ENOENT, "/proc/stat");
  assert_refused(&t, "memory", SIOX_ENOENT, "/proc/meminfo");
  assert_refused(&t, "blocks", SIOX_ENOENT, "/proc/diskstats");
  assert_refused(&t, "networks", SIOX_ENOENT, "/proc/net/dev");
  tree_free(&t);
}

/* Each file in turn holds what nobody expects there; readings may be lost, and nothing else may
 * happen. */
static void nonsense_in_a_file_is_no_reading(void **unused) {
  (void)unused;
  static const struct {
    const char *provider, *path, *good;
  } files[] = {
      {"processors", "/proc/stat", "cpu  1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\nintr 0\n"},
      {"memory", "/proc/meminfo", "MemTotal: 4 kB\nMemFree: 2 kB\n"},
      {"blocks", "/proc/diskstats", " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"},
      {"networks", "/proc/net/dev", "a\nb\neth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"},
      {"frequency", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000\n"},
  };
  static const char *const nonsense[] = {"",
                                         "\n",
                                         "x",
                                         "-5",
                                         "cpu",
                                         "cpu  \ncpu0 x\n",
                                         "99999999999999999999999999",
                                         "MemTotal: x kB",
                                         "MemTotal: 18446744073709551616 kB",
                                         " 8 0 sda\n 8 0",
                                         "8",
                                         ":::::",
                                         "eth0:",
                                         ": 1 2",
                                         "\x01\xff\xfe",
                                         "nan",
                                         "1e300",
                                         " 8 0 a/b/c 1 2 3\n"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
      struct tree t;
      tree_new(&t);
      tree_put(&t, "/sys/block/sda/dev", "8:0");
      tree_put(&t, files[f].path, "%s", files[f].good);
      struct siox_collector *c = collector_on(&t, files[f].provider);
      cycle_at(c, 0);
      tree_put(&t, files[f].path, "%s", nonsense[i]);
      cycle_at(c, 100);
      tree_put(&t, files[f].path, "%s", files[f].good);
      const struct siox_cycle *last = cycle_at(c, 200);
      for (size_t s = 0; s < last->nseries; s++) {
        assert_true(last->series[s].last.amount >= 0 && last->series[s].total >= 0);
        assert_true(isfinite(last->series[s].last.value));
      }
      siox_collector_free(c);
      tree_free(&t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processors_are_counted_in_seconds),
      cmocka_unit_test(a_processor_that_comes_is_seen),
      cmocka_unit_test(a_count_of_the_kernel_that_goes_back_is_lost),
      cmocka_unit_test(memory_is_in_bytes),
      cmocka_unit_test(block_devices_are_whole_ones),
      cmocka_unit_test(what_becomes_a_device_is_found_within_seconds),
      cmocka_unit_test(a_line_between_others_is_asked_about_itself),
      cmocka_unit_test(a_kept_file_of_what_went_away_from_the_machine_is_gone),
      cmocka_unit_test(a_devices_milliseconds_start_again_after_49_days),
      cmocka_unit_test(an_interface_may_have_colons_and_no_space_behind_the_last),
      cmocka_unit_test(an_interface_that_is_made_anew_begins_anew),
      cmocka_unit_test(clocks_are_in_hertz_and_in_order_of_number),
      cmocka_unit_test(a_machine_without_a_source_says_which),
      cmocka_unit_test(nonsense_in_a_file_is_no_reading),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
