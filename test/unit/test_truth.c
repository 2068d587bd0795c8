/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints placed from what a job does, against closed forms and the oracle. The drive of
 * trace_support.h serves 60,000 bytes at full speed in 6 ms; a change from full to the lowest speed
 * takes a second, idling 10 W and 26/9 W. Two disks, of which the file lies on the first. Nothing
 * is trusted less for being early (no limits are given), so a gap that is known is spent at best.
 */
#include "common/wire.h"
#include "siox/oracle.h"
#include "siox/sim.h"
#include "trace_support.h"

#define MS INT64_C(1000000)
#define SEC (1000 * MS)
enum { NDISKS = 2 };

static struct siox_drive drive;
static const struct siox_drive *const drives[NDISKS] = {&drive, &drive};
static const uint32_t full[NDISKS] = {2, 2};
static struct siox_trace_writer *writer;

static void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}
static const char *trace = "a.siox";
static void begin(const char *policy, uint32_t nclients) {
  drive = test_drive();
  struct siox_trace_header h = test_header(0, NDISKS, drives, full, policy);
  assert_int_equal(siox_trace_create(&writer, test_path(trace), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
  e.u.file = (__typeof__(e.u.file)){1, "/d/one", "0:1:1M"};
  put(&e);
  e.u.file = (__typeof__(e.u.file)){2, "/d/two", "1:1:1M"};
  put(&e);
  for (uint32_t c = 0; c < nclients; c++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_CLIENT};
    e.u.client_def = (__typeof__(e.u.client_def)){c, 0, (int32_t)c, (int32_t)nclients, 0, "p"};
    put(&e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = c};
    put(&e);
  }
}
/* Nowhere near those before. took: as it was recorded. */
static uint64_t file = 1;
static int64_t bytes = 60000;
static void io_of(uint32_t client, uint32_t thread, int64_t at, int64_t took, uint64_t collective) {
  static int64_t where;
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = client, .thread = thread};
  e.u.io.arrival = at;
  e.u.io.completion = at + took;
  e.u.io.file = file;
  e.u.io.offset = (where = (where + 1) % 1000) << 30;
  e.u.io.bytes = bytes;
  e.u.io.coll_uid = e.u.io.coll_seq = collective;
  put(&e);
}
static void io(int64_t seconds) { io_of(0, 1, seconds * SEC, 6 * MS, 0); }
static void call(uint32_t client, int64_t from, int64_t to, uint64_t collective) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_SYNC, .client = client, .thread = 1};
  e.u.sync = (__typeof__(e.u.sync)){from,          to, collective, collective,
                                    SIOX_SYNC_ALL, 2,  -1,         (int32_t)client};
  put(&e);
}
static void release(int64_t at, int64_t need_by) {
  struct siox_claim_run run = {0, NDISKS, SIOX_SPEED_LOWEST, 0, need_by * SEC, SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  e.u.hint.time = at * SEC;
  e.u.hint.head =
      (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, 1 + (uint64_t)at, at * SEC, 0};
  e.u.hint.runs = &run;
  put(&e);
}
static void end(uint32_t nclients, int64_t seconds) {
  for (uint32_t c = 0; c < nclients; c++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = c};
    e.u.leave.time = seconds * SEC;
    put(&e);
  }
  assert_int_equal(siox_trace_close(writer), 0);
}

/* The least for the services of base. */
static struct siox_oracle *oracle[NDISKS];
static void feed(void *context, const struct siox_segment *s) {
  (void)context;
  if (s->state == SIOX_ACTIVE)
    siox_oracle_serve(oracle[s->disk],
                      &(struct siox_oracle_service){.arrival = s->start, .ns = s->end - s->start});
}
struct outcome {
  struct siox_replay_result base, run;
  double least, least_of[NDISKS];
};
static struct siox_replay_result play(struct siox_sim *sim, const char *policy,
                                      siox_segment_fn segment) {
  struct siox_replay_result r;
  struct siox_diag diag;
  int rc = siox_sim_run(sim, &(struct siox_replay_options){.policy = policy, .segment = segment},
                        &r, &diag);
  if (rc)
    print_error("%s\n", diag.text);
  assert_int_equal(rc, 0);
  return r;
}
static struct siox_sim *sim_of(const struct siox_sim_job *job) {
  struct siox_sim *sim;
  struct siox_diag diag;
  drive = test_drive();
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  int rc = siox_sim_add(sim, job, &diag);
  if (rc)
    print_error("%s\n", diag.text);
  assert_int_equal(rc, 0);
  return sim;
}
static struct outcome outcome_of(struct siox_sim *sim, const char *policy) {
  struct outcome o = {.least = 0};
  for (int d = 0; d < NDISKS; d++)
    assert_int_equal(siox_oracle_create(&oracle[d],
                                        &(struct siox_oracle_options){
                                            .drive = &drive, .initial_level = 2, .end_level = 2}),
                     0);
  o.base = play(sim, "base", feed);
  for (int d = 0; d < NDISKS; d++) {
    struct siox_oracle_result least;
    assert_int_equal(siox_oracle_finish(oracle[d], o.base.end, &least, NULL), 0);
    o.least += o.least_of[d] = least.joules;
    siox_oracle_destroy(oracle[d]);
  }
  o.run = play(sim, policy, NULL);
  return o;
}
static void forget(struct outcome *o) {
  siox_replay_free(&o->base);
  siox_replay_free(&o->run);
}
/* Who knows when the run ends starts the way back a second before that: it is charged anyway, and
 * nobody idles as long at the lowest speed. No process says that. */
