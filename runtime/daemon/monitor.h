/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measuring beside the loop: a thread of its own reads the providers every `monitor_period`, so
 * that a slow file in /sys never keeps a client waiting. The loop tells it which processes belong
 * to which job and asks for what it knows. */
#ifndef SIOX_DAEMON_MONITOR_H
#define SIOX_DAEMON_MONITOR_H
#include "common/log.h"
#include "common/wire.h"
#include "daemon/cycles.h"
#include "monitor/ledger.h"
#include "siox/bank.h"
#include "siox/config.h"
#include "store/store.h"
#include <jansson.h>

struct siox__activities;
struct siox__monitor;

struct siox__monitor_env {
  const struct siox_config *config;
  const struct siox__log *log;
  struct siox__store *store; /* for statistics and rows about cycles */
  struct siox__activities *activities;
  const struct siox_knowledge *knowledge;
  const struct siox_drive *const *drives; /* as siox__drives_new wants them */
  /* The thread calls it when there are notes, until siox__monitor_last; it must not wait. */
  void (*wake)(void *context);
  void *context;
};
/* *out NULL with 0: monitor_period is -1. What does not work here is left out, and said in the log
 * unless nobody asked for it. A monitor.yaml that cannot be read is an error. Statistics go to the
 * store, which must last longer. */
int siox__monitor_start(struct siox__monitor **out, const struct siox__monitor_env *env,
                        struct siox_diag *diag);
/* Notes of cycles that have ended or are decided, `max` at most, each once. */
size_t siox__monitor_notes(struct siox__monitor *m, struct siox__cycle_note *notes, size_t max);
/* Nothing is recorded any more: all cycles are decided, which makes the last notes; nobody is woken
 * and no row is put from now on. */
void siox__monitor_last(struct siox__monitor *m);
/* What is recorded now: a trigger may want more than the settings. No lock is taken. */
enum siox_record siox__monitor_mode(const struct siox__monitor *m);
/* Adds what siox__cycles_json does; nothing without a monitor. */
void siox__monitor_cycles(struct siox__monitor *m, json_t *o);
void siox__monitor_stop(struct siox__monitor *m); /* NULL is fine */
/* From the next cycle on; jobs by their serial numbers, which no other job ever gets. Copied;
 * SIOX_ENOMEM: it stays as it was. */
int siox__monitor_processes(struct siox__monitor *m, const struct siox__process *processes,
                            size_t n);
/* How many ranks use files, and the greatest number of disks that one of these lies on; no lock is
 * taken. */
void siox__monitor_files(struct siox__monitor *m, uint32_t ranks, uint32_t stripes);
/* What an emulated drive is told to do; no lock is taken. */
void siox__monitor_segment(struct siox__monitor *m, const struct siox_segment *segment);
/* The bank's time is over. */
void siox__monitor_finished(struct siox__monitor *m);
/* For whom the following answers are. A meter read often tells what a processor computes
 * (CVE-2020-8694), which is why Linux gives it to root alone: whoever may not administer the daemon
 * gets joules of the last full second, and no single issues. */
void siox__monitor_view(struct siox__monitor *m, bool fresh);
/* What is known now: period, cycles, sources, utilisation, the processors' joules. */
json_t *siox__monitor_json(struct siox__monitor *m);
/* The processors' joules and seconds of a job so far. */
void siox__monitor_job(struct siox__monitor *m, uint32_t job, double *joules, double *busy_s);
/* Where the processors' joules are from, and what was found since: of the process, and for whom the
 * view is fresh of the node. */
void siox__monitor_told(struct siox__monitor *m, int32_t pid, int64_t since_ns,
                        struct siox_msg_totals *totals);
/* Told with all forgotten jobs' from now on. */
void siox__monitor_forget(struct siox__monitor *m, uint32_t job);

#endif
