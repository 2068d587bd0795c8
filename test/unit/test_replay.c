/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Closed-loop replay against answers worked out by hand. The drive of trace_support.h serves 60,000
 * bytes at full speed in 3 ms seek + 2 ms rotation + 1 ms transfer, at its lowest level in 3 + 6 +
 * 3 ms; idle it takes 10 W at full speed, busy 13 W. Slow runs begin and stay at the lowest level.
 */
#include "common/wire.h"
#include "siox/replay.h"
#include "trace_support.h"

#define MS INT64_C(1000000)
#define T0 (1000 * MS)
enum { NDISKS = 2, FAST = 6, SLOW = 12 };

static struct siox_drive drive;
static const struct siox_drive *const drives[NDISKS] = {&drive, &drive};
static const uint32_t full[NDISKS] = {2, 2}, low[NDISKS] = {0, 0};
static struct siox_trace_writer *writer;

static void put(const struct siox_trace_event *e) {
  assert_int_equal(siox_trace_write(writer, e), 0);
}

static void begin_under(uint32_t nclients, const char *policy) {
  drive = test_drive();
  struct siox_trace_header h = test_header(T0, NDISKS, drives, full, policy);
  assert_int_equal(siox_trace_create(&writer, test_path("a.siox"), &h, NULL), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  for (uint64_t f = 1; f <= 2; f++) { /* file 1 on disk 0, file 2 on disk 1 */
    e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
    e.u.file.file = f;
    e.u.file.path = "f";
    e.u.file.layout = f == 1 ? "0:1:1M" : "1:1:1M";
    put(&e);
  }
  test_join_all(writer, nclients, T0);
}
static void begin(uint32_t nclients) { begin_under(nclients, "base"); }

static void io(uint32_t client, int64_t at, int64_t ms, uint64_t file, int64_t offset, uint64_t uid,
               uint64_t seq) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = client, .thread = 1};
  e.u.io.arrival = T0 + at * MS;
  e.u.io.completion = T0 + (at + ms) * MS;
  e.u.io.file = file;
  e.u.io.offset = offset;
  e.u.io.bytes = 60000;
  e.u.io.coll_uid = uid;
  e.u.io.coll_seq = seq;
  put(&e);
}
static void leave(uint32_t client, int64_t at) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = client};
  e.u.leave.time = T0 + at * MS;
  put(&e);
}
static void sync_all(uint32_t client, int64_t enter, int64_t end, uint64_t uid, uint64_t seq) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_SYNC, .client = client, .thread = 1};
  e.u.sync.enter = T0 + enter * MS;
  e.u.sync.leave = T0 + end * MS;
  e.u.sync.uid = uid;
  e.u.sync.seq = seq;
  e.u.sync.kind = SIOX_SYNC_ALL;
  e.u.sync.size = 2;
  e.u.sync.root = -1;
  e.u.sync.self = (int32_t)client;
  put(&e);
}
static void call_all(uint32_t client, int64_t start, int64_t end, uint64_t uid, uint64_t seq) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_CALL, .client = client, .thread = 1};
  e.u.call.start = T0 + start * MS;
  e.u.call.end = T0 + end * MS;
  e.u.call.coll_uid = uid;
  e.u.call.coll_seq = seq;
  put(&e);
  sync_all(client, start, end, uid, seq);
}
static void message(uint32_t client, int64_t start, int64_t end, int32_t peer, bool receive) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_MESSAGE, .client = client, .thread = 1};
  e.u.message.start = T0 + start * MS;
  e.u.message.end = T0 + end * MS;
  e.u.message.uid = 77;
  e.u.message.peer = peer;
  e.u.message.self = (int32_t)client;
  e.u.message.tag = 5;
  e.u.message.receive = receive;
  put(&e);
}