#define END (2 + 8.0 / 9)

static struct siox_sim_job truth(void) {
  return (struct siox_sim_job){
      .trace = test_path("a.siox"), .delay_budget = -1, .hints = SIOX_SIM_GIVE_TRUTH};
}
static struct outcome of_trace(const struct siox_sim_job *job, const char *policy) {
  struct siox_sim *sim = sim_of(job);
  struct outcome o = outcome_of(sim, policy);
  siox_sim_destroy(sim);
  return o;
}

static void near(double value, double expected) {
  if (fabs(value - expected) > 1e-9 * fabs(expected))
    print_error("%.15g, not %.15g\n", value, expected);
  assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}
static void nothing_is_late(const struct outcome *o) {
  assert_int_equal(o->run.missed, 0);
  assert_int_equal(o->run.end, o->base.end);
  assert_true(siox_added_io(&o->run, &o->base) == 0);
}

/* What a gap saves at the lowest level: 10 W less 26/9 W, but for the two seconds in which the
 * speed changes, with 2 + 8 (1 + 1/3 + 1/9) / 3 W on average. `last`: the way back lies behind it.
 */
static double saved(int64_t gap, bool last) {
  double idle = 2 + 8.0 / 9, change = 2 + 8.0 * (1 + 1 / 3.0 + 1 / 9.0) / 3,
         seconds = (double)gap * 1e-9;
  return 10 * seconds - idle * (seconds - (last ? 1 : 2)) - 2 * change;
}

static void one_process_saves_what_each_gap_can(void **state) {
  (void)state;
  begin("base", 1);
  io(10);
  io(30);
  end(1, 40);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.base.joules - o.run.joules, saved(10 * SEC, false) + saved(20 * SEC - 6 * MS, false) +
                                         saved(10 * SEC - 6 * MS, true) + saved(40 * SEC, true));
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

/* Less than a second: down and up again, which is charged, would take more than staying. */
static void who_ends_soon_keeps_its_disk(void **state) {
  (void)state;
  begin("base", 1);
  io(10);
  end(1, 11);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.base.joules - o.run.joules, saved(10 * SEC, false) + saved(11 * SEC, true));
  forget(&o);
}

static void two_processes_save_the_gaps_that_they_have_in_common(void **state) {
  (void)state;
  begin("base", 2);
  io_of(0, 1, 10 * SEC, 6 * MS, 0);
  io_of(1, 1, 30 * SEC, 6 * MS, 0);
  io_of(0, 1, 50 * SEC, 6 * MS, 0);
  io_of(1, 1, 70 * SEC, 6 * MS, 0);
  end(2, 80);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.base.joules - o.run.joules, saved(10 * SEC, false) + 3 * saved(20 * SEC - 6 * MS, false) +
                                         saved(10 * SEC - 6 * MS, true) + saved(80 * SEC, true));
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

/* Rank 0 moves the data of both when rank 1 has come, 5 s after it, and both leave 1 s later: until
 * then nobody can let the disk go. */
static void members_need_a_disk_from_the_first_request_until_they_leave(void **state) {
  (void)state;
  begin("base", 2);
  for (int64_t at = 20; at <= 60; at += 40) {
    io_of(0, 1, (at + 5) * SEC, 6 * MS, (uint64_t)at);
    call(0, at * SEC, (at + 6) * SEC, (uint64_t)at);
    call(1, (at + 5) * SEC, (at + 6) * SEC, (uint64_t)at);
  }
  end(2, 70);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.base.joules - o.run.joules, saved(25 * SEC, false) + saved(39 * SEC, false) +
                                         saved(4 * SEC, true) + saved(70 * SEC, true));
  forget(&o);
}

