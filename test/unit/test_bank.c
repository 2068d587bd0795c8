/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scripted sequences whose joules and times have a closed form, and whose joules they are. */
#include "bank_support.h"
#include <stdio.h>

static double rounded(double seconds) {
  return (double)ns(seconds) * 1e-9;
} /* times are whole ns */
static double service(double rpm, double bytes, bool sequential) {
  return rounded(service_s(rpm, bytes, sequential));
}

static void one_request_at_full_speed(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 1);
  uint32_t a = lab_join(lab, "A");
  double s = service(15000, 256 * KB, false);
  struct siox_service r = lab_read(lab, 1, a, 256 * KB);
  assert_int_equal(r.completion, ns(1 + s));
  assert_int_equal(r.queued_ns, 0);
  assert_int_equal(r.transition_ns, 0);
  assert_true(r.missed);
  assert_int_equal(siox_bank_finish(lab->bank, ns(10)), 0);
  struct siox_disk_totals t = lab_disk(lab, 0);
  near(t.joules[SIOX_ACTIVE], 13.5 * s);
  near(t.joules[SIOX_IDLE], 10.2 * (10 - s));
  assert_int_equal(t.level_ns[3], ns(10));
  assert_int_equal(t.busy_ns, ns(s));
  assert_int_equal(t.requests, 1);
  assert_int_equal(t.bytes, 256 * KB);
  near(lab_job_joules(lab, 0), 13.5 * s);
  near(lab_job_joules(lab, SIOX_NOBODY), 10.2 * (10 - s));
  lab_check(lab);
  lab_close(lab);
}

static void requests_are_served_in_order_of_arrival_and_a_continued_one_pays_no_seek(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  double first = service(15000, 64 * KB, false), next = service(15000, 64 * KB, true);
  assert_int_equal(lab_read_at(lab, 1, a, 0, 64 * KB).completion, ns(1 + first));
  struct siox_service r = lab_read_at(lab, 1, b, 64 * KB, 64 * KB);
  assert_int_equal(r.completion, ns(1 + first + next));
  assert_int_equal(r.queued_ns, ns(first));
  r = lab_read_at(lab, 1, a, 0, 64 * KB); /* back again: a seek */
  assert_int_equal(r.completion, ns(1 + first + next + first));
  lab_close(lab);
}

static void a_striped_request_ends_with_its_last_piece(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 4);
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, 4, 1, 3, 64 * KB), 0);
  uint32_t a = lab_join(lab, "A");
  /* 4 stripes on disks 1, 2, 3, 1 */
  struct siox_service r = lab_read_at(lab, 1, a, 0, 4 * 64 * KB);
  assert_int_equal(r.completion, ns(1 + service(15000, 128 * KB, false)));
  assert_int_equal(lab_disk(lab, 0).requests, 0);
  assert_int_equal(lab_disk(lab, 1).bytes, 128 * KB);
  assert_int_equal(lab_disk(lab, 3).bytes, 64 * KB);
  assert_int_equal(lab_read_at(lab, 2, a, 0, 0).completion, ns(2));
  lab_close(lab);
}

static void static_levels_pay_the_way_there_and_back(void **state) {
  (void)state;
  for (uint32_t level = 0; level < 3; level++) {
    double rpm = FOUR_SPEEDS[level];
    char policy[32];
    snprintf(policy, sizeof policy, "static:%d", FOUR_SPEEDS[level]);
    struct lab *lab = lab_open(policy, 1);
    uint32_t a = lab_join(lab, "A");
    double down = rounded(ramp_s(15000, rpm)), s = service(rpm, 1 << 20, false);
    /* arrives while the disk slows down: waits for it */
    struct siox_service r = lab_read(lab, 1, a, 1 << 20);
    assert_int_equal(r.transition_ns, ns(down) - ns(1));
    assert_int_equal(r.completion, ns(down + s));
    assert_int_equal(siox_bank_finish(lab->bank, ns(30)), 0);
    struct siox_disk_totals t = lab_disk(lab, 0);
    near(t.joules[SIOX_DOWN], ramp_j(15000, rpm));
    near(t.joules[SIOX_UP], ramp_j(rpm, 15000));
    near(t.joules[SIOX_ACTIVE], (idle_w(rpm) + 3.3) * s);
    near(t.joules[SIOX_IDLE], idle_w(rpm) * (30 - down - s));
    assert_int_equal(t.transitions_down, 1);
    assert_int_equal(t.transitions_up, 0); /* the way back is joules only */
    assert_int_equal(t.moving_ns, ns(down));
    lab_check(lab);
    lab_close(lab);
  }
}

