/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a system hears of its nodes: simulated nodes whose reports come in time, late, twice or not
 * at all. */
#include "siox/exchange.h"
#include "support.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 5, STALE = 10 };

static struct siox_node_report report(int node, uint64_t number, enum siox_condition state) {
  struct siox_node_report r = {.number = number, .state = state};
  snprintf(r.name, sizeof r.name, "node%d", node);
  r.verdict = state == SIOX_GOOD ? SIOX_VERDICT_NONE : SIOX_VERDICT_HIGH_LOAD;
  return r;
}

/* What the system's reasoner says of those that are heard. */
static struct siox_report judge(struct siox_reasoner *r, const struct siox_exchange *x,
                                uint64_t cycle) {
  struct siox_child children[NODES];
  struct siox_reasoner_input in = {.children = children};
  struct siox_report out;
  in.nchildren = siox_exchange_children(x, cycle, children, NODES);
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    in.utilisation[c] = -1;
  siox_reasoner_cycle(r, &in, &out);
  return out;
}
static struct siox_reasoner *system_reasoner(void) {
  struct siox_reasoner_limits limits;
  struct siox_diag diag;
  struct siox_reasoner *r;
  assert_int_equal(siox_reasoner_limits(&limits, "", NULL, 0, &diag), 0);
  assert_int_equal(siox_reasoner_new(SIOX_LEVEL_SYSTEM, &limits, &r), 0);
  return r;
}

