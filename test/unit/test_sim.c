/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The simulator against answers worked out by hand. The drive of trace_support.h serves 60,000
 * bytes at full speed in 3 ms seek + 2 ms rotation + 1 ms transfer, at its lowest level in 3 + 6 +
 * 3 ms; idle it takes 10 W at full speed, busy 13 W. */
#include "common/wire.h"
#include "siox/sim.h"
#include "trace_support.h"
#include <sys/resource.h>
#include <sys/wait.h>

#define MS INT64_C(1000000)
#define SEC (1000 * MS)
#define T0 (5000 * MS)
enum { NDISKS = 2, FAST = 6, SLOW = 12 };

static struct siox_drive drive;
static const struct siox_drive *const drives[NDISKS] = {&drive, &drive};
static const uint32_t full[NDISKS] = {2, 2};
static struct siox_trace_writer *writer;

static void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}
static void begin(const char *policy, uint32_t nclients) {
  drive = test_drive();
  struct siox_trace_header h = test_header(T0, NDISKS, drives, full, policy);
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
  e.u.file = (__typeof__(e.u.file)){1, "/data/one", "0:1:1M"};
  put(&e);
  test_join_all(writer, nclients, T0);
}
static void io_of(uint32_t client, int64_t at, int64_t ns, int64_t offset, uint64_t uid) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = client, .thread = 1};
  e.u.io.arrival = T0 + at;
  e.u.io.completion = T0 + at + ns;
  e.u.io.file = 1;
  e.u.io.offset = offset;
  e.u.io.bytes = 60000;
  e.u.io.coll_uid = uid;
  e.u.io.coll_seq = uid != 0;
  put(&e);
}
static void io(int64_t at, int64_t offset) { io_of(0, at, FAST * MS, offset, 0); }
static void release(int64_t at, int64_t need_by) {
  struct siox_claim_run run = {0, NDISKS, SIOX_SPEED_LOWEST, 0, T0 + need_by, SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  static uint64_t seq;
  e.u.hint.time = T0 + at;
  e.u.hint.head = (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, ++seq, T0 + at, 0};
  e.u.hint.runs = &run;
  put(&e);
}
static void end(uint32_t client, int64_t at) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = client};
  e.u.leave.time = T0 + at;
  put(&e);
}
static void close_trace(void) { assert_int_equal(siox_trace_close(writer), 0); }

/* One request at 10 ms, another at 20 ms, the end at 30 ms. */
static void short_trace(void) {
  begin("base", 1);
  io(10 * MS, 0);
  io(20 * MS, 600000);
  end(0, 30 * MS);
  close_trace();
}

