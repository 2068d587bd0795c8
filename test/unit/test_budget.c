/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delay budgets and user shares of policy siox. */
#include "bank_support.h"
#include <stdio.h>

static struct lab *lab_with(uint32_t ndisks, struct siox_limits limits) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits = limits;
  lab_start(lab, "siox", ndisks, NULL, 0);
  return lab;
}

struct outcome {
  double end, lost, joules; /* s, s, J */
  uint64_t moves, within, late;
  double bank_lost;
};

/* A program of one rank in closed loop: `bursts` times a gap it promises the end of, then reads one
 * after the other. What it loses is summed here, against the service time at full speed. */
static struct outcome work(struct siox_limits limits, int bursts, double gap, int reads,
                           int64_t bytes) {
  struct lab *lab = lab_with(1, limits);
  uint32_t a = lab_join(lab, "A");
  struct outcome o = {0};
  double at = 1;
  for (int b = 0; b < bursts; b++) {
    lab_hint(lab, at, a, "1", 0, 0, at + gap, 0);
    at += gap;
    for (int r = 0; r < reads; r++) {
      struct siox_service s = lab_read(lab, at, a, bytes);
      double done = (double)s.completion * 1e-9;
      o.lost += done - at - service_s(15000, (double)bytes, false);
      o.late += s.missed;
      at = done + 1e-6;
    }
  }
  o.end = at;
  o.bank_lost = (double)lab_job(lab, 0).delayed_ns * 1e-9;
  assert_int_equal(siox_bank_finish(lab->bank, ns(at)), 0);
  struct siox_disk_totals t;
  siox_bank_totals(lab->bank, &t);
  o.moves = t.transitions_up + t.transitions_down;
  o.within = t.undercut[SIOX_CAUSE_BUDGET];
  o.joules = lab_joules(lab, 0);
  lab_check(lab);
  lab_close(lab);
  return o;
}

static void without_a_budget_nothing_is_lost(void **state) {
  (void)state;
  struct outcome o = work((struct siox_limits){0}, 50, 30, 20, 1024 * KB);
  assert_true(fabs(o.lost) < 1e-6);
  assert_int_equal(o.within, 0);
  assert_int_equal(o.moves, 100);
}

/* Where jobs may have budgets, one without is served as where nobody has. */
static void a_job_without_a_budget_loses_nothing_beside_those_that_may_have_one(void **state) {
  (void)state;
  struct outcome alone = work((struct siox_limits){0}, 50, 30, 20, 1024 * KB);
  struct outcome o = work((struct siox_limits){.measure = true}, 50, 30, 20, 1024 * KB);
  assert_true(fabs(o.lost) < 1e-6 && fabs(o.bank_lost) < 1e-6);
  assert_true(o.within == 0 && o.moves == alone.moves && o.joules == alone.joules);
}

static void what_a_job_has_lost_is_measured(void **state) {
  (void)state;
  struct outcome o = work((struct siox_limits){.delay_budget = 0.02}, 50, 30, 20, 1024 * KB);
  assert_true(o.lost > 0.1);
  assert_true(fabs(o.bank_lost - o.lost) < 1e-5);
}

static void a_budget_that_covers_every_burst_leaves_the_disk_at_the_low_level(void **state) {
  (void)state;
  /* 20 reads of 1 MiB lose 20 (30/6000 - 30/15000 + 2^20/22e6 - 2^20/55e6) = 0.632 s at 6000 rpm,
   * 2.1 % of 30 s; all but the first burst, whose cost was not known before, is served so */
  struct outcome full = work((struct siox_limits){0}, 50, 30, 20, 1024 * KB);
  struct outcome o = work((struct siox_limits){.delay_budget = 0.05}, 50, 30, 20, 1024 * KB);
  double burst = 20 * (service_s(6000, 1024 * KB, false) - service_s(15000, 1024 * KB, false));
  assert_true(o.lost > 47 * burst && o.lost <= 49 * burst + 1e-5);
  assert_true(o.moves <= 6);
  assert_true(o.within >= 1);
  assert_true(o.joules < full.joules);
  assert_true(o.lost <= 0.05 * (o.end - o.lost));
}

