/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of traces: a directory of their own, a drive, random events of every kind, and an event
 * as text. */
#ifndef SIOX_TEST_UNIT_TRACE_SUPPORT_H
#define SIOX_TEST_UNIT_TRACE_SUPPORT_H
#include "siox/trace.h"
#include "store/trace_wire.h"
#include "support.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char test_directory[64];

static inline int test_make_directory(void **state) {
  (void)state;
  strcpy(test_directory, "/tmp/siox-test-XXXXXX");
  return mkdtemp(test_directory) ? 0 : -1;
}
static inline const char *test_path(const char *name) {
  static char path[4][128];
  static unsigned turn;
  char *p = path[turn++ % 4];
  snprintf(p, sizeof path[0], "%s/%s", test_directory, name);
  return p;
}
static inline int test_remove_directory(void **state) {
  (void)state;
  unlink(test_path("a.siox"));
  unlink(test_path("b.siox"));
  return rmdir(test_directory);
}

/* Three levels on a ramp; figures are made up and round. */
static inline struct siox_drive test_drive(void) {
  struct siox_drive d = {.name = "round",
                         .nlevels = 3,
                         .seek_ns = 3e6,
                         .ramp = true,
                         .ramp_ns_per_speed = 1e5,
                         .base_w = 2,
                         .span_w = 8,
                         .rule = SIOX_RULE_B,
                         .time_scale = 1};
  for (int i = 0; i < 3; i++) {
    double part = (i + 1) / 3.0;
    d.level[i] = (struct siox_level){.speed = 5000 * (i + 1),
                                     .serves = true,
                                     .idle_w = 2 + 8 * part * part,
                                     .active_w = 5 + 8 * part * part,
                                     .rate = 60e6 * part,
                                     .rotation_ns = 2e6 / part};
  }
  return d;
}

/* So many processes of the first job, which join at `time`. */
static inline void test_join_all(struct siox_trace_writer *writer, uint32_t nclients,
                                 int64_t time) {
  for (uint32_t c = 0; c < nclients; c++) {
    struct siox_trace_event e = {.kind = SIOX_TRACE_CLIENT};
    e.u.client_def = (__typeof__(e.u.client_def)){c, 0, (int32_t)c, (int32_t)nclients, 0, "p"};
    assert_int_equal(siox_trace_write(writer, &e), 0);
    e = (struct siox_trace_event){.kind = SIOX_TRACE_JOIN, .client = c};
    e.u.join.time = time;
    assert_int_equal(siox_trace_write(writer, &e), 0);
  }
}

/* The header of a trace of such drives. */
static inline struct siox_trace_header test_header(int64_t start, uint32_t ndisks,
                                                   const struct siox_drive *const *drive,
                                                   const uint32_t *level, const char *policy) {
  return (struct siox_trace_header){.clock = 1,
                                    .start = start,
                                    .ndisks = ndisks,
                                    .drive = drive,
                                    .initial_level = level,
                                    .policy = policy,
                                    .hold_factor = 10,
                                    .program = "test"};
}

static inline int64_t test_time(uint64_t *r) {
  return (int64_t)(test_random(r) >> (3 + test_below(r, 60)));
}

/* Fields are sometimes wild and sometimes small; strings and runs stay valid until the next call.
 */