static struct siox_sim *sim_of(const struct siox_sim_job *jobs, uint32_t njobs) {
  struct siox_sim *sim;
  struct siox_diag diag;
  drive = test_drive();
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  for (uint32_t i = 0; i < njobs; i++) {
    int rc = siox_sim_add(sim, &jobs[i], &diag);
    if (rc)
      print_error("%s\n", diag.text);
    assert_int_equal(rc, 0);
  }
  return sim;
}
static struct siox_replay_result run(struct siox_sim *sim, const char *policy) {
  struct siox_replay_result result;
  struct siox_diag diag;
  int rc = siox_sim_run(sim, &(struct siox_replay_options){.policy = policy, .prepared = true},
                        &result, &diag);
  if (rc)
    print_error("%s\n", diag.text);
  assert_int_equal(rc, 0);
  return result;
}
static struct siox_replay_result run_job(const struct siox_sim_job *job, const char *policy) {
  struct siox_sim *sim = sim_of(job, 1);
  struct siox_replay_result r = run(sim, policy);
  siox_sim_destroy(sim);
  return r;
}
static void near(double value, double expected) {
  if (fabs(value - expected) > 1e-9 * fabs(expected))
    print_error("%.15g, not %.15g\n", value, expected);
  assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

static void a_job_starts_when_it_is_told_to(void **state) {
  (void)state;
  short_trace();
  struct siox_replay_result r = run_job(
      &(struct siox_sim_job){.delay_budget = -1, .trace = test_path("a.siox"), .start = 7 * SEC},
      "base");
  assert_int_equal(r.start, 7 * SEC);
  assert_int_equal(r.end, 7 * SEC + 30 * MS);
  near(r.joules, 2 * 10 * 7.03 + 2 * 0.006 * 3); /* the disks idle until then */
  siox_replay_free(&r);
}

static void a_repeat_follows_the_end_of_the_run_before_it(void **state) {
  (void)state;
  short_trace();
  const struct siox_sim_job job = {
      .delay_budget = -1, .trace = test_path("a.siox"), .repeats = 3, .pause = 5 * MS};
  struct siox_replay_result fast = run_job(&job, "base"), slow = run_job(&job, "static:5000");
  assert_int_equal(fast.end, 3 * 30 * MS + 2 * 5 * MS);
  assert_int_equal(slow.end, 3 * (30 + 2 * (SLOW - FAST)) * MS + 2 * 5 * MS);
  assert_int_equal(fast.requests, 6);
  assert_int_equal(fast.nranks, 3);
  assert_true(fabs(siox_added_io(&slow, &fast) - 1) < 1e-12);
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

/* Six pauses of 2^61 ns end after all times that can be told; nothing is read or written, so no
 * request is refused. */
static void repeats_beyond_all_times_are_an_error(void **state) {
  (void)state;
  begin("base", 1);
  release(10 * MS, 20 * MS);
  end(0, 30 * MS);
  close_trace();
  const struct siox_sim_job job = {
      .delay_budget = -1, .trace = test_path("a.siox"), .repeats = 7, .pause = INT64_C(1) << 61};
  struct siox_sim *sim = sim_of(&job, 1);
  struct siox_replay_result result;
  struct siox_diag diag;
  assert_int_equal(
      siox_sim_run(sim, &(struct siox_replay_options){.policy = "base"}, &result, &diag),
      SIOX_ERANGE);
  assert_non_null(strstr(diag.text, siox_strerror(SIOX_ERANGE)));
  siox_sim_destroy(sim);
}

static void only_think_times_are_dilated(void **state) {
  (void)state;
  begin("base", 2);
  io(10 * MS, 0);
  for (uint32_t c = 0; c < 2; c++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_SYNC, .client = c, .thread = 1};
    e.u.sync = (__typeof__(e.u.sync)){T0 + (20 + c) * MS, T0 + 24 * MS, 5, 1, SIOX_SYNC_ALL, 2, -1,
                                      (int32_t)c};
    put(&e); /* the barrier itself takes 3 ms after the last entry */
    end(c, 30 * MS);
  }
  close_trace();
  struct siox_replay_result r = run_job(
      &(struct siox_sim_job){.delay_budget = -1, .trace = test_path("a.siox"), .think = 2}, "base");
  /* rank 0: 20 + 6 + 8 = 34 at the barrier; rank 1: 42; out at 45; 12 more */
  assert_int_equal(r.end, (42 + 3 + 12) * MS);
  assert_int_equal(r.rank[0].io_ns, FAST * MS);
  siox_replay_free(&r);
}

static void instances_queue_for_the_same_disk(void **state) {
  (void)state;
  short_trace();
  struct siox_replay_result r = run_job(
      &(struct siox_sim_job){.delay_budget = -1, .trace = test_path("a.siox"), .instances = 2},
      "base");
  assert_int_equal(r.nranks, 2);
  /* 10 to 16 and 10 to 22, one behind the other; then, 4 later, 20 to 28 and 26 to 34 */
  assert_int_equal(r.rank[0].io_ns, (6 + 8) * MS);
  assert_int_equal(r.rank[1].io_ns, (12 + 8) * MS);
  assert_int_equal(r.end, 38 * MS);
  assert_int_equal(r.njobs, 2);
  assert_string_not_equal(r.job[0].key, r.job[1].key);
  siox_replay_free(&r);
}

static int elsewhere(void *context, const char *path, struct siox_layout *out,
                     struct siox_diag *diag) {
  (void)diag;
  return strcmp(path, "/data/one") == 0 ? (siox_layout_parse(out, NDISKS, context), 1) : 0;
}
static void a_file_can_lie_elsewhere(void **state) {
  (void)state;
  char layout[] = "1:1:1M";
  short_trace();
  const struct siox_sim_job job = {.delay_budget = -1,
                                   .trace = test_path("a.siox"),
                                   .layout = elsewhere,
                                   .layout_context = layout};
  struct siox_sim *sim = sim_of(&job, 1);
  struct siox_replay_result r = run(sim, "base");
  assert_int_equal(r.disk[0].requests, 0);
  assert_int_equal(r.disk[1].requests, 2);
  assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_NONE);
  siox_replay_free(&r);
  siox_sim_destroy(sim);
}

