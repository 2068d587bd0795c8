/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libsiox leaves of regions' times, and who reads it. */
#include "common/profile_row.h"
#include "siox/error.h"
#include "siox/site.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct siox__profile_row SOME = {.kind = SIOX_REGION_STEPS,
                                              .line = 12,
                                              .column = 3,
                                              .function_line = 4000000000,
                                              .key = UINT64_MAX,
                                              .instances = 7,
                                              .iterations = INT64_MAX,
                                              .least_ns = 5,
                                              .iteration_ns = 0.125,
                                              .file = "a b.c",
                                              .function = "f"};

/* What is written for a row, to be freed. */
static char *written(const struct siox__profile_row *row) {
  char *text;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  siox__profile_write(out, row);
  fclose(out);
  return text;
}

static void a_row_is_read_as_it_was_written(void **state) {
  (void)state;
  char *text = written(&SOME);
  struct siox__profile_row r;
  const char *what, *where;
  assert_int_equal(siox__profile_read(text, &r, &what, &where), 0);
  assert_int_equal(r.kind, SOME.kind);
  assert_int_equal(r.line, SOME.line);
  assert_int_equal(r.column, SOME.column);
  assert_true(r.function_line == SOME.function_line);
  assert_true(r.key == SOME.key);
  assert_int_equal(r.instances, SOME.instances);
  assert_true(r.iterations == SOME.iterations);
  assert_int_equal(r.least_ns, SOME.least_ns);
  assert_true(r.iteration_ns == SOME.iteration_ns);
  assert_string_equal(r.file, SOME.file);
  assert_string_equal(r.function, SOME.function);
  free(text);
}

static void text_where_a_number_is_due_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *line, *what, *where;
  } wrong[] = {
      {"x\t1\t1\t1\t1\t1\t1\t1\t1\ta.c\tf\n", "kind: expected a number", "x"},
      {"1\t1x\t1\t1\t1\t1\t1\t1\t1\ta.c\tf\n", "line: expected a number", "1x"},
      {"1\t1\t\t1\t1\t1\t1\t1\t1\ta.c\tf\n", "column: expected a number", ""},
      {"1\t1\t1\t4294967296\t1\t1\t1\t1\t1\ta.c\tf\n", "function_line: expected a number",
       "4294967296"},
      {"1\t1\t1\t1\t-1\t1\t1\t1\t1\ta.c\tf\n", "key: expected a number", "-1"},
      {"1\t1\t1\t1\t1\t99999999999999999999\t1\t1\t1\ta.c\tf\n", "instances: expected a number",
       "99999999999999999999"},
      {"1\t1\t1\t1\t1\t1\t1\t 1\t1\ta.c\tf\n", "least_ns: expected a number", " 1"},
      {"1\t1\t1\t1\t1\t1\t1\t1\tnan\ta.c\tf\n", "iteration_ns: expected a number", "nan"},
      {"1\t1\t1\t1\t1\t1\t1\t1\n", "iteration_ns: expected a number", ""},
      {"1\t1\t1\t1\t1\t1\t1\t1\t1\ta.c\n", "expected a file and a function", NULL},
      {"9\t1\t1\t1\t1\t1\t1\t1\t1\ta.c\tf\n", "kind: there is no such kind of region", NULL},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char line[128];
    struct siox__profile_row r;
    const char *what, *where;
    strcpy(line, wrong[i].line);
    assert_int_equal(siox__profile_read(line, &r, &what, &where), SIOX_ESYNTAX);
    assert_string_equal(what, wrong[i].what);
    if (wrong[i].where)
      assert_string_equal(where, wrong[i].where);
    else
      assert_null(where);
  }
}

static void a_file_of_another_version_is_told_from_one_that_is_none(void **state) {
  (void)state;
  assert_int_equal(siox__profile_read_head("siox profile rows 1\n"), 0);
  assert_int_equal(siox__profile_read_head("siox profile rows 2\n"), SIOX_EVERSION);
  assert_int_equal(siox__profile_read_head("siox profile rows\n"), SIOX_ESYNTAX);
  assert_int_equal(siox__profile_read_head("siox profile rows x\n"), SIOX_ESYNTAX);
  assert_int_equal(siox__profile_read_head("1\t1\t1\n"), SIOX_ESYNTAX);
}

static void a_name_that_would_break_the_row_is_left_out(void **state) {
  (void)state;
  struct siox__profile_row r = SOME;
  r.file = "a\tb.c";
  char *text = written(&r);
  assert_string_equal(text, "");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_is_read_as_it_was_written),
      cmocka_unit_test(text_where_a_number_is_due_is_refused_by_name),
      cmocka_unit_test(a_file_of_another_version_is_told_from_one_that_is_none),
      cmocka_unit_test(a_name_that_would_break_the_row_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