static struct siox_replay_result replay(const struct siox_replay_options *options) {
  struct siox_replay_result result;
  struct siox_diag diag;
  int rc = siox_replay(test_path("a.siox"), options, &result, &diag);
  if (rc)
    print_error("%s\n", diag.text);
  assert_int_equal(rc, 0);
  return result;
}
static struct siox_replay_result replay_fast(void) {
  return replay(&(struct siox_replay_options){.policy = "base"});
}
static struct siox_replay_result replay_slow(void) {
  return replay(&(struct siox_replay_options){.policy = "static:5000", .initial_level = low});
}
static void done(void) { assert_int_equal(siox_trace_close(writer), 0); }
static void ends(const struct siox_replay_result *r, uint32_t rank, int64_t ms) {
  assert_int_equal(r->rank[rank].end - T0, ms * MS);
}

static void think_times_are_kept_between_requests(void **state) {
  (void)state;
  begin(1);
  io(0, 10, FAST, 1, 0, 0, 0);
  io(0, 20, 3, 1, 60000, 0, 0); /* goes on where the first ended: no seek */
  leave(0, 25);
  done();
  struct siox_replay_result fast = replay_fast(), slow = replay_slow();
  ends(&fast, 0, 25);
  /* two disks over 25 ms at 10 W, one of them busy for 9 ms at 13 W */
  assert_true(fabs(fast.joules - (2 * 0.025 * 10 + 0.009 * 3)) < 1e-12);
  assert_int_equal(fast.rank[0].io_ns, 9 * MS);
  ends(&slow, 0, 10 + SLOW + 4 + 9 + 2); /* every request takes longer, what follows comes later */
  assert_int_equal(slow.rank[0].io_ns, 21 * MS);
  assert_int_equal(slow.rank[0].worst_ns, SLOW * MS);
  assert_true(fabs(siox_added_io(&slow, &fast) - 12.0 / 9) < 1e-12);
  assert_true(siox_added_io(&fast, &fast) == 0);
  assert_int_equal(slow.requests, 2);
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

static void prepared_static_levels_cost_joules_and_no_time(void **state) {
  (void)state;
  begin(1);
  io(0, 10, FAST, 1, 0, 0, 0);
  leave(0, 25);
  done();
  struct siox_replay_result there = replay_slow();
  struct siox_replay_result prepared =
      replay(&(struct siox_replay_options){.policy = "static:5000", .prepared = true});
  double down, up;
  assert_int_equal(
      siox_drive_transition_j(&drive, drive.level[2].speed, drive.level[0].speed, &down), 0);
  assert_int_equal(siox_drive_transition_j(&drive, drive.level[0].speed, drive.level[2].speed, &up),
                   0);
  assert_int_equal(prepared.end, there.end);
  assert_int_equal(prepared.rank[0].io_ns, there.rank[0].io_ns);
  assert_true(fabs(prepared.joules - (there.joules + NDISKS * (down + up))) < 1e-12);
  double jobs = 0;
  for (uint32_t j = 0; j <= prepared.njobs; j++)
    for (int k = 0; k < SIOX_NSTATES; k++)
      jobs += prepared.job[j].joules[k];
  assert_true(fabs(jobs - prepared.joules) < 1e-12);
  assert_int_equal(prepared.transitions, 2 * NDISKS);
  siox_replay_free(&there);
  siox_replay_free(&prepared);
}

static void a_barrier_passes_a_delay_on(void **state) {
  (void)state;
  begin(2);
  io(0, 1, FAST, 1, 0, 0, 0);
  sync_all(0, 10, 11, 5, 1);
  sync_all(1, 4, 11, 5, 1); /* waits for rank 0 from 4 to 10; the barrier itself takes 1 */
  leave(0, 13);
  leave(1, 12);
  done();
  struct siox_replay_result fast = replay_fast(), slow = replay_slow();
  ends(&fast, 0, 13);
  ends(&fast, 1, 12);
  ends(&slow, 0, 13 + SLOW - FAST);
  ends(&slow, 1, 12 + SLOW - FAST);
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

static void a_slack_before_a_barrier_takes_a_delay_up(void **state) {
  (void)state;
  begin(2);
  io(0, 1, FAST, 1, 0, 0, 0);
  sync_all(0, 7, 21, 5, 1);
  sync_all(1, 20, 21, 5, 1); /* is last anyway */
  leave(0, 21);
  leave(1, 22);
  done();
  struct siox_replay_result slow = replay_slow();
  ends(&slow, 0, 21);
  ends(&slow, 1, 22);
  siox_replay_free(&slow);
}

static void an_aggregators_delay_is_everybodys(void **state) {
  (void)state;
  begin(2);
  io(0, 12, FAST, 1, 0, 9, 1); /* rank 0 writes for both, 2 after the last one came */
  call_all(0, 5, 19, 9, 1);
  call_all(1, 10, 20, 9, 1);
  leave(0, 30);
  leave(1, 31);
  done();
  struct siox_replay_result fast = replay_fast(), slow = replay_slow();
  ends(&fast, 0, 30);
  ends(&fast, 1, 31);
  assert_int_equal(fast.rank[0].io_ns, 14 * MS); /* the whole call, waiting included */
  assert_int_equal(fast.rank[1].io_ns, 10 * MS);
  ends(&slow, 0, 30 + SLOW - FAST);
  ends(&slow, 1, 31 + SLOW - FAST); /* by exactly as much */
  assert_int_equal(slow.rank[1].io_ns, 16 * MS);
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

static void an_aggregator_waits_for_the_others_data(void **state) {
  (void)state;
  begin(2);
  io(1, 2, FAST, 2, 0, 0, 0); /* delays rank 1 before the collective */
  io(0, 12, FAST, 1, 0, 9, 1);
  call_all(0, 5, 19, 9, 1);
  call_all(1, 10, 20, 9, 1);
  leave(0, 30);
  leave(1, 31);
  done();
  struct siox_replay_result slow = replay_slow();
  ends(&slow, 0, 30 + 2 * (SLOW - FAST));
  ends(&slow, 1, 31 + 2 * (SLOW - FAST));
  siox_replay_free(&slow);
}

static void who_left_before_the_io_ended_did_not_wait_for_it(void **state) {
  (void)state;
  begin(2);
  io(0, 12, FAST, 1, 0, 9, 1);
  call_all(0, 5, 19, 9, 1);
  call_all(1, 10, 11, 9, 1); /* gave its data away and went on */
  leave(0, 30);
  leave(1, 31);
  done();
  struct siox_replay_result slow = replay_slow();
  ends(&slow, 0, 30 + SLOW - FAST);
  ends(&slow, 1, 31);
  siox_replay_free(&slow);
}

static void a_message_passes_a_delay_on(void **state) {
  (void)state;
  begin(2);
  io(0, 1, FAST, 1, 0, 0, 0);
  message(0, 8, 9, 1, false);
  message(1, 3, 10, 0, true);
  io(1, 12, FAST, 2, 0, 0, 0);
  leave(0, 9);
  leave(1, 20);
  done();
  struct siox_replay_result fast = replay_fast(), slow = replay_slow();
  ends(&fast, 0, 9);
  ends(&fast, 1, 20);
  ends(&slow, 0, 9 + SLOW - FAST);
  ends(&slow, 1, 20 + 2 * (SLOW - FAST)); /* the chain's two requests */
  siox_replay_free(&fast);
  siox_replay_free(&slow);
}

static void async_wait(int64_t start, int64_t end) {
  begin(1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .thread = 1};
  e.u.io.arrival = T0 + 1 * MS;
  e.u.io.completion = T0 + (1 + FAST) * MS;
  e.u.io.file = 1;
  e.u.io.bytes = 60000;
  e.u.io.flags = SIOX_IO_ASYNC;
  e.u.io.request = 3;
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_WAIT, .thread = 1};
  e.u.wait.start = T0 + start * MS;
  e.u.wait.end = T0 + end * MS;
  e.u.wait.request = 3;
  put(&e);
  leave(0, 30);
  done();
}
static void an_async_request_delays_only_who_waits_for_it(void **state) {
  (void)state;
  async_wait(20, 21); /* enough to do meanwhile */
  struct siox_replay_result slow = replay_slow();
  ends(&slow, 0, 30);
  siox_replay_free(&slow);
  async_wait(5, 8); /* waits from 5 to 7 and 1 more */
  slow = replay_slow();
  ends(&slow, 0, 30 + SLOW - FAST);
  siox_replay_free(&slow);
}

static void a_cut_trace_is_replayed_as_far_as_it_goes(void **state) {
  (void)state;
  begin(2);
  io(0, 1, FAST, 1, 0, 0, 0);
  io(1, 2, FAST, 2, 0, 0, 0);
  sync_all(0, 10, 12, 5, 1); /* rank 1's record is not there */
  assert_int_equal(siox_trace_flush(writer), 0);
  struct siox_replay_result slow = replay_slow();
  assert_true(slow.cut);
  ends(&slow, 0, 12 + SLOW - FAST);
  ends(&slow, 1, 2 + SLOW);
  siox_replay_free(&slow);
  done();
}

static void records_that_wait_for_each_other_do_not_hang(void **state) {
  (void)state;
  begin(2);
  message(0, 5, 5, 1, true);
  message(0, 5, 5, 1, false);
  message(1, 5, 5, 0, true);
  message(1, 5, 5, 0, false);
  leave(0, 6);
  leave(1, 6);
  done();
  struct siox_replay_result fast = replay_fast();
  assert_int_equal(fast.released, 1);
  ends(&fast, 1, 6);
  siox_replay_free(&fast);
}

/* A live run in small: clients that think and ask a bank, its answers recorded as the daemon would.
 */
enum { CLIENTS = 3, STEPS = 300 };
struct live {
  struct siox_bank *bank;
  struct siox_layout layout[3];
  uint64_t seed;
  struct actor {
    int64_t at, next_use;
    enum { ASK, HINT, LEAVE } what;
    uint32_t steps;
  } actor[CLIENTS];
};

static void record_segment(void *context, const struct siox_segment *s) {
  (void)context;
  struct siox_trace_event e = {.kind = SIOX_TRACE_SEGMENT};
  e.u.segment = *s;
  put(&e);
}

static void live_ask(struct live *l, uint32_t c) {
  struct actor *a = &l->actor[c];
  struct siox_request q = {
      .arrival = a->at, .client = c, .file = 1 + test_below(&l->seed, 2), .bytes = 60000};
  struct siox_service service;
  q.offset = (int64_t)test_below(&l->seed, 100) * 60000;
  q.layout = &l->layout[q.file];
  assert_int_equal(siox_bank_access(l->bank, &q, &service), 0);
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = c, .thread = 1};
  e.u.io.arrival = q.arrival;
  e.u.io.completion = service.completion;
  e.u.io.file = q.file;
  e.u.io.offset = q.offset;
  e.u.io.bytes = q.bytes;
  e.u.io.missed = service.missed;
  put(&e);
  bool gap = test_below(&l->seed, 20) == 0;
  int64_t think = 1 + (int64_t)test_below(&l->seed, gap ? 20000 * MS : 10 * MS);
  a->what = ++a->steps == STEPS ? LEAVE : gap ? HINT : ASK;
  a->next_use = service.completion + think;
  a->at = a->what == HINT ? service.completion + think / 100 : a->next_use;
}

static void live_hint(struct live *l, uint32_t c) {
  struct actor *a = &l->actor[c];
  struct siox_claim_run run = {
      .count = NDISKS, .speed = 5000, .need_by = a->next_use, .until = SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .client = c, .thread = 1};
  e.u.hint.time = a->at;
  e.u.hint.head = (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, a->steps, a->at, 0};
  e.u.hint.runs = &run;
  assert_int_equal(siox_bank_claim(l->bank, a->at, c, &e.u.hint.head, &run), 0);
  put(&e);
  a->what = ASK;
  a->at = a->next_use;
}

static struct siox_replay_result live_run(const char *policy) {
  struct live l = {.seed = 5};
  uint32_t job, client, left = CLIENTS;
  int64_t end = 0;
  begin_under(CLIENTS, policy);
  struct siox_bank_options o = {.ndisks = NDISKS,
                                .drive = drives,
                                .initial_level = full,
                                .policy = policy,
                                .hold_factor = 10,
                                .start = T0,
                                .segment = record_segment};
  assert_int_equal(siox_bank_create(&l.bank, &o), 0);
  assert_int_equal(siox_layout_parse(&l.layout[1], NDISKS, "0:1:1M"), 0);
  assert_int_equal(siox_layout_parse(&l.layout[2], NDISKS, "1:1:1M"), 0);
  assert_int_equal(siox_bank_job(l.bank, "job", &job), 0);
  for (uint32_t c = 0; c < CLIENTS; c++) {
    assert_int_equal(siox_bank_join(l.bank, T0, job, &client), 0);
    assert_int_equal(client, c);
    l.actor[c].at = T0 + 1 + (int64_t)test_below(&l.seed, 50 * MS);
  }
  while (left) {
    uint32_t c = 0;
    for (uint32_t i = 1; i < CLIENTS; i++)
      c = l.actor[i].at < l.actor[c].at ? i : c;
    if (l.actor[c].what == ASK) {
      live_ask(&l, c);
    } else if (l.actor[c].what == HINT) {
      live_hint(&l, c);
    } else {
      struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = c};
      e.u.leave.time = end = l.actor[c].at;
      assert_int_equal(siox_bank_leave(l.bank, end, c), 0);
      put(&e);
      l.actor[c].at = INT64_MAX;
      left--;
    }
  }
  assert_int_equal(siox_bank_finish(l.bank, end), 0);
  struct siox_replay_result live = {.end = end};
  for (uint32_t d = 0; d < NDISKS; d++) {
    struct siox_disk_totals totals;
    siox_bank_disk_totals(l.bank, d, &totals);
    live.requests += totals.requests;
    live.transitions += totals.transitions_up + totals.transitions_down;
    for (int k = 0; k < SIOX_NSTATES; k++)
      live.joules += totals.joules[k];
  }
  siox_layout_free(&l.layout[1]);
  siox_layout_free(&l.layout[2]);
  siox_bank_destroy(l.bank);
  done();
  return live;
}

