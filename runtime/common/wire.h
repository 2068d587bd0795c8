/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What travels between libsiox and sioxd. Two ways, both on one node and in native byte order:
 *  - a SOCK_SEQPACKET unix socket, one connection per process, one message a packet, request and reply (strictly
 *    alternating per connection except SIOX_MSG_CLAIM and SIOX_MSG_BYE, which have no reply);
 *  - one shared ring per process (memfd sent with WELCOME), written by the client, read by the daemon: hints and
 *    records. The daemon drains a client's ring before it looks at a socket message of that client, so a hint given
 *    before a request is known before it.
 * Times are CLOCK_MONOTONIC ns of the node. Every length is checked by the receiver; a malformed message ends that
 * connection and nothing else. */
#ifndef SIOX_COMMON_WIRE_H
#define SIOX_COMMON_WIRE_H
#include "siox/claim.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SIOX_WIRE_MAGIC 0x584f4953u /* "SIOX" */
#define SIOX_WIRE_VERSION 1
#define SIOX_WIRE_MAX 65536         /* bytes of one packet */
#define SIOX_WIRE_TIMEOUT_NS 1000000000 /* a silent daemon is left after this */

enum siox_msg_type {
  SIOX_MSG_HELLO = 1,   /* client → daemon: struct siox_msg_hello; + 1 fd: its tally (tally.h), or none */
  SIOX_MSG_WELCOME,     /* struct siox_msg_welcome + 3 fds: ring memfd, wake eventfd, level table memfd */
  SIOX_MSG_OPEN,        /* struct siox_msg_open */
  SIOX_MSG_OPENED,      /* struct siox_msg_opened */
  SIOX_MSG_IO,          /* struct siox_msg_io */
  SIOX_MSG_DONE,        /* struct siox_msg_done */
  SIOX_MSG_CLAIM,       /* struct siox_claim_header + runs; no reply: whole vector after overflow or reconnect */
  SIOX_MSG_BYE,         /* no body, no reply: orderly end (finalize or exit) */
  SIOX_MSG_CONTROL,     /* tools → daemon: JSON text, e.g. {"ask":"status"} */
  SIOX_MSG_ANSWER,      /* JSON text; long answers come as several packets, head.more = 1 on all but the last */
  SIOX_MSG_ERROR,       /* head.status holds the code; body: text */
  SIOX_MSG_DRIVE,   /* client → daemon: struct siox_msg_drive */
  SIOX_MSG_PROFILE, /* struct siox_drive of that disk, as the daemon has it (time_scale applied); SIOX_ERANGE */
  SIOX_MSG_TOTALS,  /* client → daemon: no body */
  SIOX_MSG_TOTALLED, /* struct siox_msg_totals: what it knows of the client's job, for the client's report */
};

struct siox_msg_head {
  uint32_t magic;
  uint16_t version;
  uint16_t type;
  uint32_t length; /* of the whole packet */
  int32_t status;  /* replies: 0 or SIOX_E… */
  uint32_t tag;    /* echoed in the reply */
  uint32_t more;
};

struct siox_msg_hello {
  int64_t time;
  int32_t rank, size;    /* -1, 0 before MPI_Init or without MPI */
  int32_t pid;
  uint32_t flags;        /* SIOX_HELLO_* */
  char job[96];          /* key given by the environment, see docs/client.md */
  char program[160];
  /* A HELLO may end here: what follows came later, and a daemon takes both. */
  double delay_budget;   /* the job's own, part of its run time; negative: not given */
};
#define SIOX_HELLO_LEAST offsetof(struct siox_msg_hello, delay_budget)
enum { SIOX_HELLO_REJOIN = 1 /* after fork or reconnect */, SIOX_HELLO_MPI = 2 /* a rank of an MPI program */ };

struct siox_msg_welcome {
  uint32_t client, job, ndisks, lead_kind; /* enum siox_lead_kind */
  uint32_t first_of_job;                   /* 1: this process may print the job's one warning */
  uint32_t ring_bytes;                     /* data bytes of the ring, a power of two */
  int64_t lead_ns;                         /* longest change from lowest serving level to full, over all disks */
  int64_t min_gap_ns;                      /* shortest gap that pays on any disk */
  char mount[4096];                        /* directory of the emulated store, no trailing slash; "" none */
  char advice[2048];                       /* of the knowledge base for this program: lines "ACCESS RANKS key=value ..." */
};

struct siox_msg_open {
  int64_t time;
  uint64_t dev, ino;
  uint64_t size;      /* of the file now */
  uint32_t created;   /* 1: this open made or truncated the file */
  uint32_t path_length, layout_length; /* bytes that follow: path, then layout text asked for by MPI_Info ("" none) */
};
struct siox_msg_opened {
  uint64_t file;      /* the daemon's number of the file, > 0 */
  uint32_t layout_length; /* layout text that follows: the file's authority */
  uint32_t reserved;
};

