/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox: gaps with a known end, and the one rule for the unknown that it shares with rt and
 * claims. */
#include "bank_support.h"

#define HOLD                                                                                       \
  (10 * 2 * 10.9 * 3000 / 15000) /* ten times the least break-even of the drive: 43.6 s */

/* The best of all levels for a gap from full speed back to full speed, each from its integral. */
static int32_t best_speed(double gap, double *joules) {
  int32_t best = 15000;
  *joules = idle_w(15000) * gap;
  for (int l = 0; l < 3; l++) {
    double s = FOUR_SPEEDS[l], trip = 2 * ramp_s(15000, s);
    if (trip > gap)
      continue;
    double cost = ramp_j(15000, s) + ramp_j(s, 15000) + idle_w(s) * (gap - trip);
    if (cost < *joules) {
      *joules = cost;
      best = FOUR_SPEEDS[l];
    }
  }
  return best;
}

static void a_gap_that_pays_is_one_step_down_and_one_up_that_ends_when_needed(void **state) {
  (void)state;
  static const double gaps[] = {4.4, 6, 8, 10, 13, 14, 20, 41, 300};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    struct lab *lab = lab_open_table("siox", 1);
    uint32_t a = lab_join(lab, "A");
    double end = 1 + gaps[i], joules;
    int32_t best = best_speed(gaps[i], &joules);
    assert_int_not_equal(best, 15000);
    lab_hint(lab, 1, a, "1", 6000, 0, end, 0);
    assert_int_equal(siox_bank_view(lab->bank)->disk[0].level,
                     siox_drive_best_level(&lab->drive, ns(gaps[i])));
    assert_int_equal(lab_speed(lab, 1, 0), best);
    struct siox_service r = lab_read(lab, end, a, 64 * KB);
    assert_false(r.missed);
    assert_int_equal(r.transition_ns, 0);
    assert_int_equal(r.completion, ns(end) + ns(service_s(15000, 64 * KB, false)));
    const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[0];
    assert_int_equal(v->move_end, ns(end));
    struct siox_disk_totals t = lab_disk(lab, 0);
    assert_int_equal(t.transitions_down, 1);
    assert_int_equal(t.transitions_up, 1);
    near(t.joules[SIOX_IDLE] + t.joules[SIOX_UP] + t.joules[SIOX_DOWN], 10.2 + joules);
    lab_check(lab);
    lab_close(lab);
  }
}

static void a_gap_that_does_not_pay_changes_nothing(void **state) {
  (void)state;
  static const double gaps[] = {0.001, 1, 3, 4.35};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    struct lab *lab = lab_open_table("siox", 1);
    uint32_t a = lab_join(lab, "A");
    lab_hint(lab, 1, a, "1", 6000, 0, 1 + gaps[i], 0);
    assert_false(lab_read(lab, 1 + gaps[i], a, 64 * KB).missed);
    struct siox_disk_totals t = lab_disk(lab, 0);
    assert_int_equal(t.transitions_down + t.transitions_up, 0);
    assert_int_equal(lab_job(lab, 0).granted, 1);
    assert_int_equal(lab_job(lab, 0).refused, 0);
    lab_close(lab);
  }
}

static void a_need_ahead_is_a_gap_too(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", SIOX_SPEED_FULL, 1, 41, 60);
  assert_int_equal(lab_speed(lab, 1, 0), 6000);
  assert_int_equal(lab_speed(lab, 41, 0), 15000);
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(41));
  lab_close(lab);
}

static void the_first_of_all_next_uses_ends_the_gap(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 0, 0, 101, 0);
  lab_hint(lab, 1, b, "1", 0, 0, 21, 0);
  siox_bank_advance(lab->bank, ns(30));
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(21));
  assert_int_equal(lab_speed(lab, 30, 0), 15000); /* B's need is in force */
  lab_hint(lab, 31, b, "1", 0, 0, 91, 0);
  assert_int_equal(lab_speed(lab, 45, 0), 6000);
  siox_bank_advance(lab->bank, ns(95));
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(91));
  assert_int_equal(lab_disk(lab, 0).transitions_down, 2);
  lab_close(lab);
}

