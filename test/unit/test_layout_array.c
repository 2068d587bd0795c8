/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* I/O nodes over arrays, against a walk over every byte that knows the definition alone. */
#include "siox/layout.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { DISKS = 64, BYTES = 4096 };

struct place {
  uint32_t disk, parity; /* parity: that guards the byte; DISKS: none */
  uint64_t local;
};

/* By the definition in siox/layout.h, a byte at a time. */
static struct place place_of(const struct siox_layout *l, uint64_t byte) {
  const struct siox_array *a = &l->array;
  uint32_t node = l->nodes[byte / l->unit % l->factor], data = a->members - a->parity;
  uint64_t share = byte / (l->unit * l->factor) * l->unit + byte % l->unit;
  uint64_t unit = share / a->unit, row = unit / data;
  uint32_t member = (uint32_t)(unit % data), parity = a->members - 1 - (uint32_t)(row % a->members);
  if (a->parity)
    member = (parity + 1 + member) % a->members;
  return (struct place){node * a->members + member, a->parity ? node * a->members + parity : DISKS,
                        row * a->unit + share % a->unit};
}

static void random_layout(struct siox_layout *l, uint64_t *seed) {
  struct siox_array a = {.parity = test_below(seed, 2), .unit = 1 + test_below(seed, 9)};
  a.members = (a.parity ? 3 : 2) + (uint32_t)test_below(seed, 4);
  uint32_t nodes = 1 + (uint32_t)test_below(seed, 5),
           factor = 1 + (uint32_t)test_below(seed, nodes);
  assert_int_equal(siox_layout_triplet(l, nodes, (uint32_t)test_below(seed, nodes), factor,
                                       1 + test_below(seed, 20)),
                   0);
  assert_int_equal(siox_layout_over(l, &a), 0);
}

static void expect_equal(const struct siox_mask *got, const struct siox_mask *expected) {
  char a[1001], b[1001];
  siox_mask_format(got, a, sizeof a);
  siox_mask_format(expected, b, sizeof b);
  assert_string_equal(a, b);
}

static void mark(const struct siox_layout *l, int64_t from, int64_t end, struct siox_mask *mask) {
  for (int64_t b = from < 0 ? 0 : from; b < end; b++) {
    struct place p = place_of(l, (uint64_t)b);
    siox_mask_set(mask, p.disk);
    siox_mask_set(mask, p.parity);
  }
}

