/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the MPI wrappers share. A program without MPI may carry libsiox: every PMPI_ routine is a
 * weak reference, so nothing here may be called unless MPI called us first. */
#ifndef SIOX_CLIENT_MPI_H
#define SIOX_CLIENT_MPI_H
#include "client/client.h"
#include "client/files.h"
#include "client/foreign.h"
#include "common/filetype.h"
#include "common/random.h"
#include "siox/mpiio.h"
/* The wrappers' own prototypes must be visible outside whatever mpi.h says. */
#include <mpi.h>

#define SIOX_PRAGMA(text) _Pragma(#text)
#define SIOX_WEAK(name) SIOX_PRAGMA(weak name)
#include "client/pmpi.h"

#define SIOX_WRAPPED(name) extern __typeof__(name) name SIOX_AS_WRAPPER(name);
#define SIOX_WRAPPED_F08(name)
#include "client/wrapped.def"
#undef SIOX_WRAPPED
#undef SIOX_WRAPPED_F08

/* A communicator's identity: equal on all its members without talking to them, since it is derived
 * from how the communicator was made (parent's uid and the number of the collective that made it).
 * One whose making we did not see gets the hash of its members. */
struct siox__comm {
  uint64_t uid;
  _Atomic uint64_t seq; /* of the last collective */
  int size, self;
  bool inter; /* intercommunicator: not recorded */
};
/* NULL when it cannot be known. */
struct siox__comm *siox__comm(MPI_Comm comm);
/* A new communicator made by the collective (uid, seq) of its parent; distinction: colour, ... */
void siox__comm_made(MPI_Comm comm, uint64_t uid, uint64_t seq, uint64_t distinction);
uint64_t siox__comm_members(MPI_Comm comm); /* hash of who is in it */
void siox__comm_start(void);                /* after MPI_Init */
void siox__comm_stop(void);                 /* before MPI_Finalize */

/* What names an access under way to the predictor (siox__predict_departs): its request, or for a
 * split collective its file, which has one at a time. */
static inline uint64_t siox__request_key(MPI_Request request) {
  return UINT64_C(1) << 62 | (uint32_t)request;
}
static inline uint64_t siox__split_key(const void *handle) {
  return UINT64_C(1) << 63 | (uintptr_t)handle;
}

/* An open MPI file. */
struct siox__mpi_file {
  MPI_File handle;
  struct siox__mpi_file *next;
  struct siox__file *file; /* NULL: not on the emulated store */
  bool has_layout;
  struct siox_layout layout;
  uint64_t uid;          /* id of its open; 0 unknown */
  _Atomic uint64_t seq;  /* of the last collective on it */
  _Atomic uint32_t told; /* siox__client.telling when the daemon knew that this rank has it open */
  int size, self;
  int64_t displacement, etype; /* of the view, bytes */
  bool contiguous;             /* byte offset = displacement + offset * etype */
  struct siox__view view;      /* with holes; type NULL: none, or not known */
  /* Of reads and of writes: may ranks do I/O for others, and in pieces of how many bytes does one
   * read over holes (0: never). */
  enum siox__gathers { SIOX__NEVER_GATHERED, SIOX__OUT_OF_ORDER, SIOX__ALWAYS_GATHERED } gathers[2];
  int64_t sieve[2];
  uint64_t split_seq; /* collective of the split operation under way */
  int64_t split_offset, split_data, split_bytes;
  bool split_writes;
};
struct siox__mpi_file *siox__mpi_file_find(MPI_File handle);
/* What the thread's last handle was, unless a file was closed since. */
extern _Atomic uint32_t siox__mpi_file_generation SIOX_HIDDEN;
extern _Thread_local struct siox__mpi_file_last {
  MPI_File handle;
  struct siox__mpi_file *file; /* or NULL */
  uint32_t generation;
} siox__mpi_file_last __attribute__((tls_model("initial-exec"), visibility("hidden")));
static inline struct siox__mpi_file *siox__mpi_file(MPI_File handle) {
  const struct siox__mpi_file_last *last = &siox__mpi_file_last;
  const uint32_t now = atomic_load_explicit(&siox__mpi_file_generation, memory_order_acquire);
  if (__builtin_expect(last->handle == handle, 1) && __builtin_expect(last->generation == now, 1))
    return last->file;
  return siox__mpi_file_find(handle);
}
/* Takes over the reference to file. NULL: out of memory. */
struct siox__mpi_file *siox__mpi_file_add(MPI_File handle, struct siox__file *file);
/* Takes it out of the table; its memory stays until the free. */
struct siox__mpi_file *siox__mpi_file_remove(MPI_File handle);
void siox__mpi_file_free(struct siox__mpi_file *f);
/* Asks how collective accesses and those over holes are done. */
void siox__mpi_file_hints(struct siox__mpi_file *f);
/* A view was set. */
void siox__mpi_file_view(struct siox__mpi_file *f, MPI_Offset displacement, MPI_Datatype etype,
                         MPI_Datatype filetype, const char *datarep);
/* Striping asked for by an MPI_Info as layout text; "" none or not valid. */
void siox__mpi_layout_hint(MPI_Info info, char *text, size_t size);

static inline uint64_t siox__mix(uint64_t a, uint64_t b) { /* a key for a pair, never 0 */
  uint64_t x = siox__scramble(a * UINT64_C(0x9e3779b97f4a7c15) + b);
  return x ? x : 1;
}

/* A collective that is not I/O, around its PMPI call. */
struct siox__sync {
  struct siox__comm *comm;
  uint64_t seq;
  int64_t enter;
};
void siox__sync_begin(struct siox__sync *s, MPI_Comm comm);
void siox__sync_end(const struct siox__sync *s, enum siox_sync_kind kind, int root);

/* Receives and accesses under way: there are some that an end of requests has to be compared with;
 * the request has ended, status is the one of its receive. */
bool siox__message_watching(void);
void siox__message_ended(MPI_Request request, const MPI_Status *status);

#endif
