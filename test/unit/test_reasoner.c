/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* States of reasoners against Listing 2 of the paper, and what neighbours tell each other. */
#include "adpi_support.h"
#include "siox/reasoner.h"

enum { MOST = 32 };
static const enum siox_condition GOOD = SIOX_GOOD, BAD = SIOX_ABNORMAL_BAD,
                                 BETTER = SIOX_ABNORMAL_GOOD, OTHER = SIOX_ABNORMAL_OTHER;

static struct siox_reasoner *reasoner(enum siox_reasoner_level level, const char *const *settings) {
  struct siox_option list[4];
  char text[4][64];
  size_t n = 0;
  for (; settings && settings[n]; n++) {
    snprintf(text[n], sizeof text[n], "%s", settings[n]);
    char *equals = strchr(text[n], '=');
    *equals = 0;
    list[n] = (struct siox_option){.key = text[n], .value = equals + 1, .line = (unsigned)n + 1};
  }
  struct siox_reasoner_limits limits;
  struct siox_diag diag = {{0}};
  struct siox_reasoner *r;
  assert_int_equal(siox_reasoner_limits(&limits, "test.yaml", list, n, &diag), 0);
  assert_int_equal(siox_reasoner_new(level, &limits, &r), 0);
  return r;
}

/* A cycle with so many issues of each kind. */
static struct siox_report cycle(struct siox_reasoner *r, int bad, int good, int other) {
  struct siox_issue issues[MOST];
  struct siox_reasoner_input in = {.issues = issues};
  const enum siox_condition kinds[] = {BAD, BETTER, OTHER};
  const int counts[] = {bad, good, other};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < counts[k]; i++)
      issues[in.nissues++] = (struct siox_issue){.severity = kinds[k],
                                                 .category = SIOX_NCATEGORIES,
                                                 .series = SIOX_NO_INDEX,
                                                 .activity = SIOX_NO_INDEX};
  struct siox_report report;
  siox_reasoner_cycle(r, &in, &report);
  return report;
}

static void states_are_those_of_listing_2(void **unused) {
  (void)unused;
  /* kThreshold and kRatio; all counts up to six. */
  for (int threshold = 0; threshold < 3; threshold++)
    for (int ratio = 1; ratio < 4; ratio++) {
      char t[32], q[32];
      snprintf(t, sizeof t, "threshold=%d", threshold);
      snprintf(q, sizeof q, "ratio=%d", ratio);
      for (int bad = 0; bad <= 6; bad++)
        for (int good = 0; good <= 6; good++)
          for (int other = 0; other <= 6; other++) {
            enum siox_condition expected = GOOD;
            if (bad + good + other > 0) {
              if (bad > threshold && bad > ratio * good)
                expected = BAD;
              else if (good > threshold && good > ratio * bad)
                expected = BETTER;
              else
                expected = OTHER;
            }
            struct siox_reasoner *r = reasoner(SIOX_LEVEL_NODE, (const char *[]){t, q, NULL});
            const struct siox_report report = cycle(r, bad, good, other);
            assert_int_equal(report.fresh, expected);
            assert_int_equal(report.state, expected);
            assert_int_equal(report.bad, bad);
            siox_reasoner_free(r);
          }
    }
}

static void an_abnormal_state_is_kept_for_one_more_cycle(void **unused) {
  (void)unused;
  struct siox_reasoner *r = reasoner(SIOX_LEVEL_PROCESS, NULL);
  assert_int_equal(cycle(r, 1, 0, 0).state, BAD);
  struct siox_report kept = cycle(r, 0, 0, 0);
  assert_int_equal(kept.state, BAD);
  assert_int_equal(kept.fresh, GOOD);
  assert_true(kept.held);
  assert_int_equal(cycle(r, 0, 0, 0).state, GOOD);
  assert_int_equal(cycle(r, 0, 1, 0).state, BETTER);
  assert_int_equal(cycle(r, 0, 0, 1).state, OTHER); /* another abnormal one takes its place */
  assert_int_equal(cycle(r, 0, 0, 0).state, OTHER);
  assert_int_equal(cycle(r, 0, 0, 0).state, GOOD);
  siox_reasoner_free(r);
}

