/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Claims with F = 1 that are kept by what their client does on other disks of them: who goes over
 * its disks, one after the other, loses none that it has not come to for longer than `hold`. */
#include "arbiter/claims.h"
#include "bank_support.h"

enum { DISKS = 8 };
static const char ALL[] = "11111111";

/* A file whose stripes lie on all disks in turn. */
static struct lab *striped(const char *policy) {
  struct lab *lab = lab_open(policy, DISKS);
  siox_layout_free(&lab->layout);
  assert_int_equal(siox_layout_triplet(&lab->layout, DISKS, 0, DISKS, 64 * KB), 0);
  return lab;
}

static double hold(const struct lab *lab) {
  return (double)siox_bank_view(lab->bank)->hold[0] / 1e9;
}

static void read_on(struct lab *lab, double at, uint32_t client, uint32_t disk) {
  static int64_t row;
  row = (row + 1000) % (INT64_C(1) << 20);
  lab_read_at(lab, at, client, (row * DISKS + disk) * 64 * KB, 4 * KB);
}

/* Goes over so many disks, 0.4 hold each, in which it reads twice; where it would go on. */
static double walk(struct lab *lab, double at, uint32_t client, uint32_t steps) {
  for (uint32_t i = 0; i < steps; i++, at += 0.4 * hold(lab)) {
    read_on(lab, at, client, i % DISKS);
    read_on(lab, at + 0.2 * hold(lab), client, i % DISKS);
  }
  return at;
}

static double stay(struct lab *lab, double at, uint32_t client, uint32_t disk, double holds) {
  for (double end = at + holds * hold(lab); at < end; at += 0.3 * hold(lab))
    read_on(lab, at, client, disk);
  return at;
}

static void assert_falls_at(struct lab *lab, double at, uint32_t disk) {
  assert_int_equal(lab_speed(lab, at - 1e-3, disk), 15000);
  assert_int_equal(lab_speed(lab, at + 1e-3, disk), 6000);
}

/* btio in small: 3.2 hold for one round. */
static void who_goes_over_its_disks_loses_none(void **state) {
  (void)state;
  static const char *const policy[] = {"siox", "claims"};
  for (int p = 0; p < 2; p++) {
    struct lab *lab = striped(policy[p]);
    uint32_t a = lab_join(lab, "a");
    lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
    walk(lab, 2, a, 3 * DISKS);
    assert_int_equal(lab_job(lab, 0).missed, 0);
    for (uint32_t d = 0; d < DISKS; d++)
      assert_int_equal(lab_disk(lab, d).transitions_down, 0);
    lab_close(lab);
  }
}

static void the_joules_meanwhile_are_its_own(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  double at = walk(lab, 2, a, 2 * DISKS);
  assert_int_equal(siox_bank_leave(lab->bank, ns(at), a), 0);
  near(lab_job_joules(lab, SIOX_NOBODY), DISKS * idle_w(15000)); /* until it came */
  lab_check(lab);
  lab_close(lab);
}

static void when_it_does_no_io_any_more_they_fall_after_hold(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  double last = walk(lab, 2, a, 5) - 0.2 * hold(lab);
  assert_falls_at(lab, last + hold(lab), 7);
  assert_int_equal(lab_speed(lab, last + hold(lab) + 1e-3, 0), 6000);
  lab_close(lab);
}

/* A log: it would keep seven disks for nothing. */
static void who_stays_on_one_disk_keeps_the_others_for_hold(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  stay(lab, 2, a, 0, 0.9);
  assert_falls_at(lab, 2 + hold(lab), 1);
  double end = stay(lab, 2 + 1.1 * hold(lab), a, 0, 5);
  assert_int_equal(lab_speed(lab, end, 0), 15000);
  assert_int_equal(lab_job(lab, 0).missed, 0);
  lab_close(lab);
}

/* The disks fall so many times hold after it went on last. */
static void after_moves(uint32_t moves, int holds) {
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  double moved = walk(lab, 2, a, moves) - 0.4 * hold(lab);
  stay(lab, moved + 0.4 * hold(lab), a, moves - 1, holds - 0.5);
  assert_falls_at(lab, moved + holds * hold(lab), 7);
  lab_close(lab);
}

