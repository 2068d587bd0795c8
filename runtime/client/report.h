/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a process says of itself when it ends (SIOX_REPORT, docs/client.md): a block of its own, or
 * with MPI one of all ranks together from rank 0. It is made wherever a process may end, in signal
 * handlers too, so nothing here allocates, prints with stdio or takes a lock that may be held for
 * long, and memory is static, since stacks of handlers are small. Whatever goes wrong, the program
 * ends as it would have. */
#ifndef SIOX_CLIENT_REPORT_H
#define SIOX_CLIENT_REPORT_H
#include "client/tally.h"

/* Is this process to report, as far as SIOX_REPORT says? */
bool siox__report_wanted(void);
/* This process ends; how: in words, "exit". The first time only, and never in borrowed memory. */
void siox__report_end(const char *how);
void siox__report_reset(void);     /* in a child of fork */
void siox__report_mpi_start(void); /* after MPI_Init: the ranks' joint report is seen to */

/* For report_joint.c. True once a process, and never in borrowed memory: the caller makes its
 * report. joint: of all ranks together. put: to where SIOX_REPORT wants it. */
bool siox__report_claim(void);
bool siox__report_joint(void);
const char *siox__report_program(void);
void siox__report_put(const char *report, size_t length);

/* Of one row of the tally. */
struct siox__report_row {
  uint16_t row;
  uint64_t calls, bytes, errors;
  int64_t total_ns, longest_ns;
};
struct siox__figures {
  const char *how; /* it ended */
  int32_t rank, pid;
  int64_t cpu_ns, runtime_ns, start_ns; /* start: of libsiox itself, joining the daemon included */
  bool has_network, has_storage;
  uint64_t network_bytes; /* the node's, since the process began */
  uint64_t storage_read, storage_written;
  bool counted;          /* false: there was no memory to count in */
  uint64_t partial;      /* calls that are in no row */
  uint64_t memory_bytes; /* touched by libsiox for counting and for talking to the daemon */
  int64_t cost_ns;       /* of counting one call */
  const char *unasked;   /* why `said` is empty; NULL: it is not */
  struct siox_msg_totals said;
  uint32_t nrows;
  struct siox__report_row row[SIOX_TALLY_ROWS]; /* most time first */
};
/* Collects; static memory, the next call's. ask: the daemon, too. */
struct siox__figures *siox__figures(const char *how, bool ask);

/* report_text.c: pure, async-signal-safe. Text that does not fit is cut. */
struct siox__text {
  char *at, *end;
};
void siox__put(struct siox__text *t, const char *text);
void siox__put_left(struct siox__text *t, const char *text, int width);
void siox__put_number(struct siox__text *t, uint64_t number, int width);
/* Millionths as 0.123456; width 0: as wide as it is. */
void siox__put_micros(struct siox__text *t, int64_t micros, int width);
/* A name from elsewhere: what cannot be printed is a question mark. */
void siox__put_name(struct siox__text *t, const char *name, size_t most);
void siox__put_joules(struct siox__text *t, const char *unasked, uint32_t flags, double disks,
                      double processors, const char *source, const char *of);
void siox__put_findings(struct siox__text *t, const char *unasked,
                        const struct siox_msg_totals *said);
/* The block of one process. */
void siox__report_text(struct siox__text *t, const char *program, const struct siox__figures *f);

/* report_write.c: appends to a file at once, path NULL: to stderr if that is still the program's,
 * for a second at most. Says on stderr what keeps it from the file. All signals of the program wait
 * until it returns; it causes none. */
void siox__report_write(const char *path, const char *text, size_t length);

/* report_joint.c: what a rank sends to rank 0. Its size is the same for ever, so that ranks with
 * another libsiox do no harm. */
enum { SIOX__SHARE_BYTES = 1024, SIOX__SHARE_ROWS = 16, SIOX__SHARE_VERSION = 1 };
#define SIOX__SHARE_MAGIC 0x52584953u /* "SIXR" */
struct siox__share {
  uint32_t magic;
  uint16_t version, rows; /* rows: SIOX_TALLY_ROWS of whoever wrote it */
  uint64_t check;         /* hash of what follows: a share may be there in part, or not at all */
  int32_t rank, pid;
  uint32_t first_local, flags; /* the first of its node tells the node's figures */
  char host[64];
  int64_t cpu_ns, runtime_ns;
  struct {
    uint64_t calls, bytes, errors;
    int64_t total_ns, longest_ns;
  } layer[SIOX_NLAYERS];
  uint64_t partial, network_bytes;
  double disk_joules, processor_joules;
  uint32_t nrows, reserved;
  struct siox__report_row row[SIOX__SHARE_ROWS];
};
_Static_assert(sizeof(struct siox__share) <= SIOX__SHARE_BYTES, "the size is fixed");
void siox__share_make(struct siox__share *share, const struct siox__figures *f, int32_t rank,
                      bool first_local);
bool siox__share_valid(const struct siox__share *share, int32_t rank);
/* shares: n blocks of SIOX__SHARE_BYTES, one a rank; f: rank 0's own figures. */
void siox__joint_text(struct siox__text *t, const char *program, const struct siox__figures *f,
                      const void *shares, int32_t n);

#endif
