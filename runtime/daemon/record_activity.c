/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What processes did, to the trace and to the store: all of it, nothing, or what ended in cycles
 * that are kept (docs/monitoring.md). */
#include "common/clock.h"
#include "daemon/aside.h"
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <stdlib.h>
#include <string.h>

static void store_activity(struct siox__daemon *d, const struct siox_trace_event *e) {
  struct siox__store_row row = {.kind = SIOX__ROW_ACTIVITY, .number = {e->client, e->thread}};
  int64_t *n =
      row.number + 2; /* start, end, file, offset, bytes, site, coll_uid, coll_seq, op, result */
#define PUT(...) memcpy(n, (int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__})
  switch (e->kind) {
  case SIOX_TRACE_IO:
    row.text[0] = "io";
    PUT(e->u.io.arrival, e->u.io.completion, (int64_t)e->u.io.file, e->u.io.offset, e->u.io.bytes,
        (int64_t)e->u.io.site, (int64_t)e->u.io.coll_uid, (int64_t)e->u.io.coll_seq, e->u.io.op);
    break;
  case SIOX_TRACE_CALL:
    row.text[0] = "mpiio";
    PUT(e->u.call.start, e->u.call.end, (int64_t)e->u.call.file, e->u.call.offset, e->u.call.bytes,
        (int64_t)e->u.call.site, (int64_t)e->u.call.coll_uid, (int64_t)e->u.call.coll_seq,
        e->u.call.call, e->u.call.result);
    break;
  case SIOX_TRACE_POSIX:
    row.text[0] = "posix";
    PUT(e->u.posix.start, e->u.posix.end, (int64_t)e->u.posix.file, e->u.posix.offset,
        e->u.posix.bytes, (int64_t)e->u.posix.site, (int64_t)e->u.posix.coll_uid,
        (int64_t)e->u.posix.coll_seq, e->u.posix.call, e->u.posix.result);
    break;
  case SIOX_TRACE_SYNC:
    row.text[0] = "sync";
    PUT(e->u.sync.enter, e->u.sync.leave, 0, 0, 0, 0, (int64_t)e->u.sync.uid,
        (int64_t)e->u.sync.seq, e->u.sync.kind);
    break;
  case SIOX_TRACE_MESSAGE:
    row.text[0] = "message";
    PUT(e->u.message.start, e->u.message.end, 0, 0, 0, 0, (int64_t)e->u.message.uid, 0,
        e->u.message.receive);
    break;
  default:
    row.text[0] = "wait";
    PUT(e->u.wait.start, e->u.wait.end, 0, 0, 0, 0, 0, 0, e->u.wait.request);
    break;
  }
#undef PUT
  siox__store_put(d->store, &row);
}

/* An activity whose cycle is kept. */
static void keep_activity(void *daemon, const struct siox_trace_event *event) {
  struct siox__daemon *d = daemon;
  d->count.stored++;
  if (d->config->record_trace == SIOX_EXTENT_KEPT)
    siox__record_trace(d, event);
  if (d->config->database)
    store_activity(d, event);
}

/* When an activity ended, for those that clients tell never in the future; false: it is none. */
static bool activity_end(const struct siox__daemon *d, const struct siox_trace_event *e,
                         int64_t *end) {
  const int64_t now = d->aside ? siox__now_ns() : 0;
  switch (e->kind) {
  case SIOX_TRACE_IO:
    *end = d->stamped ? now : e->u.io.completion;
    return true;
  case SIOX_TRACE_CALL:
    *end = e->u.call.end;
    break;
  case SIOX_TRACE_POSIX:
    *end = e->u.posix.end;
    break;
  case SIOX_TRACE_SYNC:
    *end = e->u.sync.leave;
    break;
  case SIOX_TRACE_MESSAGE:
    *end = e->u.message.end;
    break;
  case SIOX_TRACE_WAIT:
    *end = e->u.wait.end;
    break;
  default:
    return false;
  }
  if (d->stamped || *end > now)
    *end = now;
  return true;
}

static void put_aside(struct siox__daemon *d, int64_t end, const struct siox_trace_event *event) {
  const int r = siox__aside_put(d->aside, end, event);
  if (r == 1)
    keep_activity(d, event);
  if (r < 0 && siox__aside_counts(d->aside).dropped == 1)
    siox__log(&d->log, SIOX__LOG_WARN,
              "more activities than record_memory (%g MiB) holds while they wait for their cycle: "
              "some are lost",
              d->config->record_memory);
}

bool siox__record_activity(struct siox__daemon *d, const struct siox_trace_event *event) {
  int64_t end;
  if (!activity_end(d, event, &end))
    return false;
  d->count.activities++;
  if (d->config->record_trace == SIOX_EXTENT_ALL)
    siox__record_trace(d, event);
  if (d->aside)
    put_aside(d, end, event);
  else if (d->config->record_activities == SIOX_RECORD_ALL)
    keep_activity(d, event);
  return true;
}

static void take_notes(struct siox__daemon *d) {
  struct siox__cycle_note note[64];
  for (size_t n; d->monitor && (n = siox__monitor_notes(d->monitor, note, 64)) > 0;)
    for (size_t i = 0; i < n; i++)
      if (note[i].decided)
        siox__aside_decide(d->aside, note[i].number, note[i].store);
      else
        siox__aside_cycle(d->aside, note[i].number, note[i].end_ns);
}

void siox__record_cycles(uv_async_t *cycles) {
  struct siox__daemon *d = cycles->data;
  if (d->finished || !d->aside)
    return;
  take_notes(d);
  const uint32_t wanted = siox__monitor_mode(d->monitor) != SIOX_RECORD_OFF ? d->wanted_when : 0;
  if (d->config->database && !d->config->record && wanted != d->wanted)
    siox__daemon_want(d, wanted);
  if (siox__aside_write(d->aside, SIOX__WORK_A_TURN, keep_activity, d))
    uv_async_send(cycles);
}

json_t *siox__record_json(struct siox__daemon *d) {
  const struct siox__aside_counts counts =
      d->aside ? siox__aside_counts(d->aside) : (struct siox__aside_counts){0};
  char *mode = siox_config_text(d->config, SIOX_SETTING_record_activities);
  json_t *o =
      json_pack("{s:s, s:I, s:I, s:I, s:I}", "record_activities", mode ? mode : "?", "activities",
                (json_int_t)d->count.activities, "stored", (json_int_t)d->count.stored, "waiting",
                (json_int_t)counts.waiting, "dropped", (json_int_t)counts.dropped);
  free(mode);
  json_object_set_new(o, "advised", json_integer((json_int_t)d->count.advised));
  json_object_set_new(o, "applied", json_integer((json_int_t)d->count.applied));
  siox__monitor_cycles(d->monitor, o);
  return o;
}

void siox__record_activities_end(struct siox__daemon *d) {
  siox__monitor_last(d->monitor);
  if (!d->aside)
    return;
  take_notes(d);
  while (siox__aside_write(d->aside, UINT64_MAX, keep_activity, d))
    ;
}
