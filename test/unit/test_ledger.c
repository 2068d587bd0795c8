/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joules of jobs over cycles of a node with two processors and one meter; sums by hand. */
#include "monitor/ledger.h"
#include "support.h"
#include <math.h>
#include <stdio.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

enum { METER, USER, CPU0, CPU1, P7, P8, NSERIES };
static const struct siox_provider meter = {.name = "meter", .priority = 1};
struct lab {
  struct siox_series s[NSERIES];
  struct siox_cycle cycle;
  struct siox__ledger ledger;
  double untold; /* processor seconds of the second before */
  int turn;
  double unread[2];
};

static void series(struct lab *n, int i, const char *name, const char *where) {
  n->s[i] =
      (struct siox_series){.provider = &meter, .metric = {.kind = SIOX_METRIC_COUNTER, .scale = 1}};
  snprintf(n->s[i].metric.name, sizeof n->s[i].metric.name, "%s", name);
  snprintf(n->s[i].metric.where, sizeof n->s[i].metric.where, "%s", where);
}
static void lab_new(struct lab *n) {
  *n = (struct lab){0};
  series(n, METER, "energy", "package-0");
  n->s[METER].metric.domain = SIOX_DOMAIN_PACKAGE;
  n->s[METER].best = true;
  series(n, USER, "cpu_user", "");
  series(n, CPU0, "cpu_user", "cpu0");
  series(n, CPU1, "cpu_user", "cpu1");
  series(n, P7, "process_cpu", "7@1");
  series(n, P8, "process_cpu", "8@1");
}
static const struct siox__ledger_process both[] = {{7, 1}, {8, 2}};

/* A second in which the meter gives joules (negative: nothing), processes 7 and 8 work so long, and
 * others, too. untold: the node's processor times could not be read, and come with the next. */
static void second_of(struct lab *n, double joules, double seven, double eight, double others,
                      bool untold) {
  others += n->untold;
  n->untold = untold ? seven + eight + others : 0;
  const double amounts[NSERIES] = {
      [METER] = fmax(joules, 0), [USER] = seven + eight + others, [P7] = seven, [P8] = eight};
  const int64_t waited = n->s[METER].last.state == SIOX_SAMPLE_LOST ? n->s[METER].last.span_ns : 0;
  n->cycle = (struct siox_cycle){.dt_ns = 1000000000, .series = n->s, .nseries = NSERIES};
  for (int i = 0; i < NSERIES; i++)
    n->s[i].last = (struct siox_sample){.amount = amounts[i], .span_ns = 1000000000};
  n->s[METER].last.span_ns += waited;
  if (joules < 0)
    n->s[METER].last.state = SIOX_SAMPLE_LOST;
  if (untold)
    n->s[USER].last = (struct siox_sample){.state = SIOX_SAMPLE_LOST};
  assert_int_equal(siox__ledger_take(&n->ledger, &n->cycle, both, 2), 0);
}
static void second(struct lab *n, double joules, double seven, double eight, double others) {
  second_of(n, joules, seven, eight, others, false);
}
static double joules_of(const struct lab *n, uint32_t job) {
  for (size_t i = 0; i < n->ledger.njobs; i++)
    if (n->ledger.job[i].job == job)
      return n->ledger.job[i].joules;
  return 0;
}

static void jobs_share_by_time_and_others_are_unattributed(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  second(&n, 100, 0.5, 0.3, 0.2);
  assert_near(joules_of(&n, 1), 50, 1e-9);
  assert_near(joules_of(&n, 2), 30, 1e-9);
  assert_near(n.ledger.unattributed_j, 20, 1e-9);
  siox__ledger_free(&n.ledger);
}

static void a_reading_that_failed_is_made_up_for_by_the_next(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  second(&n, -1, 1, 0, 0);   /* only job 1 works, unmetered */
  second(&n, 90, 0, 0.5, 0); /* and these joules are of both seconds */
  assert_near(joules_of(&n, 1), 60, 1e-9);
  assert_near(joules_of(&n, 2), 30, 1e-9);
  assert_near(n.ledger.joules, 90, 0);
  assert_near(n.ledger.joules_lost_s, 0, 1e-12);
  assert_near(n.ledger.job[0].busy_s, 1, 1e-12);
  assert_near(n.ledger.job[1].busy_s, 0.5, 1e-12);
  siox__ledger_free(&n.ledger);
}

static void joules_wait_for_processor_times_that_could_not_be_read(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  second_of(&n, 60, 0.5, 0, 0.5, true); /* others' half is known with the next second only */
  assert_near(joules_of(&n, 1), 0, 0);
  second(&n, 60, 0.5, 0, 0.5);
  assert_near(joules_of(&n, 1), 60, 1e-9);
  assert_near(n.ledger.unattributed_j, 60, 1e-9);
  assert_near(n.ledger.joules, 120, 1e-9);
  assert_near(n.ledger.job[0].busy_s, 1, 1e-12);
  siox__ledger_free(&n.ledger);
}

