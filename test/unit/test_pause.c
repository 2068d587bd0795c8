/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy siox with a delay budget, for jobs that need their disks without an end: they tell of no
 * gap, and levels change in pauses that are known from those before. */
#include "arbiter/pause.h"
#include "bank_support.h"

static struct lab *lab_with(double budget, bool measure) {
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits = (struct siox_limits){.delay_budget = budget, .measure = measure};
  lab_start(lab, "siox", 1, NULL, 0);
  return lab;
}

static double random_part(uint64_t *state) { /* [0, 1) */
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

/* A program of one rank in closed loop that needs the disk from the beginning on and never lets it
 * go. Pauses are drawn from [least, most], now and then with `odd` one is. `last` bursts follow at
 * the end without pauses between. */
struct program {
  double budget, least, most, odd, sometimes;
  int bursts, reads, last;
  uint64_t seed;
  bool touched; /* by opening it, before it says that it needs it */
};
struct outcome {
  double end, lost, joules, first; /* s, s, J; s: first change */
  uint64_t moves;
};

static struct outcome play(const struct program *p) {
  struct lab *lab = lab_with(p->budget, true);
  uint32_t a = lab_join(lab, "A");
  uint64_t seed = p->seed;
  struct outcome o = {0};
  double at = 0;
  if (p->touched)
    assert_int_equal(siox_bank_open(lab->bank, 0, a, &lab->layout), 0);
  lab_hint(lab, 0, a, "1", SIOX_SPEED_FULL, 1, 0, 0);
  for (int b = 0; b < p->bursts + p->last; b++) {
    for (int r = 0; r < p->reads; r++) {
      double done = (double)lab_read(lab, at, a, 1024 * KB).completion * 1e-9;
      o.lost += done - at - service_s(15000, 1024 * KB, false);
      at = done;
    }
    if (b >= p->bursts)
      continue;
    bool odd = random_part(&seed) < p->sometimes;
    at += odd ? p->odd : p->least + (p->most - p->least) * random_part(&seed);
  }
  o.end = at;
  assert_true(fabs((double)lab_job(lab, 0).delayed_ns * 1e-9 - o.lost) < 1e-4);
  assert_int_equal(siox_bank_finish(lab->bank, ns(at)), 0);
  struct siox_disk_totals t;
  siox_bank_totals(lab->bank, &t);
  o.moves = t.transitions_up + t.transitions_down;
  o.joules = lab_joules(lab, 0);
  o.first = lab_first_down(lab);
  lab_check(lab);
  lab_close(lab);
  return o;
}

static void without_a_budget_a_need_without_an_end_keeps_full_speed(void **state) {
  (void)state;
  struct outcome o = play(&(struct program){0, 4, 4, .bursts = 200, .reads = 2});
  assert_true(fabs(o.lost) < 1e-6);
  assert_int_equal(o.moves, 0);
}

/* Eight pauses must have been seen, and after n the next is shorter with probability 1 / (n + 1):
 * so much of the step's 2.18 s must have been saved. A pause is known for one after a 16th of it.
 */
static void the_first_step_waits_until_pauses_are_known_and_the_risk_is_earned(void **state) {
  (void)state;
  static const double budgets[] = {0.005, 0.02};
  static const int after[] = {10, 8};
  double step = ramp_s(15000, 12000), burst = service_s(15000, 1024 * KB, false);
  for (int b = 0; b < 2; b++) {
    struct outcome o = play(&(struct program){budgets[b], 4, 4, .bursts = 60, .reads = 1});
    int n = 8;
    while (budgets[b] * (burst + n * (4 + burst) + step / 16) * (n + 1) < step)
      n++;
    assert_int_equal(n, after[b]);
    assert_true(fabs(o.first - (burst + n * (4 + burst) + step / 16)) < 1e-6);
  }
}

/* A pause of 1.9 s is too short by 0.4 s, which a read waits for once: four times that must have been
 * saved, too. */
static void a_read_waits_for_the_rest_of_a_step_that_is_nearly_held(void **state) {
  (void)state;
  double step = ramp_s(15000, 12000), burst = service_s(15000, 1024 * KB, false);
  double silent = step / 16, rest = step - (1.9 - silent);
  struct outcome o = play(&(struct program){0.02, 1.9, 1.9, .bursts = 200, .reads = 1});
  int n = 8;
  while (0.02 * (burst + n * (1.9 + burst) + silent) < step / (fmin(n, 16) + 1) + 4 * rest)
    n++;
  assert_true(fabs(o.first - (burst + n * (1.9 + burst) + silent)) < 1e-6);
  assert_true(o.lost > rest && o.lost <= 0.02 * (o.end - o.lost));
}

static void pauses_too_short_for_a_step_keep_full_speed(void **state) {
  (void)state;
  struct outcome o = play(&(struct program){0.05, 1, 2.2, .bursts = 500, .reads = 2});
  assert_int_equal(o.moves, 0);
  assert_true(fabs(o.lost) < 1e-6);
}

static void no_static_level_within_the_budget_saves_more_but_for_the_beginning(void **state) {
  (void)state;
  static const double budgets[] = {0.01, 0.02, 0.05}, pauses[] = {3, 4, 8};
  static const int reads[] = {1, 2, 5, 10};
  int compared = 0;
  for (int r = 0; r < 4; r++)
    for (int g = 0; g < 3; g++)
      for (int b = 0; b < 3; b++) {
        struct outcome o = play(&(struct program){budgets[b], pauses[g], pauses[g] * 1.1,
                                                  .bursts = 300, .reads = reads[r], .seed = 7});
        double read = service_s(15000, 1024 * KB, false), busy = 300 * reads[r] * read;
        double pause = o.end - o.lost - busy;
        double base = pause * idle_w(15000) + busy * (idle_w(15000) + 3.3);
        assert_true(o.joules <= base * (1 + 1e-9));
        for (int l = 0; l < 3; l++) {
          double rpm = FOUR_SPEEDS[l], slow = 300 * reads[r] * service_s(rpm, 1024 * KB, false);
          /* Half of the budget is kept for as much I/O again. */
          if (slow - busy > 0.5 * budgets[b] * (pause + busy))
            continue;
          double joules = pause * idle_w(rpm) + slow * (idle_w(rpm) + 3.3);
          assert_true(o.joules <= joules + 0.05 * base);
          compared++;
        }
      }
  assert_true(compared > 30);
}

static void a_touch_before_the_need_is_said_is_part_of_it(void **state) {
  (void)state;
  struct program p = {0.02, 4, 4, .bursts = 60, .reads = 2};
  struct outcome said = play(&p);
  p.touched = true;
  struct outcome o = play(&p);
  assert_true(o.first == said.first && o.joules == said.joules);
}

static void a_budget_is_kept_whatever_the_pauses_are(void **state) {
  (void)state;
  static const struct {
    double least, most, odd, sometimes;
  } pauses[] = {{3, 4, 0, 0},      {0.5, 6, 0, 0},     {3, 4, 0.3, 0.1}, {3, 4, 1.5, 0.1},
                {0.01, 0.2, 5, 1}, {0.01, 0.2, 5, .1}, {8, 20, 2, 0.05}, {2.4, 2.6, 0, 0}};
  static const double budgets[] = {0.01, 0.02, 0.05};
  static const int reads[] = {1, 5, 20, 80};
  for (int p = 0; p < 8; p++)
    for (int b = 0; b < 3; b++)
      for (int r = 0; r < 4; r++)
        for (int bursts = 20; bursts <= 320; bursts *= 2)
          for (uint64_t seed = 1; seed <= 3; seed++) {
            struct outcome o = play(&(struct program){
                budgets[b], pauses[p].least, pauses[p].most, pauses[p].odd, pauses[p].sometimes,
                .bursts = bursts, .reads = reads[r], .seed = seed});
            assert_true(o.lost <= budgets[b] * (o.end - o.lost));
          }
}

/* At the end it does all its I/O again, at once. */
static void what_is_kept_pays_for_as_much_again(void **state) {
  (void)state;
  static const double budgets[] = {0.01, 0.02, 0.05};
  static const int reads[] = {1, 2, 5, 10, 20, 40};
  for (int b = 0; b < 3; b++)
    for (int r = 0; r < 6; r++)
      for (int bursts = 30; bursts <= 480; bursts *= 2) {
        struct outcome o = play(&(struct program){budgets[b], 3.2, 3.8, .bursts = bursts,
                                                  .reads = reads[r], .last = bursts, .seed = 3});
        assert_true(o.lost <= (budgets[b] + 0.0005) * (o.end - o.lost));
      }
}

/* A, alone on the disk, has it served at 6000 by what its gaps earn. B comes, waits for the way up,
 * and says then that it needs the disk: it has lost more than its budget before it has earned any,
 * and the level that was chosen for A is not for it. */
static void who_has_overspent_is_not_slowed_to_a_level_that_was_chosen_before(void **state) {
  (void)state;
  struct lab *lab = lab_with(0.05, true);
  uint32_t a = lab_join(lab, "A");
  double at = 0;
  for (int b = 0; b < 5; b++) {
    lab_hint(lab, at, a, "1", 0, 0, at + 30, 0);
    at += 30;
    for (int r = 0; r < 20; r++)
      at = (double)lab_read(lab, at, a, 1024 * KB).completion * 1e-9;
  }
  lab_hint(lab, at, a, "1", 0, 0, at + 30, 0);
  assert_int_equal(lab_speed(lab, at + 5, 0), 6000);
  at += 5;
  uint32_t b = lab_join(lab, "B");
  assert_int_equal(siox_bank_open(lab->bank, ns(at), b, &lab->layout), 0);
  double came = at;
  at = (double)lab_read(lab, at, b, 1024 * KB).completion * 1e-9;
  assert_true(at - came > ramp_s(6000, 15000));
  lab_hint(lab, at, b, "1", SIOX_SPEED_FULL, 1, 0, 0);
  for (double t = at; t < at + 100; t += 1) {
    lab_read(lab, t, b, 1024 * KB);
    assert_int_equal(lab_speed(lab, t, 0), 15000);
  }
  lab_close(lab);
}

/* While B has joined and said nothing no disk leaves full speed, though the level for A's bursts is
 * 6000. When B says that it needs the disk, it has not saved the change. */
static void who_needs_the_disk_waits_for_no_change_that_it_has_not_saved(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, FOUR_SPEEDS, 4);
  lab->limits = (struct siox_limits){.delay_budget = 0.05, .hold_joined_ns = 1000 * SECOND};
  lab_start(lab, "siox", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A"), b = lab_join(lab, "B");
  assert_int_equal(siox_bank_await(lab->bank, b), 0);
  double at = 0;
  for (int burst = 0; burst < 3; burst++) {
    for (int r = 0; r < 20; r++)
      at = (double)lab_read(lab, at, a, 1024 * KB).completion * 1e-9;
    lab_hint(lab, at, a, "1", 0, 0, at + 30, 0);
    assert_int_equal(lab_speed(lab, at + 20, 0), 15000);
    at += 30;
  }
  lab_hint(lab, at - 10, b, "1", SIOX_SPEED_FULL, 1, 0, 0);
  for (double t = at - 10; t < at + 30; t += 1) {
    lab_read(lab, t, b, 1024 * KB);
    assert_int_equal(lab_speed(lab, t, 0), 15000);
  }
  lab_close(lab);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_budget_a_need_without_an_end_keeps_full_speed),
      cmocka_unit_test(the_first_step_waits_until_pauses_are_known_and_the_risk_is_earned),
      cmocka_unit_test(a_read_waits_for_the_rest_of_a_step_that_is_nearly_held),
      cmocka_unit_test(pauses_too_short_for_a_step_keep_full_speed),
      cmocka_unit_test(no_static_level_within_the_budget_saves_more_but_for_the_beginning),
      cmocka_unit_test(a_touch_before_the_need_is_said_is_part_of_it),
      cmocka_unit_test(a_budget_is_kept_whatever_the_pauses_are),
      cmocka_unit_test(what_is_kept_pays_for_as_much_again),
      cmocka_unit_test(who_has_overspent_is_not_slowed_to_a_level_that_was_chosen_before),
      cmocka_unit_test(who_needs_the_disk_waits_for_no_change_that_it_has_not_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
