/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Activities put aside until their cycle is decided. Cycle n ends at n * 100. */
#include "daemon/aside.h"
#include "siox/keep.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };
struct got {
  uint32_t number[MOST]; /* `thread` of the events */
  size_t n;
};
static void take(void *context, const struct siox_trace_event *event) {
  struct got *g = context;
  assert_true(g->n < MOST);
  g->number[g->n++] = event->thread;
}
static int put(struct siox__aside *a, int64_t end, uint32_t number) {
  const struct siox_trace_event event = {.kind = SIOX_TRACE_CALL, .thread = number};
  return siox__aside_put(a, end, &event);
}
static struct siox__aside *make(uint64_t bytes) {
  struct siox__aside *a;
  assert_int_equal(siox__aside_new(&a, bytes), 0);
  return a;
}

static void those_of_a_stored_cycle_are_given_and_no_others(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  g.n = 0;
  for (uint32_t cycle = 1; cycle <= 4; cycle++) {
    assert_int_equal(put(a, 100 * (int64_t)cycle - 99, 10 * cycle), 0); /* its first moment */
    assert_int_equal(put(a, 100 * (int64_t)cycle, 10 * cycle + 1), 0);  /* its last */
    siox__aside_cycle(a, cycle, 100 * (int64_t)cycle);
  }
  assert_false(siox__aside_write(a, 100, take, &g));
  siox__aside_decide(a, 1, false);
  siox__aside_decide(a, 2, true);
  siox__aside_decide(a, 3, false);
  siox__aside_decide(a, 4, true);
  assert_false(siox__aside_write(a, 100, take, &g));
  assert_int_equal(g.n, 4);
  assert_memory_equal(g.number, ((uint32_t[]){20, 21, 40, 41}), 4 * sizeof(uint32_t));
  assert_int_equal(siox__aside_counts(a).left, 4);
  assert_int_equal(siox__aside_counts(a).waiting, 0);
  assert_int_equal(siox__aside_counts(a).bytes, 0);
  siox__aside_free(a);
}

static void one_whose_end_is_to_come_waits_for_its_own_cycle(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  g.n = 0;
  assert_int_equal(put(a, 250, 1), 0); /* ends in cycle 3 */
  assert_int_equal(put(a, 50, 2), 0);
  assert_int_equal(put(a, 950, 3), 0);
  for (uint32_t cycle = 1; cycle <= 10; cycle++) {
    siox__aside_cycle(a, cycle, 100 * (int64_t)cycle);
    if (cycle > 2)
      siox__aside_decide(a, cycle - 2, cycle - 2 == 3);
  }
  siox__aside_write(a, 100, take, &g);
  assert_int_equal(g.n, 1);
  assert_int_equal(g.number[0], 1);
  assert_int_equal(siox__aside_counts(a).waiting, 1);
  siox__aside_decide(a, 10, true);
  siox__aside_write(a, 100, take, &g);
  assert_int_equal(g.n, 2);
  assert_int_equal(g.number[1], 3);
  siox__aside_free(a);
}

static void one_that_ends_in_minutes_waits_as_long(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  const int64_t ms = 1000000, minute = 60000 * ms;
  g.n = 0;
  siox__aside_cycle(a, 1, 100 * ms);
  assert_int_equal(put(a, minute, 1), 0);
  assert_int_equal(put(a, minute + 1, 2), 0);
  for (int64_t cycle = 2; cycle <= 700; cycle++) {
    siox__aside_cycle(a, (uint64_t)cycle, 100 * ms * cycle);
    siox__aside_decide(a, (uint64_t)cycle - 1, 100 * ms * (cycle - 1) == minute);
  }
  siox__aside_write(a, 100, take, &g);
  assert_int_equal(g.n, 1);
  assert_int_equal(g.number[0], 1);
  assert_int_equal(siox__aside_counts(a).left, 1);
  siox__aside_free(a);
}

static void ends_at_the_ends_of_time_are_no_trouble(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  g.n = 0;
  siox__aside_cycle(a, 1, 100);
  siox__aside_decide(a, 1, true);
  assert_int_equal(put(a, INT64_MIN, 1), 1);
  assert_int_equal(put(a, INT64_MAX, 2), 0);
  assert_int_equal(put(a, 150, 3), 0);
  siox__aside_cycle(a, 2, INT64_MAX);
  siox__aside_decide(a, 2, true);
  siox__aside_write(a, 100, take, &g);
  assert_int_equal(g.n, 2);
  assert_int_equal(siox__aside_counts(a).waiting, 0);
  siox__aside_free(a);
}

static void one_that_comes_late_has_the_decision_of_its_cycle(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  for (uint32_t cycle = 1; cycle <= 500; cycle++) {
    siox__aside_cycle(a, cycle, 100 * (int64_t)cycle);
    siox__aside_decide(a, cycle, cycle % 3 == 0);
  }
  for (uint32_t cycle = 1; cycle <= 500; cycle++) {
    assert_int_equal(put(a, 100 * (int64_t)cycle - 99, 1), cycle % 3 == 0 ? 1 : 2);
    assert_int_equal(put(a, 100 * (int64_t)cycle, 1), cycle % 3 == 0 ? 1 : 2);
  }
  siox__aside_free(a);
}