static void
processor_times_that_stay_away_are_not_waited_for_longer_than_ten_cycles(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  for (int i = 0; i < 11; i++)
    second_of(&n, 10, 0, 0, 0, true);
  assert_near(n.ledger.joules, 110, 1e-9);
  assert_near(joules_of(&n, 1) + joules_of(&n, 2) + n.ledger.idle_j + n.ledger.unattributed_j, 110,
              1e-9);
  siox__ledger_free(&n.ledger);
}

static void time_that_no_joules_are_of_is_counted(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  second(&n, -1, 1, 0, 0);
  n.s[METER].last.span_ns =
      0; /* it was no reading's failure: the count made no sense, and begins anew */
  second(&n, 40, 0.5, 0.5, 0);
  assert_near(n.ledger.joules_lost_s, 1, 1e-12);
  assert_near(n.ledger.joules, 40, 0);
  assert_near(joules_of(&n, 1) + joules_of(&n, 2), 40, 1e-9);
  siox__ledger_free(&n.ledger);
}

static void what_a_forgotten_job_took_is_told_with_all_forgotten(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  second(&n, 100, 0.5, 0.5, 0);
  siox__ledger_forget(&n.ledger, 1);
  siox__ledger_forget(&n.ledger, 99);
  assert_near(n.ledger.forgotten_j, 50, 1e-9);
  assert_near(joules_of(&n, 2), 50, 1e-9);
  assert_int_equal(n.ledger.njobs, 1);
  siox__ledger_free(&n.ledger);
}

/* Meters that fail, suspends and random loads: what the meter gave is what all have together. */
static void shares_and_rest_are_what_the_meter_gave(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  uint64_t seed = 3;
  double given = 0;
  for (int i = 0; i < 20000; i++) {
    const double joules = test_below(&seed, 4) == 0 ? -1 : (double)test_below(&seed, 200);
    given += fmax(joules, 0);
    second_of(&n, joules, (double)test_below(&seed, 100) / 100,
              (double)test_below(&seed, 100) / 100, (double)test_below(&seed, 20) / 100,
              i < 19999 && test_below(&seed, 8) == 0);
  }
  second(&n, 0, 0, 0, 0); /* what waits gets its joules */
  const struct siox__ledger *l = &n.ledger;
  assert_near(l->joules, given, 1e-6);
  assert_near(joules_of(&n, 1) + joules_of(&n, 2) + l->idle_j + l->unattributed_j + l->forgotten_j,
              l->joules, 1e-9 * l->joules);
  siox__ledger_free(&n.ledger);
}

/* Processes 7 and 8 work at this rate for as many cycles as said; they are read in turns, every
 * second one: what is not read is held, and what is read is over both. */
static void in_turns(struct lab *n, int cycles, double joules, double seven, double eight) {
  const double rate[] = {seven, eight};
  for (int k = 0; k < cycles; k++) {
    n->cycle = (struct siox_cycle){.dt_ns = 1000000000, .series = n->s, .nseries = NSERIES};
    n->s[METER].last = (struct siox_sample){.amount = joules, .span_ns = 1000000000};
    n->s[USER].last = (struct siox_sample){.amount = seven + eight, .span_ns = 1000000000};
    for (int i = 0; i < 2; i++) {
      struct siox_sample *s = &n->s[P7 + i].last;
      if ((n->turn + i) % 2 == 0)
        *s = (struct siox_sample){.amount = n->unread[i] + rate[i],
                                  .value = (n->unread[i] + rate[i]) / 2,
                                  .span_ns = 2000000000};
      else
        *s = (struct siox_sample){.state = SIOX_SAMPLE_HELD, .value = s->value};
      n->unread[i] = s->state == SIOX_SAMPLE_HELD ? rate[i] : 0;
    }
    n->turn++;
    assert_int_equal(siox__ledger_take(&n->ledger, &n->cycle, both, 2), 0);
  }
}
static double sum_of(const struct lab *n) {
  const struct siox__ledger *l = &n->ledger;
  return joules_of(n, 1) + joules_of(n, 2) + l->idle_j + l->unattributed_j + l->forgotten_j;
}

static void a_steady_load_that_is_read_in_turns_gets_what_it_would_get_each_cycle(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  in_turns(&n, 4, 100, 0.6, 0.4); /* nothing is known of a process before its first turn */
  const double one = joules_of(&n, 1), two = joules_of(&n, 2);
  in_turns(&n, 10, 100, 0.6, 0.4);
  assert_near(joules_of(&n, 1) - one, 600, 1e-9);
  assert_near(joules_of(&n, 2) - two, 400, 1e-9);
  assert_near(sum_of(&n), 1400, 1e-9 * 1400);
  siox__ledger_free(&n.ledger);
}