static void a_live_base_run_agrees_with_its_replay_exactly(void **state) {
  (void)state;
  struct siox_replay_result live = live_run("base"), again = replay_fast();
  assert_true(again.joules == live.joules);
  assert_int_equal(again.end, live.end);
  assert_int_equal(again.requests, CLIENTS * STEPS);
  siox_replay_free(&again);
}

static void an_open_loop_replay_gives_the_recorded_joules(void **state) {
  (void)state;
  const char *const policies[] = {"base", "siox", "claims", "rt", "static:10000"};
  for (int i = 0; i < 5; i++) {
    struct siox_replay_result live = live_run(policies[i]);
    struct siox_replay_result open = replay(&(struct siox_replay_options){.open_loop = true}),
                              closed = replay(NULL);
    assert_true(fabs(open.joules - live.joules) <= 1e-9 * live.joules);
    assert_int_equal(open.end, live.end);
    assert_int_equal(open.transitions, live.transitions);
    assert_int_equal(closed.end,
                     live.end); /* nothing is delayed, so closing the loop changes nothing */
    assert_true(fabs(closed.joules - live.joules) <= 1e-9 * live.joules);
    siox_replay_free(&open);
    siox_replay_free(&closed);
  }
}

static void recorded_totals_are_those_of_the_run(void **state) {
  (void)state;
  struct siox_replay_result live = live_run("siox"), recorded, open;
  struct siox_diag diag;
  assert_int_equal(siox_replay_recorded(test_path("a.siox"), &recorded, &diag), 0);
  open = replay(&(struct siox_replay_options){.open_loop = true});
  assert_true(fabs(recorded.joules - live.joules) <= 1e-9 * live.joules);
  assert_int_equal(recorded.transitions, live.transitions);
  assert_int_equal(recorded.end, live.end);
  assert_int_equal(recorded.requests, CLIENTS * STEPS);
  assert_int_equal(recorded.missed, open.missed);
  assert_int_equal(recorded.nranks, CLIENTS);
  double jobs = 0;
  for (uint32_t j = 0; j <= recorded.njobs; j++)
    for (int k = 0; k < SIOX_NSTATES; k++)
      jobs += recorded.job[j].joules[k];
  assert_true(fabs(jobs - live.joules) <= 1e-9 * live.joules);
  for (uint32_t i = 0; i < CLIENTS; i++)
    assert_int_equal(recorded.rank[i].io_ns, open.rank[i].io_ns);
  for (uint32_t d = 0; d < NDISKS; d++) {
    assert_int_equal(recorded.disk[d].requests, open.disk[d].requests);
    assert_int_equal(recorded.disk[d].bytes, open.disk[d].bytes);
  }
  assert_string_equal(recorded.job[0].key, "job");
  siox_replay_free(&recorded);
  siox_replay_free(&open);
}

