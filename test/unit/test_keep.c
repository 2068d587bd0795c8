/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which cycles are stored, against the sentence: the abnormal ones, the one before each and the one
 * after. */
#include "siox/keep.h"
#include "support.h"

enum { N = 12 };

/* Runs a pattern of N cycles, the first of them number 100: what is stored, as bits. late: those
 * bits are told one cycle late. */
static uint32_t stored_of(enum siox_record mode, uint32_t pattern, uint32_t late) {
  struct siox_keep keep;
  struct siox_decision d[SIOX_KEEP_PENDING];
  uint32_t stored = 0;
  uint64_t expected = 100;
  siox_keep_start(&keep, mode);
  for (uint32_t i = 0; i <= N; i++) {
    const bool told_late = i > 0 && (pattern & late) >> (i - 1) & 1;
    /* A cycle N after the pattern carries what was late for the last one, and is good itself. */
    const int n = siox_keep_cycle(&keep, 100 + i, (pattern & ~late) >> i & 1, told_late, d);
    assert_in_range(n, 0, 1);
    assert_true(keep.npending <= SIOX_KEEP_PENDING);
    if (n == 1) {
      assert_int_equal(d[0].cycle, expected++);
      stored |= (uint32_t)d[0].store << (d[0].cycle - 100);
    }
  }
  const int n = siox_keep_end(&keep, d);
  for (int i = 0; i < n; i++) {
    assert_int_equal(d[i].cycle, expected++);
    stored |= (uint32_t)d[i].store << (d[i].cycle - 100);
  }
  assert_int_equal(expected, 100 + N + 1); /* each exactly once */
  return stored & ((1u << N) - 1);
}

static void each_of_all_patterns_keeps_the_abnormal_cycles_and_their_neighbours(void **unused) {
  (void)unused;
  for (uint32_t pattern = 0; pattern < 1u << N; pattern++) {
    uint32_t expected = 0;
    for (int i = 0; i < N; i++)
      for (int j = i - 1; j <= i + 1; j++)
        if (j >= 0 && j < N && pattern >> j & 1)
          expected |= 1u << i;
    assert_int_equal(stored_of(SIOX_RECORD_ANOMALIES, pattern, 0), expected);
    assert_int_equal(stored_of(SIOX_RECORD_ANOMALIES, pattern, pattern), expected);
    assert_int_equal(stored_of(SIOX_RECORD_ANOMALIES, pattern, 0x5a5), expected);
  }
}

static void all_stores_all_and_off_nothing(void **unused) {
  (void)unused;
  for (uint32_t pattern = 0; pattern < 1u << N; pattern += 37) {
    assert_int_equal(stored_of(SIOX_RECORD_ALL, pattern, 0), (1u << N) - 1);
    assert_int_equal(stored_of(SIOX_RECORD_OFF, pattern, 0), 0);
  }
}

/* Good cycles from `first` on until `n` decisions: their bits. */
static uint32_t bits(struct siox_keep *keep, uint64_t first, int n) {
  struct siox_decision d;
  uint32_t stored = 0;
  for (int made = 0; made < n; first++)
    if (siox_keep_cycle(keep, first, false, false, &d) == 1)
      stored |= (uint32_t)d.store << made++;
  return stored;
}

static void a_window_stores_the_cycles_that_come(void **unused) {
  (void)unused;
  struct siox_keep keep;
  siox_keep_start(&keep, SIOX_RECORD_ANOMALIES);
  assert_int_equal(bits(&keep, 1, 3), 0); /* 1 to 3; 4 and 5 wait */
  siox_keep_window(&keep, 4);
  siox_keep_window(&keep, 2);                /* ends earlier: changes nothing */
  assert_int_equal(bits(&keep, 6, 8), 0x3c); /* 4, 5 not; 6 to 9; 10, 11 not */
}

static void off_stores_no_window(void **unused) {
  (void)unused;
  struct siox_keep keep;
  siox_keep_start(&keep, SIOX_RECORD_OFF);
  siox_keep_window(&keep, 4);
  assert_int_equal(bits(&keep, 1, 8), 0);
}

static void another_mode_holds_from_the_next_cycle_on(void **unused) {
  (void)unused;
  struct siox_keep keep;
  siox_keep_start(&keep, SIOX_RECORD_OFF);
  assert_int_equal(bits(&keep, 1, 1), 0); /* 1; 2 and 3 wait */
  siox_keep_mode(&keep, SIOX_RECORD_ALL);
  assert_int_equal(bits(&keep, 4, 4), 0xc); /* 2 and 3 not, 4 and 5 */
}

static void a_number_that_does_not_grow_is_refused(void **unused) {
  (void)unused;
  struct siox_keep keep;
  struct siox_decision d;
  siox_keep_start(&keep, SIOX_RECORD_ALL);
  assert_int_equal(siox_keep_cycle(&keep, 7, false, false, &d), 0);
  assert_int_equal(siox_keep_cycle(&keep, 7, true, true, &d), SIOX_EINVAL);
  assert_int_equal(siox_keep_cycle(&keep, 6, true, true, &d), SIOX_EINVAL);
  assert_int_equal(siox_keep_cycle(&keep, 9, false, false, &d), 0); /* 8 never was */
}

static void modes_have_names(void **unused) {
  (void)unused;
  enum siox_record mode;
  assert_int_equal(siox_record_parse("anomalies", &mode), 0);
  assert_int_equal(mode, SIOX_RECORD_ANOMALIES);
  assert_int_equal(siox_record_parse("off", &mode), 0);
  assert_int_equal(mode, SIOX_RECORD_OFF);
  assert_int_equal(siox_record_parse("all", &mode), 0);
  assert_int_equal(mode, SIOX_RECORD_ALL);
  assert_int_equal(siox_record_parse("some", &mode), SIOX_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_of_all_patterns_keeps_the_abnormal_cycles_and_their_neighbours),
      cmocka_unit_test(all_stores_all_and_off_nothing),
      cmocka_unit_test(a_window_stores_the_cycles_that_come),
      cmocka_unit_test(off_stores_no_window),
      cmocka_unit_test(another_mode_holds_from_the_next_cycle_on),
      cmocka_unit_test(a_number_that_does_not_grow_is_refused),
      cmocka_unit_test(modes_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
