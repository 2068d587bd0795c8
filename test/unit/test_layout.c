/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layout arithmetic against twins that know nothing of periods: a walk over every byte for small
 * numbers, and a walk over every stripe in 128 bits for large ones. */
#include "siox/layout.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

typedef __int128 wide;

/* Node of a byte, as the definition says. */
static uint32_t node_of(const struct siox_layout *l, uint64_t byte) {
  return l->nodes[(byte / l->unit) % l->factor];
}

static void random_layout(struct siox_layout *l, uint64_t *seed, uint32_t max_disks,
                          uint64_t max_unit) {
  uint32_t ndisks = 1 + (uint32_t)test_below(seed, max_disks);
  uint32_t factor = 1 + (uint32_t)test_below(seed, ndisks);
  uint64_t unit = 1 + test_below(seed, max_unit);
  if (test_below(seed, 2)) {
    assert_int_equal(
        siox_layout_triplet(l, ndisks, (uint32_t)test_below(seed, ndisks), factor, unit), 0);
    return;
  }
  uint32_t *nodes = malloc(ndisks * sizeof *nodes);
  for (uint32_t d = 0; d < ndisks; d++)
    nodes[d] = d;
  for (uint32_t d = 0; d < factor; d++) {
    uint32_t with = d + (uint32_t)test_below(seed, ndisks - d), keep = nodes[d];
    nodes[d] = nodes[with];
    nodes[with] = keep;
  }
  assert_int_equal(siox_layout_nodes(l, ndisks, nodes, factor, unit), 0);
  free(nodes);
}

/* A random int64 of random magnitude, near the ends as often as anywhere. */
static int64_t random_offset(uint64_t *seed) {
  uint64_t magnitude = test_random(seed) >> (1 + test_below(seed, 63));
  return (int64_t)(test_below(seed, 3) == 0 ? (uint64_t)INT64_MAX - magnitude : magnitude);
}

/* Marks [from, to) by walking stripes; at most factor of them matter. */
static void twin_range(const struct siox_layout *l, wide from, wide to, struct siox_mask *mask) {
  if (to > INT64_MAX)
    to = INT64_MAX;
  if (from < 0 || from >= to)
    return;
  uint32_t steps = 0;
  for (wide at = from; at < to && steps <= l->factor; steps++) {
    siox_mask_set(mask, node_of(l, (uint64_t)at));
    at = (at / (wide)l->unit + 1) * (wide)l->unit;
  }
}

static void expect_equal(const struct siox_mask *got, const struct siox_mask *expected) {
  char a[1001], b[1001];
  siox_mask_format(got, a, sizeof a);
  siox_mask_format(expected, b, sizeof b);
  assert_string_equal(a, b);
}