/* A program of one rank that reads as it begins, and then after each gap, whose end it promises. At
 * no burst it may have lost more than it has earned until the burst is done. */
static struct outcome read_first(double budget, int bursts, double gap, int reads) {
  struct lab *lab = lab_with(1, (struct siox_limits){.delay_budget = budget});
  uint32_t a = lab_join(lab, "A");
  struct outcome o = {0};
  double at = 0;
  for (int b = 0; b < bursts; b++) {
    for (int r = 0; r < reads; r++) {
      double done = (double)lab_read(lab, at, a, 1024 * KB).completion * 1e-9;
      o.lost += done - at - service_s(15000, 1024 * KB, false);
      at = done;
    }
    assert_true(o.lost <= budget * (at - o.lost) + 1e-6);
    if (b + 1 < bursts) {
      lab_hint(lab, at, a, "1", 0, 0, at + gap, 0);
      at += gap;
    }
  }
  o.end = at;
  assert_int_equal(siox_bank_finish(lab->bank, ns(at)), 0);
  struct siox_disk_totals t;
  siox_bank_totals(lab->bank, &t);
  o.moves = t.transitions_up + t.transitions_down;
  o.joules = lab_joules(lab, 0);
  lab_close(lab);
  return o;
}

/* When a burst ends nothing has been earned yet, but when the next one comes the gap has. So only
 * the first burst, of which nothing is known, is served at full speed. */
static void what_a_gap_earns_pays_for_the_burst_behind_it(void **state) {
  (void)state;
  static const int bursts[] = {2, 10, 50};
  double fast = 20 * service_s(15000, 1024 * KB, false);
  double slow = 20 * service_s(6000, 1024 * KB, false);
  for (int i = 0; i < 3; i++) {
    int after = bursts[i] - 1;
    struct outcome o = read_first(0.03, bursts[i], 30, 20);
    assert_true(fabs(o.lost - after * (slow - fast)) < 1e-5);
    assert_int_equal(o.moves, 1); /* down in the first gap; the way back at the end is not one */
    near(o.joules, fast * (idle_w(15000) + 3.3) + ramp_j(15000, 6000) + ramp_j(6000, 15000) +
                       (30 * after - ramp_s(15000, 6000)) * idle_w(6000) +
                       after * slow * (idle_w(6000) + 3.3));
  }
}

static void a_burst_that_no_gap_has_paid_for_is_served_faster(void **state) {
  (void)state;
  static const double budgets[] = {0.001, 0.005, 0.01, 0.02, 0.03, 0.05};
  static const double gaps[] = {8, 15, 30, 60};
  for (int b = 0; b < 6; b++)
    for (int g = 0; g < 4; g++)
      for (int reads = 1; reads <= 64; reads *= 4) {
        struct outcome o = read_first(budgets[b], 3, gaps[g], reads); /* asserts it */
        assert_true(o.lost > -1e-6);
      }
}

static void a_budget_is_not_overspent(void **state) {
  (void)state;
  static const double budgets[] = {0.01, 0.02, 0.05};
  static const int reads[] = {5, 20, 60, 200};
  static const double gaps[] = {8, 15, 30, 60};
  for (int b = 0; b < 3; b++)
    for (int r = 0; r < 4; r++)
      for (int g = 0; g < 4; g++) {
        struct siox_limits limits = {.delay_budget = budgets[b]};
        struct outcome o = work(limits, 200, gaps[g], reads[r], 1024 * KB);
        struct outcome none = work((struct siox_limits){0}, 200, gaps[g], reads[r], 1024 * KB);
        assert_true(o.lost <= (budgets[b] + 0.002) * (o.end - o.lost));
        assert_true(o.joules <= none.joules * (1 + 1e-9)); /* lost time buys joules */
      }
}