/* More than the policy remembers of one look. */
static void the_last_of_many_clients_is_heard_as_the_first(void **state) {
  (void)state;
  enum { CLIENTS = 600 };
  for (uint32_t early = 0; early < CLIENTS; early += CLIENTS - 1) {
    struct lab *lab = lab_open("siox", 1);
    uint32_t job, client[CLIENTS];
    assert_int_equal(siox_bank_job(lab->bank, "A", &job), 0);
    for (uint32_t i = 0; i < CLIENTS; i++)
      assert_int_equal(siox_bank_join(lab->bank, 0, job, &client[i]), 0);
    for (uint32_t i = 0; i < CLIENTS; i++)
      lab_hint(lab, 1, client[i], "1", 0, 0, i == early ? 41 : 101 + 0.01 * i, 0);
    assert_int_equal(lab_speed(lab, 20, 0), 6000);
    siox_bank_advance(lab->bank, ns(42));
    assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(41));
    assert_int_equal(lab_speed(lab, 42, 0), 15000);
    lab_close(lab);
  }
}

static void a_need_of_one_holds_the_disk_against_the_release_of_another(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", SIOX_SPEED_FULL, 1, 0, 30);
  lab_hint(lab, 2, b, "1", 6000, 0, 100, 0);
  assert_int_equal(lab_job(lab, 1).refused, 1);
  assert_int_equal(lab_speed(lab, 29.9, 0), 15000);
  assert_int_equal(lab_speed(lab, 31, 0), 6000); /* A's `until` has passed */
  siox_bank_advance(lab->bank, ns(100));
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(100));
  lab_close(lab);
}

static void an_earlier_need_turns_the_disk_in_time(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 100, 0);
  lab_hint(lab, 20, a, "1", 0, 0, 40, 0); /* at 6000 by now: only the start of the way back moves */
  siox_bank_advance(lab->bank, ns(50));
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(40));
  assert_int_equal(lab_disk(lab, 0).transitions_down, 1);
  assert_int_equal(lab_disk(lab, 0).transitions_up, 1);
  lab_close(lab);
}

/* A ramp that is turned ends when it must, rounding on the safe side. */
static void ends_at(struct lab *lab, double time) {
  int64_t end = siox_bank_view(lab->bank)->disk[0].move_end;
  assert_in_range(ns(time) - end, 0, 2);
}

static void a_need_brought_forward_in_the_ramp_turns_it_in_time(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 100, 0);
  lab_hint(lab, 2, a, "1", 0, 0, 11, 0); /* 9 s left, a second down: 6000 takes 12.08 s */
  struct siox_service r = lab_read(lab, 11, a, 64 * KB);
  assert_int_equal(r.transition_ns, 0);
  ends_at(lab, 11);
  /* 5 s down and 5 s up again */
  double depth = 15000 - 5 / 10.9 * 15000;
  struct siox_disk_totals t = lab_disk(lab, 0);
  assert_true(fabs(t.joules[SIOX_DOWN] - ramp_j(15000, depth)) < 1e-6);
  assert_true(fabs(t.joules[SIOX_UP] - ramp_j(depth, 15000)) < 1e-6);
  lab_check(lab);
  lab_close(lab);
}

static void a_gap_too_short_for_a_level_and_back_is_filled_by_a_ramp_turned_midway(void **state) {
  (void)state;
  static const double gaps[] = {0.5, 2, 4.3, 6.5, 8.7, 11, 13};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    struct lab *lab = lab_open("siox", 1);
    uint32_t a = lab_join(lab, "A");
    lab_hint(lab, 1, a, "1", 0, 0, 1 + gaps[i], 0);
    struct siox_service r = lab_read(lab, 1 + gaps[i], a, 64 * KB);
    assert_int_equal(r.transition_ns, 0);
    ends_at(lab, 1 + gaps[i]);
    double depth = 15000 * (1 - gaps[i] / 2 / 10.9);
    struct siox_disk_totals t = lab_disk(lab, 0);
    assert_true(fabs(t.joules[SIOX_DOWN] + t.joules[SIOX_UP] - 2 * ramp_j(15000, depth)) < 1e-6);
    lab_close(lab);
  }
}