static void mask_equals_byte_walk(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed, 70, 9);
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = (int64_t)test_below(&seed, 2000), length = (int64_t)test_below(&seed, 300);
    for (int64_t b = offset; b < offset + length; b++)
      siox_mask_set(&expected, node_of(&l, (uint64_t)b));
    assert_int_equal(siox_layout_mask(&l, offset, length, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

static void mask_far_out_equals_stripe_walk(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed, 100, UINT64_C(1) << test_below(&seed, 64));
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = random_offset(&seed), length = random_offset(&seed);
    twin_range(&l, offset, (wide)offset + length, &expected);
    assert_int_equal(siox_layout_mask(&l, offset, length, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

static void strided_equals_byte_walk(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed, 40, 12);
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = (int64_t)test_below(&seed, 3000) - 300;
    int64_t stride = (int64_t)test_below(&seed, 800) - 400, count = (int64_t)test_below(&seed, 40);
    int64_t size = (int64_t)test_below(&seed, test_below(&seed, 2) ? 8 : 200);
    for (int64_t i = 0; i < count; i++)
      if (offset + i * stride >= 0)
        for (int64_t b = 0; b < size; b++)
          siox_mask_set(&expected, node_of(&l, (uint64_t)(offset + i * stride + b)));
    assert_int_equal(siox_layout_mask_strided(&l, offset, stride, count, size, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

/* Counts beyond one period add nothing: any count must equal the union over one period's worth of
 * requests. */
static void strided_of_huge_count_equals_one_period(void **state) {
  (void)state;
  uint64_t seed = 13;
  for (int round = 0; round < 10000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed, 20, 30);
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t period = (int64_t)(l.unit * l.factor);
    int64_t offset = (int64_t)(test_random(&seed) >> 20); /* up to 2^44 */
    int64_t stride = 1 + (int64_t)test_below(&seed, 100000),
            size = 1 + (int64_t)test_below(&seed, 40);
    int64_t count = (INT64_MAX - offset - size) / stride - (int64_t)test_below(&seed, 1000);
    for (int64_t i = 0; i < period; i++)
      twin_range(&l, offset + (wide)stride * i, offset + (wide)stride * i + size, &expected);
    assert_int_equal(siox_layout_mask_strided(&l, offset, stride, count, size, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

static void strided_far_out_equals_stripe_walk(void **state) {
  (void)state;
  uint64_t seed = 14;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    struct siox_mask got, expected;
    random_layout(&l, &seed, 60, UINT64_C(1) << test_below(&seed, 64));
    siox_mask_init(&got, l.ndisks);
    siox_mask_init(&expected, l.ndisks);
    int64_t offset = random_offset(&seed), stride = random_offset(&seed);
    if (test_below(&seed, 2))
      offset = -offset;
    if (test_below(&seed, 2))
      stride = -stride;
    int64_t count = (int64_t)test_below(&seed, 60), size = random_offset(&seed);
    for (int64_t i = 0; i < count; i++)
      twin_range(&l, offset + (wide)stride * i, offset + (wide)stride * i + size, &expected);
    assert_int_equal(siox_layout_mask_strided(&l, offset, stride, count, size, &got), 0);
    expect_equal(&got, &expected);
    siox_mask_free(&got);
    siox_mask_free(&expected);
    siox_layout_free(&l);
  }
}

/* Stride a little off the period: the set creeps round the ring, so the least i that reaches a
 * stripe is large. */
static void strided_creeping_round_the_ring(void **state) {
  (void)state;
  struct siox_layout l;
  assert_int_equal(siox_layout_triplet(&l, 8, 0, 8, UINT64_C(1) << 40), 0);
  int64_t period = INT64_C(1) << 43;
  const struct {
    int64_t count;
    const char *mask;
  } cases[] = {
      /* start 0, +1 byte a period: stripe 1 is reached after 2^40 periods, beyond any file; two
         stripes never */
      {1 << 19, "10000000"},
      {INT64_MAX, "10000000"},
  };
  for (size_t i = 0; i < 2; i++) {
    struct siox_mask got;
    char text[16];
    siox_mask_init(&got, 8);
    assert_int_equal(siox_layout_mask_strided(&l, 0, period + 1, cases[i].count, 1, &got), 0);
    siox_mask_format(&got, text, sizeof text);
    assert_string_equal(text, cases[i].mask);
    siox_mask_free(&got);
  }
  siox_layout_free(&l);
  /* unit 1, 8 disks, stride 9: one stripe further each time, so count many leading stripes */
  assert_int_equal(siox_layout_triplet(&l, 8, 0, 8, 1), 0);
  struct siox_mask got;
  char text[16];
  siox_mask_init(&got, 8);
  assert_int_equal(siox_layout_mask_strided(&l, 0, 9, 5, 1, &got), 0);
  siox_mask_format(&got, text, sizeof text);
  assert_string_equal(text, "11111000");
  siox_mask_free(&got);
  siox_layout_free(&l);
}

/* Strides a few bytes off the period creep round the ring: stripe k is first reached by request
 * ceil((k * unit - size + 1) / e), and by no earlier one. */
static void strided_creeping_reaches_each_stripe_when_due(void **state) {
  (void)state;
  uint64_t seed = 17;
  for (int round = 0; round < 10000; round++) {
    struct siox_layout l;
    struct siox_mask m;
    uint32_t factor = 2 + (uint32_t)test_below(&seed, 30);
    int64_t unit = 1 + (int64_t)test_below(&seed, UINT64_C(1) << (3 + test_below(&seed, 26)));
    assert_int_equal(siox_layout_triplet(&l, factor, 0, factor, (uint64_t)unit), 0);
    int64_t period = unit * factor,
            e = 1 + (int64_t)test_below(&seed, (uint64_t)(unit < 40 ? unit : 40));
    int64_t size = 1 + (int64_t)test_below(&seed, (uint64_t)unit);
    uint32_t k = 1 + (uint32_t)test_below(&seed, factor - 1);
    int64_t due = (k * unit - size + e) / e;
    bool back = test_below(&seed, 2); /* the same requests, last first */
    for (int64_t count = due; count <= due + 1; count++) {
      if ((wide)(period + e) * due + size >= INT64_MAX)
        continue;
      siox_mask_init(&m, factor);
      int64_t stride = period + e, first = 0;
      if (back && count > 0) {
        first = stride * (count - 1);
        stride = -stride;
      }
      assert_int_equal(siox_layout_mask_strided(&l, first, stride, count, size, &m), 0);
      assert_int_equal(siox_mask_test(&m, k), count > due);
      siox_mask_free(&m);
    }
    siox_layout_free(&l);
  }
}

static void extents_equal_byte_walk(void **state) {
  (void)state;
  uint64_t seed = 15;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    random_layout(&l, &seed, 30, 9);
    int64_t offset = (int64_t)test_below(&seed, 1000), length = (int64_t)test_below(&seed, 300);
    struct siox_extent got[30], expected[30];
    uint32_t n = 0;
    for (int64_t b = offset; b < offset + length; b++) {
      uint32_t disk = node_of(&l, (uint64_t)b), k = 0;
      while (k < n && expected[k].disk != disk)
        k++;
      if (k == n) { /* local: bytes of this disk before b */
        uint64_t local = 0;
        for (int64_t before = 0; before < b; before++)
          local += node_of(&l, (uint64_t)before) == disk;
        expected[n++] = (struct siox_extent){disk, local, 0};
      }
      expected[k].bytes++;
    }
    assert_int_equal(siox_layout_extents(&l, offset, length, got, 30), n);
    for (uint32_t k = 0; k < n; k++) {
      assert_int_equal(got[k].disk, expected[k].disk);
      assert_int_equal(got[k].local, expected[k].local);
      assert_int_equal(got[k].bytes, expected[k].bytes);
    }
    if (n > 0)
      assert_int_equal(siox_layout_extents(&l, offset, length, got, n - 1), SIOX_EFULL);
    siox_layout_free(&l);
  }
}

/* Far out, where bytes cannot be walked: pieces add up, agree with the mask, and each piece's ends
 * map back. */
static void extents_far_out_are_consistent(void **state) {
  (void)state;
  uint64_t seed = 16;
  for (int round = 0; round < 20000; round++) {
    struct siox_layout l;
    random_layout(&l, &seed, 30, UINT64_C(1) << test_below(&seed, 64));
    int64_t offset = random_offset(&seed), length = random_offset(&seed);
    wide end = (wide)offset + length > INT64_MAX ? INT64_MAX : (wide)offset + length, sum = 0;
    struct siox_extent got[30];
    struct siox_mask mask, from_extents;
    siox_mask_init(&mask, l.ndisks);
    siox_mask_init(&from_extents, l.ndisks);
    int n = siox_layout_extents(&l, offset, length, got, 30);
    assert_true(n >= 0);
    wide before = -1;
    for (int i = 0; i < n; i++) {
      uint32_t k = 0;
      while (l.nodes[k] != got[i].disk)
        k++;
      /* local byte x of node k is file byte (x / unit * factor + k) * unit + x % unit */
      wide x = got[i].local, y = x + got[i].bytes - 1, u = (wide)l.unit;
      wide first = (x / u * l.factor + k) * u + x % u, last = (y / u * l.factor + k) * u + y % u;
      assert_true(first >= offset && last < end && first > before);
      assert_false(siox_mask_test(&from_extents, got[i].disk));
      siox_mask_set(&from_extents, got[i].disk);
      before = first;
      sum += got[i].bytes;
    }
    assert_true(sum == end - offset);
    assert_int_equal(siox_layout_mask(&l, offset, length, &mask), 0);
    expect_equal(&from_extents, &mask);
    siox_mask_free(&mask);
    siox_mask_free(&from_extents);
    siox_layout_free(&l);
  }
}

static void expect_mask(uint32_t ndisks, const char *layout, int64_t offset, int64_t length,
                        const char *expected) {
  struct siox_layout l;
  struct siox_mask m;
  char text[1001];
  assert_int_equal(siox_layout_parse(&l, ndisks, layout), 0);
  assert_int_equal(siox_mask_init(&m, ndisks), 0);
  assert_int_equal(siox_layout_mask(&l, offset, length, &m), 0);
  siox_mask_format(&m, text, sizeof text);
  assert_string_equal(text, expected);
  siox_mask_free(&m);
  siox_layout_free(&l);
}

static void examples_of_the_paper(void **state) {
  (void)state;
  /* section IV: D = 6, A and B on (1,3,64K), C on (2,3,64K), requests of three stripes */
  expect_mask(6, "1:3:64K", 0, 3 * 65536, "011100");
  expect_mask(6, "2:3:64K", 0, 3 * 65536, "001110");
  expect_mask(4, "0:3:64K", 0, 3 * 65536, "1110");
}

static void small_request_can_straddle_two_stripes(void **state) {
  (void)state; /* Fig. 3 as printed gives one disk for size <= unit */
  expect_mask(6, "1:3:64K", 65535, 2, "011000");
  expect_mask(6, "1:3:64K", 65535, 1, "010000");
  expect_mask(6, "1:3:64K", 3 * 65536 - 1, 65536, "010100");
}

static void large_request_touches_only_its_stripes(void **state) {
  (void)state; /* Fig. 3 as printed gives all disks of the file, and does not wrap them */
  expect_mask(6, "4:4:64K", 65536, 2 * 65536, "100001");
  expect_mask(6, "4:4:64K", 0, 4 * 65536, "110011");
}

static void zero_bytes_touch_nothing(void **state) {
  (void)state;
  expect_mask(6, "1:3:64K", 5, 0, "000000");
  struct siox_layout l;
  struct siox_extent e;
  assert_int_equal(siox_layout_parse(&l, 6, "1:3:64K"), 0);
  assert_int_equal(siox_layout_extents(&l, 5, 0, &e, 1), 0);
  siox_layout_free(&l);
}

static void bits_already_set_stay(void **state) {
  (void)state;
  struct siox_layout l;
  struct siox_mask m;
  char text[8];
  assert_int_equal(siox_layout_parse(&l, 6, "1:3:64K"), 0);
  assert_int_equal(siox_mask_parse(&m, "100000"), 0);
  assert_int_equal(siox_layout_mask(&l, 0, 1, &m), 0);
  assert_int_equal(siox_layout_mask_strided(&l, 0, 65536 * 5, 2, 1, &m), 0);
  siox_mask_format(&m, text, sizeof text);
  assert_string_equal(text, "110100");
  siox_mask_free(&m);
  siox_layout_free(&l);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  struct siox_layout l;
  struct siox_mask m;
  struct siox_extent e;
  assert_int_equal(siox_layout_parse(&l, 6, "1:3:64K"), 0);
  assert_int_equal(siox_mask_init(&m, 7), 0);
  assert_int_equal(siox_layout_mask(&l, 0, 1, &m), SIOX_EINVAL);
  assert_int_equal(siox_layout_mask_strided(&l, 0, 1, 1, 1, &m), SIOX_EINVAL);
  siox_mask_free(&m);
  assert_int_equal(siox_mask_init(&m, 6), 0);
  assert_int_equal(siox_layout_mask(&l, -1, 1, &m), SIOX_EINVAL);
  assert_int_equal(siox_layout_mask(&l, 0, -1, &m), SIOX_EINVAL);
  assert_int_equal(siox_layout_mask_strided(&l, 0, 1, -1, 1, &m), SIOX_EINVAL);
  assert_int_equal(siox_layout_mask_strided(&l, 0, 1, 1, -1, &m), SIOX_EINVAL);
  assert_int_equal(siox_layout_extents(&l, -1, 1, &e, 1), SIOX_EINVAL);
  assert_true(siox_mask_empty(&m));
  siox_mask_free(&m);
  siox_layout_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mask_equals_byte_walk),
      cmocka_unit_test(mask_far_out_equals_stripe_walk),
      cmocka_unit_test(strided_equals_byte_walk),
      cmocka_unit_test(strided_of_huge_count_equals_one_period),
      cmocka_unit_test(strided_far_out_equals_stripe_walk),
      cmocka_unit_test(strided_creeping_round_the_ring),
      cmocka_unit_test(strided_creeping_reaches_each_stripe_when_due),
      cmocka_unit_test(extents_equal_byte_walk),
      cmocka_unit_test(extents_far_out_are_consistent),
      cmocka_unit_test(examples_of_the_paper),
      cmocka_unit_test(small_request_can_straddle_two_stripes),
      cmocka_unit_test(large_request_touches_only_its_stripes),
      cmocka_unit_test(zero_bytes_touch_nothing),
      cmocka_unit_test(bits_already_set_stay),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
