/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whom the table of siox sim names as quicker than base. */
#include "sim.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

json_t *siox__limits_json(const struct siox_limits *l) {
  (void)l;
  return json_null();
}

/* The table of base, of a scheme that does without these parts of base's times, and of a bound. For
 * free(). */
static char *table(double less_io, double less_run) {
  struct sim_row row[] = {
      {.name = "base", .kind = SIM_BASE, .timed = true},
      {.name = "com", .kind = SIM_SCHEME, .timed = true, .less_io = less_io, .less_run = less_run},
      {.name = "bound", .kind = SIM_BOUND}};
  const struct sim_rows rows = {.row = row, .count = 3, .rule = "b"};
  const struct sim_scenario s = {.ndisks = 0};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  sim_show_table(&rows, &s, out);
  assert_int_equal(fclose(out), 0);
  return text;
}

static void who_is_quicker_by_less_than_is_shown_is_not_named(void **state) {
  (void)state;
  char *text = table(1e-9, 4.9e-5);
  assert_null(strstr(text, "com:"));
  assert_null(strstr(text, "save those named below"));
  free(text);
}

static void who_is_quicker_is_named_and_no_part_is_minus_nothing(void **state) {
  (void)state;
  char *text = table(0.25, 1e-9);
  assert_non_null(
      strstr(text, "  com: -25.00 % I/O time of all processes together and 0.00 % run time"));
  assert_non_null(strstr(text, "save those named below"));
  free(text);
}

static void the_least_part_that_is_shown_counts(void **state) {
  (void)state;
  char *text = table(0, 5.1e-5);
  assert_non_null(
      strstr(text, "  com: 0.00 % I/O time of all processes together and -0.01 % run time"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_quicker_by_less_than_is_shown_is_not_named),
      cmocka_unit_test(who_is_quicker_is_named_and_no_part_is_minus_nothing),
      cmocka_unit_test(the_least_part_that_is_shown_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
