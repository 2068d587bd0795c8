/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One MPI-IO call, from entry to record: what the wrappers of mpiio.c and mpiopen.c share. */
#ifndef SIOX_CLIENT_MPIIO_H
#define SIOX_CLIENT_MPIIO_H
#include "client/mpi.h"
#include "client/tally.h"

struct siox__call {
  bool on;   /* counted at all */
  bool told; /* recorded, and foretold: there is a daemon */
  bool collective;
  bool gathers; /* reads or writes, and may do so for other ranks */
  bool writes;
  bool shared; /* moves the shared file pointer */
  enum siox_call call;
  const struct siox_site *site; /* NULL: not compiled with the pass */
  uint64_t site_key;
  MPI_File handle;
  struct siox__mpi_file *file; /* NULL: not known */
  int64_t start, offset, bytes;
  int64_t data;      /* first byte in the data of a view with holes; -1: not known, or no holes */
  uint64_t uid, seq; /* collective id; uid 0: none */
  int size, self;
  struct siox__span span; /* of the tally */
};

/* Takes the announced site and the time; false without a daemon, and nobody counts: then call PMPI
 * and no more. */
bool siox__call_start(struct siox__call *c, enum siox_call call);
/* Names the collective (before it starts) and tells the predictor; then comes the PMPI call. */
void siox__call_collective(struct siox__call *c, uint64_t uid, uint64_t seq, int size, int self);
void siox__call_before(struct siox__call *c);
/* A nonblocking call has returned: I/O on its file outside of calls is its own from now on, until
 * the request is complete. */
void siox__call_later(struct siox__call *c, int result, MPI_Request request);
/* A split collective was begun, and has ended. */
void siox__call_split(struct siox__call *c, int result);
void siox__call_split_ended(MPI_File handle);
/* Records the call and hands back result. synchronises: a blocking collective. */
int siox__call_end(struct siox__call *c, int result, bool synchronises);
/* A call on an open file: start, find the file, name the collective. */
bool siox__call_on_file(struct siox__call *c, enum siox_call call, MPI_File handle,
                        bool collective);

#endif
