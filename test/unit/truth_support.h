/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of hints placed from what a job does: traces of few requests, and what they are played
 * to. The drive of trace_support.h serves 60,000 bytes at full speed in 6 ms; a change from full to
 * the lowest speed takes a second, idling 10 W and 26/9 W. Two disks, of which the file lies on the
 * first. Nothing is trusted less for being early (no limits are given), so a gap that is known is
 * spent at best. */
#ifndef SIOX_TEST_UNIT_TRUTH_SUPPORT_H
#define SIOX_TEST_UNIT_TRUTH_SUPPORT_H
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

static inline void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}
static const char *trace = "a.siox";
static inline void begin(const char *policy, uint32_t nclients) {
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
  test_join_all(writer, nclients, 0);
}
/* Nowhere near those before. took: as it was recorded. */
static uint64_t file = 1;
static int64_t bytes = 60000;
static inline void io_of(uint32_t client, uint32_t thread, int64_t at, int64_t took,
                         uint64_t collective) {
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
static inline void io(int64_t seconds) { io_of(0, 1, seconds * SEC, 6 * MS, 0); }
static inline void call(uint32_t client, int64_t from, int64_t to, uint64_t collective) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_SYNC, .client = client, .thread = 1};
  e.u.sync = (__typeof__(e.u.sync)){from,          to, collective, collective,
                                    SIOX_SYNC_ALL, 2,  -1,         (int32_t)client};
  put(&e);
}
static inline void release(int64_t at, int64_t need_by) {
  struct siox_claim_run run = {0, NDISKS, SIOX_SPEED_LOWEST, 0, need_by * SEC, SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  e.u.hint.time = at * SEC;
  e.u.hint.head =
      (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, 1 + (uint64_t)at, at * SEC, 0};
  e.u.hint.runs = &run;
  put(&e);
}
static inline void end(uint32_t nclients, int64_t seconds) {
  for (uint32_t c = 0; c < nclients; c++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = c};
    e.u.leave.time = seconds * SEC;
    put(&e);
  }
  assert_int_equal(siox_trace_close(writer), 0);
}

/* The least for the services of base. */
static struct siox_oracle *oracle[NDISKS];
static inline void feed(void *context, const struct siox_segment *s) {
  (void)context;
  if (s->state == SIOX_ACTIVE)
    siox_oracle_serve(oracle[s->disk],
                      &(struct siox_oracle_service){.arrival = s->start, .ns = s->end - s->start});
}
struct outcome {
  struct siox_replay_result base, run;
  double least, least_of[NDISKS];
};
static inline struct siox_replay_result play(struct siox_sim *sim, const char *policy,
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
static inline struct siox_sim *sim_of(const struct siox_sim_job *job) {
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
static inline struct outcome outcome_of(struct siox_sim *sim, const char *policy) {
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
static inline void forget(struct outcome *o) {
  siox_replay_free(&o->base);
  siox_replay_free(&o->run);
}
/* Who knows when the run ends starts the way back a second before that: it is charged anyway, and
 * nobody idles as long at the lowest speed. No process says that. */
#define END (2 + 8.0 / 9)

static inline struct siox_sim_job truth(void) {
  return (struct siox_sim_job){
      .trace = test_path("a.siox"), .delay_budget = -1, .hints = SIOX_SIM_GIVE_TRUTH};
}
static inline struct outcome of_trace(const struct siox_sim_job *job, const char *policy) {
  struct siox_sim *sim = sim_of(job);
  struct outcome o = outcome_of(sim, policy);
  siox_sim_destroy(sim);
  return o;
}

static inline void near(double value, double expected) {
  if (fabs(value - expected) > 1e-9 * fabs(expected))
    print_error("%.15g, not %.15g\n", value, expected);
  assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}
static inline void nothing_is_late(const struct outcome *o) {
  assert_int_equal(o->run.missed, 0);
  assert_int_equal(o->run.end, o->base.end);
  assert_true(siox_added_io(&o->run, &o->base) == 0);
}

static inline void recorded_hints(int hints) {
  begin("siox", 1);
  if (hints)
    release(0, hints == 2 ? 3 : 10);
  io(10);
  if (hints)
    release(11, hints == 2 ? 3000 : 30);
  io(30);
  end(1, 40);
}
static inline double joules_of(enum siox_sim_give give, const char *policy) {
  struct siox_sim_job job = truth();
  job.hints = give;
  struct outcome o = of_trace(&job, policy);
  double joules = o.run.joules;
  forget(&o);
  return joules;
}

#endif