static void what_a_process_was_wrongly_taken_to_use_is_made_up_for(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  in_turns(&n, 10, 100, 1, 0.5);
  in_turns(&n, 10, 50, 0, 0.5); /* 7 ends its work: it is taken to go on for a turn at most */
  in_turns(&n, 10, 100, 1, 0.5);
  double busy = n.ledger.job[0].busy_s;
  if (n.s[P7].last.state == SIOX_SAMPLE_HELD)
    busy -= 1; /* of the cycle that it was not read in */
  assert_near(busy, 10 + 9 + (n.s[P7].last.state != SIOX_SAMPLE_HELD), 1e-9);
  assert_near(sum_of(&n), 2500, 1e-9 * 2500);
  siox__ledger_free(&n.ledger);
}

static void shares_of_processes_that_are_read_in_turns_are_what_the_meter_gave(void **unused) {
  (void)unused;
  struct lab n;
  lab_new(&n);
  uint64_t seed = 9;
  double given = 0;
  for (int i = 0; i < 20000; i++) {
    const double joules = (double)test_below(&seed, 200);
    given += joules;
    in_turns(&n, 1, joules, (double)test_below(&seed, 100) / 100,
             (double)test_below(&seed, 100) / 100);
  }
  assert_near(n.ledger.joules, given, 1e-9 * given);
  assert_near(sum_of(&n), given, 1e-9 * given);
  siox__ledger_free(&n.ledger);
}

/* The same cycles, once with all series looked at, once with those of processes as a crowd of which
 * only what moved is. */
static void what_did_not_move_is_taken_as_it_was(void **unused) {
  (void)unused;
  struct lab all, crowd;
  uint32_t moved[2], seed = 1;
  bool held[2] = {false, false};
  lab_new(&all);
  lab_new(&crowd);
  for (int t = 0; t < 500; t++) {
    crowd.cycle = (struct siox_cycle){.dt_ns = 1000000000,
                                      .series = crowd.s,
                                      .nseries = NSERIES,
                                      .crowd_from = P7,
                                      .crowd_to = NSERIES,
                                      .lists = 1 + (uint64_t)t / 100,
                                      .moved = moved};
    for (int i = 0; i < 2; i++) {
      struct siox_sample *s = &crowd.s[P7 + i].last;
      seed = seed * 1664525 + 1013904223;
      const unsigned dice = seed >> 24;
      const bool was = held[i] && t % 100 != 0;
      held[i] = dice < 200;
      if (held[i])
        *s = (struct siox_sample){.state = SIOX_SAMPLE_HELD, .value = s->value};
      else
        *s = (struct siox_sample){
            .value = dice / 256., .amount = dice / 128., .span_ns = 1000000000};
      if (dice == 255)
        *s = (struct siox_sample){.state = SIOX_SAMPLE_LOST, .error = SIOX_EIO};
      if (!held[i] || !was)
        moved[crowd.cycle.nmoved++] = (uint32_t)(P7 + i);
    }
    crowd.s[METER].last = (struct siox_sample){.amount = 50 + t % 7, .span_ns = 1000000000};
    crowd.s[USER].last = (struct siox_sample){.amount = 1.5, .span_ns = 1000000000};
    for (int i = 0; i < NSERIES; i++)
      all.s[i].last = crowd.s[i].last;
    all.cycle = (struct siox_cycle){.dt_ns = 1000000000, .series = all.s, .nseries = NSERIES};
    assert_int_equal(siox__ledger_take(&crowd.ledger, &crowd.cycle, both, 2), 0);
    assert_int_equal(siox__ledger_take(&all.ledger, &all.cycle, both, 2), 0);
    assert_near(joules_of(&crowd, 1), joules_of(&all, 1), 1e-9);
    assert_near(joules_of(&crowd, 2), joules_of(&all, 2), 1e-9);
  }
  assert_true(joules_of(&all, 1) > 0 && joules_of(&all, 2) > 0);
  assert_near(joules_of(&crowd, 1) + joules_of(&crowd, 2) + crowd.ledger.idle_j +
                  crowd.ledger.unattributed_j,
              crowd.ledger.joules, 1e-9 * crowd.ledger.joules);
  siox__ledger_free(&all.ledger);
  siox__ledger_free(&crowd.ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_share_by_time_and_others_are_unattributed),
      cmocka_unit_test(a_reading_that_failed_is_made_up_for_by_the_next),
      cmocka_unit_test(joules_wait_for_processor_times_that_could_not_be_read),
      cmocka_unit_test(processor_times_that_stay_away_are_not_waited_for_longer_than_ten_cycles),
      cmocka_unit_test(time_that_no_joules_are_of_is_counted),
      cmocka_unit_test(what_a_forgotten_job_took_is_told_with_all_forgotten),
      cmocka_unit_test(shares_and_rest_are_what_the_meter_gave),
      cmocka_unit_test(a_steady_load_that_is_read_in_turns_gets_what_it_would_get_each_cycle),
      cmocka_unit_test(what_a_process_was_wrongly_taken_to_use_is_made_up_for),
      cmocka_unit_test(shares_of_processes_that_are_read_in_turns_are_what_the_meter_gave),
      cmocka_unit_test(what_did_not_move_is_taken_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
