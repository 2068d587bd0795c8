/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What all detectors have in common: settings, names, categories, and those that come from .so
 * files. */
#include "adpi_support.h"

static int open_with(const struct siox_adpi *a, const char *key, const char *value,
                     struct siox_diag *diag) {
  void *state = NULL;
  const struct siox_option o = {.key = key, .value = value, .line = 17};
  const int e = a->open(
      &(struct siox_adpi_env){
          .origin = "siox.yaml", .settings = &o, .nsettings = 1, .period_ns = 100000000},
      &state, diag);
  if (e == 0)
    a->close(state);
  return e;
}

static void built_in_detectors_are_found_by_their_names(void **unused) {
  (void)unused;
  int n = 0;
  for (const struct siox_adpi *const *a = siox_adpis(); *a; a++, n++) {
    assert_int_equal((*a)->abi, SIOX_ADPI_ABI);
    assert_ptr_equal(siox_adpi_find((*a)->name), *a);
    assert_true(strlen((*a)->about) > 10);
  }
  assert_int_equal(n, 6);
  assert_null(siox_adpi_find("none"));
}

static void an_unknown_setting_is_refused_with_its_place(void **unused) {
  (void)unused;
  for (const struct siox_adpi *const *a = siox_adpis(); *a; a++) {
    struct siox_diag diag = {{0}};
    assert_int_equal(open_with(*a, "colour", "red", &diag), SIOX_EINVAL);
    assert_non_null(strstr(diag.text, "siox.yaml:17: colour: "));
    assert_non_null(strstr(diag.text, (*a)->name));
  }
}

