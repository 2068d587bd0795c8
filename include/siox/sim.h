/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The simulator: jobs (recorded traces, or generated ones) that share disks, replayed in closed loop under any policy, by
 * the engine of siox/replay.h. Think times are kept or dilated, delays pass on, collectives wait for their slowest member.
 * Each trace is read once through when it is added (checked, indexed: 16 bytes a block of 16 KiB); a run then reads every
 * stream by itself, from where it stands. In memory are: per stream one block and as many events as a call of it encloses
 * at most, the events between the recorded times of the least and the most delayed stream of one run, collectives and
 * messages not finished in between, and per rank, communicator and file its definition: nothing that grows with the
 * trace's length. Pure but for reading the traces. Not thread-safe per object. */
#ifndef SIOX_SIM_H
#define SIOX_SIM_H
#include "siox/replay.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A generated job: processes that compute for `gap_ns` and then move `burst` bytes each, `phases` times. The bursts of one
 * phase follow each other in a file of the job. With `hints` a process tells, as soon as a burst is over, when it needs each
 * disk again: the time that is true without delays, off by a share drawn evenly from ±error. */
struct siox_sim_generated {
  uint32_t processes, phases;
  int64_t gap_ns;
  int64_t burst, request; /* bytes; request: of one call, 0: the whole burst at once */
  double error;           /* of a predicted gap, 0.25: 25 % */
  double jitter;          /* of each gap, the same for all processes, and known to them */
  uint64_t seed;
  bool write, hints;
  bool together; /* a barrier ends each phase */
  const struct siox_layout *layout; /* kept, not copied */
};

/* Says where a trace's file lies instead: 1 and *out (freed by the simulator), 0: as recorded, negative: an error that ends
 * the reading, with diag. */
typedef int (*siox_sim_layout_fn)(void *context, const char *path, struct siox_layout *out, struct siox_diag *diag);

/* The hints that a job gives. */
enum siox_sim_give {
  SIOX_SIM_GIVE_RECORDED, /* the trace's; a generated job's own */
  SIOX_SIM_GIVE_TRUTH, /* placed from what its processes do when it runs alone at full speed: each says after a use of a disk
                        * when it uses it next (docs/sim.md, also on the memory that this takes) */
  SIOX_SIM_GIVE_NONE,
};

struct siox_sim_job {
  const char *name;  /* NULL: the trace's own keys */
  const char *trace; /* NULL: generated */
  struct siox_sim_generated generated;
  int64_t start;          /* ns after the bank's start */
  uint32_t instances;     /* side by side, each with files of its own; 0: 1 */
  uint32_t repeats;       /* one after the other; 0: 1 */
  int64_t pause;          /* from the end of one to the start of the next */
  double think;           /* factor on think times only; <= 0: 1 */
  enum siox_sim_give hints;
  double delay_budget;    /* part of its run time, for limits.delay_budget above 0; < 0: that one */
  siox_sim_layout_fn layout; /* may be NULL */
  void *layout_context;
};

/* The cache of each server, that is of each I/O node, or of each disk where nodes are disks. A node's share of a file is
 * cut into blocks; the block least recently used makes room. Reads take whole blocks from disk; what is in memory is served
 * at `rate`, from when it is there. Writes go to disk and to memory, of blocks that are in memory or are written whole.
 * Writing back, they go to memory only, at `rate`; a node writes all that is newer in memory when the first of it has been
 * for flush_age, when there is more than dirty_limit (then the write waits for it), when it needs room, and at the end. */
struct siox_cache_options {
  uint64_t size, block; /* bytes, per server; size 0: no cache; block 1 .. 2^30, not more than size */
  double rate;          /* bytes/s, > 0 */
  uint64_t read_ahead;  /* bytes behind a read that goes on where one ended, in whole blocks; at most half of size */
  bool write_back;
  uint64_t dirty_limit; /* bytes, at most size */
  int64_t flush_age;    /* ns */
};

struct siox_sim_options {
  uint32_t ndisks; /* members of arrays, where there are such */
  const struct siox_drive *const *drive; /* kept, not copied */
  const uint32_t *initial_level;         /* NULL: highest */
  double hold_factor;                    /* <= 0: 10 */
  const struct siox_limits *limits;      /* NULL: none; copied */
  /* What the nodes of layouts are that do not say it: then a trace recorded on disks is played on as many such arrays, and
   * what its hints say of a disk holds for all members. */
  struct siox_array array;
  struct siox_cache_options cache;
};

struct siox_sim;
/* SIOX_ERANGE (no disks, or the cache), SIOX_ENOMEM. */
int siox_sim_create(struct siox_sim **sim, const struct siox_sim_options *options);
/* SIOX_EINVAL (a figure), SIOX_ERANGE (a file or hint names disks that are not there), and what siox_trace_open and
 * siox_trace_read return; diag may be NULL. */
int siox_sim_add(struct siox_sim *sim, const struct siox_sim_job *job, struct siox_diag *diag);
/* The header of the trace that job `index` plays, NULL for a generated one. */
const struct siox_trace_header *siox_sim_header(const struct siox_sim *sim, uint32_t index);
/* How the hints of a job's trace are given. */
enum siox_sim_hints {
  SIOX_SIM_HINTS_NONE,     /* there are none, or it is generated and makes its own */
  SIOX_SIM_HINTS_RECORDED, /* as they were recorded */
  SIOX_SIM_HINTS_DERIVED,  /* files lie elsewhere: what the processes would say then, as right as they were (docs/sim.md) */
  SIOX_SIM_HINTS_LEFT_OUT, /* files lie elsewhere, and the trace was recorded under a policy whose hints name no times */
  SIOX_SIM_HINTS_TRUTH,    /* placed from what it does: SIOX_SIM_GIVE_TRUTH */
};
enum siox_sim_hints siox_sim_hints(const struct siox_sim *sim, uint32_t index);
/* Derives hints also where files lie as they were recorded: for comparing layouts with each other. */
void siox_sim_derive(struct siox_sim *sim, bool always);

/* The path of the trace that job `index` plays, NULL for a generated one. */
const char *siox_sim_trace(const struct siox_sim *sim, uint32_t index);
/* Files of job `index`: of a trace each that it defines, of a generated job one without a path. */
uint32_t siox_sim_nfiles(const struct siox_sim *sim, uint32_t index);
/* NULL for a generated job's. *layout (may be NULL) is where it lies now. Both valid until it is placed elsewhere. */
const char *siox_sim_file(const struct siox_sim *sim, uint32_t index, uint32_t file, const struct siox_layout **layout);
/* Places a file for the runs that follow; the layout is copied. SIOX_EINVAL (no such file, another number of disks),
 * SIOX_ENOMEM. */
int siox_sim_place(struct siox_sim *sim, uint32_t index, uint32_t file, const struct siox_layout *layout);
/* Whether job `index` tells who of its processes waits for whom, or has but one. Else a delay stays in its process, and
 * what is added to I/O time and run time is the least that it can be. */
bool siox_sim_waits_told(const struct siox_sim *sim, uint32_t index);
/* Pieces that disks do of one request at most, by the layouts of all files: siox_layout_most_pieces. */
uint32_t siox_sim_most_pieces(const struct siox_sim *sim);
/* As siox_replay; options->policy must be given, options->drive is ignored. May be called any number of times. */
int siox_sim_run(struct siox_sim *sim, const struct siox_replay_options *options, struct siox_replay_result *result,
                 struct siox_diag *diag);
void siox_sim_destroy(struct siox_sim *sim); /* NULL is harmless */

#ifdef __cplusplus
}
#endif
#endif
