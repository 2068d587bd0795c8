/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reasoners of processes, of their node and of the system, with issues that the tests make. */
#include "daemon/reasoners.h"
#include "support.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000 };

struct lab {
  struct siox__reasoners *reasoners;
  struct siox_series series[MOST + 1]; /* of process i; the last one is the node's */
  struct siox_cycle cycle;
  struct siox__process processes[MOST];
  size_t n;
  struct siox_issue issues[64];
  size_t nissues;
  struct siox__levels levels;
};

static struct lab *lab_new(size_t n) {
  static const struct siox_provider provider = {.name = "lab"};
  struct lab *l = calloc(1, sizeof *l);
  struct siox_diag diag;
  assert_non_null(l);
  assert_int_equal(siox__reasoners_new(&l->reasoners, NULL, "here", &diag), 0);
  l->n = n;
  l->cycle.series = l->series;
  l->cycle.nseries = n + 1;
  for (size_t i = 0; i <= n; i++) {
    struct siox_series *s = &l->series[i];
    s->provider = &provider;
    snprintf(s->metric.name, sizeof s->metric.name, "process_cpu");
    s->last.value = 1;
    if (i == n)
      break;
    snprintf(s->metric.where, sizeof s->metric.where, "%zu@77", 100 + i);
    l->processes[i] = (struct siox__process){
        .pid = (int32_t)(100 + i), .job = 5, .rank = (int32_t)i, .name = "climate"};
  }
  return l;
}
static void lab_free(struct lab *l) {
  siox__reasoners_free(l->reasoners);
  free(l);
}
static void issue(struct lab *l, size_t series, enum siox_condition severity) {
  l->issues[l->nissues] = (struct siox_issue){.detector = "lab",
                                              .severity = severity,
                                              .category = SIOX_CATEGORY_CPU,
                                              .series = series,
                                              .activity = SIOX_NO_INDEX};
  snprintf(l->issues[l->nissues++].evidence, sizeof l->issues[0].evidence, "issue of %zu", series);
}
static void turn(struct lab *l) {
  l->cycle.number++;
  l->cycle.now_ns += 100000000;
  siox__reasoners_cycle(l->reasoners,
                        &(struct siox__reasoners_input){.cycle = &l->cycle,
                                                        .issues = l->issues,
                                                        .nissues = l->nissues,
                                                        .processes = l->processes,
                                                        .nprocesses = l->n},
                        &l->levels);
  l->nissues = 0;
}

static void an_issue_of_a_process_counts_at_the_node_once_by_its_state(void **unused) {
  (void)unused;
  struct lab *l = lab_new(4);
  issue(l, 2, SIOX_ABNORMAL_BAD);
  issue(l, 2, SIOX_ABNORMAL_BAD);
  issue(l, 2, SIOX_ABNORMAL_BAD);
  turn(l);
  assert_int_equal(l->levels.abnormal, 1);
  assert_int_equal(l->levels.told[0].process.rank, 2);
  assert_int_equal(l->levels.told[0].process.pid, 102);
  assert_int_equal(l->levels.told[0].state, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.node.bad, 1);
  assert_int_equal(l->levels.node.bad_children, 1);
  assert_int_equal(l->levels.node.children, 4);
  assert_int_equal(l->levels.node.fresh, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.system.fresh, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.worst, SIOX_ABNORMAL_BAD);
  lab_free(l);
}

static void an_issue_of_the_node_is_no_process_s(void **unused) {
  (void)unused;
  struct lab *l = lab_new(4);
  issue(l, 4, SIOX_ABNORMAL_OTHER);
  turn(l);
  assert_int_equal(l->levels.abnormal, 0);
  assert_int_equal(l->levels.worst, SIOX_GOOD);
  assert_int_equal(l->levels.node.other, 1);
  assert_int_equal(l->levels.node.fresh, SIOX_ABNORMAL_OTHER);
  lab_free(l);
}

static void states_go_up_at_once_and_down_a_cycle_later(void **unused) {
  (void)unused;
  struct lab *l = lab_new(2);
  turn(l);
  issue(l, 0, SIOX_ABNORMAL_BAD);
  turn(l);
  assert_int_equal(l->levels.node.fresh, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.system.fresh, SIOX_ABNORMAL_BAD);
  turn(l); /* each level keeps its own state for this cycle, and hears what the one above said */
  assert_int_equal(l->levels.abnormal, 1);
  assert_int_equal(l->levels.node.fresh, SIOX_GOOD);
  assert_int_equal(l->levels.node.state, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.node.down, SIOX_ABNORMAL_BAD);
  assert_int_equal(l->levels.system.fresh, SIOX_GOOD);
  assert_int_equal(l->levels.system.state, SIOX_ABNORMAL_BAD);
  turn(l); /* and no longer */
  assert_int_equal(l->levels.abnormal, 0);
  assert_int_equal(l->levels.node.state, SIOX_GOOD);
  assert_int_equal(l->levels.node.down, SIOX_GOOD);
  assert_int_equal(l->levels.system.state, SIOX_GOOD);
  lab_free(l);
}

