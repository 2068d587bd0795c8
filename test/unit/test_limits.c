/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Wear and power: what the bank lets through of a policy's commands. */
#include "bank_support.h"

static const int32_t TWO[] = {0, 15000};
static const int32_t THREE[] = {0, 6000, 15000};
#define SPIN_UP 10.9 /* s, 0 to 15000 rpm */

static struct lab *lab_limited(const char *policy, uint32_t ndisks, const int32_t *speed,
                               uint32_t nlevels, uint32_t level, struct siox_limits limits) {
  uint32_t initial[MAX_DISKS];
  for (uint32_t d = 0; d < ndisks; d++)
    initial[d] = level;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, speed, nlevels);
  lab->limits = limits;
  lab_start(lab, policy, ndisks, initial, 1000);
  return lab;
}
static struct siox_disk_totals sums(struct lab *lab) {
  struct siox_disk_totals t;
  siox_bank_totals(lab->bank, &t);
  return t;
}

static void what_a_level_wears(void **state) {
  (void)state;
  static const int32_t speeds[] = {0, 1, 2, 15000};
  struct siox_drive d;
  make_drive(&d, speeds, 4);
  d.level[1].serves = false;
  assert_int_equal(siox_drive_wear(&d, 0), SIOX_WEAR_START);
  assert_int_equal(siox_drive_wear(&d, 1), SIOX_WEAR_LOAD);
  assert_int_equal(siox_drive_wear(&d, 2), SIOX_WEAR_NONE);
  assert_int_equal(siox_drive_wear(&d, 3), SIOX_WEAR_NONE);
  make_table(&d); /* flash: nothing moves */
  for (uint32_t l = 0; l < 4; l++)
    d.level[l].rotation_ns = 0;
  assert_int_equal(siox_drive_wear(&d, 0), SIOX_WEAR_NONE);
  d.load_unload_per_day = 1;
  assert_int_equal(siox_drive_wear(&d, 1), SIOX_WEAR_LOAD);
}

/* A twin of the wear budget, as a bucket of tokens. */
struct bucket {
  double tokens, most, at;
};
static bool bucket_take(struct bucket *b, double at) {
  b->tokens = fmin(b->most, b->tokens + (at - b->at) * b->most / 86400);
  b->at = at;
  if (b->tokens < 1)
    return false;
  b->tokens--;
  return true;
}

