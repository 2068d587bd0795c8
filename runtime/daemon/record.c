/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What happened, to the trace and to the store. Neither ever stops the daemon: what cannot be
 * written is counted and said once. */
#include "common/clock.h"
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
  const int64_t wall = siox__wall_ns();
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
  if (d->config->record_trace == SIOX_EXTENT_KEPT &&
      d->config->record_activities != SIOX_RECORD_ALL)
    snprintf(d->trace_error.text, sizeof d->trace_error.text,
             "the trace has the activities of some cycles only (record_trace)");
  return siox_trace_create(&d->trace, d->config->record, &header, diag);
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
  default: /* activities have their own way; files, opens and joins are in the trace only */
    return;
  }
  siox__store_put(d->store, &row);
}

void siox__record_trace(struct siox__daemon *d, const struct siox_trace_event *event) {
  int r = d->trace ? siox_trace_write(d->trace, event) : 0;
  if (r < 0)
    lost(d, r);
}

void siox__record_event(struct siox__daemon *d, const struct siox_trace_event *event) {
  if (siox__record_activity(d, event))
    return;
  siox__record_trace(d, event);
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

static double number_of(const json_t *o, const char *key) {
  return (double)json_integer_value(json_object_get(o, key));
}

void siox__record_end(struct siox__daemon *d) {
  siox__record_activities_end(d);
  json_t *recorded = siox__record_json(d);
  static const char *const totals[] = {"activities", "stored",          "dropped",
                                       "cycles",     "abnormal_cycles", "kept_cycles"};
  for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
    store_total(d, totals[i], (uint64_t)number_of(recorded, totals[i]));
  json_decref(recorded);
  store_total(d, "requests", d->count.requests);
  store_total(d, "late", d->count.late);
  store_total(d, "records_dropped", d->count.dropped);
  int r = d->trace ? siox_trace_close(d->trace) : 0;
  d->trace = NULL;
  if (r < 0)
    lost(d, r);
}