static void each_move_allows_another_hold_of_staying_up_to_four(void **state) {
  (void)state;
  after_moves(1, 1);
  after_moves(2, 2);
  after_moves(3, 3);
  after_moves(4, 4);
  after_moves(6, 4);
}

/* What has been used in this round is nothing new before all have been. */
static void to_and_fro_between_two_disks_is_not_going_on(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  double moved = 2 + 0.1 * hold(lab);
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  for (int i = 0; i < 19; i++)
    read_on(lab, 2 + 0.1 * i * hold(lab), a, (uint32_t)i % 2);
  assert_falls_at(lab, moved + 2 * hold(lab), 7);
  lab_close(lab);
}

static void in_a_collective_io_counts_for_every_member(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a"), aggregator = lab_join(lab, "a"), members[] = {a, aggregator};
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  struct siox_request r = {.client = aggregator,
                           .file = 1,
                           .layout = &lab->layout,
                           .bytes = 4 * KB,
                           .members = members,
                           .nmembers = 2};
  for (int i = 0; i < 2 * DISKS; i++) {
    struct siox_service service;
    r.arrival = ns(2 + 0.4 * i * hold(lab));
    r.offset = 64 * KB * i;
    assert_int_equal(siox_bank_access(lab->bank, &r, &service), 0);
    assert_false(service.missed);
  }
  for (uint32_t d = 0; d < DISKS; d++)
    assert_int_equal(lab_disk(lab, d).transitions_down, 0);
  lab_close(lab);
}

static void another_claim_of_the_client_is_not_kept(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  lab_hint(lab, 1, a, "11110000", SIOX_SPEED_FULL, 1, 0, 0);
  lab_hint(lab, 1, a, "00001111", SIOX_SPEED_FULL, 1, 0, 0);
  walk(lab, 2, a, 2);
  assert_falls_at(lab, 1 + hold(lab), 4);
  assert_int_equal(lab_speed(lab, 1 + hold(lab) + 1e-3, 3), 15000);
  lab_close(lab);
}

static void another_client_does_not_keep_it(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a"), b = lab_join(lab, "b");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  lab_hint(lab, 1, b, "11110000", SIOX_SPEED_FULL, 1, 0, 0);
  walk(lab, 2, b, 2);
  assert_falls_at(lab, 1 + hold(lab), 4);
  lab_close(lab);
}

/* On disk 0 others have kept it in force; what has ended elsewhere does not come back for that. */
static void what_has_decayed_stays_so(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a"), b = lab_join(lab, "b");
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, 0);
  stay(lab, 2, b, 0, 1.4);
  read_on(lab, 1 + 1.5 * hold(lab), a, 0);
  assert_int_equal(lab_job(lab, 0).missed, 0);
  assert_int_equal(lab_speed(lab, 1.6 * hold(lab), 1), 6000);
  read_on(lab, 1.7 * hold(lab), a, 1);
  assert_int_equal(lab_job(lab, 0).missed, 1);
  lab_close(lab);
}

static void until_ends_it_nevertheless(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  double until = 2 * hold(lab);
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, 0, until);
  walk(lab, 2, a, 4);
  assert_falls_at(lab, until, 7);
  lab_close(lab);
}

static void it_begins_with_need_by(void **state) {
  (void)state;
  struct lab *lab = striped("siox");
  uint32_t a = lab_join(lab, "a");
  double need_by = 3 * hold(lab);
  lab_hint(lab, 1, a, ALL, SIOX_SPEED_FULL, 1, need_by, 0);
  double last = walk(lab, need_by + 1, a, 4) - 0.2 * hold(lab);
  assert_int_equal(lab_job(lab, 0).missed, 0);
  assert_falls_at(lab, last + hold(lab), 7);
  lab_close(lab);
}

