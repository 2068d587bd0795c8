/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What nodes write of themselves, when, and what is known of those that were heard. */
#include "common/word.h"
#include "daemon/nodes_table.h"
#include "daemon/nodes_text.h"
#include "support.h"
#include <stdio.h>
#include <string.h>

#define MS INT64_C(1000000)
#define S (1000 * MS)
#define OWNER "0123456789abcdef"

static struct siox_node_report report(uint64_t number, enum siox_condition state) {
  return (struct siox_node_report){.name = "node1",
                                   .number = number,
                                   .state = state,
                                   .verdict =
                                       state == SIOX_GOOD ? SIOX_VERDICT_NONE : SIOX_VERDICT_FAULT};
}

static void a_report_is_read_as_it_was_written(void **unused) {
  (void)unused;
  char text[SIOX__NODE_VALUE], owner[17] = "";
  for (int s = 0; s < SIOX_NCONDITIONS; s++)
    for (int v = 0; v <= SIOX_VERDICT_UNCLEAR; v++) {
      struct siox_node_report in = {.number = 7,
                                    .state = (enum siox_condition)s,
                                    .verdict = (enum siox_verdict)v},
                              out = {.name = "stays"};
      const int n = siox__node_value_put(&in, OWNER, text, sizeof text);
      assert_in_range(n, 1, sizeof text - 1);
      assert_int_equal(siox__node_value_get(text, (size_t)n, &out, owner), 0);
      assert_true(out.number == 7 && out.state == in.state && out.verdict == in.verdict);
      assert_string_equal(out.name, "stays");
      assert_string_equal(owner, OWNER);
    }
}

static void the_text_is_fixed(void **unused) {
  (void)unused;
  const struct siox_node_report in = report(12, SIOX_ABNORMAL_BAD);
  char text[SIOX__NODE_VALUE];
  siox__node_value_put(&in, OWNER, text, sizeof text);
  assert_string_equal(text, "{\"owner\":\"0123456789abcdef\",\"number\":12,\"state\":"
                            "\"ABNORMAL_BAD\",\"verdict\":\"fault\"}");
}

static void what_is_no_report_is_refused(void **unused) {
  (void)unused;
  static const char *const bad[] = {
      "",
      "[]",
      "{\"owner\":\"" OWNER "\",\"number\":1,\"state\":\"GOOD\"}",
      "{\"owner\":\"" OWNER "\",\"number\":1,\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "\",\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"number\":1,\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "0\",\"number\":1,\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"owner\":\"0123456789ABCDEF\",\"number\":1,\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "\",\"number\":-1,\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "\",\"number\":1.5,\"state\":\"GOOD\",\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "\",\"number\":1,\"state\":\"good\",\"verdict\":\"fault\"}",
      "{\"owner\":\"" OWNER "\",\"number\":1,\"state\":\"GOOD\",\"verdict\":3}",
  };
  struct siox_node_report out = report(5, SIOX_GOOD);
  char owner[17], many[SIOX__NODE_VALUE + 2];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(siox__node_value_get(bad[i], strlen(bad[i]), &out, owner), SIOX_ESYNTAX);
  memset(many, ' ', sizeof many);
  assert_int_equal(siox__node_value_get(many, SIOX__NODE_VALUE + 1, &out, owner), SIOX_ERANGE);
  assert_int_equal(out.number, 5);
}

static void names_are_words(void **unused) {
  (void)unused;
  assert_true(siox__is_word("n-1.cluster_A", 13));
  assert_false(siox__is_word("", 0));
  assert_false(siox__is_word("a/b", 3));
  assert_false(siox__is_word("a\0b", 3));
  assert_false(siox__is_word("\x1b[1m", 4));
  char longest[64];
  memset(longest, 'x', sizeof longest);
  assert_true(siox__is_word(longest, 63));
  assert_false(siox__is_word(longest, 64));
}

/* Cycles of 100 ms; how often it is written in so many, and what last. */
static unsigned writes(size_t nodes, unsigned cycles, enum siox_condition (*state)(unsigned)) {
  struct siox__node_pace p = {.told_ns = 0};
  struct siox_node_report out;
  unsigned n = 0;
  for (unsigned i = 0; i < cycles; i++) {
    const int64_t now = S + i * 100 * MS;
    const struct siox_node_report own = report(i + 1, state(i));
    siox__node_pace_tell(&p, &own, now);
    n += siox__node_pace_due(&p, nodes, now, &out);
    assert_true(siox__node_pace_next(&p, nodes, now) > now);
  }
  return n;
}

static enum siox_condition good(unsigned i) { return (void)i, SIOX_GOOD; }
static enum siox_condition flapping(unsigned i) { return i % 2 ? SIOX_ABNORMAL_BAD : SIOX_GOOD; }