static void no_static_level_within_the_budget_saves_more(void **state) {
  (void)state;
  static const double budgets[] = {0.01, 0.02, 0.05};
  static const int reads[] = {1, 5, 20, 60};
  static const double gaps[] = {3, 8, 15, 60};
  int compared = 0;
  for (int r = 0; r < 4; r++)
    for (int g = 0; g < 4; g++) {
      double busy = reads[r] * service_s(15000, 1024 * KB, false);
      double base = 200 * (gaps[g] * idle_w(15000) + busy * (idle_w(15000) + 3.3));
      for (int b = 0; b < 3; b++) {
        struct outcome o = work((struct siox_limits){.delay_budget = budgets[b]}, 200, gaps[g],
                                reads[r], 1024 * KB);
        for (int l = 0; l < 3; l++) {
          double rpm = FOUR_SPEEDS[l], slow = reads[r] * service_s(rpm, 1024 * KB, false);
          if (slow - busy > budgets[b] * (gaps[g] + busy))
            continue;
          double joules = 200 * (gaps[g] * idle_w(rpm) + slow * (idle_w(rpm) + 3.3)) +
                          ramp_j(15000, rpm) + ramp_j(rpm, 15000);
          assert_true(o.joules <= joules + 0.01 * base);
          compared++;
        }
      }
    }
  assert_true(compared > 50);
}

/* Jobs that share one disk in closed loop, and begin one after the other: each promises the end of
 * a gap of 5 s, in which others come so often that no change of level fits between, and reads. */
enum { TURNS = 32, TURN = 5 };
static struct outcome take_turns(const char *policy, double budget, int bursts, int reads) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.delay_budget = budget;
  lab_start(lab, policy, 1, NULL, 0);
  struct {
    uint32_t client;
    double at;
    int left;
  } job[TURNS];
  for (int j = 0; j < TURNS; j++) {
    char name[16];
    snprintf(name, sizeof name, "job %d", j);
    job[j].client = lab_join(lab, name);
    job[j].at = TURN + (double)TURN * j / TURNS;
    job[j].left = bursts * reads;
    lab_hint(lab, 0, job[j].client, "1", 0, 0, job[j].at, 0);
  }
  struct outcome o = {0};
  for (int n = 0; n < TURNS * bursts * reads; n++) {
    int next = -1;
    for (int j = 0; j < TURNS; j++)
      if (job[j].left > 0 && (next < 0 || job[j].at < job[next].at))
        next = j;
    double done =
        (double)lab_read(lab, job[next].at, job[next].client, 1024 * KB).completion * 1e-9;
    job[next].at = done;
    o.end = done > o.end ? done : o.end;
    if (--job[next].left % reads == 0) {
      job[next].at += TURN;
      lab_hint(lab, done, job[next].client, "1", 0, 0, job[next].at, 0);
    }
  }
  assert_int_equal(siox_bank_finish(lab->bank, ns(o.end)), 0);
  o.joules = lab_joules(lab, 0);
  lab_close(lab);
  return o;
}

/* A lower level makes each job's requests longer, and the jobs come later then: they wait for each
 * other no more than before. */
static void jobs_that_take_turns_are_served_at_the_level_that_they_can_bear(void **state) {
  (void)state;
  struct outcome base = take_turns("base", 0, 600, 2);
  struct outcome low = take_turns("static:9000", 0, 600, 2);
  assert_true(low.end < 1.01 * base.end && low.joules < 0.75 * base.joules);
  struct outcome o = take_turns("siox", 0.03, 600, 2);
  assert_true(o.end <= 1.032 * base.end);
  assert_true(o.joules <= low.joules + 0.05 * base.joules);
}

static void jobs_that_crowd_a_disk_lose_no_more_than_their_budget(void **state) {
  (void)state;
  static const int reads[] = {3, 4};
  for (int r = 0; r < 2; r++)
    for (int percent = 1; percent <= 5; percent += 2) {
      struct outcome base = take_turns("base", 0, 100, reads[r]);
      struct outcome o = take_turns("siox", percent / 100.0, 100, reads[r]);
      assert_true(o.end <= (1.002 + percent / 100.0) * base.end);
      assert_true(o.joules <= base.joules * (1 + 1e-9));
    }
}

