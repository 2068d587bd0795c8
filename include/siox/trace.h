/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The .siox trace: the only binary format of Siox. A file is a header block and further blocks;
 * each block has a length, kind, stream number and checksum (CRC-32C), so a file cut by a kill is readable to its last
 * whole block. Numbers in blocks are LEB128 varints, times are deltas within their stream. Streams: one per
 * (client, thread) with that thread's events in program order, and one per disk with what the disk did. Definitions
 * (jobs, clients, files, layouts, sites) come before their first use, in blocks of their own. docs/trace-format.md gives
 * every byte. Writer and reader are not thread-safe per object. Reading checks everything: SIOX_EPROTO, SIOX_ECHECKSUM,
 * SIOX_ETRUNCATED with the byte offset in diag; no input crashes it. */
#ifndef SIOX_TRACE_H
#define SIOX_TRACE_H
#include "siox/bank.h"
#include "siox/drive.h"
#include "siox/error.h"
#include "siox/layout.h"
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_TRACE_VERSION 1

/* Does it tell who waits for whom? Collectives with their members, messages and asynchronous requests are in it, or who
 * recorded it does not know of them. */
enum siox_trace_waits { SIOX_WAITS_UNSAID, SIOX_WAITS_TOLD, SIOX_WAITS_UNTOLD };

struct siox_trace_header {
  uint32_t version;
  uint32_t clock;          /* clockid_t of the times (CLOCK_MONOTONIC) */
  int64_t start;           /* its first moment; event times are absolute again after reading */
  int64_t wall_start_ns;   /* CLOCK_REALTIME at start, for people */
  uint32_t ndisks;
  const struct siox_drive *const *drive; /* ndisks; complete profiles are in the file */
  const uint32_t *initial_level;         /* ndisks */
  const char *policy;      /* under which it was recorded */
  double hold_factor;
  const char *program;     /* command line, for people */
  const struct siox_limits *limits; /* in force when it was recorded; NULL: not known */
  enum siox_trace_waits waits;
};

enum siox_trace_kind {
  /* definitions */
  SIOX_TRACE_JOB, SIOX_TRACE_CLIENT, SIOX_TRACE_FILE, SIOX_TRACE_SITE,
  /* events of a stream (client, thread) */
  SIOX_TRACE_JOIN, SIOX_TRACE_LEAVE, SIOX_TRACE_OPEN, SIOX_TRACE_IO, SIOX_TRACE_HINT, SIOX_TRACE_CALL, SIOX_TRACE_SYNC,
  SIOX_TRACE_MESSAGE, SIOX_TRACE_WAIT,
  /* events of a disk */
  SIOX_TRACE_SEGMENT,
  /* of a stream again, came later: a POSIX call on a file that is not managed. Readers from before it stop there; a
   * trace has none unless the daemon was told so (record_layers) */
  SIOX_TRACE_POSIX,
};
#define SIOX_NTRACE_KINDS (SIOX_TRACE_POSIX + 1)

/* One definition or event. Strings belong to the reader (valid until the next read). */
struct siox_trace_event {
  enum siox_trace_kind kind;
  uint32_t client, thread; /* stream events */
  union {
    struct { uint32_t job; uint32_t uid; const char *key; } job;
    struct { uint32_t client, job; int32_t rank, size, pid; const char *program; } client_def;
    struct { uint64_t file; const char *path; const char *layout; } file;
    struct { uint64_t key; const char *file, *function, *call; uint32_t line, column; } site;
    struct { int64_t time; bool known; } join; /* known: nobody waits for what it will do first (siox_bank_await) */
    struct { int64_t time; } leave;
    struct { int64_t time; uint64_t file; } open;
    struct {
      int64_t arrival, completion; uint64_t file; int64_t offset, bytes; uint64_t site, coll_uid, coll_seq;
      uint32_t op, flags, request; bool missed;
    } io;
    struct { int64_t time; struct siox_claim_header head; const struct siox_claim_run *runs; } hint;
    struct {
      int64_t start, end; uint64_t site; int64_t offset, bytes; uint64_t coll_uid, coll_seq, file; uint32_t call;
      int32_t result;
    } call;
    struct { int64_t enter, leave; uint64_t uid, seq; uint32_t kind, size; int32_t root, self; } sync;
    struct { int64_t start, end; uint64_t uid; int32_t peer, self, tag; uint32_t receive; } message;
    struct { int64_t start, end; uint32_t request; } wait;
    struct siox_segment segment;
    struct { /* offset -1: not known; call: row of io.def; result: errno or 0 */
      int64_t start, end; uint64_t site; int64_t offset, bytes; uint64_t coll_uid, coll_seq, file; uint32_t call;
      int32_t result;
    } posix;
  } u;
};

struct siox_trace_writer;
/* Creates the file (O_EXCL off, truncates). Buffers per stream; flush makes all so far readable after a kill.
 * SIOX_EINVAL, SIOX_ERANGE (header), SIOX_EIO, SIOX_ENOMEM; diag may be NULL. write also: SIOX_EINVAL (an event that no
 * reader would take), SIOX_ERANGE (a text too long): these two leave the trace as it was; SIOX_EIO and SIOX_ENOMEM end
 * it at its last whole block and are returned by every call from then on. */
int siox_trace_create(struct siox_trace_writer **w, const char *path, const struct siox_trace_header *header,
                      struct siox_diag *diag);
int siox_trace_write(struct siox_trace_writer *w, const struct siox_trace_event *event);
int siox_trace_flush(struct siox_trace_writer *w);
int siox_trace_close(struct siox_trace_writer *w); /* flush, fsync, free; the first error met since create */

struct siox_trace_reader;
/* SIOX_ENOENT, SIOX_EIO, SIOX_ENOMEM, SIOX_EVERSION, and as above for a header that is not whole. diag may be NULL. */
int siox_trace_open(struct siox_trace_reader **r, const char *path, struct siox_diag *diag);
const struct siox_trace_header *siox_trace_header(const struct siox_trace_reader *r);
/* Next event in file order (streams interleave by block; within a stream in order). 1 an event, 0 end of file,
 * negative: error, everything before it was good. SIOX_ETRUNCATED after a kill is the normal end of a cut file. */
int siox_trace_read(struct siox_trace_reader *r, struct siox_trace_event *event, struct siox_diag *diag);
void siox_trace_reader_close(struct siox_trace_reader *r);

#ifdef __cplusplus
}
#endif
#endif