static void slow_downs_stay_within_the_days_budget(void **state) {
  (void)state;
  static const struct {
    double own, given, scale, budget; /* starts a day: of the drive, of the settings; what counts */
  } cases[] = {{0, 27, 1, 27}, {0, 27, 1, 27}, {5, 27, 1, 5}, {40, 27, 1, 40}, {0, 3, 1, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct lab *lab = calloc(1, sizeof *lab);
    make_drive(&lab->drive, TWO, 2);
    lab->drive.start_stop_per_day = cases[i].own;
    lab->limits = (struct siox_limits){.wear = true, .start_stop_per_day = cases[i].given};
    lab_start(lab, "timeout:1", 1, NULL, 0);
    uint32_t a = lab_join(lab, "A");
    struct bucket twin = {cases[i].budget, cases[i].budget, 0};
    uint64_t random = i + 1, slept = 0, refused = 0;
    double idle_from = 0;
    for (int gap = 0; gap < 500; gap++) {
      bool sleeps = bucket_take(&twin, idle_from + 1);
      slept += sleeps;
      refused += !sleeps;
      double at = idle_from + 20 + (double)test_below(&random, 2000) * 1.2345;
      assert_int_equal(lab_speed(lab, at, 0), sleeps ? 0 : 15000);
      struct siox_service s = lab_read(lab, at, a, 64 * KB); /* a speed-up is never refused */
      assert_int_equal(s.transition_ns, sleeps ? ns(SPIN_UP) : 0);
      idle_from = (double)siox_bank_view(lab->bank)->disk[0].free_at * 1e-9;
    }
    assert_int_equal(sums(lab).worn[SIOX_WEAR_START], slept);
    assert_int_equal(sums(lab).refused_wear, refused);
    assert_true(refused > 0 && slept >= (uint64_t)cases[i].budget);
    lab_close(lab);
  }
}

static void a_days_budget_is_the_drives_own_day(void **state) {
  (void)state;
  /* Ten times as fast: 2 a day are 20 a wall day, 2 at once and one every 4320 s. */
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, TWO, 2);
  lab->drive.time_scale = 10;
  lab->limits = (struct siox_limits){.wear = true, .start_stop_per_day = 2};
  lab_start(lab, "timeout:1", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  static const double at[] = {100, 200, 4300, 4400};
  static const int32_t speed[] = {0, 0, 15000, 0};
  for (int i = 0; i < 4; i++) {
    if (i == 3)
      lab_read(lab, 4325, a, 64 * KB); /* the next gap; the first slow-down was at 1 s */
    assert_int_equal(lab_speed(lab, at[i], 0), speed[i]);
    if (i < 2)
      lab_read(lab, at[i], a, 64 * KB);
  }
  lab_close(lab);
}

static void wear_goes_on_in_a_new_bank(void **state) {
  (void)state;
  /* 4 a day: after two at once, a bank that goes on where they ended has as many left. */
  struct lab *lab = calloc(1, sizeof *lab), *next = calloc(1, sizeof *next);
  double a_day, left;
  make_drive(&lab->drive, TWO, 2);
  lab->limits = next->limits = (struct siox_limits){.wear = true, .start_stop_per_day = 4};
  lab_start(lab, "timeout:1", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  for (int i = 1; i <= 2; i++)
    lab_read(lab, i * 100.0, a, 64 * KB);
  assert_int_equal(siox_bank_worn(lab->bank), 4); /* a stopped spindle has unloaded its heads */
  int64_t ahead = siox_bank_wear_ahead(lab->bank, 0, SIOX_WEAR_START);
  assert_int_equal(ahead, ns(1 + 2 * 21600.0 - 200)); /* the first at 1 s, now it is 200 s */
  make_drive(&next->drive, TWO, 2);
  lab_start(next, "timeout:1", 1, NULL, 0);
  assert_int_equal(siox_bank_wear_resume(next->bank, 0, SIOX_WEAR_START, ahead), 0);
  assert_true(siox_bank_wear(next->bank, 0, SIOX_WEAR_START, &a_day, &left));
  assert_true(a_day == 4 && left == 2);
  assert_int_equal(siox_bank_wear_resume(next->bank, 0, SIOX_WEAR_START, INT64_MAX), 0);
  assert_true(siox_bank_wear(next->bank, 0, SIOX_WEAR_START, &a_day, &left) && left == 0);
  assert_int_equal(lab_speed(next, 100, 0), 15000); /* none is left */
  assert_int_equal(siox_bank_wear_resume(next->bank, 1, SIOX_WEAR_START, 1), SIOX_EINVAL);
  lab_close(lab);
  lab_close(next);
}

/* One start in more years than ns can count: the first, and no other. */
static void the_smallest_budget_has_one_slow_down(void **state) {
  (void)state;
  struct lab *lab = calloc(1, sizeof *lab);
  make_drive(&lab->drive, TWO, 2);
  lab->limits = (struct siox_limits){.wear = true, .start_stop_per_day = 1e-300};
  lab_start(lab, "timeout:1", 1, NULL, 0);
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(lab_speed(lab, 100, 0), 0);
  for (int i = 1; i < 4; i++) {
    lab_read(lab, 1e6 * i, a, 64 * KB);
    assert_int_equal(lab_speed(lab, 1e6 * i + 1000, 0), 15000);
  }
  assert_int_equal(sums(lab).worn[SIOX_WEAR_START], 1);
  lab_close(lab);
}

static void without_limits_nothing_is_refused(void **state) {
  (void)state;
  struct lab *lab = lab_limited("timeout:1", 1, TWO, 2, 1, (struct siox_limits){0});
  uint32_t a = lab_join(lab, "A");
  for (int i = 1; i <= 100; i++) {
    assert_int_equal(lab_speed(lab, 100 * i, 0), 0);
    lab_read(lab, 100 * i, a, 64 * KB);
  }
  assert_int_equal(sums(lab).refused_wear, 0);
  lab_close(lab);
}

static void a_refused_level_gives_way_to_the_next_that_is_allowed(void **state) {
  (void)state;
  struct siox_limits limits = {.wear = true, .start_stop_per_day = 1};
  struct lab *lab = lab_limited("timeout:1", 1, THREE, 3, 2, limits);
  uint32_t a = lab_join(lab, "A");
  assert_int_equal(lab_speed(lab, 100, 0), 0);
  lab_read(lab, 100, a, 64 * KB);
  assert_int_equal(lab_speed(lab, 200, 0), 6000); /* serves: wears nothing */
  assert_int_equal(sums(lab).refused_wear, 1);
  assert_int_equal(sums(lab).worn[SIOX_WEAR_START], 1);
  assert_int_equal(sums(lab).worn[SIOX_WEAR_LOAD], 1); /* stopping unloads too */
  lab_close(lab);
}

/* Four sleeping disks; budget for two spin-ups at once. */
static double spin_up_w(void) { return ramp_j(0, 15000) / SPIN_UP; }
static struct siox_limits power(double disks, uint32_t group, uint32_t array, double wait) {
  return (struct siox_limits){.inrush_w = disks * spin_up_w(),
                              .power_group = group,
                              .array = array,
                              .inrush_wait_ns = ns(wait)};
}
static double up_from(struct lab *lab, uint32_t disk) {
  const struct siox_disk_view *v = &siox_bank_view(lab->bank)->disk[disk];
  return (double)v->move_start * 1e-9;
}

static void speed_ups_wait_for_power_earliest_need_first(void **state) {
  (void)state;
  static const int32_t speeds[] = {6000, 15000};
  struct siox_limits limits = {.inrush_w = 2 * ramp_j(6000, 15000) / 6.54,
                               .inrush_wait_ns = ns(100)};
  struct lab *lab = lab_limited("siox", 4, speeds, 2, 0, limits);
  uint32_t a = lab_join(lab, "A");
  /* all must start at once at 10 - ...: disk 3 first, then 2; needs of 0 and 1 are later by 1 and 2
   * ms, so theirs come when the first two are done */
  lab_hint(lab, 1, a, "0001", 0, 0, 50, 0);
  lab_hint(lab, 1, a, "0010", 0, 0, 50.001, 0);
  lab_hint(lab, 1, a, "1000", 0, 0, 50.002, 0);
  lab_hint(lab, 1, a, "0100", 0, 0, 50.003, 0);
  siox_bank_advance(lab->bank, ns(80));
  double up = 6.54;
  near(up_from(lab, 3), 50 - up);
  near(up_from(lab, 2), 50.001 - up);
  near(up_from(lab, 0), 50);
  near(up_from(lab, 1), 50.001);
  assert_int_equal(sums(lab).delayed, 2);
  assert_int_equal(sums(lab).overdue, 0);
  assert_int_equal(sums(lab).worst_delay_ns, ns(up - 0.002));
  assert_int_equal(sums(lab).transitions_up, 4); /* none is refused */
  lab_check(lab);
  lab_close(lab);
}

static void no_speed_up_waits_longer_than_stated(void **state) {
  (void)state;
  static const int32_t speeds[] = {6000, 15000};
  struct siox_limits limits = {.inrush_w = ramp_j(6000, 15000) / 6.54, .inrush_wait_ns = ns(2)};
  struct lab *lab = lab_limited("claims", 4, speeds, 2, 0, limits);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1111", 15000, 1, 0, 0);
  siox_bank_advance(lab->bank, ns(20));
  near(up_from(lab, 0), 1);
  for (uint32_t d = 1; d < 4; d++)
    near(up_from(lab, d), 3);
  assert_int_equal(sums(lab).overdue, 3);
  lab_close(lab);
}

static void groups_have_a_budget_each(void **state) {
  (void)state;
  static const int32_t speeds[] = {6000, 15000};
  struct siox_limits limits = {
      .inrush_w = ramp_j(6000, 15000) / 6.54, .power_group = 2, .inrush_wait_ns = ns(100)};
  struct lab *lab = lab_limited("claims", 4, speeds, 2, 0, limits);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "1111", 15000, 1, 0, 0);
  siox_bank_advance(lab->bank, ns(40));
  near(up_from(lab, 0), 1);
  near(up_from(lab, 1), 1 + 6.54);
  near(up_from(lab, 2), 1);
  near(up_from(lab, 3), 1 + 6.54);
  lab_close(lab);
}

static void an_arrays_members_wake_together(void **state) {
  (void)state;
  /* one request over six sleeping disks, arrays of three, power for four: 3 and then 3 */
  struct lab *lab = lab_limited("timeout:1000", 6, TWO, 2, 0, power(4, 6, 3, 100));
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, 6, 0, 6, 64 * KB), 0);
  uint32_t a = lab_join(lab, "A");
  struct siox_service s = lab_read_at(lab, 5, a, 0, 6 * 64 * KB);
  for (uint32_t d = 0; d < 3; d++)
    near(up_from(lab, d), 5);
  for (uint32_t d = 3; d < 6; d++)
    near(up_from(lab, d), 5 + SPIN_UP);
  assert_int_equal(s.completion, ns(5) + 2 * ns(SPIN_UP) + ns(service_s(15000, 64 * KB, false)));
  assert_int_equal(sums(lab).delayed, 3);
  siox_bank_finish(lab->bank, ns(60));
  lab_check(lab);
  lab_close(lab);
}