static void a_value_that_is_no_number_or_out_of_range_is_refused_with_its_place(void **unused) {
  (void)unused;
  const struct {
    const char *adpi, *key, *wrong, *beyond;
  } cases[] = {{"statistics", "tail", "5 percent", "60 %"},
               {"efficiency", "k", "", "1000"},
               {"sensor", "after", "1 s", "-1"},
               {"drift", "recent", "nan", "0"},
               {"response", "top", "1%%", "2"},
               {"hung", "factor", "ten", "0.5"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct siox_diag diag = {{0}};
    assert_int_equal(open_with(siox_adpi_find(cases[i].adpi), cases[i].key, cases[i].wrong, &diag),
                     SIOX_EINVAL);
    assert_non_null(strstr(diag.text, "siox.yaml:17: "));
    assert_non_null(strstr(diag.text, cases[i].key));
    assert_int_equal(open_with(siox_adpi_find(cases[i].adpi), cases[i].key, cases[i].beyond, &diag),
                     SIOX_ERANGE);
    assert_non_null(strstr(diag.text, "is not between"));
  }
  struct siox_diag diag = {{0}};
  assert_int_equal(open_with(siox_adpi_find("efficiency"), "domain", "socket", &diag), SIOX_EINVAL);
  assert_non_null(strstr(diag.text, "siox.yaml:17: domain: 'socket'"));
}

static void issues_beyond_the_room_are_counted(void **unused) {
  (void)unused;
  struct lab *lab = lab_open("statistics", (const char *[]){"learning=10", NULL});
  for (int i = 0; i < 5; i++)
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  for (int k = 0; k <= 10; k++) {
    for (size_t i = 0; i < 5; i++)
      lab_set(lab, i, k < 10 ? k : 1000);
    if (k < 10)
      lab_cycle(lab);
  }
  struct siox_issue two[2];
  lab->cycle.number++;
  assert_int_equal(
      lab->adpi->cycle(lab->state, &(struct siox_adpi_input){&lab->cycle, NULL}, two, 2), 5);
  assert_int_equal(two[1].series, 1);
  lab_close(lab);
}

static void numbers_that_are_none_are_neither_judged_nor_learned(void **unused) {
  (void)unused;
  const double none[] = {NAN, INFINITY, -INFINITY};
  for (const struct siox_adpi *const *a = siox_adpis(); *a; a++) {
    struct lab *lab = lab_open((*a)->name, NULL);
    lab_series(lab, &lab_plain, SIOX_METRIC_COUNTER, "cpu_user", "", "s");
    lab_energy(lab, "package-0", SIOX_DOMAIN_PACKAGE);
    lab_series(lab, &lab_plain, SIOX_METRIC_GAUGE, "frequency", "cpu0", "Hz");
    for (int i = 0; i < 3000; i++) {
      for (size_t k = 0; k < 3; k++)
        lab_set(lab, k, (i + (int)k) % 7 == 0 ? none[i % 3] : k == 2 ? 2.05e9 : 6.4 * (k ? 4 : 1));
      assert_int_equal(lab_cycle(lab), 0);
    }
    lab_close(lab);
  }
}

static void metrics_are_of_a_category(void **unused) {
  (void)unused;
  const struct {
    const char *name, *where;
    enum siox_domain domain;
    enum siox_category category;
  } cases[] = {{"cpu_iowait", "", SIOX_DOMAIN_NONE, SIOX_CATEGORY_CPU},
               {"frequency", "cpu0", SIOX_DOMAIN_NONE, SIOX_CATEGORY_CPU},
               {"process_cpu", "7@1", SIOX_DOMAIN_NONE, SIOX_CATEGORY_CPU},
               {"process_bytes_read", "7@1", SIOX_DOMAIN_NONE, SIOX_CATEGORY_DISK},
               {"process_resident", "7@1", SIOX_DOMAIN_NONE, SIOX_CATEGORY_MEMORY},
               {"mem_available", "", SIOX_DOMAIN_NONE, SIOX_CATEGORY_MEMORY},
               {"net_bytes_sent", "eth0", SIOX_DOMAIN_NONE, SIOX_CATEGORY_NETWORK},
               {"disk_reads", "sda", SIOX_DOMAIN_NONE, SIOX_CATEGORY_DISK},
               {"utilisation", "network", SIOX_DOMAIN_NONE, SIOX_CATEGORY_NETWORK},
               {"utilisation", "cpu", SIOX_DOMAIN_NONE, SIOX_CATEGORY_CPU},
               {"power", "", SIOX_DOMAIN_NODE, SIOX_CATEGORY_ENERGY},
               {"temperature", "", SIOX_DOMAIN_NONE, SIOX_NCATEGORIES}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct siox_series s = {.provider = &lab_plain, .metric.domain = cases[i].domain};
    snprintf(s.metric.name, sizeof s.metric.name, "%s", cases[i].name);
    snprintf(s.metric.where, sizeof s.metric.where, "%s", cases[i].where);
    assert_int_equal(siox_category_of(&s), cases[i].category);
  }
  assert_string_equal(siox_category_name(SIOX_CATEGORY_DISK), "disk");
  assert_string_equal(siox_condition_name(SIOX_ABNORMAL_BAD), "ABNORMAL_BAD");
}

static void a_detector_from_a_file_works_like_a_built_in_one(void **unused) {
  (void)unused;
  struct siox_adpi_library *library;
  struct siox_diag diag = {{0}};
  struct lab lab = {0};
  assert_int_equal(siox_adpi_load(PLUGINS "/adpi_spike.so", &library, &lab.adpi, &diag), 0);
  assert_string_equal(lab.adpi->name, "spike");
  assert_int_equal(open_with(lab.adpi, "factor", "0.5", &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "siox.yaml:17: factor: is not a number above 1");
  const struct siox_option factor = {.key = "factor", .value = "3", .line = 1};
  assert_int_equal(
      lab.adpi->open(&(struct siox_adpi_env){.origin = "x", .settings = &factor, .nsettings = 1},
                     &lab.state, &diag),
      0);
  lab.cycle.series = lab.series;
  lab_series(&lab, &lab_plain, SIOX_METRIC_GAUGE, "disk_queue", "", "1");
  const double values[] = {10, 20, 59, 180, 170};
  const int expected[] = {0, 0, 0, 1, 0}; /* 180 > 3 * 59 */
  for (int i = 0; i < 5; i++) {
    lab_set(&lab, 0, values[i]);
    assert_int_equal(lab_cycle(&lab), expected[i]);
  }
  lab_lose(&lab, 0, SIOX_SAMPLE_LOST);
  assert_int_equal(lab_cycle(&lab), 0);
  lab_set(&lab, 0, 1e9);
  assert_int_equal(lab_cycle(&lab), 0);
  lab.adpi->close(lab.state);
  siox_adpi_unload(library);
}

static void a_file_that_is_no_detector_is_refused_by_name_and_reason(void **unused) {
  (void)unused;
  const struct {
    const char *path, *says;
    int code;
  } cases[] = {
      {PLUGINS "/adpi_missing.so", "No such file", SIOX_ENOENT},
      {"/dev/null", "/dev/null: ", SIOX_ENOENT},
      {"adpi_spike.so", "adpi_spike.so: ", SIOX_ENOENT}, /* here, not in the system's directories */
      {PLUGINS "/adpi_nothing.so", "exports no siox_adpi", SIOX_ESYNTAX},
      {PLUGINS "/adpi_incomplete.so", "lacks a name", SIOX_ESYNTAX},
      {PLUGINS "/adpi_wrong_version.so", "version 42 of siox/adpi.h, this is 1", SIOX_EVERSION}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct siox_adpi_library *library = NULL;
    const struct siox_adpi *a = NULL;
    struct siox_diag diag = {{0}};
    assert_int_equal(siox_adpi_load(cases[i].path, &library, &a, &diag), cases[i].code);
    assert_null(library);
    assert_ptr_equal(strstr(diag.text, cases[i].path), diag.text);
    assert_non_null(strstr(diag.text, cases[i].says));
  }
  siox_adpi_unload(NULL);
}

static char *text_of(const char *path) {
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  char *text = calloc(1, 65536);
  assert_true(fread(text, 1, 65535, f) > 0);
  fclose(f);
  return text;
}

static void the_pages_example_is_the_one_that_is_built(void **unused) {
  (void)unused;
  char *page = text_of("docs/adpi.md"), *source = text_of("test/unit/plugins/adpi_spike.c");
  int blocks = 0;
  for (char *p = page; (p = strstr(p, "```c\n")); blocks++) {
    p += strlen("```c\n");
    char *end = strstr(p, "\n```");
    assert_non_null(end);
    *end = 0;
    assert_non_null(strstr(source, p));
    p = end + 1;
  }
  assert_int_equal(blocks, 2);
  free(page);
  free(source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(built_in_detectors_are_found_by_their_names),
      cmocka_unit_test(an_unknown_setting_is_refused_with_its_place),
      cmocka_unit_test(a_value_that_is_no_number_or_out_of_range_is_refused_with_its_place),
      cmocka_unit_test(issues_beyond_the_room_are_counted),
      cmocka_unit_test(numbers_that_are_none_are_neither_judged_nor_learned),
      cmocka_unit_test(metrics_are_of_a_category),
      cmocka_unit_test(a_detector_from_a_file_works_like_a_built_in_one),
      cmocka_unit_test(the_pages_example_is_the_one_that_is_built),
      cmocka_unit_test(a_file_that_is_no_detector_is_refused_by_name_and_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
