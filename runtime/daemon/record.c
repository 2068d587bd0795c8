/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What happened, to the trace and to the store. Neither ever stops the daemon: what cannot be
 * written is counted and said once. */
#include "daemon/daemon.h"
#include "daemon/monitor.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void siox__record_lost(struct siox__daemon *d, const char *why) {
  if (d->count.trace_lost++)
    return;
  snprintf(d->trace_error.text, sizeof d->trace_error.text, "%s", why);
  siox__log(&d->log, SIOX__LOG_ERROR, "%s; the trace will not be whole", why);
}

static void lost(struct siox__daemon *d, int code) {
  struct siox_diag why;
  snprintf(why.text, sizeof why.text, "trace %.400s: %s", d->config->record, siox_strerror(code));
  siox__record_lost(d, why.text);
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

/* The trace itself is begun by the first client; whoever starts a daemon wants to know before that.
 * Nothing is changed: a trace that lies there keeps its content until then. A pipe without a reader
 * may still get one. */
int siox__record_possible(struct siox__daemon *d, struct siox_diag *diag) {
  const char *path = d->config->record;
  if (!path)
    return 0;
  const char *const read[] = {d->config->file, d->config->layouts, d->config->database};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    if (read[i] && same_file(path, read[i])) {
      snprintf(diag->text, sizeof diag->text, "record: %.400s: is a file that the daemon reads",
               path);
      return SIOX_EINVAL;
    }
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool made = fd >= 0;
  if (fd < 0 && errno == EEXIST)
    fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
  if (fd < 0 && errno != ENXIO) {
    snprintf(diag->text, sizeof diag->text, "record: %.400s: %s", path, strerror(errno));
    return SIOX_EIO;
  }
  if (fd >= 0)
    close(fd);
  if (made)
    unlink(path);
  return 0;
}

static void store_run(struct siox__daemon *d, int64_t start, int64_t wall, const char *program) {
  siox__store_put(d->store, &(struct siox__store_row){.kind = SIOX__ROW_RUN,
                                                      .number = {start, wall, d->drives.ndisks},
                                                      .real = {d->config->time_scale},
                                                      .text = {d->config->policy, program}});
  for (uint32_t i = 0; i < d->drives.ndisks; i++) {
    const struct siox_drive *drive = d->drives.disk[i];
    siox__store_put(d->store, &(struct siox__store_row){
                                  .kind = SIOX__ROW_DISK,
                                  .number = {i, drive->level[d->drives.initial_level[i]].speed},
                                  .text = {drive->name}});
  }
}

int siox__record_begin(struct siox__daemon *d, int64_t start, const char *program,
                       struct siox_diag *diag) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t wall = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  store_run(d, start, wall, program);
  if (!d->config->record)
    return 0;
  const struct siox_limits limits = siox_config_limits(d->config);
  const struct siox_trace_header header = {.version = SIOX_TRACE_VERSION,
                                           .clock = CLOCK_MONOTONIC,
                                           .start = start,
                                           .wall_start_ns = wall,
                                           .ndisks = d->drives.ndisks,
                                           .drive = d->drives.disk,
                                           .initial_level = d->drives.initial_level,
                                           .policy = d->config->policy,
                                           .hold_factor = d->config->hold_factor,
                                           .program = program,
                                           .limits = &limits,
                                           .waits = SIOX_WAITS_TOLD};
  return siox_trace_create(&d->trace, d->config->record, &header, diag);
}

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

static void store_claim(struct siox__daemon *d, const struct siox_trace_event *e) {
  for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
    const struct siox_claim_run *run = &e->u.hint.runs[i];
    siox__store_put(d->store,
                    &(struct siox__store_row){
                        .kind = SIOX__ROW_CLAIM,
                        .number = {e->client, e->u.hint.time, (int64_t)e->u.hint.head.seq,
                                   run->first, run->count, run->speed, run->flag, run->need_by,
                                   run->until, (int64_t)e->u.hint.head.site}});
  }
}

