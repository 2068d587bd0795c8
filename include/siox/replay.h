/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Closed-loop replay of a trace under any policy. Think times (from one
 * event's end to the next event's start in a stream) are kept; a delayed request delays what
 * follows in its stream; a collective is left when its kind allows it (all entered; root entered;
 * root waits for all) but never sooner after the last entry than it was recorded; a receive ends no
 * sooner than its send began. An I/O inside an MPI-IO call belongs to that call's collective: all
 * members leave no sooner than the aggregators' I/O is done. Pure: no clock. */
#ifndef SIOX_REPLAY_H
#define SIOX_REPLAY_H
#include "siox/bank.h"
#include "siox/trace.h"
#ifdef __cplusplus
extern "C" {
#endif

/* One request of a process: what reaches the disks of one access. */
struct siox_replay_request {
  int64_t time, end; /* ns: issued and done, as they are in this run */
  uint64_t file;     /* counted from 1, over all jobs and instances */
  int64_t offset;
  uint64_t bytes;
  uint32_t job; /* number of the bank */
  bool write;
};
typedef void (*siox_request_fn)(void *context, const struct siox_replay_request *request);

struct siox_replay_options {
  const char *policy;                    /* NULL: the recorded one */
  const struct siox_drive *const *drive; /* NULL: the recorded ones */
  const uint32_t *initial_level;         /* NULL: the recorded ones */
  double hold_factor;                    /* <= 0: the recorded one */
  const struct siox_limits *limits;      /* NULL: the recorded ones, none where the trace does
                                     * not say; of a simulation, its own */
  /* Under static:SPEED: the disks are brought to their level before the first event, as an
   * administrator would, and the way there and back is paid in joules and transitions, not in time.
   */
  bool prepared;
  bool open_loop;          /* true: recorded arrivals are kept (no feedback), for checking */
  siox_segment_fn segment; /* told every segment; may be NULL */
  void *context;
  siox_request_fn request; /* told every request, by its process in order of time; may be NULL */
  void *request_context;
  void (*progress)(void *context, double part); /* told now and then; may be NULL */
  void *progress_context;
};

/* What the caches of servers did (siox_sim_options.cache). */
struct siox_cache_totals {
  uint64_t read, hit;      /* bytes: asked for by reads; of them from memory */
  uint64_t written;        /* bytes asked to be written */
  uint64_t ahead, flushed; /* bytes that servers read ahead; that they wrote back */
  uint64_t flushes;        /* times that a server wrote back */
};

struct siox_replay_rank {
  uint32_t client, job;
  int32_t rank;
  int64_t io_ns;    /* sum of request latencies, waits for others in a collective I/O included */
  int64_t worst_ns; /* longest latency */
  int64_t start, end;
};

struct siox_replay_result {
  double joules; /* all disks, way back to the initial level included */
  double joules_state[SIOX_NSTATES];
  int64_t start, end; /* first join, last leave */
  uint64_t requests, missed, transitions, hints, granted, refused;
  uint32_t ndisks, njobs, nranks;
  struct siox_disk_totals *disk;
  struct siox_job_totals *job; /* njobs, then one for the unattributed */
  struct siox_replay_rank *rank;
  struct siox_cache_totals cache; /* zero without one */
  uint64_t released; /* waits given up: what they waited for never came (incomplete records) */
  bool cut;     /* the trace has no end: its writer was killed, or is still at work */
};

/* options NULL: as recorded. On an error *result is empty and diag (may be NULL) names the file: what
 * siox_trace_open and siox_trace_read return (a cut trace is no error), what siox_bank_create returns
 * for the policy, SIOX_EUNKNOWN for a change of speed that a profile lacks, SIOX_ENOMEM. */
int siox_replay(const char *trace_path, const struct siox_replay_options *options,
                struct siox_replay_result *result, struct siox_diag *diag);
void siox_replay_free(struct siox_replay_result *result); /* harmless on a zeroed object */
/* The trace as it happened: totals from its recorded events and segments alone, same shape. */
int siox_replay_recorded(const char *trace_path, struct siox_replay_result *result,
                         struct siox_diag *diag);
/* Added I/O time of run against base: greatest over ranks of (io - io_base) / io_base; ranks match
 * by (job, rank, order). 0 when nothing was added. */
double siox_added_io(const struct siox_replay_result *run, const struct siox_replay_result *base);
struct siox_added {
  double io;     /* the same */
  double run;    /* greatest over ranks of run time added, over the rank's in base */
  int64_t io_ns; /* I/O time added, over all ranks that lost any */
};
struct siox_added siox_added(const struct siox_replay_result *run,
                             const struct siox_replay_result *base);

#ifdef __cplusplus
}
#endif
#endif
