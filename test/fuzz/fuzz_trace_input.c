/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "fuzz_trace_input.h"
#include "common/wire.h"
#include "trace_support.h"

#define MS INT64_C(1000000)
enum { NDISKS = 3 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16)
    test_mend_checksums(data, size);
  return size;
}

static struct siox_trace_writer *create(const char *name) {
  static struct siox_drive ramp, table;
  static const struct siox_drive *const drives[NDISKS] = {&ramp, &table, &ramp};
  static const uint32_t level[NDISKS] = {2, 1, 0};
  ramp = table = test_drive();
  table.ramp = false;
  for (int f = 0; f < 3; f++)
    for (int t = 0; t < 3; t++)
      table.table[f][t] = (struct siox_transition){f == t ? 0 : 500 * MS, f == t ? 0 : 6};
  const struct siox_limits limits = {.early = 0.9, .wear = true, .inrush_w = 20, .array = 2};
  struct siox_trace_header h = {.clock = 1,
                                .start = 5,
                                .ndisks = NDISKS,
                                .drive = drives,
                                .initial_level = level,
                                .policy = "siox",
                                .hold_factor = 10,
                                .program = "p",
                                .limits = &limits,
                                .waits = SIOX_WAITS_TOLD};
  struct siox_trace_writer *w;
  FUZZ_CHECK(siox_trace_create(&w, fuzz_seed_path(name), &h, NULL) == 0);
  return w;
}

void fuzz_seed_events(const char *name, uint64_t random) {
  struct siox_trace_writer *w = create(name);
  for (int i = 0; i < 40; i++) {
    struct siox_trace_event e;
    test_random_event(&random, NDISKS, &e);
    FUZZ_CHECK(siox_trace_write(w, &e) == 0);
  }
  FUZZ_CHECK(siox_trace_close(w) == 0);
}

static void define(struct siox_trace_writer *w) {
  struct siox_trace_event e = {.kind = SIOX_TRACE_JOB};
  e.u.job.key = "job";
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_FILE};
  e.u.file.file = 1;
  e.u.file.path = "f";
  e.u.file.layout = "0:3:64K";
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_SITE};
  e.u.site.key = 7;
  e.u.site.file = e.u.site.function = e.u.site.call = "s";
  siox_trace_write(w, &e);
}

static void live(struct siox_trace_writer *w, uint32_t client) {
  struct siox_claim_run run = {0, NDISKS, 0, 0, 900 * MS, SIOX_NEVER};
  struct siox_trace_event e = {.kind = SIOX_TRACE_CLIENT};
  e.u.client_def.client = client;
  e.u.client_def.rank = (int32_t)client;
  e.u.client_def.size = 2;
  e.u.client_def.program = "p";
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = client};
  e.u.join.time = 10;
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_OPEN, .client = client, .thread = 1};
  e.u.open.time = 20;
  e.u.open.file = 1;
  siox_trace_write(w, &e);
  for (int i = 0; i < 3; i++) {
    e = (struct siox_trace_event){.kind = SIOX_TRACE_IO, .client = client, .thread = 1};
    e.u.io.arrival = 100 * MS + i * 400 * MS;
    e.u.io.completion = e.u.io.arrival + 8 * MS;
    e.u.io.file = 1;
    e.u.io.offset = i * 100000;
    e.u.io.bytes = 100000;
    e.u.io.site = 7;
    e.u.io.coll_uid = i == 1 ? 9 : 0;
    e.u.io.request = i == 2;
    e.u.io.flags = i == 2 ? SIOX_IO_ASYNC : 0;
    siox_trace_write(w, &e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_HINT, .client = client, .thread = 1};
    e.u.hint.time = 110 * MS + i * 400 * MS;
    e.u.hint.head =
        (struct siox_claim_header){SIOX_CLAIM_VERSION, 0, 1, (uint64_t)i + 1, e.u.hint.time, 7};
    e.u.hint.runs = &run;
    siox_trace_write(w, &e);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_SYNC, .client = client, .thread = 1};
    e.u.sync.enter = 120 * MS + i * 400 * MS;
    e.u.sync.leave = 130 * MS + i * 400 * MS;
    e.u.sync.uid = 9;
    e.u.sync.seq = (uint64_t)i;
    e.u.sync.kind = (uint32_t)i;
    e.u.sync.size = 2;
    e.u.sync.self = (int32_t)client;
    siox_trace_write(w, &e);
  }
  e = (struct siox_trace_event){.kind = SIOX_TRACE_WAIT, .client = client, .thread = 1};
  e.u.wait.start = 1000 * MS;
  e.u.wait.end = 1001 * MS;
  e.u.wait.request = 1;
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_MESSAGE, .client = client, .thread = 1};
  e.u.message.start = 1002 * MS;
  e.u.message.end = 1003 * MS;
  e.u.message.uid = 9;
  e.u.message.self = (int32_t)client;
  e.u.message.peer = 1 - (int32_t)client;
  e.u.message.receive = client;
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_CALL, .client = client, .thread = 1};
  e.u.call.start = 1004 * MS;
  e.u.call.end = 1005 * MS;
  e.u.call.site = 7;
  siox_trace_write(w, &e);
  e = (struct siox_trace_event){.kind = SIOX_TRACE_LEAVE, .client = client};
  e.u.leave.time = 1100 * MS;
  siox_trace_write(w, &e);
}

void fuzz_seed_program(const char *name) {
  struct siox_trace_writer *w = create(name);
  define(w);
  live(w, 0);
  live(w, 1);
  struct siox_trace_event e = {.kind = SIOX_TRACE_SEGMENT};
  e.u.segment = (struct siox_segment){
      .start = 5, .end = 500 * MS, .from_speed = 15000, .to_speed = 15000, .share = 1, .joules = 5};
  siox_trace_write(w, &e);
  FUZZ_CHECK(siox_trace_close(w) == 0);
}