static void overload_is_raised_in_bad_and_other_states_only(void **unused) {
  (void)unused;
  const enum siox_condition states[] = {GOOD, BETTER, BAD, OTHER};
  for (int k = 0; k < 4; k++) {
    struct siox_reasoner *r = reasoner(SIOX_LEVEL_NODE, NULL);
    const struct siox_issue issue = {.severity = states[k],
                                     .category = SIOX_CATEGORY_DISK,
                                     .series = SIOX_NO_INDEX,
                                     .activity = SIOX_NO_INDEX};
    struct siox_reasoner_input in = {.issues = &issue, .nissues = states[k] != GOOD};
    in.utilisation[SIOX_CATEGORY_CPU] = 0.95;
    in.utilisation[SIOX_CATEGORY_MEMORY] = 0.9; /* not above it */
    in.utilisation[SIOX_CATEGORY_DISK] = 0.99;
    in.utilisation[SIOX_CATEGORY_NETWORK] = -1;
    struct siox_report report;
    siox_reasoner_cycle(r, &in, &report);
    assert_int_equal(report.noverloaded, states[k] == BAD || states[k] == OTHER ? 2 : 0);
    if (report.noverloaded) {
      assert_int_equal(report.overloaded[0].category, SIOX_CATEGORY_CPU);
      assert_int_equal(report.overloaded[1].category, SIOX_CATEGORY_DISK);
      assert_int_equal(report.overloaded[1].kind, SIOX_ISSUE_OVERLOADED);
      assert_near(report.overloaded[1].value, 0.99, 0);
    }
    siox_reasoner_free(r);
  }
}

static void overload_alone_keeps_no_state_abnormal(void **unused) {
  (void)unused;
  struct siox_reasoner *r = reasoner(SIOX_LEVEL_NODE, NULL);
  const struct siox_issue issue = {.severity = BAD,
                                   .category = SIOX_CATEGORY_DISK,
                                   .series = SIOX_NO_INDEX,
                                   .activity = SIOX_NO_INDEX};
  struct siox_reasoner_input in = {.issues = &issue, .nissues = 1};
  in.utilisation[SIOX_CATEGORY_DISK] = 1;
  struct siox_report report;
  siox_reasoner_cycle(r, &in, &report);
  in.nissues = 0;
  siox_reasoner_cycle(r, &in, &report);
  assert_int_equal(report.noverloaded, 1); /* in the kept cycle, too */
  siox_reasoner_cycle(r, &in, &report);
  assert_int_equal(report.state, GOOD);
  assert_int_equal(report.noverloaded, 0);
  siox_reasoner_free(r);
}

/* A system of two nodes with three processes each, whose states go one level a cycle. */
struct tree {
  struct siox_reasoner *system, *node[2], *process[2][3];
  struct siox_report of_system, of_node[2], of_process[2][3];
};
static void tree_cycle(struct tree *t, int bad_node, int bad_process) {
  const struct tree before = *t;
  static const char *const names[] = {"0", "1", "2"};
  struct siox_child nodes[2], processes[3];
  for (int n = 0; n < 2; n++) {
    for (int p = 0; p < 3; p++) {
      const struct siox_issue issue = {.severity = BAD,
                                       .category = SIOX_NCATEGORIES,
                                       .series = SIOX_NO_INDEX,
                                       .activity = SIOX_NO_INDEX};
      const struct siox_reasoner_input in = {.issues = &issue,
                                             .nissues = n == bad_node && p == bad_process,
                                             .parent = before.of_node[n].down};
      siox_reasoner_cycle(t->process[n][p], &in, &t->of_process[n][p]);
      processes[p] = (struct siox_child){names[p], before.of_process[n][p].fresh,
                                         before.of_process[n][p].verdict};
    }
    const struct siox_reasoner_input in = {
        .children = processes, .nchildren = 3, .parent = before.of_system.down};
    siox_reasoner_cycle(t->node[n], &in, &t->of_node[n]);
    nodes[n] = (struct siox_child){names[n], before.of_node[n].fresh, before.of_node[n].verdict};
  }
  const struct siox_reasoner_input in = {.children = nodes, .nchildren = 2};
  siox_reasoner_cycle(t->system, &in, &t->of_system);
}
static void tree_new(struct tree *t) {
  *t = (struct tree){.system = reasoner(SIOX_LEVEL_SYSTEM, NULL)};
  for (int n = 0; n < 2; n++) {
    t->node[n] = reasoner(SIOX_LEVEL_NODE, NULL);
    for (int p = 0; p < 3; p++)
      t->process[n][p] = reasoner(SIOX_LEVEL_PROCESS, NULL);
  }
}
static void tree_free(struct tree *t) {
  siox_reasoner_free(t->system);
  for (int n = 0; n < 2; n++) {
    siox_reasoner_free(t->node[n]);
    for (int p = 0; p < 3; p++)
      siox_reasoner_free(t->process[n][p]);
  }
}