static void a_state_that_stays_is_written_each_three_seconds(void **unused) {
  (void)unused;
  assert_int_equal(writes(2, 301, good), 11); /* at 0, 3, ... 30 s */
  assert_int_equal(writes(50, 301, good), 11);
}

static void of_more_nodes_each_is_written_less_often(void **unused) {
  (void)unused;
  assert_int_equal(writes(60, 301, good), 9);    /* 60 * 60 / 1000 = 3.6 s */
  assert_int_equal(writes(100, 301, good), 4);   /* each 10 s */
  assert_int_equal(writes(4000, 6001, good), 2); /* each ten minutes, and no less often */
}

static void one_that_changes_is_written_at_most_twice_a_second(void **unused) {
  (void)unused;
  assert_int_equal(writes(2, 301, flapping), 61);
  assert_int_equal(writes(31, 301, flapping), 61); /* 31 * 31 / 2000 = 0.48 s */
}

static void of_more_nodes_four_changes_at_once_and_then_their_share(void **unused) {
  (void)unused;
  assert_int_equal(writes(100, 301, flapping), 10); /* 0, 0.5, 1, 1.5, and each 5 s from 5 s on */
  assert_int_equal(writes(1000, 301, flapping), 4);
  assert_int_equal(writes(1000, 1211, flapping), 6); /* and each minute: at 60 and 120 s */
}

static void one_bad_cycle_of_a_thousand_nodes_is_over_half_a_second_later(void **unused) {
  (void)unused;
  struct siox__node_pace p = {.told_ns = 0};
  struct siox_node_report out = report(0, SIOX_GOOD);
  unsigned n = 0;
  for (unsigned i = 0; i <= 600; i++) {
    const struct siox_node_report own = report(i + 1, i == 100 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
    siox__node_pace_tell(&p, &own, S + i * 100 * MS);
    n += siox__node_pace_due(&p, 1000, S + i * 100 * MS, &out);
    assert_int_equal(out.state, i >= 100 && i < 105 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
  }
  assert_int_equal(n, 3);
}

static void one_bad_cycle_between_two_writes_is_written(void **unused) {
  (void)unused;
  struct siox__node_pace p = {.told_ns = 0};
  struct siox_node_report out;
  static const enum siox_condition said[] = {SIOX_GOOD, SIOX_GOOD, SIOX_ABNORMAL_BAD, SIOX_GOOD,
                                             SIOX_GOOD, SIOX_GOOD, SIOX_GOOD,         SIOX_GOOD,
                                             SIOX_GOOD, SIOX_GOOD, SIOX_GOOD};
  for (unsigned i = 0; i < sizeof said / sizeof *said; i++) {
    const struct siox_node_report own = report(i + 1, said[i]);
    siox__node_pace_tell(&p, &own, S + i * 100 * MS);
    const bool due = siox__node_pace_due(&p, 2, S + i * 100 * MS, &out);
    assert_int_equal(due, i == 0 || i == 5 || i == 10); /* 0.5 s lie between */
    if (due)
      assert_int_equal(out.state, i == 5 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
  }
}

static void a_change_after_some_time_is_written_at_once(void **unused) {
  (void)unused;
  struct siox__node_pace p = {.told_ns = 0};
  struct siox_node_report own = report(1, SIOX_GOOD), out;
  siox__node_pace_tell(&p, &own, S);
  assert_true(siox__node_pace_due(&p, 1000, S, &out));
  own = report(2, SIOX_ABNORMAL_BAD);
  siox__node_pace_tell(&p, &own, 12 * S);
  assert_true(siox__node_pace_due(&p, 1000, 12 * S, &out));
  assert_int_equal(out.state, SIOX_ABNORMAL_BAD);
}

static void a_monitor_that_hangs_is_dead_after_ten_cycles_or_seconds(void **unused) {
  (void)unused;
  struct siox__node_pace p = {.told_ns = 0};
  struct siox_node_report own = report(1, SIOX_GOOD), out;
  assert_false(siox__node_pace_dead(&p, S)); /* it has not begun */
  siox__node_pace_tell(&p, &own, S);
  assert_true(siox__node_pace_due(&p, 2, S, &out));
  assert_false(siox__node_pace_due(&p, 2, 5 * S, &out)); /* nothing new to say */
  assert_true(siox__node_pace_next(&p, 2, 5 * S) == 11 * S + 1);
  assert_false(siox__node_pace_dead(&p, 11 * S));
  assert_true(siox__node_pace_dead(&p, 11 * S + 1));
  assert_true(siox__node_pace_next(&p, 2, 12 * S) == INT64_MAX);
  siox__node_pace_tell(&p, &own, 61 * S); /* a cycle a minute */
  assert_false(siox__node_pace_dead(&p, 661 * S));
  assert_true(siox__node_pace_dead(&p, 661 * S + 1));
}

static struct siox__nodes_table t;
static struct siox__node_news news[8];

static void heard(const char *name, const char *owner, int expected) {
  struct siox_node_report r = report(1, SIOX_GOOD);
  snprintf(r.name, sizeof r.name, "%s", name);
  assert_int_equal(siox__nodes_table_put(&t, &r, owner), expected);
}

static int begin(void **unused) {
  (void)unused;
  t = (struct siox__nodes_table){.most = 3};
  return 0;
}
static int end(void **unused) {
  (void)unused;
  siox__nodes_table_free(&t);
  return 0;
}

static void news_are_given_once_and_by_name(void **unused) {
  (void)unused;
  heard("b", OWNER, 0);
  heard("c", OWNER, 0);
  heard("a", OWNER, 0);
  heard("a", OWNER, 0);
  assert_int_equal(siox__nodes_table_news(&t, news, 2), 2);
  assert_string_equal(news[0].report.name, "a");
  assert_true(news[0].report.leased && !news[0].forget && !news[0].gone);
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 1);
  assert_string_equal(news[0].report.name, "c");
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 0);
}

static void a_node_that_is_gone_is_told_and_forgotten(void **unused) {
  (void)unused;
  heard("a", OWNER, 0);
  siox__nodes_table_drop(&t, "a");
  siox__nodes_table_drop(&t, "a");
  siox__nodes_table_drop(&t, "b");
  assert_int_equal(t.live, 0);
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 1);
  assert_true(news[0].gone);
  assert_int_equal(t.n, 0);
}

