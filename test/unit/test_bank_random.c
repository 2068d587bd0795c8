/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Properties over random histories: time is tiled and sums agree whatever happens; late timers
 * change nothing; an unhinted program beside a hinted one waits for at most one transition in a
 * burst of accesses; and wrong releases cost at most one transition each. */
#include "bank_support.h"

#define DISKS 3u
#define LONGEST (10.9 * 9000 / 15000) /* 6000 to 15000 rpm */

static double between(uint64_t *random, double low, double high) {
  return low + (high - low) * ((double)(test_random(random) >> 11) * 0x1p-53);
}

static const char *random_mask(uint64_t *random, char *text, uint32_t ndisks) {
  for (uint32_t d = 0; d < ndisks; d++)
    text[d] = test_below(random, 2) ? '1' : '0';
  text[test_below(random, ndisks)] = '1';
  text[ndisks] = 0;
  return text;
}

static int32_t random_speed(uint64_t *random) {
  static const int32_t speeds[] = {0, 3000, 6000, 9000, 12000, 15000, SIOX_SPEED_FULL};
  return speeds[test_below(random, 7)];
}

struct history {
  double end;
  uint64_t completions; /* hash of all */
  double joules;
};

/* One random history of many clients; `extra` calls siox_bank_advance at random times in between.
 */
static struct history live(const char *policy, uint64_t seed, bool table, bool extra,
                           bool bounded) {
  static const int32_t five[] = {0, 6000, 9000, 12000, 15000};
  uint64_t random = seed, other = ~seed;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, five, 5);
  if (table)
    make_table(&lab->drive);
  if (bounded)
    lab->limits = (struct siox_limits){.early = 0.9,
                                       .wear = true,
                                       .start_stop_per_day = 1000,
                                       .load_unload_per_day = 2000,
                                       .inrush_w = 9,
                                       .inrush_wait_ns = ns(3)};
  uint32_t initial[DISKS];
  for (uint32_t d = 0; d < DISKS; d++)
    initial[d] = (uint32_t)test_below(&random, 5);
  lab_start(lab, policy, DISKS, initial, between(&random, 0.2, 3));
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, DISKS, 1, DISKS, 64 * KB), 0);
  uint32_t client[6];
  static const char *const jobs[] = {"A", "A", "B", "C", "C", "D"};
  for (int i = 0; i < 6; i++)
    client[i] = lab_join(lab, jobs[i]);
  struct history h = {0};
  double at = 0;
  char mask[DISKS + 1];
  for (int i = 0; i < 400; i++) {
    at += test_below(&random, 3) ? between(&random, 0, 3) : between(&random, 0, 0.02);
    if (extra)
      siox_bank_advance(lab->bank, ns(between(&other, 0, at)));
    uint32_t c = (uint32_t)test_below(&random, 6);
    switch (test_below(&random, 8)) {
    case 0:
      assert_int_equal(siox_bank_leave(lab->bank, ns(at), client[c]), 0);
      client[c] = lab_join(lab, jobs[c]);
      break;
    case 1:
      assert_int_equal(siox_bank_open(lab->bank, ns(at), client[c], &lab->layout), 0);
      break;
    case 2:
    case 3:
    case 4: {
      double need = test_below(&random, 3) ? at + between(&random, -2, 40) : 0;
      double until = test_below(&random, 2) ? at + between(&random, 0, 60) : 0;
      int32_t flag = (int32_t)test_below(&random, 2);
      lab_hint(lab, at, client[c], random_mask(&random, mask, DISKS), random_speed(&random), flag,
               need > 0 ? need : 0, until);
      break;
    }
    default: {
      int64_t offset = (int64_t)test_below(&random, 1000) * 32 * KB;
      struct siox_service s =
          lab_read_at(lab, at, client[c], offset, 1 + (int64_t)test_below(&random, 500 * KB));
      assert_true(s.completion > ns(at));
      h.completions = h.completions * 31 + (uint64_t)s.completion;
    }
    }
  }
  h.end = at + 100;
  assert_int_equal(siox_bank_finish(lab->bank, ns(h.end)), 0);
  for (uint32_t d = 0; d < DISKS; d++) {
    struct siox_disk_totals t = lab_disk(lab, d);
    int64_t sum = t.moving_ns;
    for (uint32_t l = 0; l < 5; l++)
      sum += t.level_ns[l];
    assert_true(sum >= ns(h.end)); /* a transition without a ramp may run on */
    h.joules += lab_joules(lab, d);
  }
  lab_check(lab);
  lab_close(lab);
  return h;
}

static const char *const POLICIES[] = {
    "base", "static:9000", "timeout", "timeout:adaptive", "hw:n=9", "com", "rt", "claims", "siox"};
#define NPOLICIES (int)(sizeof POLICIES / sizeof *POLICIES)

static void time_is_tiled_and_sums_agree_in_every_history(void **state) {
  (void)state;
  for (int p = 0; p < NPOLICIES; p++)
    for (uint64_t seed = 1; seed <= 100; seed++)
      live(POLICIES[p], seed, seed % 3 == 0, false, seed % 2);
}