/* "0,1, ... ,198,199:64K", the last two perhaps the other way round. */
static const char *many_nodes(bool swapped) {
  static char text[1024];
  size_t n = 0;
  for (unsigned d = 0; d < 200; d++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", d ? "," : "",
                          swapped && d >= 198 ? 397 - d : d);
  snprintf(text + n, sizeof text - n, ":64K");
  return text;
}
static int as_told(void *context, const char *path, struct siox_layout *out,
                   struct siox_diag *diag) {
  (void)path;
  (void)diag;
  return siox_layout_parse(out, 200, many_nodes(context != NULL)) == 0 ? 1 : SIOX_EINVAL;
}
static void layouts_that_differ_late_in_their_text_differ(void **state) {
  (void)state;
  static const struct siox_drive *many[200];
  static uint32_t level[200];
  drive = test_drive();
  for (int d = 0; d < 200; d++) {
    many[d] = &drive;
    level[d] = 2;
  }
  struct siox_trace_header h = test_header(T0, 200, many, level, "siox");
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
  e.u.file = (__typeof__(e.u.file)){1, "/data/one", many_nodes(false)};
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_CLIENT};
  e.u.client_def = (__typeof__(e.u.client_def)){0, 0, 0, 1, 0, "p"};
  put(&e);
  release(10 * MS, 20 * MS);
  end(0, 30 * MS);
  close_trace();
  for (int swapped = 0; swapped < 2; swapped++) {
    struct siox_sim *sim;
    assert_int_equal(
        siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = 200, .drive = many}), 0);
    const struct siox_sim_job job = {.delay_budget = -1,
                                     .trace = test_path("a.siox"),
                                     .layout = as_told,
                                     .layout_context = swapped ? sim : NULL};
    assert_int_equal(siox_sim_add(sim, &job, NULL), 0);
    assert_int_equal(siox_sim_hints(sim, 0),
                     swapped ? SIOX_SIM_HINTS_DERIVED : SIOX_SIM_HINTS_RECORDED);
    siox_sim_destroy(sim);
  }
}

/* A gap of 20 s at full speed before and after, spent at the level that saves most. */
static void check_known_gap(const char *policy) {
  begin("siox", 1);
  io(10 * MS, 0);
  release(16 * MS, 20 * SEC);
  io(20 * SEC, 600000);
  end(0, 20 * SEC + FAST * MS);
  close_trace();
  const struct siox_sim_job job = {.delay_budget = -1, .trace = test_path("a.siox")};
  struct siox_replay_result base = run_job(&job, "base"), r = run_job(&job, policy);
  assert_int_equal(r.end, base.end);
  assert_true(siox_added_io(&r, &base) == 0);
  near(base.joules, 2 * 10 * (20 + 0.006) + 2 * 0.006 * 3);
  double saving = siox_drive_gap_saving(&drive, 0, 20 * SEC - 16 * MS);
  assert_true(saving > 0);
  near(r.joules, base.joules - NDISKS * saving);
  assert_int_equal(r.transitions, 2 * NDISKS);
  siox_replay_free(&base);
  siox_replay_free(&r);
}
static void a_known_gap_saves_its_closed_form(void **state) {
  (void)state;
  check_known_gap("siox");
}
static void a_lead_policy_is_told_one_transition_ahead(void **state) {
  (void)state;
  check_known_gap("claims");
  check_known_gap("rt");
}

static struct siox_layout both;
static struct siox_sim_job generated(double error, uint64_t seed) {
  siox_layout_free(&both);
  assert_int_equal(siox_layout_parse(&both, NDISKS, "0:2:60000"), 0);
  return (struct siox_sim_job){.name = "made",
                               .delay_budget = -1,
                               .generated = {.processes = 3,
                                             .phases = 5,
                                             .gap_ns = 30 * SEC,
                                             .burst = 240000,
                                             .request = 60000,
                                             .error = error,
                                             .seed = seed,
                                             .hints = true,
                                             .together = true,
                                             .layout = &both}};
}
static void a_generated_job_does_what_it_says(void **state) {
  (void)state;
  const struct siox_sim_job job = generated(0, 1);
  struct siox_replay_result r = run_job(&job, "base");
  assert_int_equal(r.requests, 3 * 5 * 4);
  assert_int_equal(r.disk[0].bytes + r.disk[1].bytes, 3 * 5 * 240000);
  assert_true(r.end > 150 * SEC && r.end < 151 * SEC);
  assert_string_equal(r.job[0].key, "made");
  siox_replay_free(&r);
}
static void right_hints_of_a_generated_job_delay_nothing(void **state) {
  (void)state;
  const struct siox_sim_job job = generated(0, 1);
  struct siox_replay_result base = run_job(&job, "base"), r = run_job(&job, "siox");
  assert_int_equal(r.missed, 0);
  assert_int_equal(r.end, base.end);
  assert_true(r.joules < 0.6 * base.joules);
  siox_replay_free(&base);
  siox_replay_free(&r);
}
static void wrong_hints_are_the_same_for_the_same_seed(void **state) {
  (void)state;
  const struct siox_sim_job one = generated(0.5, 1), same = generated(0.5, 1),
                            other = generated(0.5, 2);
  struct siox_replay_result a = run_job(&one, "siox"), b = run_job(&same, "siox"),
                            c = run_job(&other, "siox");
  assert_true(a.joules == b.joules && a.end == b.end);
  assert_true(a.joules != c.joules);
  siox_replay_free(&a);
  siox_replay_free(&b);
  siox_replay_free(&c);
}

