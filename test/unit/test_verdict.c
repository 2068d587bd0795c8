/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* High load, fault or misconfiguration: one case a test. */
#include "verdict_support.h"

static struct siox_issue *issue(struct node *n, enum siox_condition severity,
                                enum siox_category category, size_t series) {
  struct siox_issue *i = &n->issues[n->in.nissues++];
  *i = (struct siox_issue){.detector = "test",
                           .severity = severity,
                           .category = category,
                           .series = series,
                           .activity = SIOX_NO_INDEX,
                           .evidence = "what was seen"};
  return i;
}
static void assert_verdict(struct node *n, enum siox_verdict verdict, const char *subject,
                           const char *evidence) {
  siox_reasoner_cycle(n->reasoner, &n->in, &n->report);
  if (n->report.verdict != verdict || strcmp(n->report.subject, subject) != 0)
    print_error("%s of '%s': %s\n", siox_verdict_name(n->report.verdict), n->report.subject,
                n->report.evidence);
  assert_int_equal(n->report.verdict, verdict);
  assert_string_equal(n->report.subject, subject);
  assert_non_null(strstr(n->report.evidence, evidence));
  siox_reasoner_free(n->reasoner);
}

static void one_disk_that_deviates_from_its_peers_is_a_fault(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  n.series[6].last.value = 0.98;
  n.in.utilisation[SIOX_CATEGORY_DISK] = 0.95; /* a slow disk is a busy one */
  issue(&n, SIOX_ABNORMAL_OTHER, SIOX_CATEGORY_DISK, 6);
  assert_verdict(&n, SIOX_VERDICT_FAULT, "sdd",
                 "disk_read_time of sdd is 0.98 where its 7 peers have 0.3 to 0.37");
  assert_int_equal(n.report.category, SIOX_CATEGORY_DISK);
}

static void a_disk_with_more_to_do_than_its_peers_is_load(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  n.series[6].last.value = 0.98;
  n.series[7].last.value = 120e6;
  issue(&n, SIOX_ABNORMAL_OTHER, SIOX_CATEGORY_DISK, 6);
  assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "sdd",
                 "it moves 1.2e+08 B/s, they 4.357e+07"); /* (7 * 40 + 25) / 7 */
}

static void a_rank_that_spins_is_a_fault_though_it_does_the_io_of_all(void **unused) {
  (void)unused;
  struct node n;
  size_t first = 0;
  node_new(&n);
  for (int p = 0; p < PROCESSES; p++) {
    char where[16];
    snprintf(where, sizeof where, "%d@7", 100 + p);
    const size_t at =
        add(&n, SIOX_METRIC_COUNTER, "process_cpu", where, "s", p == 2 ? 1 : 0.1 + 0.01 * p);
    add(&n, SIOX_METRIC_COUNTER, "process_bytes_written", where, "B", p == 2 ? 50e6 : 500);
    first = p == 2 ? at : first;
  }
  issue(&n, SIOX_ABNORMAL_OTHER, SIOX_CATEGORY_CPU, first);
  assert_verdict(&n, SIOX_VERDICT_FAULT, "102@7",
                 "process_cpu of 102@7 is 1 where its 3 peers have 0.1 to 0.13");
}

static void all_disks_that_deviate_are_no_fault_of_one(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  n.in.utilisation[SIOX_CATEGORY_DISK] = 0.95;
  for (size_t d = 0; d < DISKS; d++)
    issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, 2 * d);
  assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "disk", "95 % of disk are in use");
}

static void slow_calls_on_busy_processors_are_load(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  n.in.utilisation[SIOX_CATEGORY_CPU] = 0.99;
  issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
  assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "cpu", "cpu is overloaded: 99 % of it are in use");
}

static void slow_calls_with_little_to_do_are_a_fault(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
  assert_verdict(&n, SIOX_VERDICT_FAULT, "disk",
                 "what was seen, although only 30 % of disk are in use");
}

