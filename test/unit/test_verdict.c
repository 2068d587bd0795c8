/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* High load, fault or misconfiguration: single cases, and detectors, reasoner and keep together on
 * a node to which things happen. */
#include "adpi_support.h"
#include "siox/keep.h"
#include "siox/reasoner.h"

enum { DISKS = 8, PROCESSES = 4 };

/* A node of eight disks. */
struct node {
  struct siox_series series[64];
  struct siox_cycle cycle;
  struct siox_issue issues[32];
  struct siox_reasoner_input in;
  struct siox_reasoner *reasoner;
  struct siox_report report;
};
static size_t add(struct node *n, enum siox_metric_kind kind, const char *name, const char *where,
                  const char *unit, double value) {
  struct siox_series *s = &n->series[n->cycle.nseries];
  *s = (struct siox_series){
      .provider = &lab_plain, .metric = {.kind = kind, .scale = 1}, .last = {.value = value}};
  snprintf(s->metric.name, sizeof s->metric.name, "%s", name);
  snprintf(s->metric.where, sizeof s->metric.where, "%s", where);
  snprintf(s->metric.unit, sizeof s->metric.unit, "%s", unit);
  return n->cycle.nseries++;
}
static void node_new(struct node *n) {
  *n = (struct node){.in = {.issues = n->issues, .cycle = &n->cycle}};
  n->cycle.series = n->series;
  for (enum siox_category c = 0; c < SIOX_NCATEGORIES; c++)
    n->in.utilisation[c] = 0.3;
  for (int d = 0; d < DISKS; d++) {
    char where[8];
    snprintf(where, sizeof where, "sd%c", 'a' + d);
    add(n, SIOX_METRIC_COUNTER, "disk_read_time", where, "s", 0.3 + 0.01 * d);
    add(n, SIOX_METRIC_COUNTER, "disk_bytes_read", where, "B", 40e6 + 1e6 * d);
  }
  struct siox_reasoner_limits limits;
  struct siox_diag diag;
  assert_int_equal(siox_reasoner_limits(&limits, "", NULL, 0, &diag), 0);
  assert_int_equal(siox_reasoner_new(SIOX_LEVEL_NODE, &limits, &n->reasoner), 0);
}
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

/* A run of a node under all detectors. */
enum event { NOTHING, SLOW_DISK, SPINNING_NEIGHBOUR, DEAD_SENSOR, RUNAWAY_RANK, NEVENTS };
enum { CYCLES = 10000, BEFORE = 2000, ISSUES = 64 };
struct truth {
  enum event event;
  int which;
  double factor;
};
static struct truth truth_of(uint64_t *state) {
  return (struct truth){.event = (enum event)(1 + test_below(state, NEVENTS - 1)),
                        .which = (int)test_below(state, PROCESSES),
                        .factor = 2.5 + 3 * test_uniform(state)};
}

