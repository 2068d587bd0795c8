/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration: defaults, precedence, and messages that name the origin of a wrong value. */
#include "files.h"
#include "siox/config.h"
#include <sys/mman.h>
#include <unistd.h>

static const char *const variables[] = {
#define SIOX_CONFIG(type, key, initial, environment, help) environment,
#include "siox/config.def"
#undef SIOX_CONFIG
};

/* Every test starts without settings in its environment. */
static int clean(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    unsetenv(variables[i]);
  unsetenv("SIOX_CONFIG");
  return setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
}

static void load(struct siox_config *c, const char *text) {
  struct siox_diag diag;
  int rc = siox_config_load(c, test_file("siox.yaml", text), NULL, 0, &diag);
  assert_string_equal(diag.text, "");
  assert_int_equal(rc, 0);
}

static void defaults_are_those_of_the_table(void **state) {
  (void)state;
  struct siox_config c;
  load(&c, "{}\n");
  assert_string_equal(c.socket, "/run/user/7/siox.sock");
  assert_null(c.mount);
  assert_int_equal(c.disks, 8);
  assert_int_equal(c.drive.count, 1);
  assert_string_equal(c.drive.item[0], "36Z15");
  assert_int_equal(c.transition_rule, SIOX_RULE_B);
  assert_true(c.time_scale == 1);
  assert_int_equal(c.initial_level, SIOX_SPEED_FULL);
  assert_string_equal(c.policy, "siox");
  assert_true(c.hold_factor == 10);
  assert_true(c.early_quantile == 100);
  struct siox_limits limits = siox_config_limits(&c);
  assert_true(limits.early == 1);
  assert_true(limits.wear);
  assert_true(limits.start_stop_per_day == 27);
  assert_true(limits.load_unload_per_day == 329);
  assert_true(limits.inrush_w == 0);
  assert_true(limits.delay_budget == 0);
  assert_true(limits.user_share == 1);
  assert_true(limits.inrush_wait_ns == INT64_C(10000000000));
  assert_true(limits.hold_joined_ns == INT64_C(60000000000));
  char text[64];
  siox_layout_format(&c.default_layout, text, sizeof text);
  assert_string_equal(text, "0:8:64K");
  assert_null(c.layouts);
  assert_null(c.database);
  assert_null(c.record);
  assert_int_equal(c.clock, SIOX_CLOCK_MONOTONIC);
  assert_true(c.stop_when_idle == -1);
  siox_config_free(&c);
}

static void a_file_that_lies_nowhere_is_read_too(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  char path[64];
  int fd = memfd_create("configuration", MFD_CLOEXEC); /* like a shell's <(...) */
  assert_int_equal(write(fd, "disks: 3\n", 9), 9);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  assert_int_equal(siox_config_load(&c, path, NULL, 0, &diag), 0);
  assert_int_equal(c.disks, 3);
  siox_config_free(&c);
  close(fd);
}

static void default_layout_covers_the_disks_there_are(void **state) {
  (void)state;
  struct siox_config c;
  char text[64];
  load(&c, "disks: 5\n");
  siox_layout_format(&c.default_layout, text, sizeof text);
  assert_string_equal(text, "0:5:64K");
  siox_config_free(&c);
  load(&c, "default_layout: '1:3:4K'\ndisks: 6\n"); /* in any order */
  siox_layout_format(&c.default_layout, text, sizeof text);
  assert_string_equal(text, "1:3:4K");
  assert_int_equal(c.default_layout.ndisks, 6);
  siox_config_free(&c);
}

