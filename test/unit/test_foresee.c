/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints said anew for files that lie elsewhere: what a process says of which disk, and when it
 * would need it. Four disks; files 1 and 3 were recorded on disks 0 and 1, file 2 on 2 and 3; now
 * files 2 and 3 lie alike. Times are seconds. */
#include "energy/replay_foresee.h"
#include "siox/sim.h"
#include "trace_support.h"

#define SEC INT64_C(1000000000)
enum { NDISKS = 4, NOW = -1, UNKNOWN = 0 };

static struct siox_drive drive;
static const struct siox_drive *const drives[NDISKS] = {&drive, &drive, &drive, &drive};
static const uint32_t full[NDISKS] = {2, 2, 2, 2};
static struct siox_trace_writer *writer;
static struct siox__index index_of;
static struct siox__foresight *foresight;

static void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}

static void begin(const char *policy, uint32_t nclients) {
  drive = test_drive();
  struct siox_trace_header h = test_header(0, NDISKS, drives, full, policy);
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  for (uint64_t file = 1; file <= 3; file++) {
    static const char *const path[] = {"/d/one", "/d/two", "/d/three"};
    e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
    e.u.file = (__typeof__(e.u.file)){file, path[file - 1], file == 2 ? "2:2:1M" : "0:2:1M"};
    put(&e);
  }
  test_join_all(writer, nclients, 0);
}

/* 4 MiB of a file, which is all of its disks. */
static int64_t offset;
static void io_of(uint32_t client, int64_t at, uint64_t file, uint64_t collective) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = client, .thread = 1};
  e.u.io.arrival = at * SEC;
  e.u.io.completion = at * SEC + SEC / 10;
  e.u.io.file = file;
  e.u.io.offset = offset;
  e.u.io.bytes = 4 << 20;
  e.u.io.coll_uid = collective;
  e.u.io.coll_seq = collective;
  put(&e);
}
static void io(int64_t at, uint64_t file) { io_of(0, at, file, 0); }
static void io_at(int64_t at, uint64_t file, int64_t where) {
  offset = where;
  io(at, file);
  offset = 0;
}
static void call(uint32_t client, int64_t at, int64_t to, uint64_t collective) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_CALL, .client = client, .thread = 1};
  e.u.call.start = at * SEC;
  e.u.call.end = to * SEC;
  e.u.call.coll_uid = e.u.call.coll_seq = collective;
  put(&e);
}

/* F = 0 with a time for each disk (UNKNOWN: none), F = 1 where it is NOW; disks of equal time
 * together. */
static void hint_of(uint32_t client, int64_t at, bool predicted, const int64_t *when) {
  struct siox_claim_run run[NDISKS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < NDISKS; d++)
    run[n++] = (struct siox_claim_run){d,
                                       1,
                                       when[d] == NOW ? SIOX_SPEED_FULL : SIOX_SPEED_LOWEST,
                                       when[d] == NOW,
                                       when[d] == NOW ? 0 : when[d] * SEC,
                                       SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .client = client, .thread = 1};
  static uint64_t seq;
  e.u.hint.time = at * SEC;
  e.u.hint.head = (struct siox_claim_header){
      SIOX_CLAIM_VERSION, predicted ? SIOX_CLAIM_PREDICTED : 0, n, ++seq, at * SEC, 0};
  e.u.hint.runs = run;
  put(&e);
}
#define HINT(at, predicted, ...) hint_of(0, at, predicted, (const int64_t[]){__VA_ARGS__})
/* By hand, of the first or the last two disks alone. */
static void hint_two(int64_t at, uint32_t first, int64_t when) {
  struct siox_claim_run run = {first, 2, SIOX_SPEED_LOWEST, 0, when * SEC, SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  e.u.hint.time = at * SEC;
  e.u.hint.head =
      (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, 900 + (uint64_t)at, at * SEC, 0};
  e.u.hint.runs = &run;
  put(&e);
}

static const char *const *places;
static int place(void *context, const char *path, struct siox_layout *out, struct siox_diag *diag) {
  (void)context;
  (void)diag;
  assert_int_equal(siox_layout_parse(out, NDISKS, places[strcmp(path, "/d/one") != 0]), 0);
  return 1;
}

/* Ends the recording; the files lie so now. */
static void foresee(const char *one, const char *two) {
  struct siox_diag diag = {""};
  assert_int_equal(siox_trace_close(writer), 0);
  places = (const char *const[]){one, two};
  assert_int_equal(
      siox__index_load(&index_of, test_path("a.siox"),
                       &(struct siox__index_options){.ndisks = NDISKS, .layout = place}, &diag),
      0);
  assert_int_equal(siox__foresight_load(&foresight, &index_of, test_path("a.siox")), 0);
  assert_int_equal(siox__foresight_place(foresight, &index_of), 0);
}
static void forget(void) {
  siox__foresight_free(foresight);
  siox__index_unload(&index_of);
}

/* What a client says at its hint number `which`: "0+2 F0 20.000" and so on; "" nothing. */
static void expect_said(uint32_t client, uint32_t which, const char *text) {
  char have[256] = "";
  struct siox__hint *h;
  const struct siox__saying *s = &foresight->seer[client].saying[which];
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT};
  e.u.hint.time = s->time;
  assert_int_equal(siox__foresight_hint(foresight, client, s->event, &e, &h), 0);
  for (uint32_t i = 0, n = 0; h && i < h->head.nruns; i++)
    n += (uint32_t)snprintf(have + n, sizeof have - n, "%s%u+%u F%d %.3f", i ? ", " : "",
                            h->run[i].first, h->run[i].count, h->run[i].flag,
                            (double)h->run[i].need_by / (double)SEC);
  free(h);
  assert_string_equal(have, text);
}

