/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes that have joined and have neither opened a file nor said anything yet
 * (siox_bank_await): as long as one is there, no disk leaves full speed; for hold_joined at most.
 */
#include "bank_support.h"

/* Two disks; job "a" uses disk 0 at 1 s and lets it go at 2 s. */
struct scene {
  struct lab *lab;
  uint32_t a, b;
};

static struct scene scene_of(const char *policy, double hold, double time_scale) {
  struct scene s = {.lab = calloc(1, sizeof *s.lab)};
  make_drive(&s.lab->drive, FOUR_SPEEDS, 4);
  s.lab->drive.time_scale = time_scale;
  s.lab->limits.hold_joined_ns = ns(hold);
  lab_start(s.lab, policy, 2, NULL, 0);
  s.a = lab_join(s.lab, "a");
  s.b = lab_join(s.lab, "b");
  return s;
}
static struct scene scene(void) {
  struct scene s = scene_of("siox", 60, 1);
  assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
  return s;
}
static void let_go(struct scene *s) {
  lab_hint(s->lab, 1, s->a, "10", SIOX_SPEED_FULL, 1, 0, 0);
  lab_read(s->lab, 1, s->a, 64 * KB);
  lab_hint(s->lab, 2, s->a, "10", 6000, 0, 0, 0);
}
/* A moment later: what was held back has been asked for again. */
static int32_t speed_after(struct scene *s, double at) { return lab_speed(s->lab, at + 1e-3, 0); }

static void a_release_slows_no_disk_while_somebody_has_said_nothing(void **state) {
  (void)state;
  struct scene s = scene();
  let_go(&s);
  assert_int_equal(speed_after(&s, 2), 15000);
  assert_int_equal(speed_after(&s, 30), 15000);
  lab_close(s.lab);
}

static void a_known_gap_is_not_taken_meanwhile(void **state) {
  (void)state;
  struct scene s = scene();
  lab_read(s.lab, 1, s.a, 64 * KB);
  lab_hint(s.lab, 2, s.a, "10", 6000, 0, 100, 0);
  assert_int_equal(speed_after(&s, 10), 15000);
  lab_hint(s.lab, 10, s.b, "01", 6000, 0, 100, 0);
  assert_int_equal(speed_after(&s, 10), 6000); /* what is left of it pays */
  lab_close(s.lab);
}

static void files_lie_on_disk_1(struct scene *s) {
  siox_layout_free(&s->lab->layout);
  assert_int_equal(siox_layout_triplet(&s->lab->layout, 2, 1, 1, 64 * KB), 0);
}

static void it_ends_when_that_process_opens_a_file(void **state) {
  (void)state;
  struct scene s = scene();
  files_lie_on_disk_1(&s);
  let_go(&s);
  assert_int_equal(siox_bank_open(s.lab->bank, ns(5), s.b, &s.lab->layout), 0);
  assert_int_equal(speed_after(&s, 5), 6000);
  assert_int_equal(lab_speed(s.lab, 5.002, 1), 15000); /* touched */
  lab_close(s.lab);
}

static void it_ends_with_its_first_hint(void **state) {
  (void)state;
  struct scene s = scene();
  let_go(&s);
  lab_hint(s.lab, 5, s.b, "01", SIOX_SPEED_FULL, 1, 0, 0);
  assert_int_equal(speed_after(&s, 5), 6000);
  lab_close(s.lab);
}

static void a_word_about_no_disk_counts(void **state) {
  (void)state;
  struct scene s = scene();
  let_go(&s);
  lab_hint(s.lab, 5, s.b, "00", SIOX_SPEED_FULL, 0, 0, 0);
  assert_int_equal(speed_after(&s, 5), 6000);
  lab_close(s.lab);
}

static void it_ends_with_its_first_request(void **state) {
  (void)state;
  struct scene s = scene();
  files_lie_on_disk_1(&s);
  let_go(&s);
  lab_hint(s.lab, 2, s.a, "10", 6000, 0, 0, 0);
  lab_read(s.lab, 5, s.b, 64 * KB);
  assert_int_equal(speed_after(&s, 5), 6000);
  lab_close(s.lab);
}

static void it_ends_when_that_process_leaves(void **state) {
  (void)state;
  struct scene s = scene();
  let_go(&s);
  assert_int_equal(siox_bank_leave(s.lab->bank, ns(5), s.b), 0);
  assert_int_equal(speed_after(&s, 5), 6000);
  lab_close(s.lab);
}