/* What each rule charges, from docs/drives.md, not from the drive's code. */
static double rule_j(enum siox_transition_rule rule, double from, double to) {
  double hi = fmax(from, to) / 15000, lo = fmin(from, to) / 15000;
  switch (rule) {
  case SIOX_RULE_A:
    return idle_w(fmax(from, to)) * ramp_s(from, to);
  case SIOX_RULE_B:
    return ramp_j(from, to);
  default:
    return fmax(148.056 * (hi * hi - lo * lo) * (to > from ? 135.0 / 148 : 13.0 / 148),
                2.5 * ramp_s(from, to));
  }
}

static void every_transition_under_every_rule(void **state) {
  (void)state;
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++)
    for (uint32_t from = 0; from < 4; from++)
      for (uint32_t to = 0; to < 4; to++) {
        struct lab *lab = calloc(1, sizeof *lab);
        make_drive(&lab->drive, FOUR_SPEEDS, 4);
        lab->drive.rule = (enum siox_transition_rule)rule;
        lab_start(lab, "claims", 1, &from, 0);
        uint32_t a = lab_join(lab, "A");
        double f = FOUR_SPEEDS[from], t = FOUR_SPEEDS[to], move = rounded(ramp_s(f, t));
        lab_hint(lab, 2, a, "1", FOUR_SPEEDS[to], 1, 0, 0);
        siox_bank_advance(lab->bank, ns(20));
        struct siox_disk_totals d = lab_disk(lab, 0);
        double moved = f == t ? 0 : rule_j((enum siox_transition_rule)rule, f, t);
        near(d.joules[SIOX_UP] + d.joules[SIOX_DOWN], moved);
        near(d.joules[t > f ? SIOX_UP : SIOX_DOWN], moved);
        near(d.joules[SIOX_IDLE], idle_w(f) * 2 + idle_w(t) * (18 - move));
        /* before the hint it was nobody's, afterwards the claim's */
        near(lab_job_joules(lab, SIOX_NOBODY), idle_w(f) * 2);
        lab_check(lab);
        lab_close(lab);
      }
}

static void a_ramp_turns_round_at_the_speed_reached(void **state) {
  (void)state;
  for (int rule = SIOX_RULE_A; rule <= SIOX_RULE_C; rule++) {
    struct lab *lab = calloc(1, sizeof *lab);
    make_drive(&lab->drive, FOUR_SPEEDS, 4);
    lab->drive.rule = (enum siox_transition_rule)rule;
    lab_start(lab, "claims", 1, NULL, 0);
    uint32_t a = lab_join(lab, "A");
    lab_hint(lab, 1, a, "1", 6000, 0, 0, 0);
    lab_hint(lab, 3, a, "1", 15000, 1, 0, 0); /* two seconds down, so two seconds up again */
    double reached = 15000 - 2 * 15000 / 10.9;
    struct siox_service r = lab_read(lab, 4, a, 64 * KB);
    assert_int_equal(r.transition_ns, ns(1));
    assert_int_equal(r.completion, ns(5 + service(15000, 64 * KB, false)));
    struct siox_disk_totals t = lab_disk(lab, 0);
    near(t.joules[SIOX_DOWN], rule_j((enum siox_transition_rule)rule, 15000, reached));
    near(t.joules[SIOX_UP], rule_j((enum siox_transition_rule)rule, reached, 15000));
    assert_int_equal(t.moving_ns, ns(4));
    lab_check(lab);
    lab_close(lab);
  }
}

