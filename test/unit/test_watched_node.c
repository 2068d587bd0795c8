/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detectors, reasoner and keep together on a node to which things happen. */
#include "siox/keep.h"
#include "verdict_support.h"

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
    add(n, SIOX_METRIC_COUNTER, "process_cpu", where, "s", 0);
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
      cmocka_unit_test(what_happens_to_a_node_is_found_kept_and_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