static void store_event(struct siox__daemon *d, const struct siox_trace_event *e) {
  struct siox__store_row row = {.kind = SIOX__ROW_JOB};
  switch (e->kind) {
  case SIOX_TRACE_JOB:
    row = (struct siox__store_row){
        .kind = SIOX__ROW_JOB, .number = {e->u.job.job, e->u.job.uid}, .text = {e->u.job.key}};
    break;
  case SIOX_TRACE_CLIENT:
    row = (struct siox__store_row){.kind = SIOX__ROW_PROCESS,
                                   .number = {e->client, e->u.client_def.job, e->u.client_def.rank,
                                              e->u.client_def.size, e->u.client_def.pid,
                                              siox_bank_now(d->bank)},
                                   .text = {e->u.client_def.program}};
    break;
  case SIOX_TRACE_LEAVE:
    row = (struct siox__store_row){.kind = SIOX__ROW_PROCESS_END,
                                   .number = {e->client, e->u.leave.time}};
    break;
  case SIOX_TRACE_SITE:
    row = (struct siox__store_row){
        .kind = SIOX__ROW_SITE,
        .number = {(int64_t)e->u.site.key, e->u.site.line, e->u.site.column},
        .text = {e->u.site.file, e->u.site.function, e->u.site.call}};
    break;
  case SIOX_TRACE_HINT:
    store_claim(d, e);
    return;
  case SIOX_TRACE_IO:
  case SIOX_TRACE_CALL:
  case SIOX_TRACE_SYNC:
  case SIOX_TRACE_MESSAGE:
  case SIOX_TRACE_WAIT:
    store_activity(d, e);
    return;
  default: /* files, opens and joins are in the trace only */
    return;
  }
  siox__store_put(d->store, &row);
}

void siox__record_event(struct siox__daemon *d, const struct siox_trace_event *event) {
  int r = d->trace ? siox_trace_write(d->trace, event) : 0;
  if (r < 0)
    lost(d, r);
  if (d->config->database)
    store_event(d, event);
}

void siox__record_segment(void *daemon, const struct siox_segment *segment) {
  struct siox__daemon *d = daemon;
  if (!d->begun && !d->trace) /* a bank that only checks the policy's name */
    return;
  siox__monitor_segment(d->monitor, segment);
  struct siox_trace_event event = {.kind = SIOX_TRACE_SEGMENT};
  event.u.segment = *segment;
  if (segment->job != SIOX_NOBODY)
    event.u.segment.job = siox__job_serial(d, segment->job);
  int r = d->trace ? siox_trace_write(d->trace, &event) : 0;
  if (r < 0)
    lost(d, r);
  if (d->config->database)
    siox__store_put(d->store, &(struct siox__store_row){
                                  .kind = SIOX__ROW_LEVEL,
                                  .number = {segment->disk, segment->start, segment->end,
                                             (int64_t)segment->bytes, event.u.segment.job},
                                  .real = {segment->from_speed, segment->to_speed, segment->share,
                                           segment->joules},
                                  .text = {siox_state_name(segment->state)}});
}

void siox__record_flush(struct siox__daemon *d) {
  int r = d->trace ? siox_trace_flush(d->trace) : 0;
  if (r < 0)
    lost(d, r);
}

static void store_total(struct siox__daemon *d, const char *name, uint64_t value) {
  siox__store_put(d->store, &(struct siox__store_row){.kind = SIOX__ROW_TOTAL,
                                                      .number = {siox_bank_now(d->bank)},
                                                      .real = {(double)value},
                                                      .text = {name}});
}

void siox__record_end(struct siox__daemon *d) {
  store_total(d, "requests", d->count.requests);
  store_total(d, "late", d->count.late);
  store_total(d, "records_dropped", d->count.dropped);
  int r = d->trace ? siox_trace_close(d->trace) : 0;
  d->trace = NULL;
  if (r < 0)
    lost(d, r);
}