static void neither_much_nor_little_to_do_is_unclear(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  n.in.utilisation[SIOX_CATEGORY_DISK] = 0.7;
  issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
  assert_verdict(&n, SIOX_VERDICT_UNCLEAR, "", "what was seen");
}

static void a_sensor_that_fails_is_a_fault_even_if_its_joules_look_good(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  const size_t energy = add(&n, SIOX_METRIC_COUNTER, "energy", "package-0", "J", 0);
  issue(&n, SIOX_ABNORMAL_GOOD, SIOX_CATEGORY_ENERGY, energy);
  issue(&n, SIOX_ABNORMAL_OTHER, SIOX_CATEGORY_ENERGY, energy)->kind = SIOX_ISSUE_SENSOR;
  assert_verdict(&n, SIOX_VERDICT_FAULT, "energy of package-0", "what was seen");
}

static void a_call_that_hangs_is_a_fault(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  struct siox_activity_kind kind = {
      .layer = "posix", .call = "fsync", .category = SIOX_CATEGORY_DISK};
  const struct siox_activity_summary a = {.kinds = &kind, .nkinds = 1};
  n.in.activities = &a;
  n.in.utilisation[SIOX_CATEGORY_DISK] = 1;
  struct siox_issue *i = issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
  i->kind = SIOX_ISSUE_HUNG;
  i->activity = 0;
  assert_verdict(&n, SIOX_VERDICT_FAULT, "posix.fsync", "what was seen");
}

static void one_child_of_many_that_is_bad_is_a_fault(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  struct siox_child children[8];
  for (int i = 0; i < 8; i++)
    children[i] =
        (struct siox_child){i == 5 ? "rank 5" : "another", i == 5 ? SIOX_ABNORMAL_BAD : SIOX_GOOD,
                            SIOX_VERDICT_HIGH_LOAD};
  n.in.children = children;
  n.in.nchildren = 8;
  assert_verdict(&n, SIOX_VERDICT_FAULT, "rank 5", "rank 5 is bad, 7 of 8 are not");
}

static void what_most_children_say_is_said_of_all(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  struct siox_child children[8];
  for (int i = 0; i < 8; i++)
    children[i] = (struct siox_child){"x", i < 6 ? SIOX_ABNORMAL_BAD : SIOX_GOOD,
                                      i < 4 ? SIOX_VERDICT_MISCONFIGURATION : SIOX_VERDICT_UNCLEAR};
  n.in.children = children;
  n.in.nchildren = 8;
  assert_verdict(&n, SIOX_VERDICT_MISCONFIGURATION, "",
                 "4 of 6 abnormal ones below say misconfiguration");
}

static void small_requests_from_the_beginning_are_a_misconfiguration(void **unused) {
  (void)unused;
  for (int small = 0; small < 2; small++) {
    struct node n;
    node_new(&n);
    struct siox_activity_kind kind = {
        .layer = "posix", .call = "pwrite", .category = SIOX_CATEGORY_DISK};
    for (int i = 0; i < 100; i++)
      siox_activity_count(&kind, i < (small ? 90 : 89) ? 4096 : 65536, 1000);
    const struct siox_activity_summary a = {.kinds = &kind, .nkinds = 1};
    n.in.activities = &a;
    for (int i = 0; i < 20; i++)
      siox_reasoner_cycle(n.reasoner, &n.in, &n.report);
    assert_int_equal(n.report.verdict, SIOX_VERDICT_NONE); /* it does no harm yet */
    n.in.utilisation[SIOX_CATEGORY_DISK] = 0.95;
    if (small) { /* nothing deviates: so it was from the beginning on */
      siox_reasoner_cycle(n.reasoner, &n.in, &n.report);
      assert_int_equal(n.report.state, SIOX_GOOD);
      assert_int_equal(n.report.verdict, SIOX_VERDICT_MISCONFIGURATION);
    }
    issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
    if (small)
      assert_verdict(&n, SIOX_VERDICT_MISCONFIGURATION, "request size",
                     "90 % of 2200 calls since the beginning moved less than 64 KiB");
    else
      assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "disk", "95 %");
  }
}

