/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors, hash, log and default paths. */
#include "common/clock.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/paths.h"
#include "common/random.h"
#include "siox/error.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void every_error_has_a_message_of_its_own(void **state) {
  (void)state;
  const int codes[] = {
#define SIOX_ERROR(name, value, message) name,
#include "siox/error.def"
#undef SIOX_ERROR
  };
  const size_t n = sizeof codes / sizeof *codes;
  for (size_t i = 0; i < n; i++) {
    assert_true(codes[i] < 0);
    assert_string_not_equal(siox_strerror(codes[i]), siox_strerror(-9999));
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(siox_strerror(codes[i]), siox_strerror(codes[j]));
  }
  assert_non_null(siox_strerror(1));
}

static void fnv1a_gives_the_published_values(void **state) {
  (void)state;
  assert_true(siox__fnv1a("", 0) == UINT64_C(0xcbf29ce484222325));
  assert_true(siox__fnv1a("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  assert_true(siox__fnv1a("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

/* The sequence of seed 1234567 as implementations in other languages print it. */
static void random_numbers_are_splitmix64s(void **state) {
  (void)state;
  uint64_t random = 1234567;
  assert_true(siox__random(&random) == UINT64_C(6457827717110365317));
  assert_true(siox__random(&random) == UINT64_C(3203168211198807973));
  assert_true(siox__random(&random) == UINT64_C(9817491932198370423));
}

static void clocks_do_not_go_back(void **state) {
  (void)state;
  int64_t now = siox__now_ns(), boot = siox__boot_ns();
  assert_true(now > 0 && siox__now_ns() >= now && siox__boot_ns() >= boot);
}

static void log_writes_what_is_important_enough(void **state) {
  (void)state;
  char *text = NULL, long_message[3000];
  size_t size;
  struct siox__log log = {.file = open_memstream(&text, &size), .level = SIOX__LOG_WARN};
  siox__log(&log, SIOX__LOG_INFO, "hidden");
  siox__log(&log, SIOX__LOG_ERROR, "disk %d", 3);
  memset(long_message, 'x', sizeof long_message);
  long_message[sizeof long_message - 1] = '\0';
  siox__log(&log, SIOX__LOG_WARN, "%s", long_message);
  fclose(log.file);
  assert_null(strstr(text, "hidden"));
  long long seconds;
  int micros, end = 0;
  assert_int_equal(sscanf(text, "%lld.%6d error disk 3%n", &seconds, &micros, &end), 2);
  assert_int_equal(text[end], '\n');
  assert_int_equal(text[size - 1], '\n'); /* a cut line still ends */
  assert_true(size < 1100);
  free(text);
  siox__log(NULL, SIOX__LOG_ERROR, "nowhere");
}

static void log_levels_round_trip(void **state) {
  (void)state;
  enum siox__log_level level;
  for (int l = SIOX__LOG_ERROR; l <= SIOX__LOG_DEBUG; l++) {
    const char *name = siox__log_level_name((enum siox__log_level)l);
    assert_int_equal(siox__log_level_parse(name, &level), 0);
    assert_int_equal(level, l);
  }
  assert_int_equal(siox__log_level_parse("verbose", &level), SIOX_EINVAL);
}

static void socket_lies_in_the_run_time_directory(void **state) {
  (void)state;
  char path[64], expected[64];
  setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  assert_int_equal(siox__default_socket(path, sizeof path), 0);
  assert_string_equal(path, "/run/user/7/siox.sock");
  assert_int_equal(siox__default_socket(path, 8), SIOX_EFULL);
  setenv("XDG_RUNTIME_DIR", "relative", 1); /* the standard has these ignored */
  assert_int_equal(siox__default_socket(path, sizeof path), 0);
  snprintf(expected, sizeof expected, "/tmp/siox-%u.sock", geteuid());
  assert_string_equal(path, geteuid() == 0 ? "/run/siox/siox.sock" : expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_error_has_a_message_of_its_own),
      cmocka_unit_test(fnv1a_gives_the_published_values),
      cmocka_unit_test(random_numbers_are_splitmix64s),
      cmocka_unit_test(clocks_do_not_go_back),
      cmocka_unit_test(log_writes_what_is_important_enough),
      cmocka_unit_test(log_levels_round_trip),
      cmocka_unit_test(socket_lies_in_the_run_time_directory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