static void without_a_ramp_the_new_target_waits_for_the_old(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  make_table(&lab->drive);
  lab_start(lab, "claims", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  double move = rounded(ramp_s(15000, 6000));
  lab_hint(lab, 1, a, "1", 6000, 0, 0, 0);
  lab_hint(lab, 3, a, "1", 15000, 1, 0, 0);
  struct siox_service r = lab_read(lab, 4, a, 64 * KB);
  assert_int_equal(r.transition_ns, ns(1 + 2 * move) - ns(4));
  struct siox_disk_totals t = lab_disk(lab, 0);
  near(t.joules[SIOX_DOWN], ramp_j(15000, 6000));
  near(t.joules[SIOX_UP], ramp_j(6000, 15000));
  lab_check(lab);
  lab_close(lab);
}

static void a_transition_starts_after_the_requests_accepted_before_it(void **state) {
  (void)state;
  const uint32_t slow = 0;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab_start(lab, "rt", 1, &slow, 0);
  uint32_t a = lab_join(lab, "A");
  /* 100 MB at 6000 rpm take some 4.5 s; a need in the middle waits for its end */
  double s = service(6000, 1e8, false), up = rounded(ramp_s(6000, 15000));
  lab_hint(lab, 0, a, "1", 6000, 1, 0, 0);
  assert_int_equal(lab_read(lab, 1, a, 100000000).completion, ns(1 + s));
  lab_hint(lab, 2, a, "1", 15000, 1, 0, 0);
  const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
  assert_false(v->moving);
  assert_int_equal(v->free_at, ns(1 + s + up));
  siox_bank_advance(lab->bank, ns(1 + s + 1));
  assert_true(v->moving);
  siox_bank_advance(lab->bank, ns(20));
  assert_false(v->moving);
  near(lab_disk(lab, 0).joules[SIOX_UP], ramp_j(6000, 15000));
  assert_int_equal(lab_disk(lab, 0).transitions_up, 1);
  lab_check(lab);
  lab_close(lab);
}

static void an_unpredicted_request_on_a_slow_disk_is_served_and_then_it_speeds_up(void **state) {
  (void)state;
  const uint32_t slow = 0;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab_start(lab, "siox", 1, &slow, 0);
  uint32_t a = lab_join(lab, "A");
  double s = service(6000, 64 * KB, false), up = rounded(ramp_s(6000, 15000));
  struct siox_service r = lab_read(lab, 1, a, 64 * KB);
  assert_true(r.missed);
  assert_int_equal(r.completion, ns(1 + s));
  r = lab_read(lab, 2, a, 64 * KB);
  assert_int_equal(r.transition_ns, ns(1 + s + up) - ns(2));
  assert_int_equal(r.completion, ns(1 + s + up + service(15000, 64 * KB, false)));
  near(lab_job(lab, 0).joules[SIOX_UP], ramp_j(6000, 15000));
  assert_int_equal(lab_job(lab, 0).missed, 2);
  lab_close(lab);
}

static void a_level_that_does_not_serve_is_left_first(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 6000, 9000, 12000, 15000};
  static const char *const policies[] = {"rt", "claims", "siox"};
  const uint32_t stopped = 0;
  for (int p = 0; p < 3; p++) {
    struct lab *lab = calloc(1, sizeof *lab);
    make_drive(&lab->drive, speeds, 5);
    lab_start(lab, policies[p], 1, &stopped, 0);
    uint32_t a = lab_join(lab, "A");
    struct siox_service r = lab_read(lab, 1, a, 64 * KB);
    assert_int_equal(r.transition_ns, ns(10.9));
    assert_int_equal(r.completion, ns(1 + 10.9 + service(15000, 64 * KB, false)));
    lab_check(lab);
    lab_close(lab);
  }
}

static void no_disk_is_slowed_while_requests_are_in_flight(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  for (int p = 0; p < 3; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    uint32_t a = lab_join(lab, "A");
    double s = service(15000, 1e8, false);
    lab_hint(lab, 0.5, a, "1", 15000, 1, 0, 0);
    assert_int_equal(lab_read(lab, 1, a, 100000000).completion, ns(1 + s));
    lab_hint(lab, 1.5, a, "1", 6000, 0, 0, 0);
    const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
    assert_int_equal(siox_bank_advance(lab->bank, ns(1.5)), ns(1 + s)); /* asks to be woken */
    assert_int_equal(v->level, 3);
    siox_bank_advance(lab->bank, ns(10)); /* late: the wake-up has its own time all the same */
    assert_int_equal(v->level, 0);
    assert_int_equal(v->move_start, ns(1 + s));
    near(lab_job(lab, 0).joules[SIOX_DOWN], ramp_j(15000, 6000));
    assert_int_equal(lab_job(lab, 0).refused, 0);
    lab_close(lab);
  }
}

static void idle_time_is_shared_by_the_jobs_whose_claims_hold_the_level(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A"), a2 = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);  /* A from 1 */
  lab_hint(lab, 2, a2, "1", 15000, 1, 0, 0); /* another rank of A: no second share */
  lab_hint(lab, 3, b, "1", 15000, 1, 0, 8);  /* B from 3 to 8 */
  siox_bank_advance(lab->bank, ns(10));
  near(lab_job_joules(lab, SIOX_NOBODY), 10.2 * 1);
  near(lab_job_joules(lab, 0), 10.2 * (2 + 5 / 2.0 + 2));
  near(lab_job_joules(lab, 1), 10.2 * 5 / 2.0);
  lab_check(lab);
  lab_close(lab);
}

