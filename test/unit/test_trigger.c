/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When triggers fire: a cycle is a second. */
#include "siox/trigger.h"
#include "support.h"
#include <string.h>
#include <time.h>

static const int64_t SECOND = 1000000000;
#define BIT(x) (1u << (x))

static struct siox_trigger trigger(struct siox_trigger_when when) {
  struct siox_trigger t;
  assert_int_equal(siox_trigger_start(&t, &when), 0);
  return t;
}
static struct siox_trigger_report node(enum siox_condition state, enum siox_verdict verdict,
                                       enum siox_category category) {
  return (struct siox_trigger_report){SIOX_LEVEL_NODE, state, verdict, category};
}
/* The seconds, counted from 1, in which it fires while the node is as a text says: B bad, O other,
 * G good ("better than usual"), anything else GOOD. */
static const char *fires(struct siox_trigger *t, const char *states) {
  static char out[256];
  const size_t n = strlen(states);
  for (size_t i = 0; i < n; i++) {
    const char s = states[i];
    const struct siox_trigger_report r = node(s == 'B'   ? SIOX_ABNORMAL_BAD
                                              : s == 'O' ? SIOX_ABNORMAL_OTHER
                                              : s == 'G' ? SIOX_ABNORMAL_GOOD
                                                         : SIOX_GOOD,
                                              SIOX_VERDICT_NONE, SIOX_NCATEGORIES);
    out[i] = siox_trigger_cycle(t, (int64_t)(i + 1) * SECOND, &r, 1) == 0 ? '!' : '.';
  }
  out[n] = 0;
  return out;
}

static void it_fires_once_when_the_condition_begins(void **unused) {
  (void)unused;
  struct siox_trigger t = trigger((struct siox_trigger_when){.level = SIOX_LEVEL_NODE});
  assert_string_equal(fires(&t, "..BBB..O.GG"), "..!....!.!.");
  assert_int_equal(t.count, 3);
}

static void it_fires_after_so_many_cycles_in_a_row(void **unused) {
  (void)unused;
  struct siox_trigger t =
      trigger((struct siox_trigger_when){.level = SIOX_LEVEL_NODE, .cycles = 3});
  assert_string_equal(fires(&t, "BB.BB.BBBBB.BBB"), "........!.....!");
}

static void only_the_states_that_are_named_count(void **unused) {
  (void)unused;
  struct siox_trigger t = trigger(
      (struct siox_trigger_when){.level = SIOX_LEVEL_NODE, .states = BIT(SIOX_ABNORMAL_BAD)});
  assert_string_equal(fires(&t, "OBOGB"), ".!..!");
  t = trigger((struct siox_trigger_when){.level = SIOX_LEVEL_NODE, .states = BIT(SIOX_GOOD)});
  assert_string_equal(fires(&t, "BB..B."), "..!..!");
}

static void it_fires_no_more_often_than_it_may_and_later_then(void **unused) {
  (void)unused;
  struct siox_trigger t = trigger(
      (struct siox_trigger_when){.level = SIOX_LEVEL_NODE, .at_most = 1, .per_ns = 5 * SECOND});
  /* The second one would be in second 3, and may be from second 6 on: it holds until then. */
  assert_string_equal(fires(&t, "B.BBBBBB.B..B"), "!....!......!");
  t = trigger(
      (struct siox_trigger_when){.level = SIOX_LEVEL_NODE, .at_most = 2, .per_ns = 10 * SECOND});
  assert_string_equal(fires(&t, "B.B.B.B.B.B.B.B"), "!.!.......!.!..");
  assert_int_equal(t.late, 4); /* seconds 5, 7, 9 and 15 */
}

static void verdict_and_category_must_meet_too(void **unused) {
  (void)unused;
  struct siox_trigger t =
      trigger((struct siox_trigger_when){.level = SIOX_LEVEL_NODE,
                                         .verdicts = BIT(SIOX_VERDICT_FAULT),
                                         .categories = BIT(SIOX_CATEGORY_DISK)});
  struct siox_trigger_report r = node(SIOX_ABNORMAL_BAD, SIOX_VERDICT_FAULT, SIOX_CATEGORY_CPU);
  assert_int_equal(siox_trigger_cycle(&t, 1, &r, 1), -1);
  r.category = SIOX_CATEGORY_DISK;
  r.verdict = SIOX_VERDICT_HIGH_LOAD;
  assert_int_equal(siox_trigger_cycle(&t, 2, &r, 1), -1);
  r.verdict = SIOX_VERDICT_FAULT;
  assert_int_equal(siox_trigger_cycle(&t, 3, &r, 1), 0);
}