static void a_budget_of_its_own_counts_for_a_job(void **state) {
  (void)state;
  struct lab *lab = lab_with(1, (struct siox_limits){.delay_budget = 0.05});
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(siox_bank_job_budget(lab->bank, 0, 0), 0);
  assert_int_equal(siox_bank_job_budget(lab->bank, 1, 0), SIOX_EINVAL);
  assert_int_equal(siox_bank_job_budget(lab->bank, 0, -1), SIOX_EINVAL);
  double at = 1;
  for (int b = 0; b < 20; b++) {
    lab_hint(lab, at, a, "1", 0, 0, at + 30, 0);
    struct siox_service s = lab_read(lab, at + 30, a, 64 * KB);
    assert_int_equal(s.completion, ns(at + 30) + ns(service_s(15000, 64 * KB, false)));
    at += 31;
  }
  assert_int_equal(lab_job(lab, 0).delayed_ns, 0);
  lab_close(lab);
}

static void the_policys_argument_sets_its_limits(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits = (struct siox_limits){.early = 0.5, .user_share = 0.7};
  lab_start(lab, "siox:delay=2.5,early=90", 1, NULL, 0);
  const struct siox_limits *l = &siox_bank_view(lab->bank)->limits;
  near(l->delay_budget, 0.025);
  near(l->early, 0.9);
  near(l->user_share, 0.7);
  assert_non_null(siox_bank_view(lab->bank)->job); /* delays are measured */
  lab_close(lab);
  static const char *const bad[] = {
      "siox:",          "siox:delay",  "siox:delay=",   "siox:delay=-1",
      "siox:delay=101", "siox:late=1", "siox:delay=1,", "siox:delay=1;share=2"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_drive drive;
    make_drive(&drive, FOUR_SPEEDS, 4);
    const struct siox_drive *drives[] = {&drive};
    struct siox_bank *bank = NULL;
    struct siox_bank_options o = {.ndisks = 1, .drive = drives, .policy = bad[i]};
    assert_int_equal(siox_bank_create(&bank, &o), SIOX_EINVAL);
  }
}

static void delays_of_ranks_at_the_same_time_count_once(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  const uint32_t slow[2] = {0, 0};
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits.delay_budget = 0.01;
  lab_start(lab, "static:6000", 2, slow, 0);
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, 2, 0, 2, 64 * KB), 0);
  uint32_t a = lab_join(lab, "A"), a2 = lab_join(lab, "A"), b = lab_join(lab, "B");
  lab_read_at(lab, 1, a, 0, 64 * KB);
  lab_read_at(lab, 1, a2, 64 * KB, 64 * KB); /* the other disk */
  int64_t one = ns(service_s(6000, 64 * KB, false)) - ns(service_s(15000, 64 * KB, false));
  assert_int_equal(lab_job(lab, 0).delayed_ns, one);
  lab_read_at(lab, 2, b, 64 * 10 * KB, 64 * KB);
  assert_int_equal(lab_job(lab, 0).delayed_ns, one);
  assert_int_equal(lab_job(lab, 1).delayed_ns, one);
  lab_close(lab);
}

/* Users 1 and 2; A of user 1 needs disks that B of user 2 has released to 6000. */
static struct lab *shared_disks(double share, uint32_t *a, uint32_t *b) {
  struct lab *lab = lab_with(4, (struct siox_limits){.user_share = share});
  *a = lab_join(lab, "A");
  *b = lab_join(lab, "B");
  assert_int_equal(siox_bank_job_user(lab->bank, 0, 1), 0);
  assert_int_equal(siox_bank_job_user(lab->bank, 1, 2), 0);
  lab_hint(lab, 1, *b, "1111", 6000, 0, 0, 0);
  lab_hint(lab, 2, *a, "1111", 15000, 1, 0, 0);
  siox_bank_advance(lab->bank, ns(20));
  return lab;
}
static int fast(struct lab *lab, double at) {
  int n = 0;
  for (uint32_t d = 0; d < 4; d++)
    n += lab_speed(lab, at, d) == 15000;
  return n;
}