/* The ranks of a job come out of a barrier at the same moment: when the second one speaks, the ramp
 * that the first one's word began has not moved yet. */
static void words_at_the_same_moment_are_one(void **state) {
  (void)state;
  static const double gaps[] = {2, 6.5, 11};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
    struct lab *lab = lab_open("siox", 1);
    uint32_t client[4];
    for (int c = 0; c < 4; c++)
      client[c] = lab_join(lab, "A");
    for (int c = 0; c < 4; c++)
      lab_hint(lab, 1, client[c], "1", 0, 0, 1 + gaps[i], 0);
    assert_int_equal(lab_read(lab, 1 + gaps[i], client[0], 64 * KB).transition_ns, 0);
    ends_at(lab, 1 + gaps[i]);
    double depth = 15000 * (1 - gaps[i] / 2 / 10.9);
    struct siox_disk_totals t = lab_disk(lab, 0);
    assert_true(fabs(t.joules[SIOX_DOWN] + t.joules[SIOX_UP] - 2 * ramp_j(15000, depth)) < 1e-6);
    lab_close(lab);
  }
}

/* Under rule c the joules of a turned ramp are concave in its depth: none pays. */
static void under_rule_c_a_gap_too_short_for_a_level_and_back_changes_nothing(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->drive.rule = SIOX_RULE_C;
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 5, 0);
  lab_read(lab, 5, a, 64 * KB);
  struct siox_disk_totals t = lab_disk(lab, 0);
  assert_int_equal(t.transitions_down + t.transitions_up, 0);
  lab_close(lab);
}

/* Rule a charges a change at the idle watts of its faster end, so each step down makes the next one
 * cheaper: 2.18 s at the watts of 15000, 12000 and 9000 rpm, both ways. */
static void under_rule_a_the_disk_goes_down_and_up_step_by_step(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->drive.rule = SIOX_RULE_A;
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 41, 0);
  struct siox_service r = lab_read(lab, 41, a, 64 * KB);
  assert_int_equal(r.transition_ns, 0);
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(41));
  struct siox_disk_totals t = lab_disk(lab, 0);
  assert_int_equal(t.transitions_down, 3);
  assert_int_equal(t.transitions_up, 3);
  near(t.joules[SIOX_DOWN] + t.joules[SIOX_UP],
       2 * 2.18 * (idle_w(15000) + idle_w(12000) + idle_w(9000)));
  lab_check(lab);
  lab_close(lab);
}

static void a_level_that_does_not_serve_is_for_gaps_whose_end_is_known(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 6000, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speeds, 3);
  make_table(&lab->drive);
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 301, 0);
  assert_int_equal(lab_speed(lab, 20, 0), 0);
  struct siox_service r = lab_read(lab, 301, a, 64 * KB);
  assert_int_equal(r.transition_ns, 0);
  lab_hint(lab, 310, a, "1", 0, 0, 0, 0);
  assert_int_equal(lab_speed(lab, 330, 0), 6000);
  lab_close(lab);
}

static void a_later_need_goes_lower_when_the_rest_of_the_gap_pays(void **state) {
  (void)state;
  struct lab *lab = lab_open_table("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 9.8, 0);
  assert_int_equal(lab_speed(lab, 5, 0), 9000);
  lab_hint(lab, 5.4, a, "1", 0, 0, 60, 0); /* before the way back began at 5.44 */
  assert_int_equal(lab_speed(lab, 10, 0), 6000);
  siox_bank_advance(lab->bank, ns(60));
  assert_int_equal(siox_bank_view(lab->bank)->disk[0].move_end, ns(60));
  assert_int_equal(lab_disk(lab, 0).transitions_up, 1);
  lab_close(lab);
}

static void a_release_without_a_next_use_goes_to_the_speed_it_names(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 1, a, "1", 6000, 0, 0, 0);
  assert_int_equal(lab_speed(lab, 10, 0), 6000);
  lab_hint(lab, 11, b, "1", 9000, 0, 0, 0);
  assert_int_equal(lab_speed(lab, 20, 0), 9000);
  lab_close(lab);
}

