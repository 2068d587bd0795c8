/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a trace of four ranks in one collective write, in which ranks 0 and 2 write for all, to
 * one disk each. Usage: aggregator_trace FILE [alone]; "alone": the same requests, and not a word
 * of who waits for whom, as other recorders leave it. The drive is made up, with round figures: a
 * request of 60,000 bytes takes 3 ms seek + 2 ms rotation + 1 ms transfer, at the lower speed 3 + 4
 * + 2 ms. */
#include "common/wire.h"
#include "siox/trace.h"
#include <stdbool.h>
#include <string.h>

enum { RANKS = 4 };
static const int64_t ms = 1000000;
static struct siox_trace_writer *trace;
static int failed;

static void put(const struct siox_trace_event *e) { failed |= siox_trace_write(trace, e); }

static void define(void) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  put(&e);
  for (uint64_t f = 0; f < 2; f++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
    e.u.file.file = f;
    e.u.file.path = f ? "/b" : "/a";
    e.u.file.layout = f ? "1:1:1M" : "0:1:1M";
    put(&e);
  }
  for (uint32_t r = 0; r < RANKS; r++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_CLIENT};
    e.u.client_def = (__typeof__(e.u.client_def)){r, 0, (int32_t)r, RANKS, 0, "p"};
    put(&e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = r};
    put(&e);
  }
}

static void aggregate(uint32_t rank, uint64_t file, bool alone) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_IO, .client = rank, .thread = 1};
  e.u.io.arrival = 12 * ms;
  e.u.io.completion = 18 * ms;
  e.u.io.file = file;
  e.u.io.bytes = 60000;
  e.u.io.op = SIOX_IO_WRITE;
  e.u.io.coll_uid = alone ? 0 : 9;
  e.u.io.coll_seq = !alone;
  put(&e);
}

static void collective(uint32_t rank) {
  static const int64_t enter[RANKS] = {5, 6, 7, 10};
  struct siox_trace_event e = {.kind = SIOX_TRACE_CALL, .client = rank, .thread = 1};
  e.u.call.start = enter[rank] * ms;
  e.u.call.end = 20 * ms;
  e.u.call.coll_uid = 9;
  e.u.call.coll_seq = 1;
  put(&e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_SYNC, .client = rank, .thread = 1};
  e.u.sync.enter = enter[rank] * ms;
  e.u.sync.leave = 20 * ms;
  e.u.sync.uid = 9;
  e.u.sync.seq = 1;
  e.u.sync.kind = SIOX_SYNC_ALL;
  e.u.sync.size = RANKS;
  e.u.sync.root = -1;
  e.u.sync.self = (int32_t)rank;
  put(&e);
}

int main(int argc, char **argv) {
  static const int64_t end[RANKS] = {30, 40, 35, 50}; /* rank 3 writes nothing itself */
  static const struct siox_drive drive = {.name = "round",
                                          .nlevels = 2,
                                          .level = {{.speed = 5000,
                                                     .serves = true,
                                                     .idle_w = 4,
                                                     .active_w = 7,
                                                     .rate = 30e6,
                                                     .rotation_ns = 4e6},
                                                    {.speed = 10000,
                                                     .serves = true,
                                                     .idle_w = 10,
                                                     .active_w = 13,
                                                     .rate = 60e6,
                                                     .rotation_ns = 2e6}},
                                          .seek_ns = 3e6,
                                          .ramp = true,
                                          .ramp_ns_per_speed = 1e5,
                                          .base_w = 2,
                                          .span_w = 8,
                                          .rule = SIOX_RULE_B,
                                          .time_scale = 1};
  static const struct siox_drive *const drives[2] = {&drive, &drive};
  static const uint32_t level[2] = {1, 1};
  if (argc < 2)
    return 2;
  bool alone = argc > 2 && !strcmp(argv[2], "alone");
  const struct siox_limits limits = {.early = 0.5, .inrush_w = 123, .array = 2, .power_group = 2};
  const struct siox_trace_header head = {.clock = 1,
                                         .ndisks = 2,
                                         .drive = drives,
                                         .initial_level = level,
                                         .policy = "base",
                                         .hold_factor = 10,
                                         .program = "aggregator_trace",
                                         .limits = &limits,
                                         .waits = alone ? SIOX_WAITS_UNTOLD : SIOX_WAITS_TOLD};
  if (siox_trace_create(&trace, argv[1], &head, NULL))
    return 1;
  define();
  aggregate(0, 0, alone);
  aggregate(2, 1, alone);
  for (uint32_t r = 0; r < RANKS; r++) {
    if (!alone)
      collective(r);
    struct siox_trace_event e = {.kind = SIOX_TRACE_LEAVE, .client = r};
    e.u.leave.time = end[r] * ms;
    put(&e);
  }
  return siox_trace_close(trace) || failed;
}