enum siox_io_op { SIOX_IO_READ, SIOX_IO_WRITE, SIOX_IO_SYNC };
struct siox_msg_io {
  int64_t arrival;    /* when the call was made; taken as stamp */
  uint64_t file;
  int64_t offset, bytes;
  uint64_t site;      /* key, 0 none */
  uint64_t coll_uid, coll_seq; /* collective it belongs to; uid 0: none */
  uint32_t op;        /* enum siox_io_op */
  uint32_t thread;    /* small number of the thread within the process */
  uint32_t flags;     /* SIOX_IO_ASYNC */
  uint32_t request;   /* async: number that the later WAIT record names */
};
enum { SIOX_IO_ASYNC = 1 };
struct siox_msg_done {
  int64_t completion; /* absolute */
  int64_t reserved;
};

struct siox_msg_drive {
  uint32_t disk, reserved;
};

/* What a client's report (client/report.h) gets from the daemon. Joules are of the job since it began, on this node. */
enum {
  SIOX_TOTALS_DISKS = 1,        /* disk_joules is known; always estimated, from drive profiles */
  SIOX_TOTALS_PROCESSORS = 2,   /* processor_joules is known */
  SIOX_TOTALS_ESTIMATED = 4,    /* and is a model's */
  SIOX_TOTALS_MONITORED = 8,    /* somebody looked for anomalies */
  SIOX_TOTALS_NOTES = 6,
};
struct siox_msg_totals {
  uint32_t flags, notes;        /* texts in note[] */
  double disk_joules, processor_joules;
  uint64_t findings;            /* anomalies since the client came, of it or of its node */
  char source[32];              /* of processor_joules: the provider's name */
  char note[SIOX_TOTALS_NOTES][232]; /* the last ones, each ends with 0 */
};

/* The shared ring: struct siox_ring, then ring_bytes of data. Records start at multiples of 8 and do not wrap: a
 * record with type SIOX_REC_PAD fills the end. head and tail count bytes since the beginning and never wrap. */
struct siox_ring {
  _Alignas(64) _Atomic uint64_t head; /* written by the client (release) */
  _Alignas(64) _Atomic uint64_t tail; /* written by the daemon (release) */
  _Alignas(64) _Atomic uint32_t asleep; /* daemon sets 1 before it polls; a client that sees 1 after publishing
                                         * swaps it to 0 and writes the eventfd */
  _Atomic uint32_t overflow;          /* client sets 1 when records were lost (records other than claims are counted) */
  _Atomic uint64_t dropped;           /* records lost, for the report */
  _Atomic uint64_t issued;            /* hints given by the program, those that change nothing included */
  _Atomic uint64_t refused;           /* unmarked records that were left out for others, counted nowhere else */
  _Atomic uint32_t wanted;            /* daemon: SIOX_WANT_*; may change at any time */
};
/* What the daemon has a use for. Claims, entries and what is missing are always sent. */
enum {
  SIOX_WANT_MPI = 1,   /* calls, collectives, messages, waits, and the sites they name; without it a call or a
                        * collective is sent when it is the first of its communicator or file, which tells the daemon
                        * who belongs to it */
  SIOX_WANT_POSIX = 2, /* calls of io.def on files that are not managed */
};
/* A call that failed or took longer is marked: it may use the ring when others may no longer. */
#define SIOX_MARK_NS INT64_C(10000000)

