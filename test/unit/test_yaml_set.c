/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values that are put into a YAML text: in the place of one, or as a key that was not there. */
#include "common/conf/yaml.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

/* The text after key was set to v, and the tree agrees. */
static void becomes(const char *text, const char *key, const char *expected) {
  struct siox__yaml y;
  struct siox_diag diag;
  assert_int_equal(siox__yaml_parse(&y, "text", text, &diag), 0);
  if (siox__yaml_set(&y, key, "v", &diag))
    fail_msg("%s", diag.text);
  char *now = strndup(y.text, y.size);
  assert_non_null(now);
  assert_string_equal(now, expected);
  free(now);
  const yaml_node_t *node = siox__yaml_find(&y, key);
  assert_non_null(node);
  assert_string_equal((const char *)node->data.scalar.value, "v");
  siox__yaml_close(&y);
}

static void a_value_that_stands_is_replaced(void **state) {
  (void)state;
  becomes("a: 1\nb: 2 # two\n", "b", "a: 1\nb: v # two\n");
  becomes("{a: [{b: 1}]}", "a[0].b", "{a: [{b: v}]}");
}

static void a_new_key_goes_behind_the_others(void **state) {
  (void)state;
  becomes("a: 1\nb: 2\n", "c", "a: 1\nb: 2\nc: v\n");
  becomes("a: 1", "c", "a: 1\nc: v\n");
  becomes("a: 1\n# the end\n", "c", "a: 1\n# the end\nc: v\n");
  becomes("a:\n  - 1\n", "c", "a:\n  - 1\nc: v\n");
}

static void a_new_key_of_a_mapping_further_down(void **state) {
  (void)state;
  becomes("j:\n  - t: x\n  - t: y\n", "j[0].h", "j:\n  - t: x\n    h: v\n  - t: y\n");
  becomes("j:\n  - t: x\n  - t: y\n", "j[1].h", "j:\n  - t: x\n  - t: y\n    h: v\n");
  becomes("j:\n  - t: x\n    g: {a: 1}\nk: 2\n", "j[0].h",
          "j:\n  - t: x\n    g: {a: 1}\n    h: v\nk: 2\n");
  becomes("m:\n  n:\n    a: 1\n", "m.n.h", "m:\n  n:\n    a: 1\n    h: v\n");
}

static void a_new_key_in_braces(void **state) {
  (void)state;
  becomes("j:\n  - {t: x, s: 0}\n", "j[0].h", "j:\n  - {h: v, t: x, s: 0}\n");
  becomes("{}", "h", "{h: v, }");
}

static void text_beyond_ascii_is_counted_in_bytes(void **state) {
  (void)state;
  becomes("a: \"\xc3\xa4\xc3\xb6\"\nj:\n  - {t: \xe2\x82\xac}\n", "j[0].h",
          "a: \"\xc3\xa4\xc3\xb6\"\nj:\n  - {h: v, t: \xe2\x82\xac}\n");
}

static void a_byte_order_mark_is_no_character(void **state) {
  (void)state;
  becomes("\xef\xbb\xbf{a: 1}", "a", "\xef\xbb\xbf{a: v}");
  becomes("\xef\xbb\xbfj:\n  - {t: 1}\n", "j[0].h", "\xef\xbb\xbfj:\n  - {h: v, t: 1}\n");
}

static void an_anchor_in_front_of_a_mapping_stays_there(void **state) {
  (void)state;
  becomes("j:\n  - &a {t: 1}\n  - *a\n", "j[0].h", "j:\n  - &a {h: v, t: 1}\n  - *a\n");
  becomes("j:\n  - !!map {t: 1}\n", "j[0].h", "j:\n  - !!map {h: v, t: 1}\n");
  becomes("j:\n  - &a\n      t: 1\n", "j[0].h", "j:\n  - &a\n      t: 1\n      h: v\n");
  becomes("j: &a\n  t: 1\nk: 2\n", "j.h", "j: &a\n  t: 1\n  h: v\nk: 2\n");
}

static void lines_keep_their_numbers(void **state) {
  (void)state;
  struct siox__yaml y;
  struct siox_diag diag;
  assert_int_equal(siox__yaml_parse(&y, "text", "a: 1\nb:\n  - c: 1\n", &diag), 0);
  assert_int_equal(siox__yaml_set(&y, "z", "v", &diag), 0);
  assert_int_equal(siox__yaml_line(&y, "b[0].c"), 3);
  siox__yaml_close(&y);
}

static void what_has_no_keys_is_refused(void **state) {
  (void)state;
  struct siox__yaml y;
  struct siox_diag diag;
  assert_int_equal(siox__yaml_parse(&y, "text", "a: 1\nb: [2]\n", &diag), 0);
  assert_int_equal(siox__yaml_set(&y, "a.c", "v", &diag), SIOX_ENOENT);
  assert_int_equal(siox__yaml_set(&y, "c.d", "v", &diag), SIOX_ENOENT);
  assert_int_equal(siox__yaml_set(&y, "b[1].d", "v", &diag), SIOX_ENOENT);
  assert_int_equal(siox__yaml_set(&y, "b", "v", &diag), SIOX_EINVAL);
  siox__yaml_close(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_that_stands_is_replaced),
      cmocka_unit_test(a_new_key_goes_behind_the_others),
      cmocka_unit_test(a_new_key_of_a_mapping_further_down),
      cmocka_unit_test(a_new_key_in_braces),
      cmocka_unit_test(text_beyond_ascii_is_counted_in_bytes),
      cmocka_unit_test(a_byte_order_mark_is_no_character),
      cmocka_unit_test(an_anchor_in_front_of_a_mapping_stays_there),
      cmocka_unit_test(lines_keep_their_numbers),
      cmocka_unit_test(what_has_no_keys_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