struct run {
  struct node node;
  const struct siox_adpi *adpis[8];
  void *states[8];
  size_t nadpis, first_process, cpu, energy, cpu_used, disk_used;
  struct siox_activity_kind kind;
  struct siox_activity_summary activities;
};
static void run_open(struct run *r) {
  *r = (struct run){.kind = {.layer = "mpiio", .call = "read_at", .category = SIOX_CATEGORY_DISK}};
  struct node *n = &r->node;
  node_new(n);
  r->first_process = n->cycle.nseries;
  for (int p = 0; p < PROCESSES; p++) {
    char where[16];
    snprintf(where, sizeof where, "%d@7", 100 + p);
    add(n, SIOX_METRIC_COUNTER, "process_user", where, "s", 0);
  }
  r->cpu = add(n, SIOX_METRIC_COUNTER, "cpu_user", "", "s", 0);
  n->series[r->cpu].metric.scale = 0.01;
  r->energy = add(n, SIOX_METRIC_COUNTER, "energy", "package-0", "J", 0);
  n->series[r->energy].metric.domain = SIOX_DOMAIN_PACKAGE;
  n->series[r->energy].metric.scale = 1e-6;
  n->series[r->energy].metric.polarity = SIOX_LESS_IS_BETTER;
  n->series[r->energy].provider = &lab_meter;
  r->cpu_used = add(n, SIOX_METRIC_SAMPLED, "utilisation", "cpu", "1", 0);
  r->disk_used = add(n, SIOX_METRIC_SAMPLED, "utilisation", "disk", "1", 0);
  r->activities = (struct siox_activity_summary){.kinds = &r->kind, .nkinds = 1};
  n->in.activities = &r->activities;
  struct siox_diag diag;
  for (const struct siox_adpi *const *a = siox_adpis(); *a; a++) {
    r->adpis[r->nadpis] = *a;
    assert_int_equal((*a)->open(&(struct siox_adpi_env){.origin = "", .period_ns = 100000000},
                                &r->states[r->nadpis++], &diag),
                     0);
  }
}
static void run_close(struct run *r) {
  for (size_t i = 0; i < r->nadpis; i++)
    r->adpis[i]->close(r->states[i]);
  siox_reasoner_free(r->node.reasoner);
}
static void put(struct node *n, size_t i, double rate) {
  n->series[i].last = (struct siox_sample){
      .value = rate, .amount = n->series[i].metric.kind == SIOX_METRIC_COUNTER ? 0.1 * rate : 0};
}
static double about(uint64_t *state, double value, double deviation) {
  return value * (1 + deviation * test_normal(state));
}

/* 64 processors half busy, four processes of ten, eight disks at 40 MB/s each. */
static void run_cycle(struct run *r, const struct truth *t, uint64_t *state) {
  struct node *n = &r->node;
  memset(r->kind.classes, 0, sizeof r->kind.classes);
  double read_time = 0, used = about(state, 32, 0.02);
  for (int d = 0; d < DISKS; d++) {
    const bool slow = t->event == SLOW_DISK && d == t->which;
    const double time = about(state, slow ? 0.3 * t->factor : 0.3, 0.03);
    put(n, 2 * (size_t)d, time);
    put(n, 2 * (size_t)d + 1, about(state, slow ? 38e6 : 40e6, 0.03));
    read_time += fmin(time, 1) / DISKS;
    for (int k = 0; k < 3; k++)
      siox_activity_count(
          &r->kind, 262144,
          (int64_t)(5e6 * exp(0.2 * test_normal(state)) * (slow ? 2 * t->factor : 1) *
                    (t->event == SPINNING_NEIGHBOUR ? t->factor : 1)));
  }
  for (int p = 0; p < PROCESSES; p++) {
    double share = 8;
    if (t->event == RUNAWAY_RANK && p == t->which)
      share = 8 * fmin(t->factor, 3);
    if (t->event == SPINNING_NEIGHBOUR)
      share = 5;
    put(n, r->first_process + (size_t)p, about(state, share, 0.02));
    used += t->event == RUNAWAY_RANK && p == t->which ? share - 8 : 0;
  }
  if (t->event == SPINNING_NEIGHBOUR)
    used = 63.5 - 2 * test_uniform(state);
  used = floor(used * 10) / 10; /* ticks of 10 ms in 0.1 s */
  put(n, r->cpu, used);
  put(n, r->energy, t->event == DEAD_SENSOR ? 0 : about(state, used * 4, 0.01));
  put(n, r->cpu_used, used / 64);
  put(n, r->disk_used, read_time);
  n->cycle.dt_ns = 100000000;
  n->cycle.now_ns += n->cycle.dt_ns;
  n->cycle.number++;
  siox_cycle_utilisation(&n->cycle, n->in.utilisation);
  struct siox_issue issues[ISSUES];
  size_t all = 0;
  for (size_t i = 0; i < r->nadpis; i++) {
    const int found =
        r->adpis[i]->cycle(r->states[i], &(struct siox_adpi_input){&n->cycle, &r->activities},
                           issues + all, ISSUES - all);
    assert_true(found >= 0);
    all += (size_t)found < ISSUES - all ? (size_t)found : ISSUES - all;
  }
  n->in.issues = issues;
  n->in.nissues = all;
  siox_reasoner_cycle(n->reasoner, &n->in, &n->report);
  n->in.issues = n->issues;
}