static void it_ends_after_hold_joined(void **state) {
  (void)state;
  struct scene s = scene();
  let_go(&s);
  assert_int_equal(lab_speed(s.lab, 60 - 1e-9, 0), 15000);
  assert_int_equal(lab_speed(s.lab, 60, 0), 6000);
  lab_close(s.lab);
}

static void it_is_of_the_drives_time(void **state) {
  (void)state;
  struct scene s = scene_of("siox", 60, 10);
  assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
  let_go(&s);
  assert_int_equal(lab_speed(s.lab, 6 - 1e-9, 0), 15000);
  assert_int_equal(lab_speed(s.lab, 6, 0), 6000);
  lab_close(s.lab);
}

static void without_hold_joined_nobody_is_waited_for(void **state) {
  (void)state;
  for (double hold = 0; hold > -2; hold--) { /* nor where a trace does not say */
    struct scene s = scene_of("siox", hold, 1);
    assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
    let_go(&s);
    assert_int_equal(speed_after(&s, 2), 6000);
    lab_close(s.lab);
  }
}

static void who_only_joins_is_not_waited_for(void **state) {
  (void)state;
  struct scene s = scene_of("siox", 60, 1);
  let_go(&s);
  assert_int_equal(speed_after(&s, 2), 6000);
  lab_close(s.lab);
}

static void a_disk_below_full_speed_is_not_raised(void **state) {
  (void)state;
  struct scene s = scene_of("siox", 60, 1);
  let_go(&s);
  assert_int_equal(speed_after(&s, 10), 6000);
  assert_int_equal(siox_bank_await(s.lab->bank, lab_join(s.lab, "c")), 0);
  assert_int_equal(speed_after(&s, 11), 6000);
  lab_close(s.lab);
}

static void a_disk_that_nobody_has_used_stays_too(void **state) {
  (void)state;
  struct scene s = scene();
  assert_int_equal(lab_speed(s.lab, 60 - 1e-9, 1), 15000);
  assert_int_equal(lab_speed(s.lab, 60, 1), 6000);
  lab_close(s.lab);
}

static void the_last_one_counts(void **state) {
  (void)state;
  struct scene s = scene();
  siox_bank_advance(s.lab->bank, ns(0.5));
  uint32_t c = lab_join(s.lab, "c");
  assert_int_equal(siox_bank_await(s.lab->bank, c), 0);
  let_go(&s);
  assert_int_equal(lab_speed(s.lab, 60.4, 0), 15000);
  assert_int_equal(lab_speed(s.lab, 60.5, 0), 6000);
  lab_close(s.lab);
}

static void when_the_last_one_speaks_the_earlier_ones_time_counts(void **state) {
  (void)state;
  struct scene s = scene();
  siox_bank_advance(s.lab->bank, ns(0.5));
  uint32_t c = lab_join(s.lab, "c");
  assert_int_equal(siox_bank_await(s.lab->bank, c), 0);
  let_go(&s);
  lab_hint(s.lab, 5, c, "00", 6000, 0, 0, 0);
  assert_int_equal(lab_speed(s.lab, 60 - 1e-9, 0), 15000);
  assert_int_equal(lab_speed(s.lab, 60, 0), 6000);
  lab_close(s.lab);
}

static void claims_waits_and_the_papers_schemes_do_not(void **state) {
  (void)state;
  static const char *const policy[] = {"claims", "rt", "com"};
  static const int32_t speed[] = {15000, 6000, 6000};
  for (int i = 0; i < 3; i++) {
    struct scene s = scene_of(policy[i], 60, 1);
    assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
    let_go(&s);
    assert_int_equal(speed_after(&s, 2), speed[i]);
    lab_close(s.lab);
  }
}

static void a_level_within_a_budget_waits_too(void **state) {
  (void)state;
  struct scene s = scene_of("siox:delay=50", 60, 1);
  assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
  for (double at = 1; at < 40; at += 10) {
    lab_read(s.lab, at, s.a, 64 * KB);
    lab_hint(s.lab, at + 1, s.a, "10", 6000, 0, at + 10, 0);
  }
  assert_int_equal(speed_after(&s, 40), 15000);
  siox_bank_leave(s.lab->bank, ns(42), s.b);
  assert_int_equal(speed_after(&s, 42), 6000);
  assert_int_equal(lab_disk(s.lab, 0).undercut[SIOX_CAUSE_BUDGET], 1); /* told when it is done */
  lab_close(s.lab);
}

/* Of the gap from 32 to 41 s what is left at 36 s does not hold the 6.54 s to 6000 RPM that were
 * chosen for it, and with 15 % only 5.4 s are saved by then: the use at 41 s does not wait. */