static void one_bad_node_of_five_is_a_fault_of_that_node(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_reasoner *r = system_reasoner();
  assert_int_equal(siox_exchange_start(&x, NODES, STALE), 0);
  for (uint64_t cycle = 1; cycle <= 20; cycle++) {
    for (int n = 0; n < NODES; n++) {
      const struct siox_node_report said = report(
          n, 100 * (uint64_t)n + cycle, n == 3 && cycle == 12 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
      assert_int_equal(siox_exchange_take(&x, &said, cycle), 0);
    }
    const struct siox_report s = judge(r, &x, cycle);
    assert_int_equal(s.fresh, cycle == 12 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
    assert_int_equal(s.state, cycle == 12 || cycle == 13 ? SIOX_ABNORMAL_BAD : SIOX_GOOD);
    assert_int_equal(s.children, NODES);
    if (cycle == 12) {
      assert_int_equal(s.verdict, SIOX_VERDICT_FAULT);
      assert_string_equal(s.subject, "node3");
    }
  }
  siox_reasoner_free(r);
  siox_exchange_end(&x);
}

static void all_nodes_under_load_are_high_load(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_reasoner *r = system_reasoner();
  assert_int_equal(siox_exchange_start(&x, NODES, STALE), 0);
  for (int n = 0; n < NODES; n++) {
    const struct siox_node_report said = report(n, 1, SIOX_ABNORMAL_BAD);
    assert_int_equal(siox_exchange_take(&x, &said, 1), 0);
  }
  assert_int_equal(judge(r, &x, 1).verdict, SIOX_VERDICT_HIGH_LOAD);
  siox_reasoner_free(r);
  siox_exchange_end(&x);
}

static void a_node_that_says_nothing_is_no_child_after_so_many_cycles(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_reasoner *r = system_reasoner();
  const struct siox_node_report bad = report(1, 7, SIOX_ABNORMAL_BAD);
  assert_int_equal(siox_exchange_start(&x, NODES, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &bad, 50), 0);
  for (uint64_t cycle = 50; cycle <= 50 + STALE; cycle++)
    assert_int_equal(judge(r, &x, cycle).fresh, SIOX_ABNORMAL_BAD);
  const struct siox_report s = judge(r, &x, 50 + STALE + 1);
  assert_int_equal(s.fresh, SIOX_GOOD);
  assert_int_equal(s.children, 0);
  siox_reasoner_free(r);
  siox_exchange_end(&x);
}

static void a_report_that_is_not_newer_is_ignored(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_child child;
  const struct siox_node_report newer = report(1, 8, SIOX_ABNORMAL_BAD),
                                older = report(1, 7, SIOX_GOOD);
  assert_int_equal(siox_exchange_start(&x, NODES, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &newer, 1), 0);
  assert_int_equal(siox_exchange_take(&x, &older, 2), 1);
  assert_int_equal(siox_exchange_take(&x, &newer, 2), 1);
  assert_int_equal(x.ignored, 2);
  assert_int_equal(siox_exchange_children(&x, 2, &child, 1), 1);
  assert_int_equal(child.state, SIOX_ABNORMAL_BAD);
  assert_string_equal(child.name, "node1");
  siox_exchange_end(&x);
}

static void a_node_that_began_anew_is_believed_when_it_was_stale(void **unused) {
  (void)unused;
  struct siox_exchange x;
  const struct siox_node_report before = report(1, 1000, SIOX_GOOD),
                                after = report(1, 1, SIOX_ABNORMAL_OTHER);
  struct siox_child child;
  assert_int_equal(siox_exchange_start(&x, NODES, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &before, 1), 0);
  assert_int_equal(siox_exchange_take(&x, &after, 1 + STALE), 1);
  assert_int_equal(siox_exchange_take(&x, &after, 2 + STALE), 0);
  assert_int_equal(siox_exchange_children(&x, 2 + STALE, &child, 1), 1);
  assert_int_equal(child.state, SIOX_ABNORMAL_OTHER);
  siox_exchange_end(&x);
}

static void more_nodes_than_there_is_room_for_take_stale_places_only(void **unused) {
  (void)unused;
  struct siox_exchange x;
  const struct siox_node_report a = report(1, 1, SIOX_GOOD), b = report(2, 1, SIOX_GOOD),
                                c = report(3, 1, SIOX_GOOD);
  struct siox_child children[2];
  assert_int_equal(siox_exchange_start(&x, 2, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &a, 1), 0);
  assert_int_equal(siox_exchange_take(&x, &b, 5), 0);
  assert_int_equal(siox_exchange_take(&x, &c, 1 + STALE), SIOX_EFULL);
  assert_int_equal(siox_exchange_take(&x, &c, 2 + STALE), 0);
  assert_int_equal(siox_exchange_children(&x, 2 + STALE, children, 2), 2);
  assert_string_equal(children[0].name, "node3");
  assert_string_equal(children[1].name, "node2");
  siox_exchange_end(&x);
}

static void a_leased_report_holds_until_it_is_forgotten(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_child children[2];
  struct siox_node_report a = report(1, 9, SIOX_ABNORMAL_BAD), b = report(2, 9, SIOX_GOOD);
  a.leased = b.leased = true;
  assert_int_equal(siox_exchange_start(&x, 2, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &a, 1), 0);
  assert_int_equal(siox_exchange_take(&x, &b, 1), 0);
  assert_int_equal(siox_exchange_children(&x, 1000, children, 2), 2);
  a.number = 1;
  assert_int_equal(siox_exchange_take(&x, &a, 1000), 1); /* older */
  siox_exchange_forget(&x, "node1");
  siox_exchange_forget(&x, "node7");
  assert_int_equal(siox_exchange_children(&x, 1000, children, 2), 1);
  assert_string_equal(children[0].name, "node2");
  assert_int_equal(siox_exchange_take(&x, &a, 1000), 0); /* another daemon of that name */
  assert_int_equal(siox_exchange_children(&x, 1000, children, 2), 2);
  siox_exchange_end(&x);
}

static void what_is_no_report_is_refused(void **unused) {
  (void)unused;
  struct siox_exchange x;
  struct siox_node_report r = report(1, 1, SIOX_NCONDITIONS);
  assert_int_equal(siox_exchange_start(&x, 2, STALE), 0);
  assert_int_equal(siox_exchange_take(&x, &r, 1), SIOX_EINVAL);
  r = report(1, 1, SIOX_GOOD);
  r.verdict = SIOX_VERDICT_UNCLEAR + 1;
  assert_int_equal(siox_exchange_take(&x, &r, 1), SIOX_EINVAL);
  r = report(1, 1, SIOX_GOOD);
  memset(r.name, 'x', sizeof r.name);
  assert_int_equal(siox_exchange_take(&x, &r, 1), SIOX_EINVAL);
  r.name[0] = 0;
  assert_int_equal(siox_exchange_take(&x, &r, 1), SIOX_EINVAL);
  assert_int_equal(siox_exchange_children(&x, 1, NULL, 0), 0);
  assert_int_equal(siox_exchange_start(&x, 0, STALE), SIOX_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_bad_node_of_five_is_a_fault_of_that_node),
      cmocka_unit_test(all_nodes_under_load_are_high_load),
      cmocka_unit_test(a_node_that_says_nothing_is_no_child_after_so_many_cycles),
      cmocka_unit_test(a_report_that_is_not_newer_is_ignored),
      cmocka_unit_test(a_node_that_began_anew_is_believed_when_it_was_stale),
      cmocka_unit_test(more_nodes_than_there_is_room_for_take_stale_places_only),
      cmocka_unit_test(a_leased_report_holds_until_it_is_forgotten),
      cmocka_unit_test(what_is_no_report_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