static void one_process_of_four_that_deviates_is_a_fault_at_both_levels(void **unused) {
  (void)unused;
  struct lab *l = lab_new(4);
  l->series[3].last.value = 9;
  issue(l, 3, SIOX_ABNORMAL_OTHER);
  turn(l);
  assert_int_equal(l->levels.told[0].verdict, SIOX_VERDICT_FAULT);
  assert_string_equal(l->levels.told[0].subject, "103@77");
  assert_int_equal(l->levels.node.verdict, SIOX_VERDICT_FAULT);
  assert_string_equal(l->levels.node.subject, "103@77");
  lab_free(l);
}

static void two_of_four_that_deviate_are_no_peers_of_each_other(void **unused) {
  (void)unused;
  struct lab *l = lab_new(4);
  l->series[0].last.value = 9;
  l->series[3].last.value = 10;
  issue(l, 3, SIOX_ABNORMAL_OTHER);
  issue(l, 0, SIOX_ABNORMAL_OTHER);
  turn(l);
  assert_int_equal(l->levels.abnormal, 2);
  assert_int_equal(l->levels.told[0].process.rank, 0);               /* in the order of pids */
  assert_int_equal(l->levels.told[0].verdict, SIOX_VERDICT_UNCLEAR); /* half is no minority */
  assert_int_equal(l->levels.told[1].verdict, SIOX_VERDICT_UNCLEAR);
  lab_free(l);
}

static void other_nodes_are_children_of_the_system_until_they_are_stale(void **unused) {
  (void)unused;
  struct lab *l = lab_new(0);
  struct siox_node_report r = {
      .name = "there", .number = 1, .state = SIOX_ABNORMAL_BAD, .verdict = SIOX_VERDICT_FAULT};
  turn(l);
  assert_int_equal(siox__reasoners_hear(l->reasoners, &r), 0);
  for (int i = 0; i < 10; i++) {
    turn(l);
    assert_int_equal(l->levels.nodes, 2);
    assert_int_equal(l->levels.node.fresh, SIOX_GOOD);
    assert_int_equal(l->levels.system.fresh, SIOX_ABNORMAL_BAD);
    assert_int_equal(l->levels.node.down, i == 0 ? SIOX_GOOD : SIOX_ABNORMAL_BAD);
  }
  turn(l);
  assert_int_equal(l->levels.nodes, 1);
  assert_int_equal(l->levels.system.fresh, SIOX_GOOD);
  lab_free(l);
}

static void processes_that_come_and_go_leave_the_others_their_reasoners(void **unused) {
  (void)unused;
  struct lab *l = lab_new(64);
  struct siox__process all[64];
  uint64_t state = 3;
  memcpy(all, l->processes, sizeof all);
  for (int i = 0; i < 2000; i++) {
    l->n = 0;
    for (size_t p = 0; p < 64; p++)
      if (p == 7 || test_below(&state, 2))
        l->processes[l->n++] = all[p];
    issue(l, 7, i % 2 ? SIOX_ABNORMAL_BAD : SIOX_ABNORMAL_GOOD);
    issue(l, (size_t)test_below(&state, 64), SIOX_ABNORMAL_OTHER); /* of one that may be gone */
    turn(l);
    assert_int_equal(l->levels.judged, l->n);
    bool there = false;
    for (uint32_t k = 0; k < l->levels.ntold; k++)
      there |= l->levels.told[k].process.rank == 7;
    assert_true(there);
  }
  lab_free(l);
}

/* A figure, not asserted: what the reasoners cost a cycle. */
static void cost(void **unused) {
  (void)unused;
  static const size_t sizes[] = {1, 128, MOST};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int busy = 0; busy < 2; busy++) {
      enum { TURNS = 200 };
      struct lab *l = lab_new(sizes[k]);
      struct timespec a, b;
      clock_gettime(CLOCK_MONOTONIC, &a);
      for (int i = 0; i < TURNS; i++) {
        for (size_t p = 0; busy && p < 60; p++)
          issue(l, p % sizes[k], SIOX_ABNORMAL_BAD);
        turn(l);
      }
      clock_gettime(CLOCK_MONOTONIC, &b);
      const double us =
          1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec);
      print_message("%4zu processes, %2d issues a cycle: %.1f us a cycle\n", sizes[k],
                    busy ? 60 : 0, us / TURNS);
      lab_free(l);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_issue_of_a_process_counts_at_the_node_once_by_its_state),
      cmocka_unit_test(an_issue_of_the_node_is_no_process_s),
      cmocka_unit_test(states_go_up_at_once_and_down_a_cycle_later),
      cmocka_unit_test(one_process_of_four_that_deviates_is_a_fault_at_both_levels),
      cmocka_unit_test(two_of_four_that_deviate_are_no_peers_of_each_other),
      cmocka_unit_test(other_nodes_are_children_of_the_system_until_they_are_stale),
      cmocka_unit_test(processes_that_come_and_go_leave_the_others_their_reasoners),
      cmocka_unit_test(cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