static void a_file_sets_every_type(void **state) {
  (void)state;
  struct siox_config c;
  load(&c, "mount: /mnt/store\n"
           "disks: 2\n"
           "drive: [36Z15, 36Z15]\n"
           "transition_rule: c\n"
           "time_scale: 10\n"
           "initial_level: 9000\n"
           "policy: static:6000\n"
           "hold_factor: 2.5\n"
           "clock: stamped\n"
           "stop_when_idle: 0.5\n"
           "log_level: debug\n");
  assert_string_equal(c.mount, "/mnt/store");
  assert_int_equal(c.disks, 2);
  assert_int_equal(c.drive.count, 2);
  assert_int_equal(c.transition_rule, SIOX_RULE_C);
  assert_true(c.time_scale == 10);
  assert_int_equal(c.initial_level, 9000);
  assert_string_equal(c.policy, "static:6000");
  assert_true(c.hold_factor == 2.5);
  assert_int_equal(c.clock, SIOX_CLOCK_STAMPED);
  assert_true(c.stop_when_idle == 0.5);
  assert_int_equal(c.log_level, 3);
  siox_config_free(&c);
}

static void paths_in_a_file_start_at_its_directory(void **state) {
  (void)state;
  struct siox_config c;
  char expected[300], *real = realpath(test_directory, NULL);
  load(&c, "record: out/run.siox\nlayouts: /etc/layouts.yaml\ndrive: ./my.yaml\n");
  snprintf(expected, sizeof expected, "%s/out/run.siox", real);
  assert_string_equal(c.record, expected);
  assert_string_equal(c.layouts, "/etc/layouts.yaml");
  snprintf(expected, sizeof expected, "%s/./my.yaml", real);
  assert_string_equal(c.drive.item[0], expected);
  siox_config_free(&c);
  free(real);
}

static void environment_over_file_and_command_line_over_both(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  const struct siox_config_override over[] = {{"policy=rt", "--policy"},
                                              {"record=x.siox", "--set"}};
  const char *path = test_file("siox.yaml", "policy: base\ndisks: 4\nhold_factor: 3\n");
  setenv("SIOX_POLICY", "claims", 1);
  setenv("SIOX_DISKS", "6", 1);
  setenv("SIOX_HOLD_FACTOR", "", 1); /* empty: not set */
  assert_int_equal(siox_config_load(&c, path, over, 2, &diag), 0);
  assert_string_equal(c.policy, "rt");
  assert_string_equal(c.record, "x.siox");
  assert_int_equal(c.disks, 6);
  assert_true(c.hold_factor == 3);
  siox_config_free(&c);
}

static void the_file_can_be_named_by_the_environment(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  setenv("SIOX_CONFIG", test_file("named.yaml", "disks: 3\n"), 1);
  assert_int_equal(siox_config_load(&c, NULL, NULL, 0, &diag), 0);
  assert_int_equal(c.disks, 3);
  assert_string_equal(c.file, test_file("named.yaml", NULL));
  siox_config_free(&c);
}