static void an_unknown_touch_holds_full_speed_and_decays(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  const uint32_t slow[2] = {0, 0};
  for (int p = 0; p < 3; p++)
    for (int open = 0; open < 2; open++) {
      struct lab *lab = calloc(1, sizeof *lab);
      make_drive(&lab->drive, FOUR_SPEEDS, 4);
      lab_start(lab, policies[p], 2, slow, 0);
      uint32_t a = lab_join(lab, "A");
      double done = 5;
      if (open) {
        assert_int_equal(siox_bank_open(lab->bank, ns(5), a, &lab->layout), 0);
      } else {
        struct siox_service r = lab_read(lab, 5, a, 64 * KB);
        done = (double)r.completion * 1e-9;
      }
      assert_int_equal(lab_speed(lab, 6, 0), 15000);
      assert_int_equal(lab_speed(lab, 6, 1), 6000);
      assert_int_equal(lab_speed(lab, done + HOLD - 0.001, 0), 15000);
      assert_int_equal(lab_speed(lab, done + HOLD + 0.001, 0), 6000);
      lab_check(lab);
      lab_close(lab);
    }
}

static void anothers_release_does_not_end_an_unknown_hold(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  for (int p = 0; p < 3; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
    lab_hint(lab, 1, b, "1", 15000, 1, 0, 0);
    double done = (double)lab_read(lab, 2, a, 64 * KB).completion * 1e-9;
    lab_hint(lab, 3, b, "1", 6000, 0, 500, 0);
    assert_int_equal(lab_speed(lab, done + HOLD - 0.001, 0), 15000);
    assert_int_equal(lab_speed(lab, done + HOLD + 0.001, 0), 6000);
    lab_close(lab);
  }
}

static void ones_own_release_ends_ones_own_unknown_hold(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  for (int p = 0; p < 3; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    uint32_t a = lab_join(lab, "A"), a2 = lab_join(lab, "A");
    lab_read(lab, 1, a, 64 * KB);
    assert_int_equal(siox_bank_open(lab->bank, ns(1), a2, &lab->layout), 0);
    lab_hint(lab, 2, a, "1", 6000, 0, 500, 0);
    assert_int_equal(lab_speed(lab, 3, 0), 15000); /* the other rank has not let go */
    lab_hint(lab, 4, a2, "1", 6000, 0, 500, 0);
    assert_int_equal(lab_speed(lab, 4, 0), 6000);
    lab_close(lab);
  }
}

static void an_access_before_its_time_is_missed_and_gets_full_speed(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 101, 0);
  struct siox_service r = lab_read(lab, 50, a, 64 * KB);
  assert_true(r.missed);
  assert_int_equal(r.completion, ns(50) + ns(service_s(6000, 64 * KB, false)));
  assert_int_equal(lab_speed(lab, 60, 0), 15000);
  lab_hint(lab, 60, a, "1", 0, 0, 160, 0); /* the next gap is as good as any */
  assert_int_equal(lab_speed(lab, 60, 0), 6000);
  assert_int_equal(lab_job(lab, 0).missed, 1);
  lab_close(lab);
}

static void a_prediction_of_any_member_covers_a_collective(void **state) {
  (void)state;
  struct lab *lab = lab_open("claims", 1);
  uint32_t a = lab_join(lab, "A"), a2 = lab_join(lab, "A");
  lab_hint(lab, 1, a2, "1", 15000, 1, 0, 0);
  struct siox_service r;
  struct siox_request request = {.arrival = ns(2),
                                 .client = a,
                                 .layout = &lab->layout,
                                 .bytes = 64 * KB,
                                 .members = &a2,
                                 .nmembers = 1};
  assert_int_equal(siox_bank_access(lab->bank, &request, &r), 0);
  assert_false(r.missed);
  request.nmembers = 0;
  assert_int_equal(siox_bank_access(lab->bank, &request, &r), 0);
  assert_true(r.missed);
  lab_close(lab);
}

