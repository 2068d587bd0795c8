/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was told of a process that is not read in each cycle, with the detector of docs/adpi.md. */
#include "daemon/watch.h"
#include "support.h"
#include <stdio.h>
#include <string.h>

enum { NPROCESSES = 4 };
struct lab {
  struct siox_modules modules;
  struct siox_module detector;
  struct siox_series series[NPROCESSES];
  struct siox__process processes[NPROCESSES];
  struct siox_cycle cycle;
  struct siox__watch *watch;
  struct siox__watched seen;
};

static void lab_new(struct lab *l) {
  static char spike[] = PLUGINS "/adpi_spike.so", file[] = "monitor.yaml";
  static const struct siox_provider processes = {.name = "processes",
                                                 .flags = SIOX_PROVIDER_OF_PROCESSES};
  struct siox_diag diag = {""};
  *l = (struct lab){.detector = {.plugin = spike, .line = 1}};
  l->modules = (struct siox_modules){
      .file = file, .has_detectors = true, .detector = &l->detector, .ndetectors = 1};
  for (int i = 0; i < NPROCESSES; i++) {
    struct siox_series *s = &l->series[i];
    *s = (struct siox_series){.provider = &processes,
                              .metric = {.kind = SIOX_METRIC_COUNTER, .scale = 1, .unit = "s"}};
    snprintf(s->metric.name, sizeof s->metric.name, "process_cpu");
    snprintf(s->metric.where, sizeof s->metric.where, "%d@1", 100 + i);
    l->processes[i] = (struct siox__process){.pid = 100 + i, .rank = i, .job = 1};
  }
  l->cycle = (struct siox_cycle){.series = l->series, .nseries = NPROCESSES};
  const int e = siox__watch_new(&l->watch, &l->modules, "", "here", 100000000, &diag);
  if (e < 0)
    print_error("%s\n", diag.text);
  assert_int_equal(e, 0);
}

/* A cycle in which the first process was read and had this value; negative: it was not its turn.
 * The others are read and are as they always are. */
static const struct siox__judged_process *cycle_with(struct lab *l, double value) {
  static const struct siox__log log = {0};
  for (int i = 0; i < NPROCESSES; i++)
    l->series[i].last = (struct siox_sample){.value = 0.05};
  static double last;
  last = value >= 0 ? value : last;
  l->series[0].last = (struct siox_sample){
      .state = value >= 0 ? SIOX_SAMPLE_VALID : SIOX_SAMPLE_HELD, .value = last};
  l->cycle.number++;
  l->cycle.now_ns += 100000000;
  l->cycle.dt_ns = 100000000;
  siox__watch_cycle(l->watch,
                    &(struct siox__reasoners_input){
                        .cycle = &l->cycle, .processes = l->processes, .nprocesses = NPROCESSES},
                    &l->seen, &log);
  return l->seen.levels.ntold > 0 ? &l->seen.levels.told[0] : NULL;
}

static void what_was_told_of_a_process_holds_until_it_is_read_again(void **unused) {
  (void)unused;
  struct lab l;
  lab_new(&l);
  cycle_with(&l, 0.05);
  assert_null(cycle_with(&l, -1));
  const double values[] = {1, -1, -1, -1, -1};
  for (int i = 0; i < 5; i++) {
    const struct siox__judged_process *p = cycle_with(&l, values[i]);
    assert_non_null(p);
    assert_int_equal(p->process.pid, 100);
    assert_int_equal(p->verdict, SIOX_VERDICT_FAULT); /* against its peers, held or not */
    assert_int_equal(l.seen.levels.node.verdict, SIOX_VERDICT_FAULT);
  }
  assert_int_equal(l.seen.issues, 1); /* it is one, and told once */
  assert_int_equal(l.seen.kept, 1);
  cycle_with(&l, 1); /* it is as it was in its last turn: kept for a cycle more */
  assert_null(cycle_with(&l, -1));
  siox__watch_free(l.watch);
}

static void what_was_told_goes_with_its_process(void **unused) {
  (void)unused;
  struct lab l;
  lab_new(&l);
  cycle_with(&l, 0.05);
  assert_non_null(cycle_with(&l, 1));
  l.series[0].generation++; /* another one stands there now, and has not been read */
  cycle_with(&l, -1);
  assert_null(cycle_with(&l, -1));
  siox__watch_free(l.watch);
}

/* The first process gives an issue in every other cycle, and more of them than are kept. */
static void what_is_told_is_all_that_was_seen(void **unused) {
  (void)unused;
  static struct lab l;
  static struct siox__watched told;
  lab_new(&l);
  cycle_with(&l, 0.05);
  bool some = false, none = false;
  for (int i = 0; i < 20 * SIOX__ISSUES_KEPT; i++) {
    cycle_with(&l, i % 7 < 3 ? 1 + i % 2 : 0.05);
    if (i % 5 == 0) /* those in between have been missed */
      continue;
    siox__watched_copy(&told, &l.seen);
    assert_int_equal(told.kept, l.seen.kept);
    assert_memory_equal(told.seen, l.seen.seen, sizeof told.seen);
    assert_int_equal(told.levels.ntold, l.seen.levels.ntold);
    assert_memory_equal(told.levels.told, l.seen.levels.told,
                        told.levels.ntold * sizeof *told.levels.told);
    assert_int_equal(told.levels.node.state, l.seen.levels.node.state);
    assert_string_equal(told.levels.node.evidence, l.seen.levels.node.evidence);
    assert_int_equal(told.cycles, l.seen.cycles);
    assert_int_equal(told.issues, l.seen.issues);
    some |= told.levels.ntold > 0;
    none |= told.levels.ntold == 0;
  }
  assert_true(some && none && told.kept > SIOX__ISSUES_KEPT);
  siox__watch_free(l.watch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_told_of_a_process_holds_until_it_is_read_again),
      cmocka_unit_test(what_was_told_goes_with_its_process),
      cmocka_unit_test(what_is_told_is_all_that_was_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