static void mistakes_in_a_file_are_named_with_line_and_key(void **state) {
  (void)state;
  const struct {
    const char *text;
    int code;
    const char *message;
  } cases[] = {
      {"disks: 4\npolicies: rt\n", SIOX_EINVAL, ":2: policies: unknown key; did you mean policy?"},
      {"disks: 4\n\n# more\ndisks: 5\n", SIOX_EINVAL, ":4: disks: this key is given twice"},
      {"disks: 0\n", SIOX_ERANGE, ":1: disks: 0 is not between 1 and 65536"},
      {"disks: 99999999999999999999\n", SIOX_ERANGE,
       ":1: disks: 99999999999999999999 is not between 1 and 65536"},
      {"disks: four\n", SIOX_EINVAL, ":1: disks: \"four\" is not a whole number"},
      {"disks: [4]\n", SIOX_EINVAL, ":1: disks: expected a single value"},
      {"mount: /a\ntime_scale: 0.5\n", SIOX_ERANGE,
       ":2: time_scale: 0.5 is not between 1 and 1000"},
      {"transition_rule: z\n", SIOX_EINVAL, ":1: transition_rule: \"z\" is not a, b or c"},
      {"initial_level: slow\n", SIOX_EINVAL,
       ":1: initial_level: \"slow\" is not full, lowest or a speed above 0"},
      {"hold_factor: 0\n", SIOX_ERANGE, ":1: hold_factor: \"0\" is not greater than 0"},
      {"stop_when_idle: -2\n", SIOX_ERANGE,
       ":1: stop_when_idle: -2 is not between -1 and 1000000000"},
      {"clock: sundial\n", SIOX_EINVAL, ":1: clock: \"sundial\" is not monotonic or stamped"},
      {"record_activities: some\n", SIOX_EINVAL,
       ":1: record_activities: \"some\" is not all, anomalies or off"},
      {"record_trace: off\n", SIOX_EINVAL, ":1: record_trace: \"off\" is not all or kept"},
      {"log_level: loud\n", SIOX_EINVAL,
       ":1: log_level: \"loud\" is not error, warn, info or debug"},
      {"disks: 4\ndefault_layout: '0:8:64K'\n", SIOX_ERANGE,
       ":2: default_layout: \"0:8:64K\" is not a layout BASE:FACTOR:UNIT or N,N,...:UNIT over 4 "
       "disks: value out of range"},
      {"drive: [36Z15, 36Z15]\n", SIOX_EINVAL,
       ":1: drive: 2 profiles for 8 disks; give one, or one a disk"},
      {"drive:\n  - 36Z15\n  - {a: b}\n", SIOX_EINVAL,
       ":3: drive[1]: expected a name or a list of names"},
      {"drive: []\n", SIOX_EINVAL, ":1: drive: expected a name or a list of names"},
      {"disks: 4\npolicy: sioks\n", SIOX_EINVAL,
       ":2: policy: \"sioks\" is not one of base static:SPEED timeout[:SECONDS|:adaptive] "
       "hw[:n=N,ut=PERCENT,lt=PERCENT,check=SECONDS] com rt claims "
       "siox[:delay=PERCENT,early=PERCENT,share=PERCENT]"},
      {"disks: 4\npolicy: \"base\n", SIOX_ESYNTAX,
       ":3: while scanning a quoted scalar, found unexpected end of stream"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct siox_config c;
    struct siox_diag diag;
    int rc = siox_config_load(&c, test_file("bad.yaml", cases[i].text), NULL, 0, &diag);
    expect_message(diag.text, "bad.yaml", cases[i].message);
    assert_int_equal(rc, cases[i].code);
    siox_config_free(&c);
  }
}

static void mistakes_elsewhere_are_named_with_their_origin(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  const char *path = test_file("siox.yaml", "disks: 4\n");
  struct siox_config_override over = {"disks=x", "--disks"};
  assert_int_equal(siox_config_load(&c, path, &over, 1, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "--disks: disks: \"x\" is not a whole number");
  over = (struct siox_config_override){"speed=3", "--set"};
  assert_int_equal(siox_config_load(&c, path, &over, 1, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "--set: speed: unknown key");
  over = (struct siox_config_override){"disks", "--set"};
  assert_int_equal(siox_config_load(&c, path, &over, 1, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "--set: disks: expected key=value");
  over = (struct siox_config_override){"mount=store", "--mount"};
  assert_int_equal(siox_config_load(&c, path, &over, 1, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "--mount: mount: the path must be absolute");
  setenv("SIOX_CLOCK", "x", 1);
  assert_int_equal(siox_config_load(&c, path, NULL, 0, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "SIOX_CLOCK: clock: \"x\" is not monotonic or stamped");
}

static void a_wrong_value_is_an_error_even_if_overridden(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  const struct siox_config_override over = {"disks=4", "--disks"};
  assert_int_equal(siox_config_load(&c, test_file("bad.yaml", "disks: x\n"), &over, 1, &diag),
                   SIOX_EINVAL);
  expect_message(diag.text, "bad.yaml", ":1: disks: \"x\" is not a whole number");
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  assert_int_equal(siox_config_load(&c, "/nowhere/siox.yaml", NULL, 0, &diag), SIOX_ENOENT);
  assert_string_equal(diag.text, "/nowhere/siox.yaml: No such file or directory");
}

static void a_socket_path_must_fit(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  char text[200] = "socket: /";
  memset(text + 9, 's', 107);
  assert_int_equal(siox_config_load(&c, test_file("long.yaml", text), NULL, 0, &diag), SIOX_ERANGE);
  expect_message(diag.text, "long.yaml", ":1: socket: a socket's path has at most 107 bytes");
}

static void drives_are_loaded_with_scale_rule_and_level(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  struct siox_config_drives drives;
  load(&c, "disks: 3\ntransition_rule: a\ntime_scale: 10\ninitial_level: 9000\n");
  assert_int_equal(siox_config_drives(&drives, &c, &diag), 0);
  assert_int_equal(drives.ndisks, 3);
  assert_int_equal(drives.nprofiles, 1);
  for (int d = 0; d < 3; d++) {
    assert_ptr_equal(drives.disk[d], &drives.profile[0]);
    assert_int_equal(drives.initial_level[d], 1);
  }
  assert_int_equal(drives.profile[0].rule, SIOX_RULE_A);
  assert_true(drives.profile[0].time_scale == 10);
  siox_config_drives_free(&drives);
  siox_config_free(&c);
}

static void each_disk_can_have_its_own_drive(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  struct siox_config_drives drives;
  test_file("other.yaml", "name: other\nseek_ms: 1\nlevels:\n"
                          "  - {speed: 1, idle_w: 1, active_w: 2, rate: 5e6}\n");
  load(&c, "disks: 3\ndrive: [36Z15, ./other.yaml, 36Z15]\n");
  assert_int_equal(siox_config_drives(&drives, &c, &diag), 0);
  assert_int_equal(drives.nprofiles, 2);
  assert_string_equal(drives.disk[0]->name, "36Z15");
  assert_string_equal(drives.disk[1]->name, "other");
  assert_ptr_equal(drives.disk[2], drives.disk[0]);
  siox_config_drives_free(&drives);
  siox_config_free(&c);
}

static void initial_level_must_be_a_speed_of_the_drive(void **state) {
  (void)state;
  struct siox_config c;
  struct siox_diag diag;
  struct siox_config_drives drives;
  load(&c, "initial_level: 7000\n");
  assert_int_equal(siox_config_drives(&drives, &c, &diag), SIOX_EINVAL);
  assert_non_null(strstr(diag.text, ":1: initial_level: 7000 is not a speed of 36Z15"));
  siox_config_free(&c);
}

static void text_of_every_setting_is_what_was_given(void **state) {
  (void)state;
  static const char *const given[] = {"socket=/run/s",
                                      "mount=/scratch/siox",
                                      "disks=3",
                                      "drive=36Z15,/a/x.yaml,36Z15",
                                      "transition_rule=c",
                                      "time_scale=2.5",
                                      "initial_level=lowest",
                                      "policy=static:6000",
                                      "hold_factor=0.1",
                                      "early_quantile=12.5",
                                      "start_stop_per_day=0",
                                      "load_unload_per_day=3",
                                      "inrush_watts=100",
                                      "power_group=2",
                                      "array=3",
                                      "inrush_wait=7",
                                      "hold_joined=8",
                                      "user_share=50",
                                      "delay_budget=5",
                                      "delay_budget_max=7",
                                      "default_layout=2:2:1M",
                                      "layouts=/l.yaml",
                                      "database=/d",
                                      "statistics=1s,10min",
                                      "state=/s",
                                      "record=/r",
                                      "record_activities=anomalies",
                                      "record_trace=kept",
                                      "record_layers=mpiio,posix",
                                      "record_memory=4",
                                      "monitor_period=0.25",
                                      "monitor=/m.yaml",
                                      "knowledge=/k.yaml",
                                      "node=n-1.east",
                                      "etcd=http://a:2379,https://[::1]:2379",
                                      "etcd_prefix=east",
                                      "etcd_lease=5",
                                      "etcd_ca=/ca.pem",
                                      "etcd_cert=/cert.pem",
                                      "etcd_key=/key.pem",
                                      "clock=stamped",
                                      "stop_when_idle=-1",
                                      "log_level=debug"};
  enum { GIVEN = sizeof given / sizeof *given };
  struct siox_config_override set[GIVEN];
  struct siox_config c;
  struct siox_diag diag;
  for (size_t i = 0; i < GIVEN; i++)
    set[i] = (struct siox_config_override){given[i], "test"};
  assert_int_equal(GIVEN, SIOX_NSETTINGS);
  assert_int_equal(siox_config_load(&c, NULL, set, GIVEN, &diag), 0);
  for (enum siox_setting i = 0; i < SIOX_NSETTINGS; i++) {
    char line[128], *text = siox_config_text(&c, i);
    snprintf(line, sizeof line, "%s=%s", siox_config_key(i), text);
    assert_string_equal(line, given[i]);
    assert_true(c.given[i]);
    free(text);
  }
  siox_config_free(&c);
}

static void servers_are_urls_and_no_more(void **state) {
  (void)state;
  static const char *const good[] = {"etcd=", "etcd=http://a", "etcd=http://a-1.b_c:1",
                                     "etcd=https://127.0.0.1:65535, http://[fe80::1]"};
  static const char *const bad[] = {
      "etcd=a:1",          "etcd=http://",         "etcd=http://:1",
      "etcd=http://a:",    "etcd=http://a:0",      "etcd=http://a:65536",
      "etcd=http://a:1x",  "etcd=http://a:000001", "etcd=http://a/",
      "etcd=http://u@a:1", "etcd=http://u:p@a:1",  "etcd=http://[::1",
      "etcd=http://[]:1",  "etcd=http://a:1,",     "etcd=ftp://a:1",
      "etcd=http://a b:1", "etcd=http://a:1?x=y",  "node=a/b",
      "node=a\x1b",        "etcd_prefix=a b"};
  struct siox_config c;
  struct siox_diag diag;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const struct siox_config_override set = {good[i], "test"};
    assert_int_equal(siox_config_load(&c, NULL, &set, 1, &diag), 0);
    assert_int_equal(c.etcd.count, i < 3 ? i > 0 : 2);
    siox_config_free(&c);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const struct siox_config_override set = {bad[i], "test"};
    assert_int_equal(siox_config_load(&c, NULL, &set, 1, &diag), SIOX_EINVAL);
    assert_memory_equal(diag.text, i < 17 ? "test: etcd: " : "test: ", i < 17 ? 12 : 6);
    assert_null(strstr(diag.text, "u:p"));
  }
}

static void the_table_names_every_setting(void **state) {
  (void)state;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  siox_config_describe(out);
  fclose(out);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    assert_non_null(strstr(text, variables[i]));
  free(text);
}

static void the_table_fits_a_terminal_of_100_columns(void **state) {
  (void)state;
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  siox_config_describe(out);
  fclose(out);
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    assert_in_range(strcspn(line, "\n"), 0, 99);
  free(text);
}

#define TEST(name) cmocka_unit_test_setup(name, clean)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(defaults_are_those_of_the_table),
      TEST(a_file_that_lies_nowhere_is_read_too),
      TEST(default_layout_covers_the_disks_there_are),
      TEST(a_file_sets_every_type),
      TEST(paths_in_a_file_start_at_its_directory),
      TEST(environment_over_file_and_command_line_over_both),
      TEST(the_file_can_be_named_by_the_environment),
      TEST(mistakes_in_a_file_are_named_with_line_and_key),
      TEST(mistakes_elsewhere_are_named_with_their_origin),
      TEST(a_wrong_value_is_an_error_even_if_overridden),
      TEST(a_missing_file_is_named),
      TEST(a_socket_path_must_fit),
      TEST(drives_are_loaded_with_scale_rule_and_level),
      TEST(each_disk_can_have_its_own_drive),
      TEST(initial_level_must_be_a_speed_of_the_drive),
      TEST(text_of_every_setting_is_what_was_given),
      TEST(servers_are_urls_and_no_more),
      TEST(the_table_names_every_setting),
      TEST(the_table_fits_a_terminal_of_100_columns),
  };
  return cmocka_run_group_tests(tests, test_files_begin, test_files_end);
}
