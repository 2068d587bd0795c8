/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The paper's Fig. 7, step by step, and the histories in which its counters go wrong while claims
 * do not. */
#include "bank_support.h"

static const int32_t FIG7_SPEEDS[] = {0, 6000, 9000, 12000, 15000};
static const uint32_t ALL_AT_0[4] = {0};

struct step {
  int application;
  const char *mask;
  int32_t speed, flag;
  int32_t speeds[4]; /* after it */
  uint32_t counters[4];
};
/* A1 reads a file on (0,3), A2 one on (1,3), four disks; counters as section V's text counts them.
 */
static const struct step FIG7[] = {
    {0, "1110", 15000, 1, {15000, 15000, 15000, 0}, {1, 1, 1, 0}},
    {1, "0111", 15000, 1, {15000, 15000, 15000, 15000}, {1, 2, 2, 1}},
    {0, "1110", 6000, 0, {6000, 15000, 15000, 15000}, {0, 1, 1, 1}},
    {1, "0111", 9000, 0, {6000, 9000, 9000, 9000}, {0, 0, 0, 0}},
    {0, "1110", 15000, 1, {15000, 15000, 15000, 9000}, {1, 1, 1, 0}},
    {1, "0111", 15000, 1, {15000, 15000, 15000, 15000}, {1, 2, 2, 1}},
};

static struct lab *fig7_lab(const char *policy) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FIG7_SPEEDS, 5);
  lab_start(lab, policy, 4, ALL_AT_0, 1000); /* hold far beyond the example */
  return lab;
}

static void play_fig7(const char *policy, bool counters) {
  struct lab *lab = fig7_lab(policy);
  uint32_t application[2] = {lab_join(lab, "A1"), lab_join(lab, "A2")};
  double at = 0;
  for (size_t i = 0; i < sizeof FIG7 / sizeof *FIG7; i++) {
    const struct step *s = &FIG7[i];
    at += 20;
    lab_hint(lab, at, application[s->application], s->mask, s->speed, s->flag, 0, 0);
    for (uint32_t d = 0; d < 4; d++) {
      assert_int_equal(lab_speed(lab, at + 15, d), s->speeds[d]);
      if (counters)
        assert_int_equal(siox__rt_counter(siox__bank_policy_state(lab->bank), d), s->counters[d]);
    }
  }
  lab_check(lab);
  lab_close(lab);
}

static void fig7_counters(void **state) {
  (void)state;
  play_fig7("rt", true);
}
static void fig7_claims(void **state) {
  (void)state;
  play_fig7("claims", false);
}

/* Plays steps of (client, speed, flag) on one disk 20 s apart and returns its speed after the last.
 */
struct word {
  int client;
  int32_t speed, flag; /* flag -1: leaves */
};
static int32_t play(const char *policy, const struct word *word, size_t n) {
  struct lab *lab = fig7_lab(policy);
  uint32_t client[2] = {lab_join(lab, "A1"), lab_join(lab, "A2")};
  double at = 0;
  for (size_t i = 0; i < n; i++) {
    at += 20;
    if (word[i].flag < 0)
      assert_int_equal(siox_bank_leave(lab->bank, ns(at), client[word[i].client]), 0);
    else
      lab_hint(lab, at, client[word[i].client], "1000", word[i].speed, word[i].flag, 0, 0);
  }
  int32_t speed = lab_speed(lab, at + 15, 0);
  lab_check(lab);
  lab_close(lab);
  return speed;
}
#define PLAY(policy, ...)                                                                          \
  play(policy, (const struct word[]){__VA_ARGS__},                                                 \
       sizeof((const struct word[]){__VA_ARGS__}) / sizeof(struct word))

static void repeated_need_leaks_a_counter_but_not_a_claim(void **state) {
  (void)state;
  /* Three times "needed", one release: nobody needs the disk. */
#define REPEATED {0, 15000, 1}, {0, 15000, 1}, {0, 15000, 1}, {0, 6000, 0}
  assert_int_equal(PLAY("rt", REPEATED), 15000);
  assert_int_equal(PLAY("claims", REPEATED), 6000);
}

static void unmatched_release_takes_anothers_count_but_not_its_claim(void **state) {
  (void)state;
  /* A2 needs the disk and A1 never said so; A1's release must not slow it. */
#define UNMATCHED {1, 15000, 1}, {0, 6000, 0}
  assert_int_equal(PLAY("rt", UNMATCHED), 6000);
  assert_int_equal(PLAY("claims", UNMATCHED), 15000);
}