static inline void test_random_event(uint64_t *r, uint32_t ndisks, struct siox_trace_event *e) {
  static struct siox_claim_run runs[8];
  static const char *const texts[] = {"", "a", "/scratch/matrix A", "0,2,1:64K"};
  memset(e, 0, sizeof *e);
  e->kind = (enum siox_trace_kind)test_below(r, SIOX_NTRACE_KINDS);
  unsigned shift = (unsigned)test_below(r, 64);
  int64_t start = test_time(r), end = start + test_time(r) / 2;
  end = end > INT64_MAX / 4 ? start : end;
#define WILD (test_random(r) >> shift)
#define TEXT texts[test_below(r, 4)]
  if (e->kind > SIOX_TRACE_SITE && e->kind != SIOX_TRACE_SEGMENT) {
    e->client = (uint32_t)test_below(r, 3);
    e->thread = (uint32_t)test_below(r, 2);
  }
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    e->u.job.job = (uint32_t)WILD, e->u.job.uid = (uint32_t)WILD, e->u.job.key = TEXT;
    break;
  case SIOX_TRACE_CLIENT:
    e->u.client_def.client = (uint32_t)WILD, e->u.client_def.job = (uint32_t)WILD;
    e->u.client_def.rank = (int32_t)WILD, e->u.client_def.size = (int32_t)WILD,
    e->u.client_def.pid = -(int32_t)(WILD >> 33);
    e->u.client_def.program = TEXT;
    break;
  case SIOX_TRACE_FILE:
    e->u.file.file = WILD, e->u.file.path = TEXT, e->u.file.layout = TEXT;
    break;
  case SIOX_TRACE_SITE:
    e->u.site.key = WILD, e->u.site.line = (uint32_t)WILD, e->u.site.column = (uint32_t)WILD;
    e->u.site.file = TEXT, e->u.site.function = TEXT, e->u.site.call = TEXT;
    break;
  case SIOX_TRACE_POSIX:
    e->u.posix.start = start, e->u.posix.end = end, e->u.posix.site = WILD;
    e->u.posix.offset = (int64_t)WILD, e->u.posix.bytes = (int64_t)WILD, e->u.posix.file = WILD;
    e->u.posix.coll_uid = WILD, e->u.posix.coll_seq = WILD, e->u.posix.call = (uint32_t)WILD;
    e->u.posix.result = -(int32_t)(WILD >> 33);
    break;
  case SIOX_TRACE_JOIN:
    e->u.join.time = start, e->u.join.known = WILD & 1;
    break;
  case SIOX_TRACE_LEAVE:
    e->u.leave.time = start;
    break;
  case SIOX_TRACE_OPEN:
    e->u.open.time = start, e->u.open.file = WILD;
    break;
  case SIOX_TRACE_IO:
    e->u.io.arrival = start, e->u.io.completion = end, e->u.io.file = WILD,
    e->u.io.offset = (int64_t)(WILD >> 1);
    e->u.io.bytes = (int64_t)(WILD >> 1), e->u.io.site = WILD, e->u.io.coll_uid = WILD,
    e->u.io.coll_seq = WILD;
    e->u.io.op = (uint32_t)WILD, e->u.io.flags = (uint32_t)WILD, e->u.io.request = (uint32_t)WILD,
    e->u.io.missed = WILD & 1;
    break;
  case SIOX_TRACE_HINT:
    e->u.hint.time = start;
    e->u.hint.head = (struct siox_claim_header){
        (uint16_t)WILD, (uint16_t)WILD, (uint32_t)test_below(r, 9), WILD, (int64_t)WILD, WILD};
    e->u.hint.runs = runs;
    for (int i = 0; i < 8; i++)
      runs[i] = (struct siox_claim_run){(uint32_t)WILD,
                                        (uint32_t)WILD,
                                        (int32_t)WILD,
                                        -(int32_t)(WILD >> 33),
                                        WILD & 1 ? 0 : (int64_t)WILD,
                                        WILD & 1 ? SIOX_NEVER : (int64_t)WILD};
    break;
  case SIOX_TRACE_CALL:
    e->u.call.start = start, e->u.call.end = end, e->u.call.site = WILD,
    e->u.call.offset = (int64_t)WILD;
    e->u.call.bytes = (int64_t)WILD, e->u.call.coll_uid = WILD, e->u.call.coll_seq = WILD,
    e->u.call.file = WILD;
    e->u.call.call = (uint32_t)WILD, e->u.call.result = (int32_t)WILD;
    break;
  case SIOX_TRACE_SYNC:
    e->u.sync.enter = start, e->u.sync.leave = end, e->u.sync.uid = WILD, e->u.sync.seq = WILD;
    e->u.sync.kind = (uint32_t)WILD, e->u.sync.size = (uint32_t)WILD,
    e->u.sync.root = (int32_t)WILD;
    e->u.sync.self = -(int32_t)(WILD >> 33);
    break;
  case SIOX_TRACE_MESSAGE:
    e->u.message.start = start, e->u.message.end = end, e->u.message.uid = WILD,
    e->u.message.peer = (int32_t)WILD;
    e->u.message.self = (int32_t)WILD, e->u.message.tag = (int32_t)WILD,
    e->u.message.receive = (uint32_t)WILD;
    break;
  case SIOX_TRACE_WAIT:
    e->u.wait.start = start, e->u.wait.end = end, e->u.wait.request = (uint32_t)WILD;
    break;
  case SIOX_TRACE_SEGMENT:
    e->u.segment.disk = (uint32_t)test_below(r, ndisks),
    e->u.segment.state = (enum siox_state)test_below(r, SIOX_NSTATES);
    e->u.segment.start = start, e->u.segment.end = end,
    e->u.segment.from_speed = (double)(WILD >> 3) / 7;
    e->u.segment.to_speed = (double)(WILD >> 3) * 5, e->u.segment.bytes = WILD,
    e->u.segment.job = (uint32_t)WILD;
    e->u.segment.share = (double)(WILD >> 40) / 3, e->u.segment.joules = (double)(WILD >> 20) / 11;
    break;
  }
#undef WILD
#undef TEXT
}