static void states_go_up_and_down_one_level_a_cycle(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  tree_cycle(&t, 0, 1);
  assert_int_equal(t.of_process[0][1].fresh, BAD);
  assert_int_equal(t.of_node[0].fresh, GOOD);
  tree_cycle(&t, -1, -1);
  assert_int_equal(t.of_node[0].fresh, BAD);
  assert_int_equal(t.of_node[0].children, 3);
  assert_int_equal(t.of_node[0].bad_children, 1);
  assert_int_equal(t.of_node[1].fresh, GOOD);
  assert_int_equal(t.of_process[0][0].down, GOOD);
  tree_cycle(&t, -1, -1);
  assert_int_equal(t.of_system.fresh, BAD);
  assert_int_equal(t.of_process[0][0].down, BAD); /* a neighbour's, by its node */
  assert_int_equal(t.of_process[0][0].state, GOOD);
  tree_cycle(&t, -1, -1);
  assert_int_equal(t.of_node[1].down, BAD);
  tree_free(&t);
}

static void nobody_is_kept_abnormal_by_neighbours(void **unused) {
  (void)unused;
  struct tree t;
  tree_new(&t);
  for (int i = 0; i < 10; i++)
    tree_cycle(&t, 1, 2);
  /* Up to the system in two cycles, down again in two, one that is kept. */
  for (int i = 0; i < 5; i++)
    tree_cycle(&t, -1, -1);
  assert_int_equal(t.of_system.state, GOOD);
  for (int n = 0; n < 2; n++) {
    assert_int_equal(t.of_node[n].state, GOOD);
    assert_int_equal(t.of_node[n].down, GOOD);
    for (int p = 0; p < 3; p++) {
      assert_int_equal(t.of_process[n][p].state, GOOD);
      assert_int_equal(t.of_process[n][p].down, GOOD);
    }
  }
  tree_free(&t);
}

static void utilisation_is_that_of_the_cycle(void **unused) {
  (void)unused;
  struct siox_series s[] = {
      {.metric = {.name = "utilisation", .where = "cpu"}, .last = {.value = 0.7}},
      {.metric = {.name = "utilisation", .where = "disk"}, .last = {.state = SIOX_SAMPLE_LOST}},
      {.metric = {.name = "utilisation", .where = "network"}, .last = {.value = 0.1}, .gone = true},
      {.metric = {.name = "share", .where = "memory"}, .last = {.value = 0.2}}};
  const struct siox_cycle c = {.series = s, .nseries = 4};
  double u[SIOX_NCATEGORIES];
  siox_cycle_utilisation(&c, u);
  assert_near(u[SIOX_CATEGORY_CPU], 0.7, 0);
  assert_true(u[SIOX_CATEGORY_DISK] < 0 && u[SIOX_CATEGORY_NETWORK] < 0 &&
              u[SIOX_CATEGORY_MEMORY] < 0);
}

static void wrong_limits_are_refused_with_their_place(void **unused) {
  (void)unused;
  struct siox_reasoner_limits limits;
  struct siox_diag diag = {{0}};
  const struct siox_option unknown = {"treshold", "1", 8}, beyond = {"max_load", "110 %", 9};
  assert_int_equal(siox_reasoner_limits(&limits, "siox.yaml", &unknown, 1, &diag), SIOX_EINVAL);
  assert_string_equal(diag.text, "siox.yaml:8: treshold: reasoner has no such setting");
  assert_int_equal(siox_reasoner_limits(&limits, "siox.yaml", &beyond, 1, &diag), SIOX_ERANGE);
  assert_string_equal(diag.text, "siox.yaml:9: max_load: 110 % is not between 0 and 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_those_of_listing_2),
      cmocka_unit_test(an_abnormal_state_is_kept_for_one_more_cycle),
      cmocka_unit_test(overload_is_raised_in_bad_and_other_states_only),
      cmocka_unit_test(overload_alone_keeps_no_state_abnormal),
      cmocka_unit_test(states_go_up_and_down_one_level_a_cycle),
      cmocka_unit_test(nobody_is_kept_abnormal_by_neighbours),
      cmocka_unit_test(utilisation_is_that_of_the_cycle),
      cmocka_unit_test(wrong_limits_are_refused_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
