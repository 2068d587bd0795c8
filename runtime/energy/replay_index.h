/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of a trace after one reading: its definitions, and where the blocks of each thread
 * are, so that each can be read again by itself. Grows with ranks, files and blocks, not with
 * events; does not change while runs read through it. */
#ifndef SIOX_ENERGY_REPLAY_INDEX_H
#define SIOX_ENERGY_REPLAY_INDEX_H
#include "energy/replay_map.h"
#include "siox/replay.h"
#include "siox/sim.h"
#include "store/trace_wire.h"

struct siox__place { /* of a block */
  uint64_t at;       /* file offset */
  uint64_t first;    /* number of its first event in the trace */
};
struct siox__marks;
struct siox__flow { /* events of one thread of one client */
  uint32_t client, thread;
  struct siox__place *block;
  uint32_t nblocks, room;
  uint32_t window; /* at most so many points of time stand before an event that began sooner */
  uint64_t points;
  struct siox__marks *marks; /* while it is made */
};
struct siox__client_def {
  uint32_t number, job; /* job: in the index */
  int32_t rank;
  bool awaited;        /* a rank, and its joining does not say that it was not waited for */
  uint32_t main;       /* flow of its first thread with I/O; SIOX__NONE: it did nothing */
  uint32_t own;        /* flow of what the process did as such (thread 0), or SIOX__NONE */
  uint32_t nstreams;   /* flows, own and main taken as one */
  int64_t first, last; /* times */
};
struct siox__file_def {
  struct siox_layout layout, recorded;
  char *path;
  bool moved;       /* it lies elsewhere than it was recorded */
  uint64_t since;   /* number of the event it was defined before */
  uint32_t earlier; /* file of the same number before, or SIOX__NONE */
};
struct siox__foresight;
struct siox__index {
  struct siox_trace_reader *reader; /* owns the header */
  const struct siox_trace_header *header;
  char **job;    /* keys */
  uint32_t *uid; /* whose they are */
  struct siox__client_def *client;
  struct siox__file_def *file;
  struct siox__flow *flow;
  uint32_t njobs, job_room, uid_room, nclients, client_room, nfiles, file_room, nflows, flow_room;
  struct siox__map clients, files, flows; /* by number */
  uint64_t events, points, requests, missed, hints;
  uint32_t ndisks;         /* of the layouts */
  struct siox_array array; /* that nodes are, unless a layout says otherwise */
  uint32_t nmoved;         /* files that lie elsewhere than they were recorded */
  bool stated, unstated;   /* some file's layout says what nodes are; some does not */
  bool renamed;            /* hints name other disks than they did wherever files lie */
  bool moved;              /* such hints as were recorded name the wrong disks */
  uint32_t widen; /* disks that stand for one of the trace, as the members of an array; 0: itself */
  struct siox__foresight *foresight; /* of hints that files elsewhere would get, or NULL */
  bool foreseen;                     /* it is of the present layouts */
  bool cut;                          /* the trace has no end */
  bool linked; /* some event says who waits for whom: a collective, a message */
};

struct siox__index_options {
  uint32_t ndisks;           /* layouts and hints are over these; 0: the trace's */
  struct siox_array array;   /* what nodes are whose layout does not say it */
  siox_sim_layout_fn layout; /* may be NULL */
  void *layout_context;
  siox_segment_fn segment; /* is told every recorded segment; may be NULL */
  void *segment_context;
};
int siox__index_load(struct siox__index *index, const char *path,
                     const struct siox__index_options *options, struct siox_diag *diag);
void siox__index_unload(struct siox__index *index);
/* Puts a file elsewhere. SIOX_ENOMEM. */
int siox__index_place(struct siox__index *index, uint32_t file, const struct siox_layout *layout);
/* The file that a number meant at an event. SIOX__NONE: none. */
uint32_t siox__index_file(const struct siox__index *index, uint64_t number, uint64_t event);
#endif