static void one_disk_under_many_ranks_is_a_misconfiguration(void **unused) {
  (void)unused;
  for (uint32_t ranks = 7; ranks <= 8; ranks++) {
    struct node n;
    node_new(&n);
    n.in.ranks = ranks;
    n.in.stripes = 1;
    n.in.utilisation[SIOX_CATEGORY_DISK] = 0.95;
    issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
    if (ranks == 8)
      assert_verdict(&n, SIOX_VERDICT_MISCONFIGURATION, "striping",
                     "8 ranks use files that lie on one disk each");
    else
      assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "disk", "95 %");
  }
}

static void a_clock_held_low_is_a_misconfiguration_and_one_that_fell_is_not(void **unused) {
  (void)unused;
  for (int from = 0; from <= 50; from += 50) {
    struct node n;
    node_new(&n);
    const size_t clock = add(&n, SIOX_METRIC_GAUGE, "frequency", "cpu0", "Hz", 0);
    n.in.clock_max_hz = 3e9;
    n.in.utilisation[SIOX_CATEGORY_CPU] = 0.95;
    for (int i = 0; i < 200; i++) {
      n.series[clock].last.value = i < from ? 3e9 : 1.2e9;
      siox_reasoner_cycle(n.reasoner, &n.in, &n.report);
    }
    issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_CPU, SIOX_NO_INDEX);
    if (from == 0)
      assert_verdict(&n, SIOX_VERDICT_MISCONFIGURATION, "clock",
                     "busy processors had 1.2 GHz of 3 since the beginning (201 cycles)");
    else
      assert_verdict(&n, SIOX_VERDICT_HIGH_LOAD, "cpu", "95 % of cpu are in use");
  }
}

static void the_kept_cycle_keeps_the_verdict(void **unused) {
  (void)unused;
  struct node n;
  node_new(&n);
  issue(&n, SIOX_ABNORMAL_BAD, SIOX_CATEGORY_DISK, SIOX_NO_INDEX);
  siox_reasoner_cycle(n.reasoner, &n.in, &n.report);
  n.in.nissues = 0;
  siox_reasoner_cycle(n.reasoner, &n.in, &n.report);
  assert_int_equal(n.report.verdict, SIOX_VERDICT_FAULT);
  assert_verdict(&n, SIOX_VERDICT_NONE, "", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_disk_that_deviates_from_its_peers_is_a_fault),
      cmocka_unit_test(a_disk_with_more_to_do_than_its_peers_is_load),
      cmocka_unit_test(a_rank_that_spins_is_a_fault_though_it_does_the_io_of_all),
      cmocka_unit_test(all_disks_that_deviate_are_no_fault_of_one),
      cmocka_unit_test(slow_calls_on_busy_processors_are_load),
      cmocka_unit_test(slow_calls_with_little_to_do_are_a_fault),
      cmocka_unit_test(neither_much_nor_little_to_do_is_unclear),
      cmocka_unit_test(a_sensor_that_fails_is_a_fault_even_if_its_joules_look_good),
      cmocka_unit_test(a_call_that_hangs_is_a_fault),
      cmocka_unit_test(one_child_of_many_that_is_bad_is_a_fault),
      cmocka_unit_test(what_most_children_say_is_said_of_all),
      cmocka_unit_test(small_requests_from_the_beginning_are_a_misconfiguration),
      cmocka_unit_test(one_disk_under_many_ranks_is_a_misconfiguration),
      cmocka_unit_test(a_clock_held_low_is_a_misconfiguration_and_one_that_fell_is_not),
      cmocka_unit_test(the_kept_cycle_keeps_the_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