static void another_daemon_of_a_node_begins_anew(void **unused) {
  (void)unused;
  heard("a", OWNER, 0);
  siox__nodes_table_news(&t, news, 8);
  heard("a", "fedcba9876543210", 0);
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 1);
  assert_true(news[0].forget && !news[0].gone);
  siox__nodes_table_drop(&t, "a");
  heard("a", "fedcba9876543210", 0); /* gone and back before anybody looked */
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 1);
  assert_true(news[0].forget && !news[0].gone);
  assert_int_equal(t.live, 1);
}

static void what_a_list_does_not_have_is_gone(void **unused) {
  (void)unused;
  heard("a", OWNER, 0);
  heard("b", OWNER, 0);
  siox__nodes_table_news(&t, news, 8);
  siox__nodes_table_list_begins(&t);
  heard("b", OWNER, 0);
  heard("c", OWNER, 0);
  siox__nodes_table_list_ends(&t);
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 3);
  assert_true(news[0].gone && !news[1].gone && !news[2].gone);
  siox__nodes_table_drop_all(&t);
  assert_int_equal(siox__nodes_table_news(&t, news, 8), 2);
  assert_int_equal(t.live + t.n, 0);
}

static void more_than_there_is_room_for_are_refused(void **unused) {
  (void)unused;
  char name[8];
  heard("a", OWNER, 0);
  heard("b", OWNER, 0);
  heard("c", OWNER, 0);
  heard("d", OWNER, SIOX_EFULL);
  siox__nodes_table_drop(&t, "a");
  heard("d", OWNER, 0);
  heard("a", OWNER, SIOX_EFULL); /* its place is another's */
  for (int i = 0; i < 10; i++) { /* nobody takes the news */
    siox__nodes_table_drop_all(&t);
    snprintf(name, sizeof name, "n%d", i);
    struct siox_node_report r = report(1, SIOX_GOOD);
    memcpy(r.name, name, sizeof name);
    (void)siox__nodes_table_put(&t, &r, OWNER);
  }
  assert_in_range(t.n, 1, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_report_is_read_as_it_was_written),
      cmocka_unit_test(the_text_is_fixed),
      cmocka_unit_test(what_is_no_report_is_refused),
      cmocka_unit_test(names_are_words),
      cmocka_unit_test(a_state_that_stays_is_written_each_three_seconds),
      cmocka_unit_test(of_more_nodes_each_is_written_less_often),
      cmocka_unit_test(one_that_changes_is_written_at_most_twice_a_second),
      cmocka_unit_test(of_more_nodes_four_changes_at_once_and_then_their_share),
      cmocka_unit_test(one_bad_cycle_of_a_thousand_nodes_is_over_half_a_second_later),
      cmocka_unit_test(one_bad_cycle_between_two_writes_is_written),
      cmocka_unit_test(a_change_after_some_time_is_written_at_once),
      cmocka_unit_test(a_monitor_that_hangs_is_dead_after_ten_cycles_or_seconds),
      cmocka_unit_test_setup_teardown(news_are_given_once_and_by_name, begin, end),
      cmocka_unit_test_setup_teardown(a_node_that_is_gone_is_told_and_forgotten, begin, end),
      cmocka_unit_test_setup_teardown(another_daemon_of_a_node_begins_anew, begin, end),
      cmocka_unit_test_setup_teardown(what_a_list_does_not_have_is_gone, begin, end),
      cmocka_unit_test_setup_teardown(more_than_there_is_room_for_are_refused, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