static void claims_of_a_dead_client_hold_nothing(void **state) {
  (void)state;
  static const char *const policies[] = {"claims", "siox"};
  for (int p = 0; p < 2; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
    lab_hint(lab, 1, a, "1", 15000, 1, 0, 0);
    lab_hint(lab, 2, b, "1", 6000, 0, 0, 0);
    assert_int_equal(lab_speed(lab, 3, 0), 15000);
    assert_int_equal(siox_bank_leave(lab->bank, ns(4), a), 0);
    assert_int_equal(lab_speed(lab, 4, 0), 6000);
    near(lab_job(lab, 0).joules[SIOX_DOWN], 0);
    siox_bank_advance(lab->bank, ns(20));
    near(lab_job(lab, 0).joules[SIOX_DOWN], ramp_j(15000, 6000));
    lab_close(lab);
  }
}

static void a_disk_nobody_claims_falls_to_the_lowest_level_after_hold(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  for (int p = 0; p < 3; p++) {
    struct lab *lab = lab_open(policies[p], 1);
    double end = (double)lab_read(lab, 0, lab_join(lab, "A"), 64 * KB).completion * 1e-9;
    assert_int_equal(lab_speed(lab, end + HOLD - 0.001, 0), 15000);
    assert_int_equal(lab_speed(lab, end + HOLD + 0.001, 0), 6000);
    lab_close(lab);
  }
}

static void a_disk_that_nobody_has_used_falls_when_that_pays(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 2);
  lab_read(lab, 0, lab_join(lab, "A"), 64 * KB);
  assert_int_equal(lab_speed(lab, HOLD / 10 - 0.001, 1), 15000);
  assert_int_equal(lab_speed(lab, HOLD / 10, 1), 6000);
  assert_int_equal(lab_speed(lab, HOLD / 10, 0), 15000);
  lab_close(lab);
}

static void a_disk_that_nobody_claims_sleeps_where_low_levels_do_not_serve(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speeds, 2);
  make_table(&lab->drive);
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  double hold = 10 * (double)siox_drive_break_even(&lab->drive) * 1e-9 +
                (double)lab_read(lab, 0, a, 64 * KB).completion * 1e-9;
  assert_int_equal(lab_speed(lab, hold - 0.001, 0), 15000);
  assert_int_equal(lab_speed(lab, hold + 0.001, 0), 0);
  assert_true(lab_read(lab, hold + 100, a, 64 * KB).missed);
  assert_int_equal(lab_speed(lab, hold + 130, 0), 15000);
  lab_close(lab);
}

/* A low level that does not serve pays after 0.9 s, the sleep after 60 s: hold is 9 s. */
static void
where_touches_were_not_predicted_a_disk_sleeps_only_after_a_gap_that_pays(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 1, 15000};
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speeds, 3);
  make_table(&lab->drive);
  lab->drive.level[1].serves = false;
  lab->drive.level[0].idle_w = 0.2;
  lab->drive.level[1].idle_w = 9.2;
  lab->drive.table[2][1] = lab->drive.table[1][2] = (struct siox_transition){ns(0.1), 1.37};
  lab->drive.table[2][0] = (struct siox_transition){ns(5), 300};
  lab->drive.table[0][2] = (struct siox_transition){ns(5), 302};
  lab_start(lab, "siox", 1, NULL, 0);
  assert_int_equal(siox_drive_min_gap(&lab->drive, 0), ns(60));  /* 602 + 0.2 * 50 = 10.2 * 60 */
  assert_int_equal(siox_drive_break_even(&lab->drive), ns(0.9)); /* 2.74 + 9.2 * 0.7 = 10.2 * 0.9 */
  uint32_t a = lab_join(lab, "A");
  double idle = 0;
  for (int i = 0; i < 5; i++) {
    struct siox_service r = lab_read(lab, 1 + 20 * i, a, 64 * KB);
    assert_true(r.missed);
    assert_int_equal(r.transition_ns, 0);
    idle = (double)r.completion * 1e-9;
  }
  assert_int_equal(lab_speed(lab, idle + 60 - 0.001, 0), 15000);
  assert_int_equal(lab_speed(lab, idle + 60 + 0.001, 0), 0);
  lab_close(lab);
}