static void a_lower_need_does_not_hold_a_higher_level(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);
  lab_hint(lab, 1, b, "1", 9000, 1, 0, 0);
  siox_bank_advance(lab->bank, ns(10));
  near(lab_job_joules(lab, 0), 10.2 * 9);
  near(lab_job_joules(lab, 1), 0);
  lab_close(lab);
}

static void a_claim_without_io_pays_until_it_decays(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A");
  /* 12000 rpm pays soonest: its round trip of 4.36 s is longer than its break-even; hold is ten of
   * them */
  double hold = 10 * rounded(2 * ramp_s(15000, 12000));
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);
  assert_int_equal(lab_speed(lab, 1 + hold - 0.001, 0), 15000);
  assert_int_equal(lab_speed(lab, 1 + hold, 0), 6000);
  siox_bank_advance(lab->bank, ns(100));
  near(lab_job(lab, 0).joules[SIOX_IDLE], 10.2 * hold);
  near(lab_job(lab, SIOX_NOBODY).joules[SIOX_IDLE],
       10.2 + idle_w(6000) * (99 - hold - rounded(ramp_s(15000, 6000))));
  lab_check(lab);
  lab_close(lab);
}

static void a_decayed_claim_keeps_what_it_has_paid_before(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  double hold = 10 * rounded(2 * ramp_s(15000, 12000)), s = service(15000, 64 * KB, false);
  lab_hint(lab, 1, a, "1", 15000, 1, 0, 0); /* until 1 + hold = 44.6 */
  lab_hint(lab, 30, b, "1", 15000, 1, 0, 0);
  lab_read(lab, 60, b, 64 * KB);
  double together = 1 + hold - 30;
  near(lab_job_joules(lab, 0), 10.2 * (29 + together / 2));
  near(lab_job_joules(lab, 1), 10.2 * (together / 2 + 60 - 1 - hold) + 13.5 * s);
  siox_bank_advance(lab->bank, ns(70)); /* I/O of B does not revive A's claim */
  near(lab_job_joules(lab, 0), 10.2 * (29 + together / 2));
  lab_check(lab);
  lab_close(lab);
}

static void a_wish_to_slow_down_survives_a_request_that_comes_first(void **state) {
  (void)state;
  static const char *const policies[] = {"claims", "siox"};
  for (int p = 0; p < 2; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    uint32_t a = lab_join(lab, "A");
    double s = service(15000, 1e8, false);
    lab_hint(lab, 0.5, a, "1", 15000, 1, 0, 0);
    lab_read(lab, 1, a, 100000000);
    lab_hint(lab, 1.5, a, "1", 9000, 1, 0, 0);
    assert_int_equal(lab_read(lab, 2, a, 100000000).completion, ns(1 + s) + ns(s));
    siox_bank_advance(lab->bank, ns(20));
    const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
    assert_int_equal(v->level, 1);
    assert_int_equal(v->move_start, ns(1 + s) + ns(s));
    assert_int_equal(lab_job(lab, 0).refused, 0);
    lab_close(lab);
  }
}

static void the_way_back_goes_over_other_levels_where_no_straight_one_is_stated(void **state) {
  (void)state;
  static const int32_t speeds[] = {6000, 9000, 12000, 15000};
  const uint32_t initial = 1;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speeds, 4);
  make_table(&lab->drive);
  lab->drive.table[0][1].ns = -1;
  lab->drive.table[2][1].joules = 1e6; /* there is a dearer way, over 12000 */
  lab_start(lab, "static:6000", 1, &initial, 0);
  (void)lab_read(lab, 10, lab_join(lab, "A"), 64 * KB);
  assert_int_equal(siox_bank_finish(lab->bank, ns(30)), 0);
  struct siox_disk_totals t = lab_disk(lab, 0);
  near(t.joules[SIOX_UP], ramp_j(6000, 15000));
  near(t.joules[SIOX_DOWN], ramp_j(9000, 6000) + ramp_j(15000, 9000));
  lab_check(lab);
  lab_close(lab);
}

static void the_end_turns_a_running_ramp_back(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 6000, 0, 0, 0);
  assert_int_equal(siox_bank_finish(lab->bank, ns(4)), 0);
  double reached = 15000 - 3 * 15000 / 10.9;
  struct siox_disk_totals t = lab_disk(lab, 0);
  near(t.joules[SIOX_DOWN], ramp_j(15000, reached));
  near(t.joules[SIOX_UP], ramp_j(reached, 15000));
  assert_int_equal(siox_bank_finish(lab->bank, ns(5)), SIOX_EINVAL);
  lab_check(lab);
  lab_close(lab);
}