static void an_array_larger_than_the_budget_wakes_alone(void **state) {
  (void)state;
  struct lab *lab = lab_limited("timeout:1000", 4, TWO, 2, 0, power(1, 4, 2, 100));
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, 4, 0, 4, 64 * KB), 0);
  uint32_t a = lab_join(lab, "A");
  lab_read_at(lab, 5, a, 0, 4 * 64 * KB);
  near(up_from(lab, 1), 5);
  near(up_from(lab, 2), 5 + SPIN_UP);
  near(up_from(lab, 3), 5 + SPIN_UP);
  lab_close(lab);
}

static void a_need_taken_back_waits_no_longer(void **state) {
  (void)state;
  static const int32_t speeds[] = {6000, 15000};
  struct siox_limits limits = {.inrush_w = ramp_j(6000, 15000) / 6.54, .inrush_wait_ns = ns(100)};
  struct lab *lab = lab_limited("claims", 2, speeds, 2, 0, limits);
  uint32_t a = lab_join(lab, "A");
  lab_hint(lab, 1, a, "11", 15000, 1, 0, 0);
  assert_int_equal(siox_bank_view(lab->bank)->disk[1].target, 1);
  assert_int_equal(siox_bank_view(lab->bank)->disk[1].level, 0);
  lab_hint(lab, 2, a, "01", 6000, 0, 0, 0);
  assert_int_equal(lab_speed(lab, 100, 1), 6000);
  assert_int_equal(lab_disk(lab, 1).transitions_up, 0);
  assert_int_equal(lab_speed(lab, 100, 0), 15000);
  lab_close(lab);
}