static void a_user_holds_no_more_than_its_share_against_others(void **state) {
  (void)state;
  static const struct {
    double share;
    int fast;
  } cases[] = {{0, 4}, {1, 4}, {0.5, 2}, {0.75, 3}, {0.1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t a, b;
    struct lab *lab = shared_disks(cases[i].share, &a, &b);
    assert_int_equal(fast(lab, 20), cases[i].fast);
    struct siox_disk_totals t;
    siox_bank_totals(lab->bank, &t);
    assert_int_equal(t.undercut[SIOX_CAUSE_SHARE], 4 - cases[i].fast);
    lab_close(lab);
  }
}

static void a_share_that_gets_free_goes_to_the_next(void **state) {
  (void)state;
  uint32_t a, b;
  struct lab *lab = shared_disks(0.5, &a, &b);
  lab_hint(lab, 21, a, "1100", 6000, 0, 0, 0);
  assert_int_equal(fast(lab, 40), 2); /* the other two now */
  assert_int_equal(lab_speed(lab, 40, 2), 15000);
  assert_int_equal(lab_speed(lab, 40, 3), 15000);
  lab_close(lab);
}

static void a_disk_that_nobody_else_claims_is_nobodys_loss(void **state) {
  (void)state;
  uint32_t a, b;
  struct lab *lab = shared_disks(0.25, &a, &b);
  assert_int_equal(fast(lab, 20), 1);
  assert_int_equal(siox_bank_leave(lab->bank, ns(21), b), 0);
  assert_int_equal(fast(lab, 30), 4);
  lab_close(lab);
}

static void jobs_of_one_user_are_one(void **state) {
  (void)state;
  uint32_t a, b;
  struct lab *lab = shared_disks(0.25, &a, &b);
  assert_int_equal(siox_bank_job_user(lab->bank, 1, 1), 0);
  lab_hint(lab, 21, b, "1111", 6000, 0, 0, 0);
  assert_int_equal(fast(lab, 30), 4);
  lab_close(lab);
}

/* A job that nobody owns (number 1) and a user with the same number are two. */
static void a_job_without_a_user_is_nobody_elses(void **state) {
  (void)state;
  struct lab *lab = lab_with(4, (struct siox_limits){.user_share = 0.25});
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  assert_int_equal(siox_bank_job_user(lab->bank, 0, 1), 0); /* user 1; job 1 is B */
  lab_hint(lab, 1, b, "1111", 6000, 0, 0, 0);
  lab_hint(lab, 2, a, "1111", 15000, 1, 0, 0);
  assert_int_equal(fast(lab, 20), 1);
  /* said to be of the same user, it is the same one */
  assert_int_equal(siox_bank_job_user(lab->bank, 1, 1), 0);
  lab_hint(lab, 21, b, "1111", 6000, 0, 0, 0);
  assert_int_equal(fast(lab, 40), 4);
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_budget_nothing_is_lost),
      cmocka_unit_test(a_job_without_a_budget_loses_nothing_beside_those_that_may_have_one),
      cmocka_unit_test(what_a_job_has_lost_is_measured),
      cmocka_unit_test(a_budget_that_covers_every_burst_leaves_the_disk_at_the_low_level),
      cmocka_unit_test(what_a_gap_earns_pays_for_the_burst_behind_it),
      cmocka_unit_test(a_burst_that_no_gap_has_paid_for_is_served_faster),
      cmocka_unit_test(a_budget_is_not_overspent),
      cmocka_unit_test(no_static_level_within_the_budget_saves_more),
      cmocka_unit_test(jobs_that_take_turns_are_served_at_the_level_that_they_can_bear),
      cmocka_unit_test(jobs_that_crowd_a_disk_lose_no_more_than_their_budget),
      cmocka_unit_test(a_budget_of_its_own_counts_for_a_job),
      cmocka_unit_test(the_policys_argument_sets_its_limits),
      cmocka_unit_test(delays_of_ranks_at_the_same_time_count_once),
      cmocka_unit_test(a_user_holds_no_more_than_its_share_against_others),
      cmocka_unit_test(a_share_that_gets_free_goes_to_the_next),
      cmocka_unit_test(a_disk_that_nobody_else_claims_is_nobodys_loss),
      cmocka_unit_test(jobs_of_one_user_are_one),
      cmocka_unit_test(a_job_without_a_user_is_nobody_elses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
