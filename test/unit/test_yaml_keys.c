/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is said of a key that a mapping does not have. */
#include "common/conf/yaml_keys.h"
#include "support.h"
#include <stdbool.h>
#include <string.h>

#define KEY(name) {.key = name}
static const cyaml_schema_field_t fields[] = {
    KEY("alpha"), KEY("beta"), KEY("gamma"), {.key = NULL}};

static void a_near_key_is_meant(void **state) {
  (void)state;
  char text[80];
  siox__yaml_meant(fields, "gmma", text, sizeof text);
  assert_string_equal(text, "; did you mean gamma?");
}

/* A third of the letters of a key may be wrong, and of a long one a third are many. */
static void no_key_is_meant_by_a_very_long_one(void **state) {
  (void)state;
  char key[201] = "", text[80];
  for (size_t n = 0; n + 1 < sizeof key; n++) {
    key[n] = 'x';
    siox__yaml_meant(fields, key, text, sizeof text);
    if (strcmp(text, "; there are alpha, beta, gamma") != 0)
      fail_msg("%zu letters: %s", n + 1, text);
  }
}

/* At every size: all, or some whole keys and the dots, or nothing. */
static void a_list_without_room_ends_in_three_dots(void **state) {
  (void)state;
  static const char *const whole[] = {"", "; there are alpha, ...", "; there are alpha, beta, ...",
                                      "; there are alpha, beta, gamma"};
  char text[80];
  for (size_t size = 1; size <= sizeof text; size++) {
    bool found = false;
    siox__yaml_meant(fields, "nothing", text, size);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
      found |= !strcmp(text, whole[i]);
    if (!found)
      fail_msg("%zu bytes: %s", size, text);
  }
  assert_string_equal(text, whole[3]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_near_key_is_meant),
      cmocka_unit_test(no_key_is_meant_by_a_very_long_one),
      cmocka_unit_test(a_list_without_room_ends_in_three_dots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
