/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a stream's points come from: a thread of a trace, or a generated process. A point carries
 * the keys of what it belongs to; they are joined with other streams' in replay_link.c. */
#ifndef SIOX_ENERGY_REPLAY_SOURCE_H
#define SIOX_ENERGY_REPLAY_SOURCE_H
#include "energy/replay_index.h"

enum siox__op_kind {
  SIOX__OP_JOIN,  /* first of a client's main stream */
  SIOX__OP_ENTER, /* a collective; the order of these rows is the order at equal times */
  SIOX__OP_OPEN,
  SIOX__OP_HINT,
  SIOX__OP_SEND,
  SIOX__OP_IO,
  SIOX__OP_POINT, /* nothing happens: begin of a wait or receive, end of a send */
  SIOX__OP_AFTER, /* end of a receive or wait: not before what it waits for */
  SIOX__OP_EXIT,  /* leaving a collective */
  SIOX__OP_LEAVE, /* last of a client's main stream */
};
enum siox__wait { SIOX__WAIT_NONE, SIOX__WAIT_ALL, SIOX__WAIT_ROOT /* for the root's entry */ };

struct siox__hint {
  struct siox_claim_header head;
  struct siox_claim_run run[];
};

struct siox__op {
  int64_t at, end; /* recorded; equal but for I/O */
  uint64_t order;  /* in the trace, for equal times */
  int64_t offset, bytes;
  struct siox__hint *hint; /* HINT: the point's own */
  uint64_t uid, seq;       /* ENTER, IO, EXIT: collective, uid 0: none. Messages: communicator, and
                              sender and receiver */
  uint8_t kind, wait;      /* enum siox__op_kind; EXIT, ENTER: enum siox__wait */
  bool write, async, missed;
  bool root;           /* ENTER: of a collective's root */
  bool access;         /* ENTER, EXIT: of a call that moves data */
  bool message;        /* SEND, AFTER */
  bool inner;          /* what comes before it is no think time */
  bool placed;         /* HINT: by replay_truth.c; times count from now on */
  uint32_t request;    /* IO, AFTER: asynchronous request. Messages: tag. HINT placed: chance */
  uint32_t file;       /* OPEN, IO */
  uint32_t group, dep; /* joined: collective, and message or request */
};

enum siox__hints { /* which are given */
                   SIOX__HINTS_NONE,
                   SIOX__HINTS_RECORDED,
                   SIOX__HINTS_FORESEEN, /* those that the files' present layouts would get */
                   SIOX__HINTS_PLACED    /* none of the trace's: the engine has its own */
};

/* Points of one thread in the order of time, read ahead no further than that needs. */
struct siox__cursor {
  const struct siox__index *index;
  const struct siox__flow *flow;
  enum siox__hints hints;
  uint32_t block;
  uint64_t event; /* number of the next one in the trace */
  struct siox__trace_part part;
  struct siox__op *op;
  uint32_t head, count, room;
  struct siox__op call[2]; /* ends of a call that its synchronisation may follow */
  bool has_call, over;
  bool left;
  int64_t left_at;
};
void siox__cursor_open(struct siox__cursor *c, const struct siox__index *index, uint32_t flow,
                       enum siox__hints hints);
/* 1 and *op (not taken), 0 the end, negative an error. */
int siox__cursor_peek(struct siox__cursor *c, struct siox__op **op);
void siox__cursor_take(struct siox__cursor *c); /* the point peeked at; its hint goes with it */
void siox__cursor_close(struct siox__cursor *c);

/* What the processes of a generated job use in turn while they work out a hint. */
struct siox__scratch {
  struct siox_mask wanted, touched;
  int64_t *need_by; /* per disk, of those wanted */
  struct siox_claim_run *run;
};
int siox__scratch_open(struct siox__scratch *s, uint32_t ndisks);
void siox__scratch_close(struct siox__scratch *s);

/* One process of a generated job. */
struct siox__generator {
  const struct siox_sim_generated *job;
  struct siox__scratch *scratch; /* the run's */
  uint32_t process, phase;
  uint64_t order, random;
  int64_t at;
  int64_t done; /* bytes of the burst */
  enum { SIOX__GEN_HINT, SIOX__GEN_IO, SIOX__GEN_ENTER, SIOX__GEN_EXIT, SIOX__GEN_OVER } state;
};
void siox__generator_open(struct siox__generator *g, const struct siox_sim_generated *job,
                          uint32_t process, struct siox__scratch *scratch);
int siox__generator_next(struct siox__generator *g, struct siox__op *op); /* as siox__cursor_peek */
#endif
