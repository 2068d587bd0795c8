/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside libsiox: the process's connection to sioxd and what its files offer each other.
 * - connect.c: the connection's state; greet.c: find and greet the daemon, also one that came back;
 *   request.c: request and reply on the socket
 * - job.c: which job and rank this is; fork.c: children
 * - files.c: descriptor to file; open.c transfer.c aio.c unseen.c: libc's routines
 * - report*.c: what the process says of itself when it ends; ending.c: ends without destructors
 * - record.c record_once.c: records into the shared ring; tally.c: calls counted in shared memory;
 *   thread.c: threads' numbers; vfork.c
 * - hint.c hint_send.c: claims of this process; predict*.c: what to claim; hold.c held.c: for files
 *   that the program has open by itself; fault.c: wrong hints, for tests
 * - mpicall.c mpiinit.c mpiio.c mpimessage.c mpiopen.c mpisync.c: MPI wrappers
 * - comm.c mpifile.c: collective ids
 *
 * Nothing here calls libsiox's own wrappers: libc is reached through siox__real or by syscalls,
 * under the guard of siox__enter, so that a call that comes back to us (a signal handler, an
 * allocator) passes straight through. errno is the wrappers' business: they save it. */
#ifndef SIOX_CLIENT_CLIENT_H
#define SIOX_CLIENT_CLIENT_H
#include "common/clock.h"
#include "common/wire.h"
#include "siox/siox.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIOX_EXPORT __attribute__((visibility("default")))
/* Of data: reached without a look into a table. */
#define SIOX_HIDDEN __attribute__((visibility("hidden")))
#define SIOX_PATH_MAX 4096

/* NEW until the daemon is first looked for; LOST while it is away and looked for again; GONE: there
 * was none, or it is not one to come back to. */
enum siox__status { SIOX_STATUS_NEW, SIOX_STATUS_READY, SIOX_STATUS_LOST, SIOX_STATUS_GONE };

/* One a process. Written under the socket lock before status becomes READY; constant until fork but
 * for what a daemon that came back gives anew, in the same places (greet.c). */
struct siox__client {
  _Atomic int status;
  _Atomic uint32_t epoch; /* grows with the first connection and with fork */
  _Atomic uint32_t
      connection,        /* grows with every connection: the daemon's numbers before are void */
      telling;           /* grows with it, and when communicators and files are to be told anew */
  _Atomic int64_t retry; /* LOST: not looked for again before */
  int socket, wake;
  int dial;  /* LOST: greeted, has not answered yet; -1: none */
  int tally; /* goes along with HELLO; -1: there is none, or it has no descriptor */
  char path[108];
  struct siox_ring *ring;
  uint32_t ring_bytes;
  const struct siox_level_table *levels;
  size_t levels_bytes;
  struct siox_msg_welcome welcome; /* mount: as the kernel names it */
  size_t mount_length;
  int32_t rank, size; /* -1, 0: not known */
  int32_t pid;        /* whose memory this is: a child of vfork still runs in its parent's */
  bool mpi;
  bool forked; /* child of a process that had a connection or looked for one: joins by REJOIN and
                  never warns */
  bool warned;
  char job[96];       /* "" until first needed */
  int64_t joining_ns; /* what the first look for the daemon took */
};
extern struct siox__client siox__client SIOX_HIDDEN;

struct siox__file;

/* What a thread is doing. */
struct siox__thread {
  int depth;                        /* > 0: inside libsiox, calls pass through */
  uint32_t number;                  /* small, from 1; 0: none yet */
  bool slack;                       /* timer slack is set */
  bool shown;                       /* its end is told to the tally */
  bool vforked;                     /* whoever runs here may be a child of vfork */
  const struct siox_site *site;     /* announced by siox_at for the next MPI-IO call */
  const struct siox_site *within;   /* by siox_within: of the library's call that is running */
  uint64_t io_site, io_uid, io_seq; /* of the MPI-IO call now running */
  void *io_handle;                  /* its MPI_File where it has one, or NULL */
  bool io_running;
  const char *layout;        /* asked for by the MPI_File_open now running, or NULL */
  struct siox__file *opened; /* last file opened under it */
  uint32_t connection;       /* that what it is about to ask belongs to */
  int held;                  /* > 0: its signals wait (siox__hold_signals) */
  sigset_t held_mask;        /* those that the program blocks itself */
};
#ifdef __x86_64__
#define SIOX_VFORK_UNSEEN false /* vfork.c sees to it */
#else
#define SIOX_VFORK_UNSEEN true
#endif
extern _Thread_local struct siox__thread siox__self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Guard: false when this thread is inside already. Every enter that was true needs its exit. */
static inline bool siox__enter(void) {
  if (siox__self.depth)
    return false;
  siox__self.depth = 1;
  return true;
}
static inline void siox__exit(void) { siox__self.depth = 0; }