enum siox_rec_type {
  SIOX_REC_PAD = 0,
  SIOX_REC_CLAIM,      /* struct siox_claim_header + runs */
  SIOX_REC_SITE,       /* struct siox_rec_site + file, function, call texts: once per site used */
  SIOX_REC_CALL,       /* struct siox_rec_call: one MPI-IO call has ended (PMPI wrapper, the one recorder) */
  SIOX_REC_SYNC,       /* struct siox_rec_sync: one collective that is no I/O has ended on this rank */
  SIOX_REC_MESSAGE,    /* struct siox_rec_message: a send, or a receive that has ended */
  SIOX_REC_WAIT,       /* struct siox_rec_wait: the thread waited for an async request */
  SIOX_REC_MISSING,    /* struct siox_rec_missing: something could not be recorded (mmap, partial memory) */
  SIOX_REC_ENTER,      /* struct siox_rec_enter: a rank is about to take part in a collective access */
  SIOX_REC_POSIX,      /* struct siox_rec_posix: a POSIX call on a regular file that is not managed has ended; the
                        * head's time is its end */
  SIOX_REC_OPENED,     /* struct siox_rec_opened + hints "key=value key=value": rank 0 of an MPI_File_open that went well */
};
struct siox_rec_head {
  uint32_t bytes; /* whole record, multiple of 8 */
  uint16_t type;
  uint16_t thread;
  int64_t time;   /* when it was written */
};
struct siox_rec_site {
  uint64_t key;
  uint32_t line, column;
  uint16_t file_length, function_length, call_length, reserved;
};
struct siox_rec_call {
  int64_t start, end;
  uint64_t site;
  int64_t offset, bytes;  /* as asked; offset -1: shared or individual pointer unknown */
  uint64_t coll_uid, coll_seq;
  uint64_t file;          /* daemon's number, 0 unknown */
  uint32_t call;          /* row of mpiio.def */
  int32_t result;         /* MPI error class, 0 success */
  /* A CALL may end here: what follows is of a blocking collective, whose members have all entered when it leaves. */
  uint32_t size;          /* members in the communicator; 0: it is none */
  int32_t self;           /* rank in it */
};
#define SIOX_REC_CALL_LEAST offsetof(struct siox_rec_call, size)
enum siox_sync_kind { SIOX_SYNC_ALL, SIOX_SYNC_FROM_ROOT, SIOX_SYNC_TO_ROOT };
struct siox_rec_sync {
  int64_t enter, leave;
  uint64_t uid, seq;      /* collective id: equal on all members */
  uint32_t kind, size;    /* enum siox_sync_kind, members in the communicator */
  int32_t root, self;     /* ranks in the communicator; root -1 */
};
struct siox_rec_message {
  int64_t start, end;
  uint64_t uid;           /* communicator */
  int32_t peer, self, tag; /* ranks in the communicator */
  uint32_t receive;       /* 0 send, 1 receive; the nth receive matches the nth send with the same uid, pair and tag */
};
struct siox_rec_wait {
  int64_t start, end;
  uint32_t request, reserved;
};
struct siox_rec_missing {
  uint32_t what, reserved; /* enum siox_missing */
  uint64_t count;
};
struct siox_rec_enter { /* of each rank, when some may do the I/O of all */
  uint64_t uid, seq;      /* collective id */
  uint64_t file;          /* daemon's number */
  int64_t offset, bytes;  /* what the rank itself asks for, in one piece */
  uint32_t size, self;    /* members of the communicator, rank in it */
  uint32_t flags, reserved; /* SIOX_ENTER_* */
};
struct siox_rec_posix {
  int64_t start;
  uint64_t file;          /* a key made of device and inode, never 0; of no use but to tell files apart */
  int64_t offset, bytes;  /* offset -1: the descriptor's own position; bytes moved */
  uint64_t site;          /* of the MPI-IO call that it is made in, or of the library's; 0 none */
  uint64_t coll_uid, coll_seq;
  uint32_t call;          /* row of io.def */
  int32_t result;         /* 0, or errno */
};
struct siox_rec_opened {
  uint64_t file;          /* daemon's number, 0 unknown */
  uint32_t ranks, amode;  /* members of the communicator, as given */
  uint32_t flags, length; /* SIOX_OPENED_*; bytes of text that follow */
};
enum { SIOX_OPENED_ADVISED = 1, /* the daemon had advice for it */
       SIOX_OPENED_APPLIED = 2 };
enum { SIOX_HINTS_MOST = 1024 };
enum { SIOX_ENTER_ALWAYS = 1 /* they do so in whichever order the ranks' pieces lie */ };
enum siox_missing { SIOX_MISSING_MMAP = 1, SIOX_MISSING_THREADS, SIOX_MISSING_FILES, SIOX_MISSING_CALLS };

/* The level table: sealed against writing by clients. */
struct siox_level_table {
  uint32_t version, ndisks;
  uint32_t policy_lead_kind, reserved;
  _Atomic int32_t speed[]; /* present speed per disk; while changing, the one it leads to */
};

/* The ring's two ends (ring.c). put returns 0, or SIOX_EFULL with overflow set and dropped counted; *wake says that the
 * eventfd must be written. Callers serialise their own side. */
enum {
  SIOX_PUT_URGENT = 1, /* wake a reader that sleeps; others are read when it looks, or the ring is a quarter full */
  SIOX_PUT_SPARE = 2,  /* leave it out where the ring is three quarters full: SIOX_EFULL, counted in refused alone */
};
size_t siox__ring_size(uint32_t ring_bytes);
void siox__ring_init(struct siox_ring *ring);
int siox__ring_put(struct siox_ring *ring, uint32_t ring_bytes, const struct siox_rec_head *head, const void *body1,
                   size_t bytes1, const void *body2, size_t bytes2, unsigned how, int *wake);
/* Next record or NULL when empty; copies it to buffer (hostile writers: checked, copied before it is looked at).
 * Returns bytes, 0 when empty, SIOX_EPROTO when the ring is corrupt. */
int siox__ring_get(struct siox_ring *ring, uint32_t ring_bytes, void *buffer, size_t size);

#endif
