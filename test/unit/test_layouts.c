/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* layouts.yaml: what its entries mean, which one a file gets, and what is said about mistakes. */
#include "files.h"
#include "siox/layouts.h"

static void load(struct siox_layouts *l, uint32_t ndisks, const char *text) {
  struct siox_diag diag;
  int rc = siox_layouts_load(l, test_file("layouts.yaml", text), ndisks, &diag);
  assert_string_equal(diag.text, "");
  assert_int_equal(rc, 0);
}

static void expect_found(const struct siox_layouts *l, const char *file, const char *layout) {
  char text[64] = "none";
  const struct siox_layout *found = siox_layouts_find(l, file);
  if (found)
    siox_layout_format(found, text, sizeof text);
  assert_string_equal(text, layout);
}

static void the_three_forms_of_an_entry(void **state) {
  (void)state;
  struct siox_layouts l;
  load(&l, 8,
       "- {file: A, base: 1, factor: 3, unit: 64K}\n"
       "- {file: B, nodes: [5, 2, 7], unit: 1M}\n"
       "- {file: C, layout: '2:3:64K'}\n"
       "- {file: D, unit: 4096}\n");
  expect_found(&l, "A", "1:3:64K");
  expect_found(&l, "B", "5,2,7:1M");
  expect_found(&l, "C", "2:3:64K");
  expect_found(&l, "D", "0:8:4K");
  expect_found(&l, "E", "none");
  siox_layouts_free(&l);
}

static void the_last_match_wins(void **state) {
  (void)state;
  struct siox_layouts l;
  load(&l, 8,
       "- {file: '*', layout: '0:8:64K'}\n"
       "- {file: '*.dat', layout: '1:2:64K'}\n"
       "- {file: 'A.*', layout: '2:3:64K'}\n");
  expect_found(&l, "B.txt", "0:8:64K");
  expect_found(&l, "B.dat", "1:2:64K");
  expect_found(&l, "A.dat", "2:3:64K");
  siox_layouts_free(&l);
}

static void patterns_match_name_path_or_tail(void **state) {
  (void)state;
  struct siox_layouts l;
  load(&l, 8,
       "- {file: '*.dat', layout: '1:1:1K'}\n"
       "- {file: '/mnt/a/*', layout: '2:1:1K'}\n"
       "- {file: 'run?/out.dat', layout: '3:1:1K'}\n");
  expect_found(&l, "/home/x.dat", "1:1:1K"); /* without a slash: the last component */
  expect_found(&l, "/home/x.dat/y", "none");
  expect_found(&l, "/mnt/a/b/c", "2:1:1K"); /* from the root: the whole path */
  expect_found(&l, "mnt/a/b", "none");
  expect_found(&l, "/data/run7/out.dat", "3:1:1K"); /* else: from any component */
  expect_found(&l, "run7/out.dat", "3:1:1K");
  expect_found(&l, "/data/xrun7/out.dat", "1:1:1K");
  siox_layouts_free(&l);
}

static void entries_can_state_the_number_of_disks(void **state) {
  (void)state;
  struct siox_layouts l;
  load(&l, 0, "- {file: A, disks: 6, layout: '1:3:64K'}\n");
  assert_int_equal(siox_layouts_find(&l, "A")->ndisks, 6);
  siox_layouts_free(&l);
}

static void an_empty_list_matches_nothing(void **state) {
  (void)state;
  struct siox_layouts l;
  load(&l, 8, "[]\n");
  expect_found(&l, "A", "none");
  siox_layouts_free(&l);
}

static void mistakes_are_named_with_file_line_and_key(void **state) {
  (void)state;
  const struct {
    uint32_t ndisks;
    const char *text;
    int code;
    const char *message;
  } cases[] = {
      {8, "- file: A\n  unti: 4K\n", SIOX_EINVAL, ":2: [0].unti: unknown key; did you mean unit?"},
      {8, "- unit: 4K\n", SIOX_EINVAL, ":1: [0].file: this key is missing"},
      {8, "- file: A\n", SIOX_EINVAL, ":1: [0].unit: this key is missing"},
      {8, "file: A\n", SIOX_EINVAL, ":1: expected a list"},
      {8, "- file: A\n  unit: 4K\n- file: B\n  unit: 4Q\n", SIOX_ESYNTAX,
       ":4: [1].unit: expected bytes, with K, M or G for binary multiples"},
      {8, "- file: A\n  unit: 0\n", SIOX_ERANGE, ":2: [0].unit: not between 1 and 2^64 - 1 bytes"},
      {8, "- file: A\n  base: 8\n  unit: 4K\n", SIOX_ERANGE,
       ":2: [0].base: 8 is not between 0 and 7"},
      {8, "- file: A\n  factor: 9\n  unit: 4K\n", SIOX_ERANGE,
       ":2: [0].factor: 9 is not between 1 and 8"},
      {8, "- file: A\n  factor: 0\n  unit: 4K\n", SIOX_ERANGE,
       ":2: [0].factor: 0 is not between 1 and 8"},
      {8, "- file: A\n  unit: 4K\n  nodes:\n    - 1\n    - 9\n", SIOX_ERANGE,
       ":5: [0].nodes[1]: 9 is not between 0 and 7"},
      {8, "- file: A\n  unit: 4K\n  nodes: [1, 1]\n", SIOX_EINVAL,
       ":3: [0].nodes: a node is listed twice"},
      {8, "- file: A\n  unit: 4K\n  nodes: []\n", SIOX_EINVAL,
       ":3: [0].nodes: the list has too few entries"},
      {8, "- file: A\n  layout: '1-3'\n", SIOX_ESYNTAX,
       ":2: [0].layout: \"1-3\" is not a layout BASE:FACTOR:UNIT or N,N,...:UNIT over 8 disks: "
       "syntax error"},
      {8, "- file: A\n  layout: '1:3:4K'\n  unit: 4K\n", SIOX_EINVAL,
       ":2: [0].layout: stands alone, without base, factor, nodes and unit"},
      {8, "- file: A\n  nodes: [1]\n  unit: 4K\n  base: 3\n", SIOX_EINVAL,
       ":2: [0].nodes: stands with unit, without base and factor"},
      {8, "- file: A\n  disks: 6\n  unit: 4K\n", SIOX_EINVAL,
       ":2: [0].disks: 6, but there are 8 disks"},
      {0, "- file: A\n  unit: 4K\n", SIOX_EINVAL,
       ":1: [0].disks: needed here: the number of disks is not known otherwise"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct siox_layouts l;
    struct siox_diag diag;
    int rc = siox_layouts_load(&l, test_file("bad.yaml", cases[i].text), cases[i].ndisks, &diag);
    expect_message(diag.text, "bad.yaml", cases[i].message);
    assert_int_equal(rc, cases[i].code);
    assert_int_equal(l.count, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_three_forms_of_an_entry),
      cmocka_unit_test(the_last_match_wins),
      cmocka_unit_test(patterns_match_name_path_or_tail),
      cmocka_unit_test(entries_can_state_the_number_of_disks),
      cmocka_unit_test(an_empty_list_matches_nothing),
      cmocka_unit_test(mistakes_are_named_with_file_line_and_key),
  };
  return cmocka_run_group_tests(tests, test_files_begin, test_files_end);
}