static void what_does_not_fit_is_counted_and_the_rest_is_whole(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  g.n = 0;
  uint32_t fitted = 0;
  while (put(a, 50, fitted) == 0)
    fitted++;
  assert_true(fitted > 4000 && fitted < MOST); /* about 130 bytes each */
  for (int i = 0; i < 1000; i++)
    assert_int_equal(put(a, 60, 0), SIOX_EFULL);
  assert_int_equal(siox__aside_counts(a).dropped, 1001);
  assert_true(siox__aside_counts(a).bytes <= 1 << 20);
  siox__aside_cycle(a, 1, 100);
  siox__aside_decide(a, 1, true);
  assert_true(siox__aside_write(a, 10, take, &g));
  assert_int_equal(g.n, 10);
  assert_false(siox__aside_write(a, MOST, take, &g));
  assert_int_equal(g.n, fitted);
  for (uint32_t i = 0; i < fitted; i++)
    assert_int_equal(g.number[i], i);
  assert_int_equal(put(a, 150, 1), 0); /* there is room again */
  siox__aside_free(a);
}

static void nobody_who_decides_costs_no_more_than_the_room(void **unused) {
  (void)unused;
  struct siox__aside *a = make(1 << 20);
  static struct got g;
  g.n = 0;
  for (uint32_t cycle = 1; cycle <= 1000; cycle++) {
    assert_int_equal(put(a, 100 * (int64_t)cycle - 1, cycle), 0);
    siox__aside_cycle(a, cycle, 100 * (int64_t)cycle);
  }
  siox__aside_decide(a, 1000, true);
  siox__aside_write(a, MOST, take, &g);
  assert_int_equal(g.n, 1000);
  siox__aside_free(a);
}

/* Random cycles, ends and delays against what keep.h says of each cycle. */
static void random_activities_are_stored_as_their_cycles_are(void **unused) {
  (void)unused;
  enum { CYCLES = 400, EVENTS = 20000 };
  static struct got g;
  static bool abnormal[CYCLES + 3], stored[CYCLES + 3];
  static uint32_t cycle_of[EVENTS];
  static bool seen[EVENTS];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t state = seed;
    struct siox__aside *a = make(16 << 20);
    struct siox_keep keep;
    struct siox_decision d[SIOX_KEEP_PENDING];
    uint32_t n = 0, at_once = 0;
    g.n = 0;
    memset(seen, 0, sizeof seen);
    siox_keep_start(&keep, SIOX_RECORD_ANOMALIES);
    for (uint32_t c = 1; c <= CYCLES; c++)
      abnormal[c] = test_below(&state, 20) == 0;
    abnormal[0] = abnormal[CYCLES + 1] = false;
    for (uint32_t c = 1; c <= CYCLES; c++) {
      for (uint64_t k = test_below(&state, 60); k > 0 && n < EVENTS; k--) {
        int64_t end = 100 * (int64_t)c - 150 - (int64_t)test_below(&state, 500) +
                      (int64_t)test_below(&state, 1000); /* late by up to 6 cycles, early by 3 */
        end = end < 1 ? 1 : end > 100 * CYCLES ? 100 * CYCLES : end;
        cycle_of[n] = (uint32_t)((end + 99) / 100);
        const int r = put(a, end, n);
        if (r == 1)
          take(&g, &(struct siox_trace_event){.thread = n});
        at_once += r > 0;
        n++;
      }
      siox__aside_cycle(a, c, 100 * (int64_t)c);
      if (siox_keep_cycle(&keep, c, abnormal[c], false, d))
        siox__aside_decide(a, d[0].cycle, d[0].store);
      siox__aside_write(a, test_below(&state, 100), take, &g);
    }
    const int left = siox_keep_end(&keep, d);
    for (int i = 0; i < left; i++)
      siox__aside_decide(a, d[i].cycle, d[i].store);
    siox__aside_write(a, MOST, take, &g);
    for (size_t i = 0; i < g.n; i++) {
      assert_false(seen[g.number[i]]);
      seen[g.number[i]] = true;
    }
    for (uint32_t c = 1; c <= CYCLES; c++)
      stored[c] = abnormal[c - 1] || abnormal[c] || abnormal[c + 1];
    for (uint32_t i = 0; i < n; i++)
      assert_int_equal(seen[i], stored[cycle_of[i]]);
    assert_true(at_once > 0);
    assert_int_equal(siox__aside_counts(a).waiting, 0);
    assert_int_equal(siox__aside_counts(a).dropped, 0);
    assert_int_equal(g.n + siox__aside_counts(a).left, n);
    siox__aside_free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_of_a_stored_cycle_are_given_and_no_others),
      cmocka_unit_test(one_whose_end_is_to_come_waits_for_its_own_cycle),
      cmocka_unit_test(one_that_ends_in_minutes_waits_as_long),
      cmocka_unit_test(ends_at_the_ends_of_time_are_no_trouble),
      cmocka_unit_test(one_that_comes_late_has_the_decision_of_its_cycle),
      cmocka_unit_test(what_does_not_fit_is_counted_and_the_rest_is_whole),
      cmocka_unit_test(nobody_who_decides_costs_no_more_than_the_room),
      cmocka_unit_test(random_activities_are_stored_as_their_cycles_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
