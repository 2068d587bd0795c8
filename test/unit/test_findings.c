/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is told of all cycles together: findings, joules by domain, how processes differ. */
#include "daemon/findings.h"
#include "daemon/spread.h"
#include "support.h"
#include <stdio.h>
#include <string.h>

static struct siox__watched seen;
static struct siox__findings f;

static int begin(void **unused) {
  (void)unused;
  memset(&seen, 0, sizeof seen);
  memset(&f, 0, sizeof f);
  return 0;
}

static void issue(const char *name, int32_t pid, const char *evidence) {
  struct siox__seen_issue *s = &seen.seen[seen.kept++ % SIOX__ISSUES_KEPT];
  *s = (struct siox__seen_issue){.process = {.pid = pid, .rank = pid}};
  s->issue.severity = SIOX_ABNORMAL_BAD;
  snprintf(s->detector, sizeof s->detector, "statistics");
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(s->issue.evidence, sizeof s->issue.evidence, "%s", evidence);
}

static void the_same_issue_is_one_finding_with_its_last_evidence(void **unused) {
  (void)unused;
  for (int cycle = 1; cycle <= 5; cycle++) {
    issue("busy", 0, cycle == 5 ? "last" : "before");
    siox__findings_take(&f, &seen, cycle);
  }
  siox__findings_take(&f, &seen, 6); /* nothing new */
  assert_int_equal(f.n, 1);
  assert_int_equal(f.list[0].times, 5);
  assert_int_equal(f.list[0].first_ns, 1);
  assert_int_equal(f.list[0].last_ns, 5);
  assert_string_equal(f.list[0].evidence, "last");
}

static void more_issues_than_are_kept_are_looked_at_once(void **unused) {
  (void)unused;
  for (int i = 0; i < 3 * SIOX__ISSUES_KEPT; i++)
    issue("busy", 0, "");
  siox__findings_take(&f, &seen, 1);
  assert_int_equal(f.list[0].times, SIOX__ISSUES_KEPT);
}

static void the_one_not_seen_for_longest_goes(void **unused) {
  (void)unused;
  char name[16];
  for (int i = 0; i < SIOX__FINDINGS + 1; i++) {
    snprintf(name, sizeof name, "m%d", i);
    issue(name, 0, "");
    siox__findings_take(&f, &seen, i + 1);
  }
  assert_int_equal(f.n, SIOX__FINDINGS);
  assert_int_equal(f.forgotten, 1);
  assert_string_equal(f.list[0].subject, "m32");
}

static void a_process_is_told_its_own_and_the_nodes_only_where_all_are(void **unused) {
  (void)unused;
  struct siox_msg_totals own = {0}, all = {0}, late = {0};
  issue("own", 7, "e");
  issue("others", 8, "e");
  issue("nodes", 0, "e");
  seen.levels.node.verdict = SIOX_VERDICT_FAULT;
  snprintf(seen.levels.node.subject, sizeof seen.levels.node.subject, "disk 3");
  siox__findings_take(&f, &seen, 100);
  siox__findings_of(&f, 7, 50, false, &own);
  siox__findings_of(&f, 7, 50, true, &all);
  siox__findings_of(&f, 7, 101, true, &late);
  assert_int_equal(own.findings, 1);
  assert_non_null(strstr(own.note[0], "own: e (1 times)"));
  assert_int_equal(all.findings, 3);
  assert_non_null(strstr(all.note[0], "node: fault: disk 3")); /* verdicts first */
  assert_int_equal(late.findings, 0);
}

static void notes_are_bounded_and_all_are_counted(void **unused) {
  (void)unused;
  struct siox_msg_totals t = {0};
  char name[16], evidence[192];
  memset(evidence, 'x', sizeof evidence - 1);
  evidence[sizeof evidence - 1] = 0;
  for (int i = 0; i < 10; i++) {
    snprintf(name, sizeof name, "m%d", i);
    issue(name, 0, evidence);
  }
  siox__findings_take(&f, &seen, 1);
  siox__findings_of(&f, 1, 0, true, &t);
  assert_int_equal(t.findings, 10);
  assert_int_equal(t.notes, SIOX_TOTALS_NOTES);
  for (int i = 0; i < SIOX_TOTALS_NOTES; i++)
    assert_non_null(memchr(t.note[i], 0, sizeof t.note[i]));
}