static void a_hint_goes_with_the_file(void **state) {
  (void)state;
  begin("siox", 1);
  io(1, 1);
  HINT(2, true, 20, 20, 30, 30);
  io(20, 1);
  io(30, 2);
  foresee("2:2:1M", "0:2:1M");
  expect_said(0, 0, "0+2 F0 30.000, 2+2 F0 20.000");
  forget();
}

static void disks_that_two_files_share_are_needed_for_the_sooner_one(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(2, true, 20, 20, 30, 30);
  io(20, 1);
  io(30, 2);
  foresee("0:2:1M", "1:2:1M");
  expect_said(0, 0,
              "0+2 F0 20.000, 2+1 F0 30.000"); /* disk 3: that it knows no end of was never shown */
  forget();
}

static void a_disk_not_used_again_is_released_by_who_knew_such(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(2, true, 20, 20, 30, 30);
  io(20, 1);
  io(30, 2);
  HINT(31, true, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
  foresee("0:2:1M", "1:2:1M");
  expect_said(0, 0, "0+2 F0 20.000, 2+1 F0 30.000, 3+1 F0 0.000");
  expect_said(0, 1, "0+4 F0 0.000");
  forget();
}

static void a_prediction_stays_as_wrong_as_it_was(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(10, true, 19, 19, 50, 50); /* a tenth of 10 s too early; a quarter of 40 s too late */
  io(20, 1);
  io(40, 2); /* of 30 s */
  foresee("0:4:1M", "0:4:1M");
  expect_said(0, 0, "0+4 F0 19.000");
  forget();
  begin("siox", 1);
  HINT(10, true, 19, 19, 19, 19);
  io(20, 1);
  io(20, 2);
  io(21, 2);
  HINT(22, true, 42, 42, 42, 42);
  io(42, 1);
  io(42, 2);
  foresee("0:2:1M", "2:2:1M");
  expect_said(0, 0, "0+4 F0 19.000");
  forget();
}

static void a_use_that_nothing_was_said_of_is_as_wrong_as_the_nearest(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(0, true, 8, 8, 8, 8); /* of the use at 10: a fifth too early */
  io(10, 1);
  io(10, 2);
  HINT(11, true, 91, 91, 91, 91);
  io(91, 1);
  io(91, 2);
  HINT(92, true, 108, 108, 112, 112); /* 20 too early by 4; and right */
  io(112, 1);
  io(112, 2);
  foresee("0:1:1M", "0:1:1M");
  expect_said(0, 0, "0+1 F0 8.000");
  forget();
  begin("siox", 1);
  HINT(0, true, 8, 8, 80, 80); /* both by a fifth */
  io(10, 1);
  io(100, 2);
  io(100, 1);
  foresee("0:1:1M", "1:1:1M");
  expect_said(0, 0, "0+1 F0 8.000, 1+1 F0 80.000");
  forget();
}

/* File 1 at 10, 20, 30 and, elsewhere in it, at 60; 40 s before that is named as 9 if `misjudged`.
 */
static void look_far(bool misjudged) {
  begin("siox", 1);
  HINT(0, true, 10, 10, UNKNOWN, UNKNOWN);
  io(10, 1);
  HINT(11, true, 20, 20, UNKNOWN, UNKNOWN);
  io(20, 1);
  HINT(21, true, 30, 30, UNKNOWN, UNKNOWN);
  io(30, 1);
  io_at(60, 1, INT64_C(1) << 30);
  if (misjudged) {
    HINT(61, true, 70, 70, UNKNOWN, UNKNOWN);
    io(100, 1);
  }
  foresee("0:2:1G", "2:2:1M");
}
static void who_never_misjudged_a_gap_sees_farther_than_it_had_to(void **state) {
  (void)state;
  look_far(false);
  expect_said(0, 0, "0+1 F0 10.000, 1+1 F0 60.000, 2+2 F0 0.000");
  expect_said(0, 2, "0+1 F0 30.000, 2+2 F0 0.000"); /* of disk 1 that is in force */
  forget();
}
static void who_misjudged_a_gap_sees_no_farther_than_it_ever_did(void **state) {
  (void)state;
  look_far(true); /* 39 s as 9; 10 s rightly */
  expect_said(0, 2, "0+1 F0 30.000, 1+1 F0 31.000, 2+2 F0 0.000");
  forget();
}

static void a_claim_is_for_the_same_uses(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(2, true, 20, 20, 30, 30);
  HINT(18, true, NOW, NOW, 30, 30);
  io(18, 1);
  io(30, 2);
  foresee("2:2:1M", "0:2:1M");
  expect_said(0, 1, "0+2 F0 30.000, 2+2 F1 0.000");
  forget();
}

/* Both files on disks 0 and 1 when recorded. */
static void record_on_the_same_disks(void) {
  begin("siox", 1);
  HINT(2, true, NOW, NOW, UNKNOWN, UNKNOWN);
  io(10, 1);
  io(11, 3);
  io(12, 1);
  HINT(13, true, 40, 40, UNKNOWN, UNKNOWN);
}
static void a_use_that_a_claim_for_another_held_is_claimed(void **state) {
  (void)state;
  record_on_the_same_disks();
  HINT(39, true, NOW, NOW, UNKNOWN, UNKNOWN);
  io(40, 1);
  io(41, 3);
  foresee("0:2:1M", "2:2:1M");
  expect_said(0, 0, "0+4 F1 0.000");
  expect_said(0, 1, "0+2 F0 40.000, 2+2 F0 41.000");
  expect_said(0, 2, "0+4 F1 0.000");
  forget();
}
static void a_claim_that_holds_already_is_not_said_again(void **state) {
  (void)state;
  begin("siox", 1);
  HINT(2, true, NOW, NOW, UNKNOWN, UNKNOWN);
  io(10, 1);
  hint_two(20, 2, 40);
  io(30, 3);
  io(40, 2);
  foresee("0:2:1M", "2:2:1M");
  expect_said(0, 0, "0+4 F1 0.000");
  expect_said(0, 1, ""); /* disks 2 and 3 are needed for file 3 first */
  forget();
}
static void a_use_that_a_release_for_another_held_is_named_with_it(void **state) {
  (void)state;
  begin("siox", 1);
  hint_two(0, 0, 20);
  io(20, 1);
  io(21, 3);
  foresee("0:2:1M", "2:2:1M");
  expect_said(0, 0, "0+2 F0 20.000, 2+2 F0 21.000");
  forget();
}

static void a_hint_by_hand_speaks_of_the_same_uses_alone(void **state) {
  (void)state;
  begin("siox", 1);
  hint_two(2, 0, 20); /* file 1 */
  io(20, 1);
  io(30, 2);
  foresee("2:2:1M", "0:2:1M");
  expect_said(0, 0, "2+2 F0 20.000");
  forget();
}

static void a_collective_call_is_a_use_of_every_member(void **state) {
  (void)state;
  begin("siox", 2);
  for (uint32_t c = 0; c < 2; c++)
    hint_of(c, 1, true, (const int64_t[]){20 + c, 20 + c, UNKNOWN, UNKNOWN});
  io_of(0, 22, 1, 7); /* rank 0 moves the data of both */
  call(0, 20, 23, 7);
  call(1, 21, 23, 7);
  foresee("2:2:1M", "0:2:1M");
  expect_said(0, 0, "0+2 F0 0.000, 2+2 F0 20.000");
  expect_said(1, 0, "0+2 F0 0.000, 2+2 F0 21.000");
  forget();
}

static void a_hint_that_speaks_of_nothing_stays_so(void **state) {
  (void)state;
  begin("siox", 1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  e.u.hint.time = SEC;
  e.u.hint.head =
      (struct siox_claim_header){SIOX_CLAIM_VERSION, SIOX_CLAIM_PREDICTED, 0, 1, SEC, 0};
  put(&e);
  io(20, 1);
  foresee("2:2:1M", "0:2:1M");
  expect_said(0, 0, "");
  forget();
}

/* The simulator, from outside: a file put elsewhere is a run with the disks' names exchanged. */
static struct siox_replay_result run(struct siox_sim *sim, const char *policy) {
  struct siox_replay_result result;
  assert_int_equal(
      siox_sim_run(sim, &(struct siox_replay_options){.policy = policy}, &result, NULL), 0);
  return result;
}
static void exchanged_disks_change_no_joules(void **state) {
  (void)state;
  static const char *const policy[] = {"base", "siox", "claims", "rt"};
  begin("siox", 1);
  io(1, 1);
  HINT(2, true, 25, 25, 40, 40);
  io(25, 1);
  HINT(26, true, 61, 61, 40, 40);
  io(40, 2);
  HINT(41, true, 61, 61, UNKNOWN, UNKNOWN);
  io(60, 1);
  HINT(61, true, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN);
  assert_int_equal(siox_trace_close(writer), 0);
  struct siox_sim *sim;
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  assert_int_equal(
      siox_sim_add(sim, &(struct siox_sim_job){.trace = test_path("a.siox"), .delay_budget = -1},
                   NULL),
      0);
  for (int i = 0; i < 4; i++) {
    struct siox_layout one, two;
    assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_RECORDED);
    struct siox_replay_result before = run(sim, policy[i]);
    assert_string_equal(siox_sim_file(sim, 0, 1, NULL), "/d/two");
    siox_layout_parse(&one, NDISKS, "3:2:1M");
    siox_layout_parse(&two, NDISKS, "1:2:1M");
    assert_int_equal(siox_sim_place(sim, 0, 0, &one), 0);
    assert_int_equal(siox_sim_place(sim, 0, 1, &two), 0);
    assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_DERIVED);
    struct siox_replay_result after = run(sim, policy[i]);
    assert_true(fabs(after.joules - before.joules) < 1e-9 * before.joules);
    assert_int_equal(after.transitions, before.transitions);
    assert_int_equal(after.end, before.end);
    assert_true(i == 0 || before.transitions > 0);
    siox_layout_free(&one);
    siox_layout_free(&two);
    siox_layout_parse(&one, NDISKS, "0:2:1M");
    siox_layout_parse(&two, NDISKS, "2:2:1M");
    siox_sim_place(sim, 0, 0, &one);
    siox_sim_place(sim, 0, 1, &two); /* back */
    siox_layout_free(&one);
    siox_layout_free(&two);
    siox_replay_free(&before);
    siox_replay_free(&after);
  }
  siox_sim_destroy(sim);
}