/* Around what takes a lock in a routine that handlers may interrupt: read and write may be left by
 * siglongjmp out of a handler, and whoever left so would never give the lock back. The signal comes
 * when the last one lets go. Keeps errno; not in a child of vfork. */
static inline void siox__hold_signals(void) {
  sigset_t all, mask;
  if (!siox__self.held) {
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask); /* but for those that pthreads itself needs */
    siox__self.held_mask = mask;
  }
  siox__self.held++; /* nobody comes in between any more */
}
static inline void siox__let_signals(void) {
  const sigset_t mask = siox__self.held_mask;
  if (--siox__self.held == 0)
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* May the word at this address be read? The kernel takes a wrong pointer for EFAULT, so we must not
 * look at it: a call with nonsense for `how` changes nothing, and copies the set first. */
bool siox__readable(const void *at);

static inline bool siox__connected(void) {
  return atomic_load_explicit(&siox__client.status, memory_order_acquire) == SIOX_STATUS_READY;
}
/* Connected, or to be again: what the daemon said of disks and mount holds. */
static inline bool siox__welcomed(void) {
  int status = atomic_load_explicit(&siox__client.status, memory_order_acquire);
  return status == SIOX_STATUS_READY || status == SIOX_STATUS_LOST;
}
/* Connected; tries to be if nobody tried yet, or if the daemon is lost and it is time to look
 * again. Not under the lock of hints. */
int siox__client_ready(void);
/* This process runs in memory that is another's: a child of vfork before its exec, or one made
 * behind libc's back. It leaves the connection alone, and its calls pass straight through. */
bool siox__borrowed(void);
/* The same for public functions: guarded, errno kept. */
bool siox__client_usable(void);
/* The daemon is left, for good or to be looked for again; says so once a job. The caller holds the
 * socket lock. */
void siox__client_lost(const char *why, bool for_good);
/* Asks the kernel whether the daemon has hung up; leaves it if so. glance: at most ten times a
 * second, and not while another thread asks the daemon something: that one will notice. */
void siox__client_check(void);
void siox__client_glance(void);
/* Forgets the connection without a word to the daemon (child of fork). */
void siox__client_reset(void);
/* The job's one warning line, if this process is the one to give it and has not. */
__attribute__((format(printf, 1, 2))) void siox__warn_once(const char *format, ...);
/* What descriptor 2 is now, is where the program wants its messages. */
void siox__stderr_is(void);
bool siox__stderr_still_is(void);

/* greet.c, under the socket lock. join: looks for a daemon and waits for its answer. rejoin: one
 * step of getting back to one that was lost; never waits longer than a daemon in good health needs.
 * 0, or negative. */
int siox__join(void);
int siox__rejoin(void);

/* owned.c: descriptors that libsiox holds itself. */
int siox__fd_high(int fd); /* moves one out of the program's way, close-on-exec; returns it, or
                              closes it and returns -1 when there is no room up there */
bool siox__fd_own(int fd); /* is it one of ours? */
int siox__fd_next_own(unsigned from, unsigned last); /* the lowest of ours in there, or -1 */
void siox__fd_yield(int fd);  /* the program wants this number for itself: ours moves, or without
                                 room the daemon is left */
void siox__fd_close(int *fd); /* closes one of ours and sets it to -1 */

/* job.c */
const char *siox__job_key(void);
void siox__job_rank(int32_t *rank, int32_t *size); /* from the launcher's environment; -1, 0 */
double siox__job_budget(void);    /* SIOX_DELAY_BUDGET as a part of 1; negative: none */
bool siox__job_launches(void);    /* this is no rank but what starts them */
bool siox__job_first_local(void); /* lowest local rank, or no launcher */

/* request.c. A packet is head, body and up to two texts. The reply's body is copied and its length
 * returned, or a negative code; a silent or vanished daemon is left. */
int siox__send(int socket, uint16_t type, uint32_t tag, const void *body, size_t bytes,
               const void *more, size_t more_bytes, const void *last, size_t last_bytes);
/* With a descriptor that goes along; -1: none. */
int siox__send_with(int socket, uint16_t type, const void *body, size_t bytes, int fd);
int siox__receive(int socket, int64_t deadline, struct siox_msg_head *head, void *body, size_t size,
                  int *fds, int *nfds);
int siox__request(uint16_t type, const void *body, size_t bytes, const void *more,
                  size_t more_bytes, const void *last, size_t last_bytes, uint16_t reply_type,
                  void *reply, size_t reply_size);
/* Without a body, and not if the socket is another thread's for longer than 0.1 s. */
int siox__request_soon(uint16_t type, uint16_t reply_type, void *reply, size_t reply_size);
int siox__notify(uint16_t type, const void *body, size_t bytes, const void *more,
                 size_t more_bytes);
void siox__socket_lock(void);
bool siox__socket_trylock(void);
void siox__socket_unlock(void);
void siox__request_reset(void);

/* record.c. 0, SIOX_EFULL or SIOX_EGONE. */
int siox__record(enum siox_rec_type type, const void *body, size_t bytes, const void *more,
                 size_t more_bytes);
/* What happened, at `time`; uid: of the communicator or file, 0: none. Left out where the daemon
 * has no use for it. */
bool siox__record_wants(uint64_t uid); /* it would not be left out */
void siox__record_activity(enum siox_rec_type type, uint64_t uid, int64_t time, const void *body,
                           size_t bytes);
/* A call of io.def that has ended; result and offset as of siox__posix_over. */
struct siox__span;
void siox__record_posix(const struct siox__span *s, int64_t result, int64_t offset);
/* A call of mpiio.def that went well, of one rank; of all that opened the file, who wait for each
 * other. */
struct siox__quick;
void siox__record_call(const struct siox__quick *q, int64_t end);
void siox__record_together(const struct siox__quick *q, int64_t end);
static inline bool siox__wanted(uint32_t what) {
  return siox__connected() &&
         (atomic_load_explicit(&siox__client.ring->wanted, memory_order_relaxed) & what);
}
uint64_t siox__record_site(const struct siox_site *site); /* its key; sent once a connection */
void siox__record_missing(enum siox_missing what);
void siox__record_once_reset(void); /* what was said is to be said again */
void siox__record_reset(void);
/* The ring's memory is replaced by the fresh one, at the same address, between two records. */
int siox__record_renew(void *fresh, size_t bytes);

/* thread.c */
uint32_t siox__thread_number(void);
void siox__thread_number_end(void);   /* this thread's is another's from now on */
void siox__thread_number_reset(void); /* in a child of fork */

/* transfer.c. Charges an access: completion time, or INT64_MIN when it could not be charged. */
int64_t siox__charge(struct siox__file *file, enum siox_io_op op, int64_t arrival, int64_t offset,
                     int64_t bytes, uint32_t flags, uint32_t request);
void siox__sleep_until(int64_t time);

/* hint.c. 0 or negative codes as siox_set_speed. */
int siox__hint(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
               const struct siox_site *site, bool predicted);
void siox__hint_reset(void);
void siox__hint_again(void); /* the whole vector, to a daemon that knows nothing of it */

/* fault.c: SIOX_FAULT. read: at every connection, before it is ready. mask: random disks in place
 * of a hint's own, for use under the lock of hints only. */
extern bool siox__fault_masks;
void siox__fault_read(void);
const struct siox_mask *siox__fault_mask(void);

/* fork.c */

struct siox__reach;
/* What predict.c makes of the calls. handle: the MPI_File; reach: predict.h; site NULL: not
 * compiled with the pass; layout NULL: not known. */
void siox__predict_opened(struct siox_site *site, void *handle, const struct siox_layout *layout);
void siox__predict_closed(void *handle);
/* A nonblocking (key: siox__request_key) or split access was begun, and is complete, or (seen
 * false) its completion will not be seen. */
void siox__predict_departs(uint64_t key, void *handle, const struct siox__reach *reach);
void siox__predict_lands(uint64_t key, bool seen);
extern _Atomic uint32_t siox__predict_flights; /* so many are under way */
/* rest: T without the disks of accesses under way; the caller frees it. false: no memory. */
bool siox__predict_grounded(const struct siox_mask *T, struct siox_mask *rest);
/* A hint that is none of the predictor's has changed what the daemon was told of these disks. */
void siox__predict_told(const struct siox_mask *T, int32_t F, int64_t need_by, int64_t until);
/* The MPI library keeps this file beside an open one, for its shared file pointer. */
void siox__predict_beside(void *handle, const char *layout);
/* A call that passes messages is over, at `now`. */
void siox__predict_beat(int64_t now);
/* A call that moves the shared file pointer. */
void siox__predict_pointer(void *handle);
/* The epoch (siox__client) in which nothing is foretold, whatever is called; 0: none. */
extern _Atomic uint32_t siox__predict_asleep SIOX_HIDDEN;
/* The epoch in which a thread has taken the regions; without any there is no gap that an access
 * could end. */
extern _Atomic uint32_t siox__predict_followed SIOX_HIDDEN;
static inline bool siox__predicts(void) {
  return atomic_load_explicit(&siox__predict_asleep, memory_order_relaxed) !=
         atomic_load_explicit(&siox__client.epoch, memory_order_relaxed);
}
void siox__predict_before(struct siox_site *site, void *handle, const struct siox__reach *reach);
/* A file was opened while the MPI-IO call on `handle` runs. */
void siox__mpi_opened_beside(void *handle, const struct siox__file *file);
/* Layout of an open MPI file while it is open, or NULL. handle: the MPI_File. */
const struct siox_layout *siox__file_of_handle(const void *handle);

#endif
