/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Disk masks at widths around the word size: every operation against a plain array of booleans. */
#include "siox/error.h"
#include "siox/mask.h"
#include "support.h"
#include <string.h>

static const uint32_t widths[] = {1, 63, 64, 65, 1000};
#define NWIDTHS (sizeof widths / sizeof *widths)

static void fill_random(struct siox_mask *m, bool *twin, uint64_t *seed) {
  for (uint32_t d = 0; d < m->ndisks; d++) {
    twin[d] = test_below(seed, 2);
    if (twin[d])
      siox_mask_set(m, d);
    else
      siox_mask_clear(m, d);
  }
}

static void expect_same(const struct siox_mask *m, const bool *twin) {
  uint32_t count = 0;
  for (uint32_t d = 0; d < m->ndisks; d++) {
    assert_int_equal(siox_mask_test(m, d), twin[d]);
    count += twin[d];
  }
  assert_int_equal(siox_mask_count(m), count);
  assert_int_equal(siox_mask_empty(m), count == 0);
  if (m->ndisks % 64) /* bits above the width stay 0 */
    assert_true(m->words[m->ndisks / 64] >> (m->ndisks % 64) == 0);
}

static void operations_agree_with_array_of_bools(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (size_t w = 0; w < NWIDTHS; w++)
    for (int round = 0; round < 50; round++) {
      struct siox_mask a, b;
      bool ta[1000], tb[1000], t[1000];
      assert_int_equal(siox_mask_init(&a, widths[w]), 0);
      assert_int_equal(siox_mask_init(&b, widths[w]), 0);
      fill_random(&a, ta, &seed);
      fill_random(&b, tb, &seed);
      struct siox_mask r;
      assert_int_equal(siox_mask_init(&r, widths[w]), 0);
      for (int op = 0; op < 4; op++) {
        assert_int_equal(siox_mask_copy(&r, &a), 0);
        for (uint32_t d = 0; d < widths[w]; d++)
          t[d] = op == 0   ? ta[d] || tb[d]
                 : op == 1 ? ta[d] && tb[d]
                 : op == 2 ? ta[d] && !tb[d]
                           : !ta[d];
        if (op == 0)
          siox_mask_or(&r, &b);
        else if (op == 1)
          siox_mask_and(&r, &b);
        else if (op == 2)
          siox_mask_andnot(&r, &b);
        else
          siox_mask_complement(&r);
        expect_same(&r, t);
      }
      siox_mask_free(&a);
      siox_mask_free(&b);
      siox_mask_free(&r);
    }
}

static void next_walks_the_set_in_order(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (size_t w = 0; w < NWIDTHS; w++) {
    struct siox_mask m;
    bool t[1000];
    assert_int_equal(siox_mask_init(&m, widths[w]), 0);
    fill_random(&m, t, &seed);
    uint32_t got = siox_mask_next(&m, 0);
    for (uint32_t d = 0; d < m.ndisks; d++)
      if (t[d]) {
        assert_int_equal(got, d);
        got = siox_mask_next(&m, d + 1);
      }
    assert_int_equal(got, m.ndisks);
    assert_int_equal(siox_mask_next(&m, m.ndisks + 7), m.ndisks);
    siox_mask_free(&m);
  }
}

static void fill_then_zero(void **state) {
  (void)state;
  for (size_t w = 0; w < NWIDTHS; w++) {
    struct siox_mask m;
    assert_int_equal(siox_mask_init(&m, widths[w]), 0);
    siox_mask_fill(&m);
    assert_int_equal(siox_mask_count(&m), widths[w]);
    siox_mask_complement(&m);
    assert_true(siox_mask_empty(&m));
    siox_mask_fill(&m);
    siox_mask_zero(&m);
    assert_true(siox_mask_empty(&m));
    siox_mask_free(&m);
  }
}

static void text_round_trip(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (size_t w = 0; w < NWIDTHS; w++) {
    struct siox_mask m, back;
    bool t[1000];
    char text[1001];
    assert_int_equal(siox_mask_init(&m, widths[w]), 0);
    fill_random(&m, t, &seed);
    assert_int_equal(siox_mask_format(&m, text, sizeof text), widths[w]);
    assert_int_equal(siox_mask_parse(&back, text), 0);
    assert_true(siox_mask_equal(&m, &back));
    siox_mask_free(&m);
    siox_mask_free(&back);
  }
}

static void disk_0_stands_leftmost(void **state) {
  (void)state;
  struct siox_mask m;
  assert_int_equal(siox_mask_parse(&m, "011110"), 0); /* paper section IV: disks 1 to 4 of six */
  assert_int_equal(m.ndisks, 6);
  assert_int_equal(m.words[0], 0x1e);
  siox_mask_free(&m);
}

static void format_cuts_to_the_buffer(void **state) {
  (void)state;
  struct siox_mask m;
  char text[4];
  assert_int_equal(siox_mask_parse(&m, "011110"), 0);
  assert_int_equal(siox_mask_format(&m, text, sizeof text), 6);
  assert_string_equal(text, "011");
  assert_int_equal(siox_mask_format(&m, NULL, 0), 6);
  siox_mask_free(&m);
}

static void parse_rejects(void **state) {
  (void)state;
  const char *bad[] = {"", "2", "01x", "01 ", " 01", "0b1", "-1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_mask m;
    assert_int_equal(siox_mask_parse(&m, bad[i]), SIOX_ESYNTAX);
    siox_mask_free(&m); /* harmless after a failure */
  }
}

static void width_is_checked(void **state) {
  (void)state;
  struct siox_mask m;
  assert_int_equal(siox_mask_init(&m, 0), SIOX_ERANGE);
  assert_int_equal(siox_mask_init(&m, SIOX_MAX_DISKS + 1), SIOX_ERANGE);
  assert_int_equal(siox_mask_init(&m, SIOX_MAX_DISKS), 0);
  siox_mask_set(&m, SIOX_MAX_DISKS); /* outside: nothing happens */
  assert_true(siox_mask_empty(&m));
  siox_mask_free(&m);
}

static void disks_beyond_the_width_are_dropped(void **state) {
  (void)state;
  struct siox_mask narrow, broad;
  assert_int_equal(siox_mask_init(&narrow, 65), 0);
  assert_int_equal(siox_mask_init(&broad, 1000), 0);
  siox_mask_fill(&broad);
  siox_mask_or(&narrow, &broad);
  assert_int_equal(siox_mask_count(&narrow), 65);
  siox_mask_and(&broad, &narrow); /* disks the narrow one does not have are not in it */
  assert_int_equal(siox_mask_count(&broad), 65);
  assert_int_equal(siox_mask_copy(&narrow, &broad), SIOX_EINVAL);
  siox_mask_free(&narrow);
  siox_mask_free(&broad);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_agree_with_array_of_bools),
      cmocka_unit_test(next_walks_the_set_in_order),
      cmocka_unit_test(fill_then_zero),
      cmocka_unit_test(text_round_trip),
      cmocka_unit_test(disk_0_stands_leftmost),
      cmocka_unit_test(format_cuts_to_the_buffer),
      cmocka_unit_test(parse_rejects),
      cmocka_unit_test(width_is_checked),
      cmocka_unit_test(disks_beyond_the_width_are_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