static void a_level_within_a_budget_is_not_gone_to_when_its_gap_is_nearly_over(void **state) {
  (void)state;
  struct scene s = scene_of("siox:delay=15", 60, 1);
  assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0);
  for (double at = 1; at < 40; at += 10) {
    lab_read(s.lab, at, s.a, 64 * KB);
    lab_hint(s.lab, at + 1, s.a, "10", 6000, 0, at + 10, 0);
  }
  siox_bank_leave(s.lab->bank, ns(36), s.b);
  double done = (double)lab_read(s.lab, 41, s.a, 64 * KB).completion * 1e-9;
  assert_true(done - 41 < service_s(15000, 64 * KB, false) + 1e-6);
  lab_close(s.lab);
}

static void only_a_client_that_is_there_can_be_waited_for(void **state) {
  (void)state;
  struct scene s = scene();
  assert_int_equal(siox_bank_await(s.lab->bank, s.b), 0); /* again: nothing new */
  assert_int_equal(siox_bank_await(s.lab->bank, 99), SIOX_EINVAL);
  assert_int_equal(siox_bank_leave(s.lab->bank, ns(1), s.a), 0);
  assert_int_equal(siox_bank_await(s.lab->bank, s.a), SIOX_EINVAL);
  lab_close(s.lab);
}

/* Against a list of everybody. */
static void random_comings_and_goings_have_the_latest_end(void **state) {
  (void)state;
  enum { CLIENTS = 12, STEPS = 4000 };
  uint64_t random = 7;
  struct scene s = scene_of("siox", 60, 1);
  uint32_t client[CLIENTS], job;
  int64_t until[CLIENTS]; /* 0: not waited for; -1: not there */
  assert_int_equal(siox_bank_job(s.lab->bank, "many", &job), 0);
  for (int i = 0; i < CLIENTS; i++)
    until[i] = -1;
  double at = 0;
  for (int n = 0; n < STEPS; n++) {
    at += (double)test_below(&random, 1000) / 100;
    int i = (int)test_below(&random, CLIENTS);
    if (until[i] < 0) {
      assert_int_equal(siox_bank_join(s.lab->bank, ns(at), job, &client[i]), 0);
      until[i] = 0;
      if (test_below(&random, 4)) {
        assert_int_equal(siox_bank_await(s.lab->bank, client[i]), 0);
        until[i] = ns(at) + ns(60);
      }
    } else if (test_below(&random, 2)) {
      lab_hint(s.lab, at, client[i], test_below(&random, 2) ? "10" : "11", 6000,
               (int)test_below(&random, 2), 0, 0);
      until[i] = 0;
    } else {
      assert_int_equal(siox_bank_leave(s.lab->bank, ns(at), client[i]), 0);
      until[i] = -1;
    }
    int64_t last = 0;
    for (int k = 0; k < CLIENTS; k++)
      last = until[k] > last ? until[k] : last;
    int64_t silent = siox_bank_view(s.lab->bank)->silent;
    assert_int_equal(silent, last ? last : INT64_MIN);
  }
  assert_int_equal(siox_bank_finish(s.lab->bank, ns(at + 100)), 0);
  lab_check(s.lab);
  lab_close(s.lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_release_slows_no_disk_while_somebody_has_said_nothing),
      cmocka_unit_test(a_known_gap_is_not_taken_meanwhile),
      cmocka_unit_test(it_ends_when_that_process_opens_a_file),
      cmocka_unit_test(it_ends_with_its_first_hint),
      cmocka_unit_test(a_word_about_no_disk_counts),
      cmocka_unit_test(it_ends_with_its_first_request),
      cmocka_unit_test(it_ends_when_that_process_leaves),
      cmocka_unit_test(it_ends_after_hold_joined),
      cmocka_unit_test(it_is_of_the_drives_time),
      cmocka_unit_test(without_hold_joined_nobody_is_waited_for),
      cmocka_unit_test(who_only_joins_is_not_waited_for),
      cmocka_unit_test(a_disk_below_full_speed_is_not_raised),
      cmocka_unit_test(a_disk_that_nobody_has_used_stays_too),
      cmocka_unit_test(the_last_one_counts),
      cmocka_unit_test(when_the_last_one_speaks_the_earlier_ones_time_counts),
      cmocka_unit_test(claims_waits_and_the_papers_schemes_do_not),
      cmocka_unit_test(a_level_within_a_budget_waits_too),
      cmocka_unit_test(a_level_within_a_budget_is_not_gone_to_when_its_gap_is_nearly_over),
      cmocka_unit_test(only_a_client_that_is_there_can_be_waited_for),
      cmocka_unit_test(random_comings_and_goings_have_the_latest_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