static void a_verdict_that_is_said_in_a_good_state_counts_where_it_is_named(void **unused) {
  (void)unused;
  const struct siox_trigger_report r =
      node(SIOX_GOOD, SIOX_VERDICT_MISCONFIGURATION, SIOX_CATEGORY_CPU);
  struct siox_trigger any = trigger((struct siox_trigger_when){.level = SIOX_LEVEL_NODE}),
                      named = trigger((struct siox_trigger_when){
                          .level = SIOX_LEVEL_NODE,
                          .verdicts = BIT(SIOX_VERDICT_MISCONFIGURATION)});
  assert_int_equal(siox_trigger_cycle(&any, 1, &r, 1), -1);
  assert_int_equal(siox_trigger_cycle(&named, 1, &r, 1), 0);
}

static void of_several_processes_the_first_that_meets_is_named(void **unused) {
  (void)unused;
  struct siox_trigger t = trigger((struct siox_trigger_when){
      .level = SIOX_LEVEL_PROCESS, .states = BIT(SIOX_ABNORMAL_BAD), .cycles = 2});
  struct siox_trigger_report r[4] = {node(SIOX_ABNORMAL_BAD, 0, 0)};
  for (int i = 1; i < 4; i++)
    r[i] = (struct siox_trigger_report){.level = SIOX_LEVEL_PROCESS, .state = SIOX_ABNORMAL_OTHER};
  r[3].state = SIOX_ABNORMAL_BAD;
  assert_int_equal(siox_trigger_cycle(&t, 1, r, 4), -1);
  r[2].state = SIOX_ABNORMAL_BAD; /* another one: some process was bad in two cycles */
  assert_int_equal(siox_trigger_cycle(&t, 2, r, 4), 2);
}

static void a_limit_without_a_time_is_refused(void **unused) {
  (void)unused;
  struct siox_trigger t;
  assert_int_equal(siox_trigger_start(&t, &(struct siox_trigger_when){.at_most = 1}), SIOX_ERANGE);
  assert_int_equal(
      siox_trigger_start(
          &t, &(struct siox_trigger_when){.at_most = SIOX_TRIGGER_TIMES + 1, .per_ns = 1}),
      SIOX_ERANGE);
}

/* A figure, not asserted. */
static void cost(void **unused) {
  (void)unused;
  enum { TRIGGERS = 1000, REPORTS = 18, CYCLES = 100 };
  static struct siox_trigger t[TRIGGERS];
  struct siox_trigger_report r[REPORTS] = {node(SIOX_GOOD, 0, 0), node(SIOX_GOOD, 0, 0)};
  for (int i = 2; i < REPORTS; i++)
    r[i] = (struct siox_trigger_report){.level = SIOX_LEVEL_PROCESS, .state = SIOX_ABNORMAL_OTHER};
  for (int i = 0; i < TRIGGERS; i++)
    t[i] = trigger((struct siox_trigger_when){.level = (enum siox_reasoner_level)(i % 3),
                                              .states = BIT(SIOX_ABNORMAL_BAD)});
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (int c = 0; c < CYCLES; c++)
    for (int i = 0; i < TRIGGERS; i++)
      (void)siox_trigger_cycle(&t[i], c, r, REPORTS);
  clock_gettime(CLOCK_MONOTONIC, &b);
  print_message("%d triggers over %d reports: %.0f us a cycle\n", TRIGGERS, REPORTS,
                (1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec)) /
                    CYCLES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_fires_once_when_the_condition_begins),
      cmocka_unit_test(it_fires_after_so_many_cycles_in_a_row),
      cmocka_unit_test(only_the_states_that_are_named_count),
      cmocka_unit_test(it_fires_no_more_often_than_it_may_and_later_then),
      cmocka_unit_test(verdict_and_category_must_meet_too),
      cmocka_unit_test(a_verdict_that_is_said_in_a_good_state_counts_where_it_is_named),
      cmocka_unit_test(of_several_processes_the_first_that_meets_is_named),
      cmocka_unit_test(a_limit_without_a_time_is_refused),
      cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