static void each_domain_has_its_best_sources_joules(void **unused) {
  (void)unused;
  struct siox__domains d = {0};
  struct siox_series s[4] = {
      {.best = true,
       .metric = {.domain = SIOX_DOMAIN_PACKAGE},
       .last = {.state = SIOX_SAMPLE_VALID, .amount = 2}},
      {.best = true,
       .metric = {.domain = SIOX_DOMAIN_PACKAGE},
       .last = {.state = SIOX_SAMPLE_LOST, .amount = 9}},
      {.best = false,
       .metric = {.domain = SIOX_DOMAIN_DRAM},
       .last = {.state = SIOX_SAMPLE_VALID, .amount = 9}},
      {.best = true,
       .metric = {.domain = SIOX_DOMAIN_DISK, .flags = SIOX_METRIC_ESTIMATED},
       .last = {.state = SIOX_SAMPLE_VALID, .amount = 3}}};
  const struct siox_cycle cycle = {.series = s, .nseries = 4};
  siox__domains_take(&d, &cycle);
  siox__domains_take(&d, &cycle);
  assert_true(d.of[SIOX_DOMAIN_PACKAGE].joules == 4 && !d.of[SIOX_DOMAIN_PACKAGE].estimated);
  assert_true(d.of[SIOX_DOMAIN_DISK].joules == 6 && d.of[SIOX_DOMAIN_DISK].estimated);
  assert_false(d.of[SIOX_DOMAIN_DRAM].metered);
  json_t *o = json_object();
  siox__domains_json(&d, o);
  assert_int_equal(json_array_size(json_object_get(o, "domains")), 2);
  assert_true(json_is_null(json_object_get(o, "network_bytes")));
  json_decref(o);
}

static void all_networks_but_the_loopback_count(void **unused) {
  (void)unused;
  struct siox__domains d = {0};
  struct siox_series s[4] = {{.last = {.state = SIOX_SAMPLE_VALID, .amount = 5}},
                             {.last = {.state = SIOX_SAMPLE_VALID, .amount = 6}},
                             {.last = {.state = SIOX_SAMPLE_VALID, .amount = 70}},
                             {.last = {.state = SIOX_SAMPLE_VALID, .amount = 800}}};
  static const char *const of[4][2] = {{"net_bytes_received", "eth0"},
                                       {"net_bytes_sent", "ib0"},
                                       {"net_packets_sent", "ib0"},
                                       {"net_bytes_sent", "lo"}};
  for (int i = 0; i < 4; i++) {
    snprintf(s[i].metric.name, sizeof s[i].metric.name, "%s", of[i][0]);
    snprintf(s[i].metric.where, sizeof s[i].metric.where, "%s", of[i][1]);
  }
  siox__domains_take(&d, &(struct siox_cycle){.series = s, .nseries = 4});
  assert_true(d.networks && d.network_bytes == 11);
}

static void ranks_count_before_other_processes(void **unused) {
  (void)unused;
  struct siox__spread s = {0};
  double x[SIOX__NFIGURES] = {0};
  siox__spread_add(&s, -1, 100, x);
  for (int r = 0; r < 4; r++) {
    x[SIOX__FIGURE_calls] = r == 2 ? 40 : 4 * (r + 1);
    siox__spread_add(&s, r, 200 + r, x);
  }
  json_t *o = siox__spread_json(&s),
         *calls = json_object_get(json_object_get(o, "figures"), "calls");
  assert_int_equal(json_integer_value(json_object_get(o, "ranks")), 4);
  assert_int_equal(json_integer_value(json_object_get(o, "others")), 1);
  assert_true(json_number_value(json_object_get(calls, "minimum")) == 4);
  assert_true(json_number_value(json_object_get(calls, "average")) == (4 + 8 + 40 + 16) / 4.0);
  assert_true(json_number_value(json_object_get(calls, "maximum")) == 40);
  assert_int_equal(json_integer_value(json_object_get(calls, "rank")), 2);
  assert_int_equal(json_integer_value(json_object_get(calls, "pid")), 202);
  json_decref(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(the_same_issue_is_one_finding_with_its_last_evidence, begin),
      cmocka_unit_test_setup(more_issues_than_are_kept_are_looked_at_once, begin),
      cmocka_unit_test_setup(the_one_not_seen_for_longest_goes, begin),
      cmocka_unit_test_setup(a_process_is_told_its_own_and_the_nodes_only_where_all_are, begin),
      cmocka_unit_test_setup(notes_are_bounded_and_all_are_counted, begin),
      cmocka_unit_test_setup(each_domain_has_its_best_sources_joules, begin),
      cmocka_unit_test_setup(all_networks_but_the_loopback_count, begin),
      cmocka_unit_test_setup(ranks_count_before_other_processes, begin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
