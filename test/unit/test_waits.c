/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who waits for whom when one disk is slow, with answers worked out by hand. Four ranks, four
 * disks. The drive of trace_support.h serves 60,000 bytes in 3 ms seek + 2 ms rotation + 1 ms
 * transfer; a slow one takes 6 ms longer over every request. */
#include "common/wire.h"
#include "siox/sim.h"
#include "trace_support.h"

#define MS INT64_C(1000000)
#define T0 (1000 * MS)
enum { NDISKS = 4, NRANKS = 4, FAST = 6, LATE = 6 };

static struct siox_drive drive, slow;
static const struct siox_drive *const drives[NDISKS] = {&drive, &drive, &drive, &drive};
static const uint32_t full[NDISKS] = {2, 2, 2, 2};
static struct siox_trace_writer *writer;

static void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}

/* File f lies on node f. */
static void begin(const char *array) {
  drive = slow = test_drive();
  slow.seek_ns += LATE * 1e6;
  struct siox_trace_header h = test_header(T0, NDISKS, drives, full, "base");
  h.waits = SIOX_WAITS_TOLD;
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  int nnodes = *array ? NDISKS / (array[1] - '0') : NDISKS;
  for (int f = 0; f < nnodes; f++) {
    char layout[64];
    snprintf(layout, sizeof layout, "%d:1:1M%s", f, array);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
    e.u.file.file = (uint64_t)f;
    e.u.file.path = "f";
    e.u.file.layout = layout;
    put(&e);
  }
  test_join_all(writer, NRANKS, T0);
}

static void write_at(uint32_t rank, int64_t at_ms, int64_t ns, uint64_t file, int64_t bytes,
                     uint64_t uid) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = rank, .thread = 1};
  static int64_t offset;
  e.u.io.arrival = T0 + at_ms * MS;
  e.u.io.completion = e.u.io.arrival + ns;
  e.u.io.file = file;
  e.u.io.offset = offset = (offset + 500000) % 1000000 / 500000 * 500000; /* never goes on */
  e.u.io.bytes = bytes;
  e.u.io.op = SIOX_IO_WRITE;
  e.u.io.coll_uid = uid;
  e.u.io.coll_seq = uid != 0;
  put(&e);
}

/* All ranks are in one collective write from their entries to their leaving. */
static void collective(const int64_t enter[NRANKS], const int64_t left[NRANKS], uint64_t uid) {
  for (uint32_t r = 0; r < NRANKS; r++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_CALL, .client = r, .thread = 1};
    e.u.call.start = T0 + enter[r] * MS;
    e.u.call.end = T0 + left[r] * MS;
    e.u.call.coll_uid = uid;
    e.u.call.coll_seq = 1;
    put(&e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_SYNC, .client = r, .thread = 1};
    e.u.sync.enter = T0 + enter[r] * MS;
    e.u.sync.leave = T0 + left[r] * MS;
    e.u.sync.uid = uid;
    e.u.sync.seq = 1;
    e.u.sync.kind = SIOX_SYNC_ALL;
    e.u.sync.size = NRANKS;
    e.u.sync.root = -1;
    e.u.sync.self = (int32_t)r;
    put(&e);
  }
}

static void message(uint32_t rank, int64_t start, int64_t end, int32_t peer, bool receive) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_MESSAGE, .client = rank, .thread = 1};
  e.u.message.start = T0 + start * MS;
  e.u.message.end = T0 + end * MS;
  e.u.message.uid = 77;
  e.u.message.peer = peer;
  e.u.message.self = (int32_t)rank;
  e.u.message.tag = 5;
  e.u.message.receive = receive;
  put(&e);
}

static void finish(const int64_t end[NRANKS]) {
  for (uint32_t r = 0; r < NRANKS; r++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = r};
    e.u.leave.time = T0 + end[r] * MS;
    put(&e);
  }
  assert_int_equal(siox_trace_close(writer), 0);
}

/* Runs the trace with one slow disk, NDISKS: none; the ranks end so many ns later than recorded. */
static void expect(uint32_t slow_disk, const int64_t end[NRANKS], const int64_t later[NRANKS]) {
  const struct siox_drive *use[NDISKS];
  struct siox_replay_result r;
  for (uint32_t d = 0; d < NDISKS; d++)
    use[d] = d == slow_disk ? &slow : &drive;
  assert_int_equal(siox_replay(test_path("a.siox"),
                               &(struct siox_replay_options){.policy = "base", .drive = use}, &r,
                               NULL),
                   0);
  for (uint32_t k = 0; k < NRANKS; k++)
    assert_int_equal(r.rank[k].end - T0, end[k] * MS + later[k]);
  siox_replay_free(&r);
}

static const int64_t none[NRANKS], all[NRANKS] = {LATE * MS, LATE *MS, LATE *MS, LATE *MS};

static void one_of_two_aggregators_delays_everybody(void **state) {
  (void)state;
  const int64_t enter[] = {5, 6, 7, 10}, left[] = {19, 19, 20, 20}, end[] = {30, 40, 35, 50};
  begin("");
  write_at(0, 12, FAST * MS, 0, 60000, 9);
  write_at(2, 12, FAST * MS, 1, 60000, 9);
  collective(enter, left, 9);
  finish(end);
  expect(NDISKS, end, none);
  expect(0, end, all);
  expect(1, end, all);
  expect(2, end, none);
}

/* The other one's second request was done 6 ms after the first's only one: exactly as late as that
 * gets, so nobody waits for it longer. */