static void limits_that_are_none_are_refused(void **state) {
  (void)state;
  static const struct siox_limits bad[] = {{.early = 1.5},
                                           {.early = NAN},
                                           {.user_share = -1},
                                           {.start_stop_per_day = -1},
                                           {.delay_budget = 2},
                                           {.inrush_w = INFINITY},
                                           {.inrush_w = 1, .inrush_wait_ns = -1},
                                           {.inrush_w = 1, .power_group = 4, .array = 3}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct siox_drive drive;
    make_drive(&drive, TWO, 2);
    const struct siox_drive *drives[] = {&drive, &drive, &drive, &drive, &drive, &drive};
    struct siox_bank *bank = NULL;
    struct siox_bank_options o = {.ndisks = 6, .drive = drives, .policy = "siox", .limits = bad[i]};
    assert_int_equal(siox_bank_create(&bank, &o), SIOX_EINVAL);
    assert_null(bank);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_level_wears),
      cmocka_unit_test(wear_goes_on_in_a_new_bank),
      cmocka_unit_test(slow_downs_stay_within_the_days_budget),
      cmocka_unit_test(a_days_budget_is_the_drives_own_day),
      cmocka_unit_test(the_smallest_budget_has_one_slow_down),
      cmocka_unit_test(without_limits_nothing_is_refused),
      cmocka_unit_test(a_refused_level_gives_way_to_the_next_that_is_allowed),
      cmocka_unit_test(speed_ups_wait_for_power_earliest_need_first),
      cmocka_unit_test(no_speed_up_waits_longer_than_stated),
      cmocka_unit_test(groups_have_a_budget_each),
      cmocka_unit_test(an_arrays_members_wake_together),
      cmocka_unit_test(an_array_larger_than_the_budget_wakes_alone),
      cmocka_unit_test(a_need_taken_back_waits_no_longer),
      cmocka_unit_test(limits_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
