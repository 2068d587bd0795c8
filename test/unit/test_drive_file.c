/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is wrong with a drive profile is said with file, line and key. */
#include "files.h"
#include "siox/drive.h"
#include <math.h>

/* A good profile, by lines, for the cases to spoil. */
#define HEAD                                                                                       \
  "name: test\n"        /* 1 */                                                                    \
  "seek_ms: 4\n"        /* 2 */                                                                    \
  "levels:\n"           /* 3 */                                                                    \
  "  - speed: 1\n"      /* 4 */                                                                    \
  "    serves: false\n" /* 5 */                                                                    \
  "    idle_w: 1\n"     /* 6 */
#define TOP                                                                                        \
  "  - speed: 2\n"      /* 7 */                                                                    \
  "    idle_w: 5\n"     /* 8 */                                                                    \
  "    active_w: 6.5\n" /* 9 */                                                                    \
  "    rate: 1e6\n"     /* 10 */
#define CHANGES                                                                                    \
  "transitions:\n"                                 /* 11 */                                        \
  "  - {from: 2, to: 1, seconds: 1, joules: 3}\n"  /* 12 */                                        \
  "  - {from: 1, to: 2, seconds: 2, joules: 30}\n" /* 13 */

static void a_good_profile_loads(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  const char *path = test_file("good.yaml", HEAD TOP CHANGES);
  assert_int_equal(siox_drive_load(&d, path, 2, &diag), 0);
  assert_string_equal(diag.text, "");
  assert_string_equal(d.name, "test");
  assert_int_equal(d.nlevels, 2);
  assert_false(d.ramp);
  assert_false(d.level[0].serves);
  assert_true(d.level[1].serves);
  assert_true(d.level[1].active_w == 13); /* watts and rates times the scale */
  assert_true(d.level[1].rate == 2e6);
  assert_true(d.seek_ns == 2e6); /* times divided by it */
  assert_int_equal(d.table[0][1].ns, 1000000000);
  assert_true(d.table[0][1].joules == 30); /* joules as they are */
}