static void where_disks_have_different_hold_the_least_counts(void **state) {
  (void)state;
  static const int64_t holds[] = {100, 10};
  struct siox_claim_header head = {.nruns = 1, .time = 1};
  struct siox_claim_run run = {.count = 2, .flag = 1, .until = SIOX_NEVER};
  struct siox_claim_use *use = siox__use_create(&head, &run, holds);
  assert_non_null(use);
  assert_int_equal(use->kept, 1);
  siox__use_note(use, 0, false, 10);
  assert_int_equal(use->kept, 10);
  siox__use_note(use, 0, true, 20); /* on disk 1 it has ended */
  assert_int_equal(use->kept, 10);
  free(use);
}

static void of_many_disks_neighbours_count_as_one(void **state) {
  (void)state;
  static int64_t holds[1000];
  for (int d = 0; d < 1000; d++)
    holds[d] = 100;
  struct siox_claim_header head = {.nruns = 1, .time = 1};
  struct siox_claim_run run = {.first = 100, .count = 640, .flag = 1, .until = SIOX_NEVER};
  struct siox_claim_use *use = siox__use_create(&head, &run, holds);
  assert_non_null(use);
  static const uint32_t disk[] = {109, 100, 110, 739, 730}, moves[] = {1, 1, 2, 3, 3};
  for (int i = 0; i < 5; i++) {
    siox__use_note(use, disk[i], false, 2 + i);
    assert_int_equal(use->moves, moves[i]);
  }
  free(use);
}

/* A client may say as much as it likes. */
static void no_more_is_remembered_than_there_are_entries(void **state) {
  (void)state;
  static const int64_t holds[DISKS];
  struct siox_claims *claims;
  assert_int_equal(siox_claims_create(&claims, DISKS), 0);
  siox__claims_follow(claims, holds);
  uint64_t random = 1;
  for (uint64_t i = 1; i <= 1000; i++) {
    struct siox_claim_header head = {.version = SIOX_CLAIM_VERSION, .nruns = 1, .seq = i};
    head.flags = test_below(&random, 4) == 0 ? SIOX_CLAIM_WHOLE : 0;
    head.seq -= test_below(&random, 4); /* some come late */
    struct siox_claim_run run = {.first = (uint32_t)test_below(&random, DISKS), .count = 1};
    run.count += (uint32_t)test_below(&random, DISKS - run.first);
    run.flag = (int32_t)test_below(&random, 2);
    run.until = SIOX_NEVER;
    assert_int_equal(siox_claims_apply(claims, 3, 0, &head, &run, NULL), 0);
    uint32_t wanted = 0, kept = 0;
    for (uint32_t d = 0; d < DISKS; d++) {
      struct siox_claim_entry e = siox_claims_get(claims, 3, d);
      assert_int_equal(e.use != NULL, e.flag == 1);
      bool seen = false;
      for (uint32_t f = 0; f < d; f++)
        seen |= siox_claims_get(claims, 3, f).use == e.use;
      wanted += e.use && !seen;
      uint32_t from_here = 0; /* the first of them has all others behind it */
      for (const struct siox_claim_use *use = e.use; use; use = use->next)
        from_here++;
      kept = from_here > kept ? from_here : kept;
    }
    assert_int_equal(kept, wanted);
  }
  siox_claims_destroy(claims);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_goes_over_its_disks_loses_none),
      cmocka_unit_test(the_joules_meanwhile_are_its_own),
      cmocka_unit_test(when_it_does_no_io_any_more_they_fall_after_hold),
      cmocka_unit_test(who_stays_on_one_disk_keeps_the_others_for_hold),
      cmocka_unit_test(each_move_allows_another_hold_of_staying_up_to_four),
      cmocka_unit_test(to_and_fro_between_two_disks_is_not_going_on),
      cmocka_unit_test(in_a_collective_io_counts_for_every_member),
      cmocka_unit_test(another_claim_of_the_client_is_not_kept),
      cmocka_unit_test(another_client_does_not_keep_it),
      cmocka_unit_test(what_has_decayed_stays_so),
      cmocka_unit_test(until_ends_it_nevertheless),
      cmocka_unit_test(it_begins_with_need_by),
      cmocka_unit_test(where_disks_have_different_hold_the_least_counts),
      cmocka_unit_test(of_many_disks_neighbours_count_as_one),
      cmocka_unit_test(no_more_is_remembered_than_there_are_entries),
  };
  return cmocka_run_group_tests_name("kept", tests, NULL, NULL);
}