static void a_need_that_nobody_used_decays_and_stays_decayed(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_hint(lab, 11, a, "1", 0, 0, 51, 0); /* A hangs */
  assert_int_equal(lab_speed(lab, 51 + HOLD - 0.001, 0), 15000);
  assert_int_equal(lab_speed(lab, 51 + HOLD, 0), 6000);
  lab_hint(lab, 120, b, "1", SIOX_SPEED_FULL, 1, 140, 0);
  assert_false(lab_read(lab, 140, b, 64 * KB).missed);
  lab_hint(lab, 141, b, "1", 0, 0, 180, 0); /* A's claim does not come back to life */
  assert_int_equal(lab_speed(lab, 150, 0), 6000);
  assert_true(lab_read(lab, 181, a, 64 * KB).missed);
  lab_close(lab);
}

static void a_prediction_may_be_as_late_as_it_looked_ahead(void **state) {
  (void)state;
  struct lab *lab = lab_open("siox", 1);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1", 0, 0, 101, 0);
  assert_int_equal(lab_speed(lab, 101 + 99, 0), 15000);
  assert_false(lab_read(lab, 101 + 99, a, 64 * KB).missed);
  lab_hint(lab, 210, a, "1", 0, 0, 310, 0);
  assert_int_equal(lab_speed(lab, 310 + 101, 0), 6000);
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_that_pays_is_one_step_down_and_one_up_that_ends_when_needed),
      cmocka_unit_test(a_gap_that_does_not_pay_changes_nothing),
      cmocka_unit_test(a_need_ahead_is_a_gap_too),
      cmocka_unit_test(the_first_of_all_next_uses_ends_the_gap),
      cmocka_unit_test(the_last_of_many_clients_is_heard_as_the_first),
      cmocka_unit_test(a_need_of_one_holds_the_disk_against_the_release_of_another),
      cmocka_unit_test(an_earlier_need_turns_the_disk_in_time),
      cmocka_unit_test(a_need_brought_forward_in_the_ramp_turns_it_in_time),
      cmocka_unit_test(a_gap_too_short_for_a_level_and_back_is_filled_by_a_ramp_turned_midway),
      cmocka_unit_test(words_at_the_same_moment_are_one),
      cmocka_unit_test(under_rule_c_a_gap_too_short_for_a_level_and_back_changes_nothing),
      cmocka_unit_test(under_rule_a_the_disk_goes_down_and_up_step_by_step),
      cmocka_unit_test(a_level_that_does_not_serve_is_for_gaps_whose_end_is_known),
      cmocka_unit_test(a_later_need_goes_lower_when_the_rest_of_the_gap_pays),
      cmocka_unit_test(a_release_without_a_next_use_goes_to_the_speed_it_names),
      cmocka_unit_test(an_unknown_touch_holds_full_speed_and_decays),
      cmocka_unit_test(anothers_release_does_not_end_an_unknown_hold),
      cmocka_unit_test(ones_own_release_ends_ones_own_unknown_hold),
      cmocka_unit_test(an_access_before_its_time_is_missed_and_gets_full_speed),
      cmocka_unit_test(a_prediction_of_any_member_covers_a_collective),
      cmocka_unit_test(claims_of_a_dead_client_hold_nothing),
      cmocka_unit_test(a_disk_nobody_claims_falls_to_the_lowest_level_after_hold),
      cmocka_unit_test(a_disk_that_nobody_has_used_falls_when_that_pays),
      cmocka_unit_test(a_disk_that_nobody_claims_sleeps_where_low_levels_do_not_serve),
      cmocka_unit_test(where_touches_were_not_predicted_a_disk_sleeps_only_after_a_gap_that_pays),
      cmocka_unit_test(a_need_that_nobody_used_decays_and_stays_decayed),
      cmocka_unit_test(a_prediction_may_be_as_late_as_it_looked_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
