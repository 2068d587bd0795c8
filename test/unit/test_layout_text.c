/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text form of layouts: round trips and rejects. */
#include "common/layout_read.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static void expect_canonical(uint32_t ndisks, const char *text, const char *canonical) {
  struct siox_layout l, back;
  char out[256];
  assert_int_equal(siox_layout_parse(&l, ndisks, text), 0);
  assert_int_equal(siox_layout_format(&l, out, sizeof out), strlen(canonical));
  assert_string_equal(out, canonical);
  assert_int_equal(siox_layout_parse(&back, ndisks, out), 0);
  assert_true(siox_layout_equal(&l, &back));
  siox_layout_free(&l);
  siox_layout_free(&back);
}

static void triplet_reads_and_writes(void **state) {
  (void)state;
  expect_canonical(6, "1:3:64K", "1:3:64K");
  expect_canonical(6, "1:3:65536", "1:3:64K");
  expect_canonical(8, "7:8:1G", "7:8:1G");
  expect_canonical(8, "0:1:1048576", "0:1:1M");
  expect_canonical(8, "0:8:1000", "0:8:1000");
  expect_canonical(1, "0:1:18446744073709551615", "0:1:18446744073709551615");
}

static void triplet_wraps_round_the_disks(void **state) {
  (void)state;
  struct siox_layout l;
  assert_int_equal(siox_layout_parse(&l, 4, "3:3:1K"), 0);
  assert_int_equal(l.factor, 3);
  assert_int_equal(l.unit, 1024);
  assert_int_equal(l.nodes[0], 3);
  assert_int_equal(l.nodes[1], 0);
  assert_int_equal(l.nodes[2], 1);
  siox_layout_free(&l);
}

static void node_list_reads_and_writes(void **state) {
  (void)state;
  expect_canonical(8, "5,2,7:4M", "5,2,7:4M");
  expect_canonical(8, "3:64K", "3:1:64K");     /* one node is a triplet too */
  expect_canonical(4, "2,3,0:64K", "2:3:64K"); /* and so is a run */
  expect_canonical(1000, "999,0,500:3", "999,0,500:3");
}

static void random_layouts_round_trip(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (int round = 0; round < 1000; round++) {
    uint32_t ndisks = 1 + (uint32_t)test_below(&seed, 1000), nodes[1000];
    uint32_t factor = 1 + (uint32_t)test_below(&seed, ndisks);
    for (uint32_t d = 0; d < ndisks; d++)
      nodes[d] = d;
    for (uint32_t d = 0; d < factor; d++) {
      uint32_t with = d + (uint32_t)test_below(&seed, ndisks - d), keep = nodes[d];
      nodes[d] = nodes[with];
      nodes[with] = keep;
    }
    uint64_t unit = (1 + test_below(&seed, 1000)) << test_below(&seed, 40);
    struct siox_layout l, back;
    char text[8192];
    assert_int_equal(siox_layout_nodes(&l, ndisks, nodes, factor, unit), 0);
    assert_true(siox_layout_format(&l, text, sizeof text) < (int)sizeof text);
    assert_int_equal(siox_layout_parse(&back, ndisks, text), 0);
    assert_true(siox_layout_equal(&l, &back));
    siox_layout_free(&back);
    assert_int_equal(siox__layout_read(&back, ndisks, nodes, text), 0);
    assert_true(siox_layout_equal(&l, &back));
    siox_layout_free(&l);
  }
}

static void arrays_are_read_without_allocating(void **state) {
  (void)state;
  const char *const texts[] = {"1:2:64K/3:16K:parity", "2,0:1000/3:512", "0:3:1M/3:1",
                               "1:1:64K/9:4"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct siox_layout l, read;
    uint32_t nodes[27];
    assert_int_equal(siox_layout_parse(&l, 27, texts[i]), 0);
    assert_int_equal(siox__layout_read(&read, 27, nodes, texts[i]), 0);
    assert_true(siox_layout_equal(&l, &read));
    siox_layout_free(&l);
  }
  const char *const bad[] = {"0:1:64K/4:16K", "0:1:64K/3:0", "0:1:64K/3:", "9:1:64K/3:1",
                             "0:10:64K/3:1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_layout l;
    uint32_t nodes[27];
    assert_true(siox__layout_read(&l, 27, nodes, bad[i]) < 0);
  }
}

static void format_cuts_to_the_buffer(void **state) {
  (void)state;
  struct siox_layout l;
  char text[5];
  assert_int_equal(siox_layout_parse(&l, 6, "1:3:64K"), 0);
  assert_int_equal(siox_layout_format(&l, text, sizeof text), 7);
  assert_string_equal(text, "1:3:");
  assert_int_equal(siox_layout_format(&l, NULL, 0), 7);
  siox_layout_free(&l);
}

static void parse_rejects(void **state) {
  (void)state;
  const struct {
    const char *text;
    int error;
  } bad[] = {
      {"", SIOX_ESYNTAX},
      {"64K", SIOX_ESYNTAX},
      {":8", SIOX_ESYNTAX},
      {"0:3:64K ", SIOX_ESYNTAX},
      {" 0:3:64K", SIOX_ESYNTAX},
      {"0:3:64k", SIOX_ESYNTAX},
      {"0:3:64KB", SIOX_ESYNTAX},
      {"0:3:", SIOX_ESYNTAX},
      {"0::64K", SIOX_ESYNTAX},
      {"0:3:0x40", SIOX_ESYNTAX},
      {"0:3:4:5", SIOX_ESYNTAX},
      {"-1:3:64K", SIOX_ESYNTAX},
      {"0:0:64K", SIOX_ERANGE},
      {"0:9:64K", SIOX_ERANGE},
      {"8:1:64K", SIOX_ERANGE},
      {"0:3:0", SIOX_ERANGE},
      {"0:3:0K", SIOX_ERANGE},
      {"4294967296:1:1", SIOX_ERANGE},
      {"1,:64K", SIOX_ESYNTAX},
      {"1,,2:64K", SIOX_ESYNTAX},
      {",1:64K", SIOX_ESYNTAX},
      {"1,8:64K", SIOX_ERANGE},
      {"1,1:64K", SIOX_EINVAL},
      {"1,2", SIOX_ESYNTAX},
      {"0:3:17179869184G", SIOX_ERANGE},
      {"0:3:18446744073709551616", SIOX_ERANGE},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_layout l;
    assert_int_equal(siox_layout_parse(&l, 8, bad[i].text), bad[i].error);
    assert_null(l.nodes);
    siox_layout_free(&l);
    uint32_t nodes[8];
    const bool twice = bad[i].error == SIOX_EINVAL; /* of which reading says nothing */
    assert_int_equal(siox__layout_read(&l, 8, nodes, bad[i].text) < 0, !twice);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triplet_reads_and_writes),
      cmocka_unit_test(triplet_wraps_round_the_disks),
      cmocka_unit_test(node_list_reads_and_writes),
      cmocka_unit_test(random_layouts_round_trip),
      cmocka_unit_test(format_cuts_to_the_buffer),
      cmocka_unit_test(parse_rejects),
      cmocka_unit_test(arrays_are_read_without_allocating),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