/* A trace of a hint that names no disk and nothing else. */
static void a_hint_without_runs_is_replayed(void **state) {
  (void)state;
  begin(1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_HINT, .thread = 1};
  e.u.hint.time = T0 + MS;
  e.u.hint.head = (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 0, 1, T0 + MS, 0};
  put(&e);
  leave(0, 5);
  done();
  struct siox_replay_result r = replay_fast();
  ends(&r, 0, 5);
  assert_int_equal(r.hints, 1);
  siox_replay_free(&r);
}

/* Numbers are given in order; a short file must not make a million jobs. */
static void a_job_far_beyond_the_others_is_an_error(void **state) {
  (void)state;
  begin(1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.job = 1 << 20;
  e.u.job.key = "far";
  put(&e);
  leave(0, 5);
  done();
  struct siox_replay_result result;
  struct siox_diag diag;
  assert_int_equal(siox_replay(test_path("a.siox"), NULL, &result, &diag), SIOX_EPROTO);
  assert_non_null(strstr(diag.text, "job 1048576"));
}

/* It would end after the last moment there is. */
static void a_request_longer_than_time_is_an_error(void **state) {
  (void)state;
  begin(1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .thread = 1};
  e.u.io.arrival = e.u.io.completion = T0;
  e.u.io.file = 1;
  e.u.io.bytes = INT64_MAX;
  put(&e);
  leave(0, 5);
  done();
  struct siox_replay_result result;
  struct siox_diag diag;
  assert_int_equal(siox_replay(test_path("a.siox"), NULL, &result, &diag), SIOX_ERANGE);
  assert_non_null(strstr(diag.text, "a.siox"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(think_times_are_kept_between_requests),
      cmocka_unit_test(prepared_static_levels_cost_joules_and_no_time),
      cmocka_unit_test(a_barrier_passes_a_delay_on),
      cmocka_unit_test(a_slack_before_a_barrier_takes_a_delay_up),
      cmocka_unit_test(an_aggregators_delay_is_everybodys),
      cmocka_unit_test(an_aggregator_waits_for_the_others_data),
      cmocka_unit_test(who_left_before_the_io_ended_did_not_wait_for_it),
      cmocka_unit_test(a_message_passes_a_delay_on),
      cmocka_unit_test(an_async_request_delays_only_who_waits_for_it),
      cmocka_unit_test(a_cut_trace_is_replayed_as_far_as_it_goes),
      cmocka_unit_test(records_that_wait_for_each_other_do_not_hang),
      cmocka_unit_test(a_live_base_run_agrees_with_its_replay_exactly),
      cmocka_unit_test(an_open_loop_replay_gives_the_recorded_joules),
      cmocka_unit_test(recorded_totals_are_those_of_the_run),
      cmocka_unit_test(a_hint_without_runs_is_replayed),
      cmocka_unit_test(a_job_far_beyond_the_others_is_an_error),
      cmocka_unit_test(a_request_longer_than_time_is_an_error),
  };
  return cmocka_run_group_tests(tests, test_make_directory, test_remove_directory);
}