static void wrong_arguments_change_nothing(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 2);
  uint32_t a = lab_join(lab, "A"), job;
  struct siox_service out;
  struct siox_layout other;
  assert_int_equal(siox_layout_triplet(&other, 3, 0, 3, 64), 0);
  struct siox_request good = {.client = a, .layout = &lab->layout, .bytes = 1}, bad[5];
  for (int i = 0; i < 5; i++)
    bad[i] = good;
  bad[0].client = 99;
  bad[1].layout = NULL;
  bad[2].layout = &other;
  bad[3].offset = -1;
  bad[4].bytes = -1;
  for (int i = 0; i < 5; i++)
    assert_int_equal(siox_bank_access(lab->bank, &bad[i], &out), SIOX_EINVAL);
  assert_int_equal(siox_bank_open(lab->bank, 0, a, &other), SIOX_EINVAL);
  assert_int_equal(siox_bank_join(lab->bank, 0, 7, &job), SIOX_EINVAL);
  assert_int_equal(siox_bank_leave(lab->bank, 0, 99), SIOX_EINVAL);
  assert_int_equal(siox_bank_leave(lab->bank, 0, a), 0);
  assert_int_equal(siox_bank_leave(lab->bank, 0, a), SIOX_EINVAL);
  assert_int_equal(siox_bank_job(lab->bank, "A", &job), 0);
  assert_int_equal(job, 0);
  assert_int_equal(lab->nseen, 0);
  siox_layout_free(&other);
  lab_close(lab);
}

/* A client may say anything; nobody else's time may end with it. */
static void a_request_longer_than_time_is_refused_and_costs_nothing(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 2);
  uint32_t a = lab_join(lab, "A");
  struct siox_service service;
  struct siox_request request = {
      .arrival = ns(1), .client = a, .file = 1, .layout = &lab->layout, .bytes = INT64_MAX};
  assert_int_equal(siox_bank_access(lab->bank, &request, &service), SIOX_ERANGE);
  assert_int_equal(lab_disk(lab, 0).requests, 0);
  struct siox_service next = lab_read(lab, 2, a, 64 * KB);
  assert_int_equal(next.completion, ns(2 + service_s(15000, 64 * KB, false)));
  lab_close(lab);
}

static void requests_are_refused_when_together_they_last_longer_than_time(void **state) {
  (void)state;
  struct lab *lab = lab_open("base", 1);
  uint32_t a = lab_join(lab, "A");
  struct siox_service service;
  int64_t year = (int64_t)(3e7 * 55e6);
  struct siox_request request = {
      .arrival = ns(1), .client = a, .file = 1, .layout = &lab->layout, .bytes = 60 * year};
  assert_int_equal(siox_bank_access(lab->bank, &request, &service), 0);
  assert_int_equal(siox_bank_access(lab->bank, &request, &service), SIOX_ERANGE);
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_request_at_full_speed),
      cmocka_unit_test(requests_are_served_in_order_of_arrival_and_a_continued_one_pays_no_seek),
      cmocka_unit_test(a_striped_request_ends_with_its_last_piece),
      cmocka_unit_test(static_levels_pay_the_way_there_and_back),
      cmocka_unit_test(every_transition_under_every_rule),
      cmocka_unit_test(a_ramp_turns_round_at_the_speed_reached),
      cmocka_unit_test(without_a_ramp_the_new_target_waits_for_the_old),
      cmocka_unit_test(a_transition_starts_after_the_requests_accepted_before_it),
      cmocka_unit_test(an_unpredicted_request_on_a_slow_disk_is_served_and_then_it_speeds_up),
      cmocka_unit_test(a_level_that_does_not_serve_is_left_first),
      cmocka_unit_test(no_disk_is_slowed_while_requests_are_in_flight),
      cmocka_unit_test(idle_time_is_shared_by_the_jobs_whose_claims_hold_the_level),
      cmocka_unit_test(a_lower_need_does_not_hold_a_higher_level),
      cmocka_unit_test(a_claim_without_io_pays_until_it_decays),
      cmocka_unit_test(a_decayed_claim_keeps_what_it_has_paid_before),
      cmocka_unit_test(a_wish_to_slow_down_survives_a_request_that_comes_first),
      cmocka_unit_test(the_way_back_goes_over_other_levels_where_no_straight_one_is_stated),
      cmocka_unit_test(the_end_turns_a_running_ramp_back),
      cmocka_unit_test(wrong_arguments_change_nothing),
      cmocka_unit_test(a_request_longer_than_time_is_refused_and_costs_nothing),
      cmocka_unit_test(requests_are_refused_when_together_they_last_longer_than_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
