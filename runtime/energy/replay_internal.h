/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A trace in memory, as the replay wants it: per stream a list of points in time (ops), each at a
 * recorded distance from the end of the one before it and possibly waiting for points elsewhere. */
#ifndef SIOX__REPLAY_INTERNAL_H
#define SIOX__REPLAY_INTERNAL_H
#include "siox/replay.h"

#define SIOX__NONE UINT32_MAX

/* (a, b, c) -> number, growing. */
struct siox__map {
  struct siox__map_entry {
    uint64_t a, b, c;
    uint32_t value, used;
  } * entry;
  uint32_t count, room; /* room 0 or a power of two */
};
/* Where the value of a key is; new ones start as SIOX__NONE. NULL: no memory. */
uint32_t *siox__map_at(struct siox__map *map, uint64_t a, uint64_t b, uint64_t c);
uint32_t siox__map_get(const struct siox__map *map, uint64_t a, uint64_t b, uint64_t c);
/* Makes room for one more of `size` bytes in an array of `count`. */
int siox__room(void *array, uint32_t count, uint32_t *room, size_t size);

enum siox__op_kind {
  SIOX__OP_JOIN,  /* first of a client's main stream */
  SIOX__OP_ENTER, /* a collective; the order of these rows is the order at equal times */
  SIOX__OP_OPEN,
  SIOX__OP_HINT,
  SIOX__OP_SEND,
  SIOX__OP_IO,
  SIOX__OP_POINT, /* nothing happens: begin of a wait or receive, end of a send */
  SIOX__OP_AFTER, /* end of a receive or wait: not before dep */
  SIOX__OP_EXIT,  /* leaving a collective */
  SIOX__OP_LEAVE, /* last of a client's main stream */
};
enum siox__wait { SIOX__WAIT_NONE, SIOX__WAIT_ALL, SIOX__WAIT_ROOT /* for the root's entry */ };

struct siox__op {
  int64_t at, end;    /* recorded; equal but for I/O */
  uint8_t kind, wait; /* enum siox__op_kind; EXIT, ENTER: enum siox__wait */
  bool write, async, missed;
  bool root;      /* ENTER: of a collective's root */
  uint32_t dep;   /* SEND, async IO: sets it; AFTER: waits for it */
  uint32_t thing; /* OPEN, IO: file; HINT: hint */
  uint32_t group; /* ENTER, IO, EXIT: collective */
  uint32_t slot;  /* ENTER, IO: place in the collective's list */
  uint32_t entries,
      ios;        /* IO, EXIT: how many of the collective's entries and I/Os it comes after */
  uint32_t order; /* in the trace, for sorting; even, so that others fit between */
  int64_t offset, bytes;
};

struct siox__dep {
  int64_t recorded, replayed;
  bool done;
  uint32_t waiting; /* first stream that does */
};
struct siox__list {             /* points of one kind in a collective, in recorded order */
  int64_t *recorded, *replayed; /* replayed: after `done` prefix the greatest so far */
  bool *is_done;
  uint32_t count, done, room;
};
struct siox__group {
  uint64_t uid;
  struct siox__list entry, io;
  bool has_root, root_done; /* of the entry of a root that others wait for */
  int64_t root_recorded, root_replayed;
  uint32_t waiting; /* first stream that does */
};
struct siox__stream {
  uint32_t client, thread;
  struct siox__op *op;
  uint32_t count, room,
      open_call; /* open_call: EXIT of a CALL that a SYNC may follow; SIOX__NONE */
  /* replay */
  uint32_t at;
  int64_t base, base_recorded; /* end of the op before */
  int64_t due;
  bool parked;
  uint32_t next_waiting;
  uint32_t in_group; /* I/O collective that the stream is in */
  int64_t entered;
};
struct siox__client {
  uint32_t number, job;
  int32_t rank;
  uint32_t main, nstreams, bank; /* main stream */
  bool has_join, has_leave;
  int64_t first, last; /* recorded */
  uint32_t streams_left, waiting;
  int64_t end, end_recorded; /* latest of its streams that are over */
  int64_t io_ns, worst_ns, start;
  int64_t finish;
};
struct siox__hint {
  struct siox_claim_header head;
  uint32_t first_run; /* in runs */
};
struct siox__file {
  struct siox_layout layout;
};
struct siox__trace {
  struct siox_trace_reader *reader; /* owns the header */
  const struct siox_trace_header *header;
  char **job; /* keys */
  struct siox__client *client;
  struct siox__stream *stream;
  struct siox__file *file;
  struct siox__hint *hint;
  struct siox_claim_run *run;
  struct siox__group *group;
  struct siox__dep *dep;
  uint32_t njobs, job_room, nclients, client_room, nstreams, stream_room, nfiles, file_room, nhints,
      hint_room, nruns, run_room, ngroups, group_room, ndeps, dep_room, norder;
  struct siox__map clients, streams, files, groups, channels, requests;
  uint64_t requests_seen, missed_seen;
  double nobody_joules[SIOX_NSTATES]; /* recorded */
  bool cut;
};

/* A new last point of a stream, which waits for nothing and belongs to nothing. NULL: no memory. */
struct siox__op *siox__op_add(struct siox__stream *s, enum siox__op_kind kind, int64_t at,
                              uint32_t order);
/* segment (may be NULL) is told every recorded segment. */
int siox__trace_load(struct siox__trace *t, const char *path, siox_segment_fn segment,
                     void *context, struct siox_diag *diag);
int siox__trace_link(
    struct siox__trace *t); /* sorts streams and joins what waits with what it waits for */
void siox__trace_unload(struct siox__trace *t);

/* Latencies of an op as it ends, with the times it had (replay_totals.c). */
void siox__account(struct siox__trace *t, struct siox__stream *s, const struct siox__op *op,
                   int64_t at, int64_t end);
int siox__result_ranks(const struct siox__trace *t, struct siox_replay_result *result);
#endif