static void a_thread_is_not_let_down_by_another(void **state) {
  (void)state;
  begin("base", 1);
  io_of(0, 1, 10 * SEC, 6 * MS, 0);
  io_of(0, 2, 25 * SEC, 6 * MS, 0);
  io_of(0, 1, 40 * SEC, 6 * MS, 0);
  end(1, 50);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

/* The first request had to wait for two seconds when it was recorded, so all after it came later.
 */
static void the_schedule_is_that_at_full_speed(void **state) {
  (void)state;
  begin("timeout", 1);
  io_of(0, 1, 10 * SEC, 2 * SEC, 0);
  io_of(0, 1, 32 * SEC, 6 * MS, 0);
  end(1, 40);
  struct siox_sim_job job = truth();
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

static void recorded_hints(int hints) {
  begin("siox", 1);
  if (hints)
    release(0, hints == 2 ? 3 : 10);
  io(10);
  if (hints)
    release(11, hints == 2 ? 3000 : 30);
  io(30);
  end(1, 40);
}
static double joules_of(enum siox_sim_give give, const char *policy) {
  struct siox_sim_job job = truth();
  job.hints = give;
  struct outcome o = of_trace(&job, policy);
  double joules = o.run.joules;
  forget(&o);
  return joules;
}
static void what_was_recorded_is_ignored(void **state) {
  (void)state;
  recorded_hints(0);
  double expected = joules_of(SIOX_SIM_GIVE_TRUTH, "siox");
  recorded_hints(2);
  near(joules_of(SIOX_SIM_GIVE_TRUTH, "siox"), expected);
  assert_true(joules_of(SIOX_SIM_GIVE_RECORDED, "siox") > expected);
}
static void none_is_what_a_program_without_hints_does(void **state) {
  (void)state;
  static const char *const policy[] = {"siox", "claims", "rt", "com", "timeout", "hw"};
  for (int i = 0; i < 6; i++) {
    recorded_hints(0);
    double expected = joules_of(SIOX_SIM_GIVE_RECORDED, policy[i]);
    recorded_hints(1);
    near(joules_of(SIOX_SIM_GIVE_NONE, policy[i]), expected);
  }
}

static void think_times_are_dilated_and_nothing_else(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.think = 3;
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  assert_int_equal(o.run.end,
                   30 * SEC + 3 * (20 * SEC - 6 * MS) + 3 * (10 * SEC - 6 * MS) + 12 * MS);
  near(o.run.joules, o.least + NDISKS * END);
  forget(&o);
}

/* Another job keeps the second disk busy for five seconds, so that the process comes to its next
 * use of the first one later than it had said there; it knows that when it has its data. */
static void who_is_held_up_says_so(void **state) {
  (void)state;
  begin("base", 1);
  io(10);
  file = 2;
  io(20);
  file = 1;
  io(60);
  end(1, 70);
  trace = "b.siox";
  begin("base", 1);
  file = 2;
  bytes = 300000000;
  io_of(0, 1, 19 * SEC, 5005 * MS, 0);
  bytes = 60000;
  file = 1;
  end(1, 25);
  trace = "a.siox";
  struct siox_sim_job job = truth();
  struct siox_sim *sim = sim_of(&job);
  job.trace = test_path("b.siox");
  assert_int_equal(siox_sim_add(sim, &job, NULL), 0);
  struct outcome o = outcome_of(sim, "siox");
  assert_int_equal(o.base.end, 70 * SEC + 4005 * MS);
  assert_int_equal(o.run.end, o.base.end);
  double joules = 0;
  for (int k = 0; k < SIOX_NSTATES; k++)
    joules += o.run.disk[0].joules[k];
  near(joules, o.least_of[0] + END);
  siox_sim_destroy(sim);
  forget(&o);
}

static int elsewhere(void *context, const char *path, struct siox_layout *out,
                     struct siox_diag *diag) {
  (void)context;
  (void)path;
  (void)diag;
  return siox_layout_parse(out, NDISKS, "1:1:1M") < 0 ? SIOX_EINVAL : 1; /* both files */
}
static void hints_go_with_the_file(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  struct outcome here = of_trace(&job, "siox");
  job.layout = elsewhere;
  struct siox_sim *sim = sim_of(&job);
  assert_int_equal(siox_sim_hints(sim, 0), SIOX_SIM_HINTS_TRUTH);
  struct outcome there = outcome_of(sim, "siox");
  nothing_is_late(&there);
  near(there.run.joules, here.run.joules);
  assert_int_equal(there.run.disk[0].requests, 0);
  forget(&there);
  struct siox_layout back;
  siox_layout_parse(&back, NDISKS, "0:1:1M");
  assert_int_equal(siox_sim_place(sim, 0, 0, &back), 0); /* after a run: they are placed again */
  there = outcome_of(sim, "siox");
  nothing_is_late(&there);
  near(there.run.joules, here.run.joules);
  siox_layout_free(&back);
  siox_sim_destroy(sim);
  forget(&there);
  forget(&here);
}

static void repeats_know_as_much(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.repeats = 3;
  job.pause = 5 * SEC;
  job.start = 7 * SEC;
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  forget(&o);
}
static void instances_know_as_much(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  job.instances = 3;
  struct outcome o = of_trace(&job, "siox");
  assert_int_equal(o.run.missed, 0);
  assert_true(siox_added_io(&o.run, &o.base) == 0);
  forget(&o);
}

/* Under policies that take a lead the claim comes one transition ahead. */
static void every_scheme_has_them(void **state) {
  (void)state;
  static const char *const policy[] = {"claims", "rt", "com"};
  recorded_hints(0);
  struct siox_sim_job job = truth();
  for (int i = 0; i < 3; i++) {
    struct outcome o = of_trace(&job, policy[i]);
    assert_int_equal(o.run.end, o.base.end);
    assert_int_equal(o.run.disk[0].transitions_up, 2);
    assert_int_equal(o.run.disk[0].transitions_down, 3);
    if (i == 2) /* nobody uses it: that is no order; the others have a rule for such disks */
      assert_int_equal(o.run.disk[1].transitions_down, 0);
    forget(&o);
  }
}

/* Both disks at a time, so a barrier is left when the later process is done; a process lets its
 * disks go before it enters. */
static void a_generated_job_has_them_too(void **state) {
  (void)state;
  struct siox_layout layout;
  double joules[2];
  drive = test_drive();
  assert_int_equal(siox_layout_parse(&layout, NDISKS, "0:2:64K"), 0);
  struct siox_sim_job job = {.delay_budget = -1,
                             .hints = SIOX_SIM_GIVE_TRUTH,
                             .generated = {.processes = 2,
                                           .phases = 5,
                                           .gap_ns = 20 * SEC,
                                           .burst = 1 << 20,
                                           .error = 0.5,
                                           .seed = 1,
                                           .hints = true,
                                           .together = true,
                                           .layout = &layout}};
  struct outcome o = of_trace(&job, "siox");
  nothing_is_late(&o);
  near(o.run.joules, o.least); /* there is no gap behind the last burst */
  forget(&o);
  for (int i = 0; i < 2; i++) { /* and none, though it makes some */
    job.hints = i ? SIOX_SIM_GIVE_NONE : SIOX_SIM_GIVE_RECORDED;
    job.generated.hints = i;
    o = of_trace(&job, "claims");
    joules[i] = o.run.joules;
    forget(&o);
  }
  near(joules[1], joules[0]);
  siox_layout_free(&layout);
}

static void no_other_hints_can_be_asked_for(void **state) {
  (void)state;
  recorded_hints(0);
  struct siox_sim_job job = truth();
  struct siox_sim *sim;
  job.hints = (enum siox_sim_give)3;
  assert_int_equal(
      siox_sim_create(&sim, &(struct siox_sim_options){.ndisks = NDISKS, .drive = drives}), 0);
  assert_int_equal(siox_sim_add(sim, &job, NULL), SIOX_EINVAL);
  siox_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_process_saves_what_each_gap_can),
      cmocka_unit_test(who_ends_soon_keeps_its_disk),
      cmocka_unit_test(two_processes_save_the_gaps_that_they_have_in_common),
      cmocka_unit_test(members_need_a_disk_from_the_first_request_until_they_leave),
      cmocka_unit_test(a_thread_is_not_let_down_by_another),
      cmocka_unit_test(the_schedule_is_that_at_full_speed),
      cmocka_unit_test(what_was_recorded_is_ignored),
      cmocka_unit_test(none_is_what_a_program_without_hints_does),
      cmocka_unit_test(think_times_are_dilated_and_nothing_else),
      cmocka_unit_test(who_is_held_up_says_so),
      cmocka_unit_test(hints_go_with_the_file),
      cmocka_unit_test(repeats_know_as_much),
      cmocka_unit_test(instances_know_as_much),
      cmocka_unit_test(every_scheme_has_them),
      cmocka_unit_test(a_generated_job_has_them_too),
      cmocka_unit_test(no_other_hints_can_be_asked_for),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