static bool is_right(const struct truth *t, const struct siox_report *report) {
  char subject[32];
  switch (t->event) {
  case SLOW_DISK:
    snprintf(subject, sizeof subject, "sd%c", 'a' + t->which);
    return report->verdict == SIOX_VERDICT_FAULT && strcmp(report->subject, subject) == 0;
  case RUNAWAY_RANK:
    snprintf(subject, sizeof subject, "%d@7", 100 + t->which);
    return report->verdict == SIOX_VERDICT_FAULT && strcmp(report->subject, subject) == 0;
  case DEAD_SENSOR:
    return report->verdict == SIOX_VERDICT_FAULT &&
           strcmp(report->subject, "energy of package-0") == 0;
  default:
    return report->verdict == SIOX_VERDICT_HIGH_LOAD && report->category == SIOX_CATEGORY_CPU;
  }
}

static void what_happens_to_a_node_is_found_kept_and_named(void **unused) {
  (void)unused;
  struct scores scores = {.what = "all detectors on a node"};
  size_t named[NEVENTS] = {0}, episodes[NEVENTS] = {0}, cycles[NEVENTS] = {0},
         right_cycles[NEVENTS] = {0}, injected_all = 0, stored_all = 0;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t state = seed;
    bool *injected = test_injected(&state, CYCLES, BEFORE, 0.05, 15, 40);
    static struct run r;
    run_open(&r);
    struct score score = {0};
    struct siox_keep keep;
    siox_keep_start(&keep, SIOX_RECORD_ANOMALIES);
    struct truth truth = {0};
    bool right = false;
    size_t stored = 0, share = 0, n_episodes = 0;
    for (size_t i = 0; i < CYCLES; i++) {
      if (injected[i] && !injected[i - 1]) {
        truth = truth_of(&state);
        right = false;
        n_episodes++;
        episodes[truth.event]++;
      }
      run_cycle(&r, injected[i] ? &truth : &(struct truth){0}, &state);
      const bool abnormal = r.node.report.down != SIOX_GOOD;
      if (i >= BEFORE)
        score_add(&score, injected[i], abnormal);
      share += injected[i];
      /* A sensor is told after a second; what else happens is named in every cycle or in most. */
      if (injected[i]) {
        const bool is = is_right(&truth, &r.node.report);
        right |= is;
        right_cycles[truth.event] += is;
        cycles[truth.event]++;
      }
      if (injected[i] && (i + 1 == CYCLES || !injected[i + 1])) {
        named[truth.event] += right;
        if (!right)
          print_error("seed %d, event %d at %zu: %s, %s\n", (int)seed, truth.event, i,
                      siox_verdict_name(r.node.report.verdict), r.node.report.evidence);
      }
      struct siox_decision d;
      if (siox_keep_cycle(&keep, i, abnormal, false, &d) == 1 && d.cycle >= BEFORE) {
        stored += d.store;
        assert_true(d.store || !injected[d.cycle]);
      }
    }
    const double most = (double)(share + 2 * n_episodes) + 0.05 * CYCLES;
    assert_true((double)stored <= most);
    stored_all += stored;
    injected_all += share;
    scores_add(&scores, &score);
    free(injected);
    run_close(&r);
  }
  print_message("stored %.1f %% of the cycles where %.1f %% were injected\n",
                100.0 * (double)stored_all / (50.0 * CYCLES),
                100.0 * (double)injected_all / (50.0 * CYCLES));
  static const char *const names[] = {"", "slow disk", "spinning neighbour", "dead sensor",
                                      "runaway rank"};
  for (int e = 1; e < NEVENTS; e++)
    print_message("%s: %zu of %zu named, in %.1f %% of their cycles\n", names[e], named[e],
                  episodes[e], 100.0 * (double)right_cycles[e] / (double)cycles[e]);
  for (int e = 1; e < NEVENTS; e++)
    assert_int_equal(named[e], episodes[e]);
  scores_check(&scores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_disk_that_deviates_from_its_peers_is_a_fault),
      cmocka_unit_test(a_disk_with_more_to_do_than_its_peers_is_load),
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
      cmocka_unit_test(what_happens_to_a_node_is_found_kept_and_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