static void a_call_can_enclose_more_than_a_block_of_requests(void **state) {
  (void)state;
  enum { MANY = 20000 };
  begin("base", 2);
  for (int i = 0; i < MANY; i++) /* rank 0 writes for both */
    io_of(0, (100 + i * 10) * MS, FAST * MS, (int64_t)i * 600000, 9);
  int64_t last = (100 + (MANY - 1) * 10) * MS + FAST * MS;
  for (uint32_t c = 0; c < 2; c++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_SYNC, .client = c, .thread = 1};
    e.u.sync = (__typeof__(e.u.sync)){
        T0 + (50 + c) * MS, T0 + last + MS, 9, 1, SIOX_SYNC_ALL, 2, -1, (int32_t)c};
    put(&e);
    end(c, last + 2 * MS);
  }
  close_trace();
  const struct siox_sim_job job = {.delay_budget = -1, .trace = test_path("a.siox")};
  struct siox_replay_result fast = run_job(&job, "base"), slow = run_job(&job, "static:5000");
  assert_int_equal(fast.end, last + 2 * MS);
  for (int rank = 0; rank < 2; rank++) {
    assert_int_equal(fast.rank[rank].io_ns, last + MS - (50 + rank) * MS);
    assert_int_equal(slow.rank[rank].end, last + 2 * MS + (int64_t)MANY * (SLOW - FAST) * MS);
  }
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

/* Greatest resident set in KiB of a process that replays a trace of so many requests. */
static long memory_of(int requests) {
  begin("base", 4);
  for (int i = 0; i < requests; i++)
    io_of((uint32_t)i % 4, (10 + i * 10) * MS, FAST * MS, (int64_t)i * 600000, 0);
  for (uint32_t c = 0; c < 4; c++)
    end(c, (20 + requests * 10LL) * MS);
  close_trace();
  int answer[2];
  assert_int_equal(pipe(answer), 0);
  pid_t child = fork();
  if (child == 0) {
    struct siox_replay_result r;
    long kb = -1;
    struct rusage use;
    if (siox_replay(test_path("a.siox"), &(struct siox_replay_options){.policy = "static:5000"}, &r,
                    NULL) == 0 &&
        r.requests == (uint64_t)requests && getrusage(RUSAGE_SELF, &use) == 0)
      kb = use.ru_maxrss;
    _exit(write(answer[1], &kb, sizeof kb) != sizeof kb);
  }
  long kb;
  assert_int_equal(read(answer[0], &kb, sizeof kb), sizeof kb);
  assert_int_equal(waitpid(child, NULL, 0), child);
  close(answer[0]);
  close(answer[1]);
  assert_true(kb > 0);
  return kb;
}
static void memory_does_not_grow_with_the_trace(void **state) {
  (void)state;
  long small = memory_of(20000), large = memory_of(400000); /* 38 MB at 100 bytes a request */
  print_message("%ld and %ld KiB\n", small, large);
  assert_true(large - small < 2048);
}

static int remove_all(void **state) {
  siox_layout_free(&both);
  return test_remove_directory(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_starts_when_it_is_told_to),
      cmocka_unit_test(a_repeat_follows_the_end_of_the_run_before_it),
      cmocka_unit_test(repeats_beyond_all_times_are_an_error),
      cmocka_unit_test(only_think_times_are_dilated),
      cmocka_unit_test(instances_queue_for_the_same_disk),
      cmocka_unit_test(a_file_can_lie_elsewhere),
      cmocka_unit_test(layouts_that_differ_late_in_their_text_differ),
      cmocka_unit_test(a_known_gap_saves_its_closed_form),
      cmocka_unit_test(a_lead_policy_is_told_one_transition_ahead),
      cmocka_unit_test(a_generated_job_does_what_it_says),
      cmocka_unit_test(right_hints_of_a_generated_job_delay_nothing),
      cmocka_unit_test(wrong_hints_are_the_same_for_the_same_seed),
      cmocka_unit_test(a_call_can_enclose_more_than_a_block_of_requests),
      cmocka_unit_test(memory_does_not_grow_with_the_trace),
  };
  return cmocka_run_group_tests(tests, test_make_directory, remove_all);
}
