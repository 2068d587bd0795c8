/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* monitor.yaml: which modules it names, and what is said about mistakes. */
#include "files.h"
#include "siox/modules.h"

static void load(struct siox_modules *m, const char *text) {
  struct siox_diag diag = {""};
  const int e = siox_modules_load(m, test_file("monitor.yaml", text), &diag);
  assert_string_equal(diag.text, "");
  assert_int_equal(e, 0);
}

static void expect_refused(const char *text, int code, const char *message) {
  struct siox_modules m;
  struct siox_diag diag = {""};
  assert_int_equal(siox_modules_load(&m, test_file("monitor.yaml", text), &diag), code);
  expect_message(diag.text, "monitor.yaml", message);
  assert_null(m.provider);
  assert_null(m.detector);
  assert_int_equal(m.nproviders + m.ndetectors, 0);
}

static void a_module_is_a_name_or_a_mapping_with_settings(void **state) {
  (void)state;
  struct siox_modules m;
  load(&m, "providers:\n"
           "  - powercap\n"
           "  - {plugin: model, config: {idle_watts: 60, per: node}}\n"
           "detectors: [sensor, ./mine.so]\n");
  assert_int_equal(m.nproviders, 2);
  assert_string_equal(m.provider[0].plugin, "powercap");
  assert_int_equal(m.provider[0].nsettings, 0);
  assert_int_equal(m.provider[0].line, 2);
  assert_string_equal(m.provider[1].plugin, "model");
  assert_int_equal(m.provider[1].nsettings, 2);
  assert_string_equal(m.provider[1].settings[0].key, "idle_watts");
  assert_string_equal(m.provider[1].settings[0].value, "60");
  assert_int_equal(m.provider[1].settings[1].line, 3);
  assert_int_equal(m.ndetectors, 2);
  assert_string_equal(m.detector[1].plugin, "./mine.so");
  siox_modules_free(&m);
}

static void a_list_that_is_not_there_is_not_an_empty_one(void **state) {
  (void)state;
  struct siox_modules m;
  load(&m, "providers: []\n");
  assert_true(m.has_providers);
  assert_int_equal(m.nproviders, 0);
  assert_false(m.has_detectors);
  siox_modules_free(&m);
}

static void reasoners_have_settings_by_level(void **state) {
  (void)state;
  struct siox_modules m;
  load(&m, "reasoners:\n"
           "  node: {max_load: 95 %}\n"
           "  system: {ratio: 2, threshold: 1}\n");
  assert_int_equal(m.reasoner[0].nsettings, 0);
  assert_string_equal(m.reasoner[1].settings[0].value, "95 %");
  assert_int_equal(m.reasoner[2].nsettings, 2);
  assert_int_equal(m.reasoner[2].settings[1].line, 3);
  siox_modules_free(&m);
}

static void mistakes_are_named_by_file_line_and_key(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"provider: [powercap]\n", ":1: provider: no such key"},
      {"providers: [a]\nproviders: [b]\n", ":2: providers: stands there twice"},
      {"providers: powercap\n", ":1: providers: expected a list of modules"},
      {"providers:\n  - plugin: model\n    configs: {}\n", ":3: providers[0].configs: no such key"},
      {"providers:\n  - config: {a: 1}\n",
       ":2: providers[0].plugin: expected the name of a module, or {plugin: NAME, config: {...}}"},
      {"detectors:\n  - ''\n",
       ":2: detectors[0]: expected the name of a module, or {plugin: NAME, config: {...}}"},
      {"detectors:\n  - {plugin: sensor, config: [1]}\n",
       ":2: detectors[0].config: expected settings, key: value"},
      {"detectors:\n  - {plugin: sensor, config: {after: {}}}\n",
       ":2: detectors[0].config: expected single values, key: value"},
      {"detectors:\n  - {plugin: sensor, config: {after: 1, after: 2}}\n",
       ":2: detectors[0].config: after stands there twice"},
      {"reasoners: {rack: {}}\n", ":1: reasoners.rack: no such key"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    expect_refused(wrong[i].text, SIOX_EINVAL, wrong[i].message);
}

static void more_modules_than_there_can_be_are_refused(void **state) {
  (void)state;
  char text[4096] = "detectors: [";
  for (int i = 0; i < 257; i++)
    strcat(text, "sensor,");
  strcat(text, "]\n");
  expect_refused(text, SIOX_ERANGE, ":1: detectors: more than 256 modules");
}

static void a_file_that_is_not_there_is_named(void **state) {
  (void)state;
  struct siox_modules m;
  struct siox_diag diag = {""};
  assert_int_equal(siox_modules_load(&m, test_file("none.yaml", NULL), &diag), SIOX_ENOENT);
  assert_non_null(strstr(diag.text, "/none.yaml"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_module_is_a_name_or_a_mapping_with_settings),
      cmocka_unit_test(a_list_that_is_not_there_is_not_an_empty_one),
      cmocka_unit_test(reasoners_have_settings_by_level),
      cmocka_unit_test(mistakes_are_named_by_file_line_and_key),
      cmocka_unit_test(more_modules_than_there_can_be_are_refused),
      cmocka_unit_test(a_file_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, test_files_begin, test_files_end);
}