static void when_timers_are_served_changes_nothing(void **state) {
  (void)state;
  for (int p = 0; p < NPOLICIES; p++)
    for (uint64_t seed = 200; seed < 240; seed++) {
      struct history a = live(POLICIES[p], seed, seed % 3 == 0, false, seed % 2);
      struct history b = live(POLICIES[p], seed, seed % 3 == 0, true, seed % 2);
      assert_int_equal(a.completions, b.completions);
      near(a.joules, b.joules);
    }
}

/* A program that alternates gaps and bursts; what it says of its gaps is random around the truth.
 */
struct hinted {
  uint32_t client;
  double next; /* its next action */
  int left;    /* accesses left in its burst */
};
static void hinted_act(struct lab *lab, struct hinted *h, uint64_t *random) {
  if (h->left > 0) {
    struct siox_service s = lab_read(lab, h->next, h->client, (int64_t)(DISKS * 64 * KB));
    h->next = (double)s.completion * 1e-9 + between(random, 0, 0.01);
    if (--h->left == 0) {
      double gap = between(random, 0.5, 60);
      lab_hint(lab, h->next, h->client, "111", random_speed(random), 0,
               h->next + gap * between(random, 0.7, 1.1), 0);
      h->next += gap;
    }
    return;
  }
  h->left = 1 + (int)test_below(random, 20);
}

static void an_unhinted_program_waits_for_one_transition_a_burst_at_most(void **state) {
  (void)state;
  double worst = 0, slow = service_s(6000, 64 * KB, false);
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t random = seed;
    struct lab *lab = lab_open("siox", DISKS);
    siox_layout_free(&lab->layout);
    assert_int_equal(siox_layout_triplet(&lab->layout, DISKS, 0, DISKS, 64 * KB), 0);
    struct hinted h = {.client = lab_join(lab, "hinted"), .next = 0.5, .left = 3};
    uint32_t other = lab_join(lab, "unhinted");
    double at = 1;
    for (int burst = 0; burst < 60; burst++) {
      int64_t waited = 0, queued = 0;
      for (int i = 1 + (int)test_below(&random, 30); i > 0; i--) {
        while (h.next < at)
          hinted_act(lab, &h, &random);
        struct siox_service s = lab_read(lab, at, other, (int64_t)(DISKS * 64 * KB));
        waited += s.transition_ns;
        queued += s.queued_ns;
        assert_true(s.transition_ns <= ns(LONGEST) + 1);
        at = (double)s.completion * 1e-9 + between(&random, 0, 0.05);
      }
      /* while one disk turns round another may serve one request slowly before it speeds up */
      assert_true(waited <= ns(LONGEST + slow) + queued);
      worst = fmax(worst, (double)waited * 1e-9);
      at += between(&random, 0.1, 200);
    }
    siox_bank_finish(lab->bank, ns(at));
    lab_check(lab);
    lab_close(lab);
  }
  assert_true(worst > 6); /* the bound is met, so the histories are hard enough */
}

static void wrong_releases_cost_at_most_one_transition_each(void **state) {
  (void)state;
  static const char *const policies[] = {"rt", "claims", "siox"};
  double slow = service_s(6000, 64 * KB, false);
  char mask[DISKS + 1];
  for (int p = 0; p < 3; p++)
    for (uint64_t seed = 1; seed <= 60; seed++) {
      uint64_t random = seed;
      struct lab *lab = calloc(1, sizeof *lab);
      make_drive(&lab->drive, FOUR_SPEEDS, 4);
      lab_start(lab, policies[p], DISKS, NULL, 1e6); /* nothing decays: only releases slow a disk */
      siox_layout_free(&lab->layout);
      assert_int_equal(siox_layout_triplet(&lab->layout, DISKS, 0, DISKS, 64 * KB), 0);
      uint32_t a = lab_join(lab, "A");
      double at = 1;
      int64_t waited = 0; /* since the last release */
      bool released = false;
      for (int burst = 0; burst < 60; burst++) {
        at += between(&random, 0, 40);
        for (int i = 1 + (int)test_below(&random, 20); i > 0; i--) {
          if (test_below(&random, 6) == 0) {
            double need = test_below(&random, 2) ? at + between(&random, 0, 60) : 0;
            lab_hint(lab, at, a, random_mask(&random, mask, DISKS), random_speed(&random), 0, need,
                     0);
            released = true;
            waited = 0;
            at += test_below(&random, 2) ? between(&random, 0, 30) : 0;
          }
          struct siox_service s = lab_read(lab, at, a, (int64_t)(DISKS * 64 * KB));
          waited += s.transition_ns;
          at = (double)s.completion * 1e-9 + between(&random, 0, 0.05);
          assert_true(waited <= (released ? ns(LONGEST + slow) : 0));
        }
      }
      lab_close(lab);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_is_tiled_and_sums_agree_in_every_history),
      cmocka_unit_test(when_timers_are_served_changes_nothing),
      cmocka_unit_test(an_unhinted_program_waits_for_one_transition_a_burst_at_most),
      cmocka_unit_test(wrong_releases_cost_at_most_one_transition_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