static void an_aggregator_that_is_not_the_last_delays_nobody(void **state) {
  (void)state;
  const int64_t enter[] = {5, 6, 7, 10}, left[] = {25, 25, 26, 26}, end[] = {30, 40, 35, 50};
  begin("");
  write_at(0, 12, FAST * MS, 0, 60000, 9);
  write_at(2, 12, FAST * MS, 1, 60000, 9);
  write_at(2, 18, FAST * MS, 1, 60000, 9);
  collective(enter, left, 9);
  finish(end);
  const int64_t twice[] = {2 * LATE * MS, 2 * LATE * MS, 2 * LATE * MS, 2 * LATE * MS};
  expect(NDISKS, end, none);
  expect(0, end, none);
  expect(1, end, twice); /* two requests, one after the other */
}

/* Each aggregator writes to one node of two disks, half of it on each: 5.5 ms. */
static void a_slow_member_of_an_aggregators_array_delays_everybody(void **state) {
  (void)state;
  const int64_t enter[] = {5, 6, 7, 10}, left[] = {19, 19, 20, 20}, end[] = {30, 40, 35, 50};
  begin("/2:30000");
  write_at(0, 12, 5500000, 0, 60000, 9);
  write_at(2, 12, 5500000, 1, 60000, 9);
  collective(enter, left, 9);
  finish(end);
  expect(NDISKS, end, none);
  for (uint32_t member = 0; member < NDISKS; member++)
    expect(member, end, all);
}

/* With parity a small write is two accesses on two of three members, 5.1 ms each; the third is
 * idle. */
static void a_slow_parity_disk_delays_everybody_twice(void **state) {
  (void)state;
  drive = test_drive();
  const int64_t enter[] = {5, 6, 7, 10}, left[] = {29, 29, 29, 29}, end[] = {30, 40, 35, 50};
  const int64_t twice[] = {2 * LATE * MS, 2 * LATE * MS, 2 * LATE * MS, 2 * LATE * MS};
  begin("/4:500K:parity");
  write_at(0, 12, 10200000, 0, 6000, 9);
  collective(enter, left, 9);
  finish(end);
  expect(NDISKS, end, none);
  /* offset 500,000 is in the first unit of 512,000: data on member 0, parity on member 3 */
  expect(0, end, twice);
  expect(1, end, none);
  expect(2, end, none);
  expect(3, end, twice);
}

static void a_chain_of_messages_passes_a_delay_on(void **state) {
  (void)state;
  const int64_t end[] = {12, 15, 18, 40};
  begin("");
  write_at(0, 1, FAST * MS, 0, 60000, 0);
  message(0, 8, 9, 1, false);
  message(1, 2, 10, 0, true);
  message(1, 11, 12, 2, false);
  message(2, 3, 13, 1, true);
  message(2, 14, 15, 3, false);
  message(3, 4, 16, 2, true);
  write_at(3, 20, FAST * MS, 1, 60000, 0);
  finish(end);
  const int64_t last[] = {0, 0, 0, LATE * MS};
  expect(NDISKS, end, none);
  expect(0, end, all);
  expect(1, end, last);
}

/* The delay of one aggregator reaches, by a message after the collective, a rank's own request. */
static void a_delay_goes_through_a_collective_and_a_message(void **state) {
  (void)state;
  const int64_t enter[] = {5, 6, 7, 10}, left[] = {19, 19, 20, 20}, end[] = {30, 40, 35, 60};
  begin("");
  write_at(0, 12, FAST * MS, 0, 60000, 9);
  collective(enter, left, 9);
  message(1, 22, 23, 3, false);
  message(3, 21, 24, 1, true);
  write_at(3, 30, FAST * MS, 1, 60000, 0);
  finish(end);
  const int64_t last[] = {0, 0, 0, LATE * MS};
  expect(0, end, all);
  expect(1, end, last);
}

static bool told(enum siox_trace_waits waits, bool linked) {
  struct siox_sim *sim;
  drive = test_drive();
  struct siox_trace_header h = test_header(T0, NDISKS, drives, full, "base");
  h.waits = waits;
  const int64_t at[] = {5, 5, 5, 5}, end[] = {30, 30, 30, 30};
  begin("");
  assert_int_equal(siox_trace_close(writer), 0);
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  for (uint32_t c = 0; c < NRANKS; c++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_CLIENT};
    e.u.client_def = (__typeof__(e.u.client_def)){c, 0, (int32_t)c, NRANKS, 0, "p"};
    put(&e);
  }
  if (linked)
    collective(at, at, 9);
  finish(end);
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  assert_int_equal(
      siox_sim_add(sim, &(struct siox_sim_job){.trace = test_path("a.siox"), .delay_budget = -1},
                   NULL),
      0);
  bool answer = siox_sim_waits_told(sim, 0);
  siox_sim_destroy(sim);
  return answer;
}

static void a_trace_says_whether_it_tells_who_waits(void **state) {
  (void)state;
  assert_true(told(SIOX_WAITS_TOLD, false));
  assert_false(told(SIOX_WAITS_UNTOLD, false));
  assert_true(told(SIOX_WAITS_UNSAID, true)); /* one from before traces said so */
  assert_false(told(SIOX_WAITS_UNSAID, false));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_of_two_aggregators_delays_everybody),
      cmocka_unit_test(an_aggregator_that_is_not_the_last_delays_nobody),
      cmocka_unit_test(a_slow_member_of_an_aggregators_array_delays_everybody),
      cmocka_unit_test(a_slow_parity_disk_delays_everybody_twice),
      cmocka_unit_test(a_chain_of_messages_passes_a_delay_on),
      cmocka_unit_test(a_delay_goes_through_a_collective_and_a_message),
      cmocka_unit_test(a_trace_says_whether_it_tells_who_waits),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