static void crash_after_repeated_need_leaks_a_counter_but_not_a_claim(void **state) {
  (void)state;
#define CRASH {0, 15000, 1}, {0, 15000, 1}, {0, 15000, 1}, {0, 0, -1}, {1, 15000, 1}, {1, 6000, 0}
  assert_int_equal(PLAY("rt", CRASH), 15000);
  assert_int_equal(PLAY("claims", CRASH), 6000);
}

static void preference_of_the_first_to_release_is_forgotten_by_counters_only(void **state) {
  (void)state;
  /* A1 prefers 9000 in its gap, A2 6000. Counters refuse A1 and then do what the last one says. */
#define FORGOTTEN {0, 15000, 1}, {1, 15000, 1}, {0, 9000, 0}, {1, 6000, 0}
  assert_int_equal(PLAY("rt", FORGOTTEN), 6000);
  assert_int_equal(PLAY("claims", FORGOTTEN), 9000);
}

static void counter_never_falls_below_zero(void **state) {
  (void)state;
  struct lab *lab = fig7_lab("rt");
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1000", 6000, 0, 0, 0);
  lab_hint(lab, 20, a, "1000", 6000, 0, 0, 0);
  assert_int_equal(siox__rt_counter(siox__bank_policy_state(lab->bank), 0), 0);
  lab_hint(lab, 40, a, "1000", 15000, 1, 0, 0);
  assert_int_equal(siox__rt_counter(siox__bank_policy_state(lab->bank), 0), 1);
  assert_int_equal(siox_bank_leave(lab->bank, ns(60), a), 0);
  assert_int_equal(siox__rt_counter(siox__bank_policy_state(lab->bank), 0), 0);
  lab_close(lab);
}

static void granted_and_refused_are_counted_per_disk_wish(void **state) {
  (void)state;
  struct lab *lab = fig7_lab("claims");
  uint32_t a = lab_join(lab, "A1"), b = lab_join(lab, "A2");
  lab_hint(lab, 10, a, "1110", 15000, 1, 0, 0);
  lab_hint(lab, 30, b, "0111", 15000, 1, 0, 0);
  lab_hint(lab, 50, a, "1110", 6000, 0, 0, 0); /* disks 1 and 2 are A2's */
  assert_int_equal(lab_job(lab, 0).hints, 2);
  assert_int_equal(lab_job(lab, 0).granted, 4);
  assert_int_equal(lab_job(lab, 0).refused, 2);
  assert_int_equal(lab_job(lab, 1).granted, 3);
  lab_close(lab);
}

static void base_and_static_hold_their_level(void **state) {
  (void)state;
  static const struct {
    const char *policy;
    int32_t speed;
  } cases[] = {{"base", 15000}, {"static:9000", 9000}, {"static:0", 6000}, {"static:9001", 12000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = fig7_lab(cases[i].policy);
    uint32_t a = lab_join(lab, "A1");
    assert_int_equal(lab_speed(lab, 20, 0), cases[i].speed);
    lab_hint(lab, 21, a, "1000", 12000, 1, 0, 0);
    lab_hint(lab, 22, a, "0100", 6000, 0, 0, 0);
    lab_read(lab, 23, a, 64 * KB);
    for (uint32_t d = 0; d < 4; d++)
      assert_int_equal(lab_speed(lab, 100000, d), cases[i].speed);
    lab_check(lab);
    lab_close(lab);
  }
}

static void unknown_policies_and_bad_arguments_are_refused(void **state) {
  (void)state;
  struct siox_drive drive;
  make_drive(&drive, FOUR_SPEEDS, 4);
  const struct siox_drive *drives[] = {&drive};
  static const char *const bad[] = {
      "",      "bas",         "basex",     "static",       "static:",           "rt:1",
      "siox:", "static:fast", "static:-1", "static:9000x", "static:99999999999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_bank *bank = NULL;
    struct siox_bank_options o = {.ndisks = 1, .drive = drives, .policy = bad[i]};
    assert_true(siox_bank_create(&bank, &o) < 0);
    assert_null(bank);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fig7_counters),
      cmocka_unit_test(fig7_claims),
      cmocka_unit_test(repeated_need_leaks_a_counter_but_not_a_claim),
      cmocka_unit_test(unmatched_release_takes_anothers_count_but_not_its_claim),
      cmocka_unit_test(crash_after_repeated_need_leaks_a_counter_but_not_a_claim),
      cmocka_unit_test(preference_of_the_first_to_release_is_forgotten_by_counters_only),
      cmocka_unit_test(counter_never_falls_below_zero),
      cmocka_unit_test(granted_and_refused_are_counted_per_disk_wish),
      cmocka_unit_test(base_and_static_hold_their_level),
      cmocka_unit_test(unknown_policies_and_bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