/* Every field that the event's kind has. */
static inline const char *test_describe(const struct siox_trace_event *e, char *text, size_t size) {
  int n = snprintf(text, size, "%d %u %u:", e->kind, e->client, e->thread);
  char *p = text + n;
  size -= (size_t)n;
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    snprintf(p, size, "%u %u %s", e->u.job.job, e->u.job.uid, e->u.job.key);
    break;
  case SIOX_TRACE_CLIENT:
    snprintf(p, size, "%u %u %d %d %d %s", e->u.client_def.client, e->u.client_def.job,
             e->u.client_def.rank, e->u.client_def.size, e->u.client_def.pid,
             e->u.client_def.program);
    break;
  case SIOX_TRACE_FILE:
    snprintf(p, size, "%" PRIu64 " %s %s", e->u.file.file, e->u.file.path, e->u.file.layout);
    break;
  case SIOX_TRACE_SITE:
    snprintf(p, size, "%" PRIu64 " %u %u %s %s %s", e->u.site.key, e->u.site.line, e->u.site.column,
             e->u.site.file, e->u.site.function, e->u.site.call);
    break;
  case SIOX_TRACE_JOIN:
    snprintf(p, size, "%" PRId64 " %d", e->u.join.time, e->u.join.known);
    break;
  case SIOX_TRACE_LEAVE:
    snprintf(p, size, "%" PRId64, e->u.leave.time);
    break;
  case SIOX_TRACE_OPEN:
    snprintf(p, size, "%" PRId64 " %" PRIu64, e->u.open.time, e->u.open.file);
    break;
  case SIOX_TRACE_IO:
    snprintf(p, size,
             "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 " %u %u %u %d",
             e->u.io.arrival, e->u.io.completion, e->u.io.file, e->u.io.offset, e->u.io.bytes,
             e->u.io.site, e->u.io.coll_uid, e->u.io.coll_seq, e->u.io.op, e->u.io.flags,
             e->u.io.request, e->u.io.missed);
    break;
  case SIOX_TRACE_HINT:
    n = snprintf(p, size, "%" PRId64 " %u %u %u %" PRIu64 " %" PRId64 " %" PRIu64, e->u.hint.time,
                 e->u.hint.head.version, e->u.hint.head.flags, e->u.hint.head.nruns,
                 e->u.hint.head.seq, e->u.hint.head.time, e->u.hint.head.site);
    for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
      const struct siox_claim_run *r = &e->u.hint.runs[i];
      n += snprintf(p + n, size - (size_t)n, " (%u %u %d %d %" PRId64 " %" PRId64 ")", r->first,
                    r->count, r->speed, r->flag, r->need_by, r->until);
    }
    break;
  case SIOX_TRACE_CALL:
    snprintf(p, size,
             "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 " %u %d",
             e->u.call.start, e->u.call.end, e->u.call.site, e->u.call.offset, e->u.call.bytes,
             e->u.call.coll_uid, e->u.call.coll_seq, e->u.call.file, e->u.call.call,
             e->u.call.result);
    break;
  case SIOX_TRACE_SYNC:
    snprintf(p, size, "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %u %u %d %d",
             e->u.sync.enter, e->u.sync.leave, e->u.sync.uid, e->u.sync.seq, e->u.sync.kind,
             e->u.sync.size, e->u.sync.root, e->u.sync.self);
    break;
  case SIOX_TRACE_MESSAGE:
    snprintf(p, size, "%" PRId64 " %" PRId64 " %" PRIu64 " %d %d %d %u", e->u.message.start,
             e->u.message.end, e->u.message.uid, e->u.message.peer, e->u.message.self,
             e->u.message.tag, e->u.message.receive);
    break;
  case SIOX_TRACE_WAIT:
    snprintf(p, size, "%" PRId64 " %" PRId64 " %u", e->u.wait.start, e->u.wait.end,
             e->u.wait.request);
    break;
  case SIOX_TRACE_POSIX:
    snprintf(p, size,
             "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64
             " %" PRIu64 " %u %d",
             e->u.posix.start, e->u.posix.end, e->u.posix.site, e->u.posix.offset, e->u.posix.bytes,
             e->u.posix.coll_uid, e->u.posix.coll_seq, e->u.posix.file, e->u.posix.call,
             e->u.posix.result);
    break;
  case SIOX_TRACE_SEGMENT:
    snprintf(p, size, "%u %d %" PRId64 " %" PRId64 " %a %a %" PRIu64 " %u %a %a", e->u.segment.disk,
             e->u.segment.state, e->u.segment.start, e->u.segment.end, e->u.segment.from_speed,
             e->u.segment.to_speed, e->u.segment.bytes, e->u.segment.job, e->u.segment.share,
             e->u.segment.joules);
    break;
  }
  return text;
}

static inline void test_put32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}

/* For mutated files. Blocks with lengths that still lead to the next one get a right checksum; the
 * last one a right length too. */
static inline void test_mend_checksums(uint8_t *data, size_t n) {
  for (size_t at = 0; n - at >= SIOX__TRACE_FRAME;) {
    size_t length = data[at + 8] | (size_t)data[at + 9] << 8 | (size_t)data[at + 10] << 16 |
                    (size_t)data[at + 11] << 24;
    if (length > n - at - SIOX__TRACE_FRAME)
      length = n - at - SIOX__TRACE_FRAME;
    test_put32(data + at + 8, (uint32_t)length);
    test_put32(data + at + 12,
               siox__crc32c(siox__crc32c(0, data + at, 12), data + at + SIOX__TRACE_FRAME, length));
    at += SIOX__TRACE_FRAME + length;
  }
}

#endif