static void hints_without_times_are_left_out(void **state) {
  (void)state;
  begin("claims", 1);
  HINT(2, true, 25, 25, 40, 40);
  io(25, 1);
  assert_int_equal(siox_trace_close(writer), 0);
  struct siox_sim *sim;
  struct siox_layout one;
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  assert_int_equal(
      siox_sim_add(sim, &(struct siox_sim_job){.trace = test_path("a.siox"), .delay_budget = -1},
                   NULL),
      0);
  siox_layout_parse(&one, NDISKS, "3:2:1M");
  assert_int_equal(siox_sim_place(sim, 0, 0, &one), 0);
  assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_LEFT_OUT);
  siox_layout_free(&one);
  siox_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hint_goes_with_the_file),
      cmocka_unit_test(disks_that_two_files_share_are_needed_for_the_sooner_one),
      cmocka_unit_test(a_disk_not_used_again_is_released_by_who_knew_such),
      cmocka_unit_test(a_prediction_stays_as_wrong_as_it_was),
      cmocka_unit_test(a_use_that_nothing_was_said_of_is_as_wrong_as_the_nearest),
      cmocka_unit_test(who_never_misjudged_a_gap_sees_farther_than_it_had_to),
      cmocka_unit_test(who_misjudged_a_gap_sees_no_farther_than_it_ever_did),
      cmocka_unit_test(a_claim_is_for_the_same_uses),
      cmocka_unit_test(a_use_that_a_claim_for_another_held_is_claimed),
      cmocka_unit_test(a_claim_that_holds_already_is_not_said_again),
      cmocka_unit_test(a_use_that_a_release_for_another_held_is_named_with_it),
      cmocka_unit_test(a_hint_by_hand_speaks_of_the_same_uses_alone),
      cmocka_unit_test(a_collective_call_is_a_use_of_every_member),
      cmocka_unit_test(a_hint_that_speaks_of_nothing_stays_so),
      cmocka_unit_test(exchanged_disks_change_no_joules),
      cmocka_unit_test(hints_without_times_are_left_out),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