static void a_range_touches_the_members_a_byte_walk_touches(void **state) {
  (void)state;
  uint64_t seed = 21;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed);
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = (int64_t)test_below(&seed, 2000), length = (int64_t)test_below(&seed, 300);
    mark(&l, offset, offset + length, &expected);
    assert_int_equal(siox_layout_mask(&l, offset, length, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

static void a_strided_set_touches_the_members_a_byte_walk_touches(void **state) {
  (void)state;
  uint64_t seed = 22;
  for (int round = 0; round < 3000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed);
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = (int64_t)test_below(&seed, 500), size = (int64_t)test_below(&seed, 30);
    int64_t stride = (int64_t)test_below(&seed, 4000) - 500;
    int64_t count = (int64_t)test_below(&seed, test_below(&seed, 4) ? 60 : 6000);
    for (int64_t i = 0; i < count; i++)
      if (offset + i * stride >= 0)
        mark(&l, offset + i * stride, offset + i * stride + size, &expected);
    assert_int_equal(siox_layout_mask_strided(&l, offset, stride, count, size, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

/* A pattern too long to go through gets whole nodes: never less than is touched. */
static void a_long_pattern_gets_whole_nodes(void **state) {
  (void)state;
  struct siox_layout l;
  struct siox_mask got;
  char text[9];
  assert_int_equal(siox_layout_parse(&l, 8, "0:2:1G/4:4097"), 0);
  assert_int_equal(siox_mask_init(&got, 8), 0);
  /* every request begins at a multiple of 2 GiB: always node 0 */
  assert_int_equal(siox_layout_mask_strided(&l, 0, INT64_C(1) << 31, 1 << 20, 10, &got), 0);
  siox_mask_format(&got, text, sizeof text);
  assert_string_equal(text, "11110000");
  siox_mask_free(&got);
  siox_layout_free(&l);
}

struct bytes {
  uint8_t read[DISKS][BYTES], written[DISKS][BYTES];
};

/* What pieces do, place by place. Of a disk's pieces the last is its writing, when there is one. */
static void play(const struct siox_extent *piece, int n, bool write, struct bytes *b) {
  for (int i = 0; i < n; i++) {
    bool last = i + 1 == n || piece[i + 1].disk != piece[i].disk;
    for (uint64_t k = 0; k < piece[i].bytes; k++)
      (write && last ? b->written : b->read)[piece[i].disk][piece[i].local + k] = 1;
  }
}

static void reading_goes_from_the_first_to_the_last_byte_of_each_member(void **state) {
  (void)state;
  uint64_t seed = 23;
  struct bytes *got = malloc(sizeof *got);
  for (int round = 0; round < 5000; round++) {
    struct siox_layout l;
    struct siox_extent piece[3 * DISKS];
    struct {
      uint64_t low, high;
    } of[DISKS];
    random_layout(&l, &seed);
    int64_t offset = (int64_t)test_below(&seed, 2000), length = (int64_t)test_below(&seed, 500);
    int n = siox_layout_pieces(&l, offset, length, false, piece, siox_layout_most_pieces(&l));
    memset(got, 0, sizeof *got);
    memset(of, 0, sizeof of);
    play(piece, n, false, got);
    for (int64_t b = offset; b < offset + length; b++) {
      struct place p = place_of(&l, (uint64_t)b);
      of[p.disk].low = of[p.disk].high && of[p.disk].low < p.local ? of[p.disk].low : p.local;
      of[p.disk].high = of[p.disk].high > p.local + 1 ? of[p.disk].high : p.local + 1;
    }
    for (uint32_t d = 0; d < DISKS; d++)
      for (uint64_t k = 0; k < BYTES; k++)
        assert_int_equal(got->read[d][k], of[d].low <= k && k < of[d].high);
    siox_layout_free(&l);
  }
  free(got);
}

/* Of each row that is written in part: old data and old parity are read where they are written. Of
 * whole rows nothing is read. Parity is written from the first to the last place in a unit. */
static void writing_reads_what_rows_in_part_need(void **state) {
  (void)state;
  uint64_t seed = 24;
  struct bytes *got = malloc(sizeof *got), *expected = malloc(sizeof *expected);
  for (int round = 0; round < 5000; round++) {
    struct siox_layout l;
    struct siox_extent piece[3 * DISKS];
    random_layout(&l, &seed);
    const struct siox_array *a = &l.array;
    int64_t offset = (int64_t)test_below(&seed, 2000), length = (int64_t)test_below(&seed, 500);
    int n = siox_layout_pieces(&l, offset, length, true, piece, siox_layout_most_pieces(&l));
    assert_true(n >= 0);
    memset(got, 0, sizeof *got);
    memset(expected, 0, sizeof *expected);
    play(piece, n, true, got);
    for (int64_t b = offset; b < offset + length; b++) {
      struct place p = place_of(&l, (uint64_t)b);
      expected->written[p.disk][p.local] = 1;
      if (p.parity < DISKS)
        expected->written[p.parity][p.local] = 2;
    }
    for (uint32_t d = 0; d < DISKS && a->parity; d++)
      for (uint64_t row = 0; row < BYTES / a->unit; row++) {
        uint64_t low = BYTES, high = 0; /* a row's parity is one stretch */
        for (uint64_t k = row * a->unit; k < (row + 1) * a->unit; k++)
          if (expected->written[d][k] == 2) {
            low = k < low ? k : low;
            high = k + 1;
          }
        for (uint64_t k = low; k < high; k++)
          expected->written[d][k] = 1;
      }
    for (uint32_t node = 0; node < l.ndisks / a->members && a->parity; node++)
      for (uint64_t row = 0; row < BYTES / a->unit; row++) {
        bool whole = true;
        for (uint32_t m = 0; m < a->members; m++)
          for (uint64_t k = row * a->unit; k < (row + 1) * a->unit; k++)
            whole &= expected->written[node * a->members + m][k];
        for (uint32_t m = 0; m < a->members && !whole; m++)
          for (uint64_t k = row * a->unit; k < (row + 1) * a->unit; k++)
            expected->read[node * a->members + m][k] = expected->written[node * a->members + m][k];
      }
    assert_memory_equal(got->written, expected->written, sizeof got->written);
    assert_memory_equal(got->read, expected->read, sizeof got->read);
    siox_layout_free(&l);
  }
  free(got);
  free(expected);
}

/* Four members, units of 64 KiB: a row has 192 KiB of data. */
static void a_small_write_takes_four_accesses_and_a_whole_row_one_of_each_member(void **state) {
  (void)state;
  struct siox_layout l;
  struct siox_extent piece[12];
  assert_int_equal(siox_layout_parse(&l, 4, "0:1:1M/4:64K:parity"), 0);
  int n = siox_layout_pieces(&l, 4096, 8192, true, piece, 12);
  assert_int_equal(n, 4); /* row 0: parity on the last member, data from the first on */
  const struct siox_extent expected[] = {
      {0, 4096, 8192}, {0, 4096, 8192}, {3, 4096, 8192}, {3, 4096, 8192}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(piece[i].disk, expected[i].disk);
    assert_int_equal(piece[i].local, expected[i].local);
    assert_int_equal(piece[i].bytes, expected[i].bytes);
  }
  n = siox_layout_pieces(&l, 196608, 196608, true, piece, 12); /* row 1, whole */
  assert_int_equal(n, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(piece[i].disk, i);
    assert_int_equal(piece[i].local, 65536);
    assert_int_equal(piece[i].bytes, 65536);
  }
  assert_int_equal(siox_layout_pieces(&l, 0, 1, true, piece, 11), SIOX_EFULL);
  siox_layout_free(&l);
}

static void arrays_read_and_write(void **state) {
  (void)state;
  static const char *const texts[] = {"0:2:64K/4:16K", "1,0:1M/4:64K:parity", "1:2:12345/2:7"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct siox_layout l, copy;
    char text[64];
    assert_int_equal(siox_layout_parse(&l, 8, texts[i]), 0);
    assert_int_equal(l.ndisks, 8);
    assert_int_equal(siox_layout_copy(&copy, &l), 0);
    assert_true(siox_layout_equal(&l, &copy));
    siox_layout_format(&copy, text, sizeof text);
    if (i == 1) /* two nodes round: a triplet */
      assert_string_equal(text, "1:2:1M/4:64K:parity");
    else
      assert_string_equal(text, texts[i]);
    copy.array.parity = !copy.array.parity;
    assert_false(siox_layout_equal(&l, &copy));
    siox_layout_free(&l);
    siox_layout_free(&copy);
  }
}

static void bad_arrays_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int error;
  } bad[] = {
      {"0:2:64K/", SIOX_ESYNTAX},
      {"0:2:64K/4", SIOX_ESYNTAX},
      {"0:2:64K/4:", SIOX_ESYNTAX},
      {"0:2:64K/4:16K:", SIOX_ESYNTAX},
      {"0:2:64K/4:16K:p", SIOX_ESYNTAX},
      {"0:2:64K/4:16K/2:4K", SIOX_ESYNTAX},
      {"0:2:64K/4:0", SIOX_ERANGE},
      {"0:2:64K/0:16K", SIOX_ERANGE},
      {"0:2:64K/1:16K", SIOX_ERANGE},
      {"0:2:64K/3:16K", SIOX_ERANGE},
      {"0:3:64K/4:16K", SIOX_ERANGE},
      {"2:1:64K/4:16K", SIOX_ERANGE},
      {"0:4:64K/2:16K:parity", SIOX_ERANGE},
      {"0,0:64K/4:16K", SIOX_EINVAL},
      {"0:1:64K/4294967297:1", SIOX_ERANGE},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_layout l;
    int rc = siox_layout_parse(&l, 8, bad[i].text);
    if (rc != bad[i].error)
      print_error("%s: %d\n", bad[i].text, rc);
    assert_int_equal(rc, bad[i].error);
    assert_null(l.nodes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_range_touches_the_members_a_byte_walk_touches),
      cmocka_unit_test(a_strided_set_touches_the_members_a_byte_walk_touches),
      cmocka_unit_test(a_long_pattern_gets_whole_nodes),
      cmocka_unit_test(reading_goes_from_the_first_to_the_last_byte_of_each_member),
      cmocka_unit_test(writing_reads_what_rows_in_part_need),
      cmocka_unit_test(a_small_write_takes_four_accesses_and_a_whole_row_one_of_each_member),
      cmocka_unit_test(arrays_read_and_write),
      cmocka_unit_test(bad_arrays_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
