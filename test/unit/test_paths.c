/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which places are the system's, where nothing is emulated. */
#include "common/paths.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void places_of_the_system_and_what_lies_below(void **state) {
  (void)state;
  static const char *const its[] = {"/dev",   "/dev/shm/a", "/proc/1/io", "/sys/",    "/usr/lib/x",
                                    "/etc/a", "/lib/a",     "/lib32/a",   "/lib64/a", "/libx32/a"};
  for (size_t i = 0; i < sizeof its / sizeof *its; i++)
    assert_non_null(siox__system_path(its[i]));
}

static void the_place_that_it_lies_below_is_named(void **state) {
  (void)state;
  assert_string_equal(siox__system_path("/dev/shm/a"), "/dev");
  assert_string_equal(siox__system_path("/lib/a"), "/lib");
  assert_string_equal(siox__system_path("/libx32/a"), "/libx32");
}

static void names_that_only_begin_like_one_are_not(void **state) {
  (void)state;
  static const char *const others[] = {
      "/library/a", "/device", "/etcetera/a", "/home/dev/a", "dev/shm/a", "/", ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_null(siox__system_path(others[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_of_the_system_and_what_lies_below),
      cmocka_unit_test(the_place_that_it_lies_below_is_named),
      cmocka_unit_test(names_that_only_begin_like_one_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