static void mistakes_are_named_with_file_line_and_key(void **state) {
  (void)state;
  const struct {
    const char *text;
    int code;
    const char *message;
  } cases[] = {
      {HEAD TOP "speed: 7\n", SIOX_EINVAL,
       ":11: speed: unknown key; there are name, assumed, seek_ms, transition_rule, spindle, "
       "levels, "
       "transitions, standby, wear"},
      {HEAD "    idle: 3\n" TOP, SIOX_EINVAL,
       ":7: levels[0].idle: unknown key; did you mean idle_w?"},
      {HEAD "  - {speed: 2, idle_w: 5, active_w: 6, rate: 1, rate: 2}\n", SIOX_EINVAL,
       ":7: levels[1].rate: this key is given twice"},
      {HEAD TOP "standby:\n  watts: 1\n  spin: 3\n", SIOX_EINVAL,
       ":13: standby.spin: unknown key; there are watts, spin_down_s, spin_down_j, spin_up_s, "
       "spin_up_j"},
      {"seek_ms: 4\nlevels:\n - {speed: 1}\n", SIOX_EINVAL, ":1: name: this key is missing"},
      {"name: x\n", SIOX_EINVAL, ":1: levels: this key is missing"},
      {"name: x\nlevels: []\n", SIOX_EINVAL, ":2: levels: the list has too few entries"},
      {"name: x\nlevels: 3\n", SIOX_EINVAL, ":2: levels: expected a list"},
      {"name: x\nlevels:\n  - 3\n", SIOX_EINVAL, ":3: levels[0]: expected keys with values"},
      {"name: [x]\n", SIOX_EINVAL, ":1: name: expected a single value"},
      {"- 3\n", SIOX_EINVAL, ":1: expected keys with values"},
      {"name: x\n\tlevels: y\n", SIOX_ESYNTAX,
       ":2: while scanning a plain scalar, found a tab character that violates indentation"},
      {"", SIOX_ESYNTAX, ":1: the file is empty"},
      {"name: x\n---\nname: y\n", SIOX_ESYNTAX, ":2: a second document begins here"},
      {HEAD "  - speed: fast\n", SIOX_EINVAL, ":7: levels[1].speed: \"fast\" is not a number"},
      {HEAD "  - speed: 1.5\n", SIOX_EINVAL, ":7: levels[1].speed: a speed is a whole number"},
      {HEAD "  - speed: 1\n", SIOX_ERANGE,
       ":7: levels[1].speed: speeds must grow from level to level"},
      {HEAD "  - speed: 0\n", SIOX_ERANGE,
       ":7: levels[1].speed: 0 is not between 1 and 2147483646"},
      {HEAD "  - speed: 2\n    idle_w: -5\n", SIOX_ERANGE,
       ":8: levels[1].idle_w: -5 is not between 0 and 1000000"},
      {HEAD "  - speed: 2\n    idle_w: 5 W\n", SIOX_EINVAL,
       ":8: levels[1].idle_w: \"5 W\" is not a number"},
      {HEAD "  - speed: 2\n    idle_w: nan\n", SIOX_EINVAL,
       ":8: levels[1].idle_w: \"nan\" is not a number"},
      {HEAD "  - speed: 2\n    idle_w: 0x5\n", SIOX_EINVAL,
       ":8: levels[1].idle_w: \"0x5\" is not a number"},
      {HEAD "  - speed: 2\n    idle_w: 5\n    active_w: 4\n", SIOX_ERANGE,
       ":9: levels[1].active_w: less than idle_w"},
      {HEAD "  - speed: 2\n    idle_w: 5\n    active_w: 6\n    rate: 0\n", SIOX_ERANGE,
       ":10: levels[1].rate: 0 is not between 1 and 1e+15"},
      {HEAD "  - speed: 2\n    serves: maybe\n", SIOX_EINVAL,
       ":8: levels[1].serves: expected true or false"},
      {HEAD "  - {speed: 2, serves: false, idle_w: 5}\n", SIOX_EINVAL,
       ":7: levels[1].serves: the highest level must serve"},
      {HEAD "    rate: 5\n" TOP, SIOX_EINVAL, ":7: levels[0].rate: this level does not serve"},
      {HEAD TOP "transition_rule: d\n", SIOX_EINVAL, ":11: transition_rule: expected a, b or c"},
      {HEAD TOP CHANGES "  - {from: 3, to: 1, seconds: 1, joules: 3}\n", SIOX_EINVAL,
       ":14: transitions[2].from: no level has this speed"},
      {HEAD TOP CHANGES "  - {from: 2, to: 1, seconds: 1, joules: 3}\n", SIOX_EEXIST,
       ":14: transitions[2].to: this change is given already"},
      {HEAD TOP CHANGES "  - {from: 2, to: 2, seconds: 1, joules: 3}\n", SIOX_EEXIST,
       ":14: transitions[2].to: the same as from"},
      {HEAD TOP "transitions:\n  - {from: 2, to: 1, seconds: 1, joules: 3}\n", SIOX_EINVAL,
       ":11: transitions: a disk can go to speed 1, but not from there to the highest"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct siox_drive d;
    struct siox_diag diag;
    int rc = siox_drive_load(&d, test_file("bad.yaml", cases[i].text), 1, &diag);
    expect_message(diag.text, "bad.yaml", cases[i].message);
    assert_int_equal(rc, cases[i].code);
    assert_int_equal(d.nlevels, 0);
  }
}

static void figures_left_out_are_named(void **state) {
  (void)state;
  const struct {
    const char *text, *message;
  } cases[] = {
      {HEAD "  - {speed: 2, active_w: 6, rate: 5}\n", ":7: levels[1].idle_w"},
      {HEAD "  - {speed: 2, idle_w: 6, rate: 5}\n", ":7: levels[1].active_w"},
      {HEAD "  - {speed: 2, idle_w: 6, active_w: 7}\n", ":7: levels[1].rate"},
      {"name: x\nlevels:\n  - {speed: 2, idle_w: 6, active_w: 7, rate: 5}\n", ":1: seek_ms"},
      {HEAD TOP "standby: {watts: 3, spin_down_s: 1}\n", ":11: standby.spin_down_j"},
      {HEAD TOP "transitions:\n  - {from: 2, to: 1, seconds: 1}\n", ":12: transitions[0].joules"},
      {HEAD TOP "spindle: {idle_base_w: 3}\n", ":11: spindle.idle_span_w"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct siox_drive d;
    struct siox_diag diag;
    char message[256];
    int rc = siox_drive_load(&d, test_file("part.yaml", cases[i].text), 1, &diag);
    snprintf(message, sizeof message, "%s: the profile does not state it, and emulation needs it",
             cases[i].message);
    expect_message(diag.text, "part.yaml", message);
    assert_int_equal(rc, SIOX_EUNKNOWN);
  }
}

/* Drives whose published figures do not suffice are shipped as far as they go. */
static void shipped_profiles_say_what_they_lack(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(siox_drive_load(&d, "ES.3", 1, &diag), SIOX_EUNKNOWN);
  assert_non_null(strstr(diag.text, "drives/ES.3.yaml:"));
  assert_non_null(strstr(diag.text, ": levels[3].rate: "));
  assert_int_equal(siox_drive_load(&d, "PM981", 1, &diag), SIOX_EUNKNOWN);
  assert_non_null(strstr(diag.text, ": levels[2].idle_w: "));
}

static void what_a_profile_assumes_is_kept(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(
      siox_drive_load(&d, test_file("a.yaml", HEAD TOP "assumed: idle watts\n"), 1, &diag), 0);
  assert_string_equal(d.assumed, "idle watts");
  assert_int_equal(siox_drive_load(&d, "36Z15", 1, &diag), 0);
  assert_string_equal(d.assumed, "");
  assert_int_equal(siox_drive_load(&d, "ES.3-assumed", 1, &diag), 0);
  assert_non_null(strstr(d.assumed, "spin-up"));
  assert_int_equal(siox_drive_load(&d, "PM981-assumed", 1, &diag), 0);
  assert_non_null(strstr(d.assumed, "idle watts"));
}

static void standby_without_a_ramp_is_the_lowest_level(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  const char *path = test_file(
      "standby.yaml", HEAD TOP CHANGES
      "standby: {watts: 0.5, spin_down_s: 3, spin_down_j: 4, spin_up_s: 8, spin_up_j: 90}\n");
  assert_int_equal(siox_drive_load(&d, path, 2, &diag), 0);
  assert_int_equal(d.nlevels, 3);
  assert_int_equal(d.level[0].speed, 0);
  assert_false(d.level[0].serves);
  assert_true(d.level[0].idle_w == 1); /* watts times the scale */
  assert_int_equal(siox_drive_wear(&d, 0), SIOX_WEAR_START);
  assert_int_equal(siox_drive_wear(&d, 1), SIOX_WEAR_LOAD);
  assert_int_equal(siox_drive_transition_ns(&d, 2, 0), 1500000000);
  assert_int_equal(siox_drive_transition_ns(&d, 0, 2), 4000000000);
  assert_int_equal(siox_drive_transition_ns(&d, 1, 0), SIOX_EUNKNOWN);
  assert_int_equal(siox_drive_level(&d, SIOX_SPEED_LOWEST), 2); /* the lowest that serves */
  /* (94 J - 1 W * 5.5 s) / (10 W - 1 W) */
  assert_int_equal(siox_drive_min_gap(&d, 0), 9833333333);
}

static void an_unknown_drive_is_named(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  assert_int_equal(siox_drive_load(&d, "36Z16", 1, &diag), SIOX_ENOENT);
  assert_memory_equal(diag.text, "36Z16: no such drive profile", 28);
  assert_int_equal(siox_drive_load(&d, "/nowhere/x.yaml", 1, &diag), SIOX_ENOENT);
  assert_string_equal(diag.text, "/nowhere/x.yaml: No such file or directory");
}

static void the_data_directory_comes_first(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  char path[300];
  test_file("x", NULL);
  snprintf(path, sizeof path, "%s/drives", test_directory);
  assert_int_equal(symlink(test_directory, path), 0);
  test_file("36Z15.yaml", HEAD TOP);
  setenv("SIOX_DATA_DIR", test_directory, 1);
  assert_int_equal(siox_drive_load(&d, "36Z15", 1, &diag), 0);
  unsetenv("SIOX_DATA_DIR");
  assert_string_equal(d.name, "test");
}

static void time_scale_is_checked(void **state) {
  (void)state;
  struct siox_drive d;
  struct siox_diag diag;
  const double bad[] = {0, 0.5, -1, 1000.5, NAN, INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(siox_drive_load(&d, "36Z15", bad[i], &diag), SIOX_ERANGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_good_profile_loads),
      cmocka_unit_test(mistakes_are_named_with_file_line_and_key),
      cmocka_unit_test(figures_left_out_are_named),
      cmocka_unit_test(shipped_profiles_say_what_they_lack),
      cmocka_unit_test(what_a_profile_assumes_is_kept),
      cmocka_unit_test(standby_without_a_ramp_is_the_lowest_level),
      cmocka_unit_test(an_unknown_drive_is_named),
      cmocka_unit_test(the_data_directory_comes_first),
      cmocka_unit_test(time_scale_is_checked),
  };
  return cmocka_run_group_tests(tests, test_files_begin, test_files_end);
}
