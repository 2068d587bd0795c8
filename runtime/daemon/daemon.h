/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of sioxd share. One thread, one libuv loop, around one pure bank (docs/daemon.md).
 * Nothing here blocks but opening and closing files; the store has its own thread. Functions return
 * 0 or SIOX_E…; the daemon's log is the only thing that is written for people. */
#ifndef SIOX_DAEMON_DAEMON_H
#define SIOX_DAEMON_DAEMON_H
#include "common/log.h"
#include "common/wire.h"
#include "daemon/message.h"
#include "siox/bank.h"
#include "siox/config.h"
#include "siox/knowledge_file.h"
#include "siox/layouts.h"
#include "siox/trace.h"
#include "store/store.h"
#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

/* Work done for one client in a turn of the loop, before the others have theirs. A unit is about
 * what a record costs; what costs more by its size counts more (session.c). */
enum { SIOX__WORK_A_TURN = 4096, SIOX__PACKETS_A_TURN = 64 };
#define SIOX__RING_BYTES (256u * 1024)
/* One transfer is no longer than what Linux moves in one call (read(2)). A client has no more than
 * so much service before it that it asked for: nobody can book the disks for ever. */
#define SIOX__BYTES_MOST INT64_C(0x7ffff000)
#define SIOX__BOOKED_NS INT64_C(600000000000)
/* A peer that has said nothing after this is not waited for any longer; nor one that does not read
 * its answer. */
#define SIOX__PATIENCE_NS INT64_C(10000000000)

struct siox__daemon;

/* One connection: a process of a job after HELLO, a tool after CONTROL, a stranger before. */
struct siox__session {
  struct siox__daemon *d;
  struct siox__session *next, *prev;
  int fd, pid_fd, wake_fd;         /* -1: none */
  uv_poll_t socket, process, wake; /* closed together; `open_handles` counts those still to go */
  int open_handles;
  bool closing, joined, spoke;
  bool rest;      /* its ring holds more than one turn's work */
  bool leaving;   /* it is dead, or has hung up: the rest of its ring is read, then it goes */
  uint64_t turn;  /* in which it was last served, */
  uint32_t work;  /* and how much was done for it then */
  int64_t booked; /* when the service it asked for would be done, one after the other */
  uid_t uid;
  pid_t pid;
  int64_t since;     /* connected, or last progress with an answer */
  uint64_t last_uid; /* communicator it was last seen in */
  uint64_t last_seq; /* of its claims */
  /* after HELLO */
  struct siox_ring *ring;
  uint32_t client; /* the bank's number, reused after it leaves */
  uint32_t serial; /* the trace's number, never reused */
  uint32_t job;
  int32_t rank, size;
  int64_t came;                  /* CLOCK_MONOTONIC, whatever the bank's clock is */
  char program[64];              /* its file name */
  uint64_t dropped;              /* records it says it lost */
  int given;                     /* descriptor that came with the message being served; -1: none */
  struct siox__tallied *tallied; /* NULL: it counts nothing that can be read */
  struct siox__file **file;      /* that it keeps, by id */
  uint32_t nfiles, file_room;
  /* an ANSWER longer than the socket's buffer */
  char *answer;
  size_t answer_length, answer_sent;
  uint32_t answer_tag;
};

struct siox__file {
  uint64_t id, dev, ino;
  char *path, *layout_text;
  struct siox_layout layout;
  bool stored;                      /* its layout is its authority by device and inode */
  bool defined;                     /* in the trace */
  uint32_t refs;                    /* sessions that keep it */
  struct siox__file *next;          /* of its chain by inode, */
  struct siox__file *like;          /* by id, */
  struct siox__file *older, *newer; /* and of those that nobody keeps */
};
struct siox__files {
  char *mount; /* real path, NULL none */
  struct siox__file **chain, **by_id;
  struct siox__file *oldest, *newest; /* that nobody keeps */
  uint64_t count, idle, stored, kept; /* kept: summed over sessions */
  uint32_t users;                     /* sessions that keep any */
  uint32_t *on_disks, most_disks;     /* files that are kept, by the disks that they lie on */
  uint64_t next_id;
  struct siox_layouts layouts; /* layouts.yaml */
};

struct siox__job {
  char key[128]; /* KEY@UID */
  char name[96]; /* KEY */
  uid_t uid;
  uint32_t serial;        /* the trace's number, never reused */
  uint32_t clients, seen; /* now, ever; 0: nobody's number */
  bool forgotten;         /* by the bank, which will give the number to another job */
  uint64_t left;          /* the how manieth to be left by its last client */
  double asked;           /* delay budget; negative: none of its own */
};

/* Communicators and the clients seen in them. */
struct siox__members;
struct siox__gathering;

/* What a disk did since midnight is what it did less what it had done then; that was less than
 * nothing when another daemon has been there today (wear.c). */
struct siox__midnight {
  int64_t transitions, worn[SIOX_NWEAR];
};
struct siox__wear;       /* wear.c */
struct siox__monitor;    /* monitor.h */
struct siox__activities; /* activities.h */
struct siox__aside;      /* aside.h */

/* Whoever has connections or open files here. What there is of these is shared: a user who is no
 * administrator gets more only while at least as much as he has is left for others (users.c). */
struct siox__user {
  uid_t uid;
  uint32_t connections;
  uint64_t files; /* kept open by his connections, one by one */
  bool told;      /* in the log that he was refused */
};

struct siox__counters {
  uint64_t clients, malformed, late, cut, dropped, issued, missing[8], requests, trace_lost,
      refused_peers, refused_io, refused_user, forgotten_members, forgotten_jobs, forgotten_files,
      unsaid, tallies, refused_tallies, advised, applied, refused_records;
  uint64_t packets, records;   /* taken from all clients */
  uint64_t activities, stored; /* all of them, and those that went to the database */
  uint32_t most_work;          /* done for one client in one turn */
};

struct siox__daemon {
  const struct siox_config *config;
  struct siox__log log;
  uv_loop_t loop;
  uv_poll_t listener, timer;
  uv_prepare_t before_poll;
  uv_check_t after_poll;
  uv_idle_t more; /* active while some session has `rest` */
  uint64_t turn;
  uv_timer_t second, idle, watch, rings;
  uint32_t wanted;      /* SIOX_WANT_* */
  uint32_t wanted_when; /* anything is recorded */
  uv_async_t cycles;    /* the monitor has notes */
  uv_signal_t sigterm, sigint;
  int listen_fd, lock_fd, timer_fd, spare_fd;
  bool stamped, begun, finished, leaving, draining;

  struct siox_bank *bank; /* NULL before the first client */
  struct siox_config_drives drives;
  int64_t start, next_wakeup, armed, last_leave;
  bool dirty; /* the bank has changed since the level table was written */
  struct siox_level_table *table;
  int table_fd;

  struct siox__session *sessions;
  uint32_t nsessions, njoined, next_serial;
  uint32_t most_sessions; /* for which there are descriptors */
  struct siox__user *user;
  uint32_t nusers;
  int64_t said_until;               /* complaints, spread evenly */
  uint64_t unsaid;                  /* since the last one */
  struct siox__session **by_client; /* by the bank's number */
  uint32_t nby_client;
  struct siox__midnight *midnight; /* by disk */
  int64_t today;                   /* local day */
  struct siox__wear *wear;         /* NULL: no drive wears */
  struct siox__job *job;           /* by the bank's job number */
  uint32_t njobs, next_job;
  uint32_t gone; /* jobs without clients that are not forgotten */
  uint64_t leaves;
  struct siox__files files;
  struct siox__members *members;
  struct siox__gathering *gatherings; /* NULL until there is one */
  struct siox_trace_writer *trace;
  struct siox_diag trace_error; /* why the trace is not whole, "" it is */
  struct siox__store *store;
  struct siox__monitor *monitor; /* NULL: nothing is measured */
  struct siox_knowledge knowledge;
  struct siox__activities *activities;
  struct siox__aside *aside; /* NULL: activities do not wait for their cycle */
  struct siox__counters count;
};

/* daemon.c: the bank's life */
int siox__daemon_create(struct siox__daemon *d, const struct siox_config *config,
                        struct siox_diag *diag);
void siox__daemon_destroy(struct siox__daemon *d);
int siox__daemon_begin(struct siox__daemon *d, int64_t stamp,
                       const char *program); /* first client */
/* The bank's stamp for something a peer says happened at `stamp`: never in the bank's past nor in
 * the real future. */
int64_t siox__daemon_stamp(const struct siox__daemon *d, int64_t stamp);
void siox__daemon_catch_up(struct siox__daemon *d); /* due wake-ups, each at its own time */
void siox__daemon_idle(struct siox__daemon *d);     /* the last connection has ended */
/* What all clients are to record from now on: SIOX_WANT_*. */
void siox__daemon_want(struct siox__daemon *d, uint32_t wanted);
void siox__daemon_finish(
    struct siox__daemon *d); /* the bank takes no events afterwards; trace closed */
void siox__daemon_leave(struct siox__daemon *d, const char *why);
void siox__daemon_drained(struct siox__daemon *d); /* ends it if it drains and nobody is left */
/* table.c: the level table */
int siox__table_create(struct siox__daemon *d, struct siox_diag *diag);
void siox__table_update(struct siox__daemon *d);
void siox__table_destroy(struct siox__daemon *d);
/* listen.c */
/* Before anything is begun that outlasts the process: SIOX_EEXIST, a daemon is there already. */
int siox__listen_place(struct siox__daemon *d, const char *path, struct siox_diag *diag);
/* In the place that was taken. */
int siox__listen(struct siox__daemon *d, const char *path, struct siox_diag *diag);
void siox__listen_end(struct siox__daemon *d);
/* users.c: one more of what a user has, of which there are most and used by all. SIOX_EFULL: his
 * share is used up (counted, said once); SIOX_ENOMEM. */
int siox__user_connects(struct siox__daemon *d, uid_t uid);
void siox__user_leaves(struct siox__daemon *d, uid_t uid);
struct siox__user *siox__user_of(struct siox__daemon *d, uid_t uid); /* with a connection */
bool siox__user_may(struct siox__daemon *d, uid_t uid, uint64_t has, uint64_t used, uint64_t most);
/* A line in the log about what some peer did: a minute's worth at once, then one a second; nobody
 * fills the log. What is left out is counted, and said with the next one. */
void siox__complain(struct siox__daemon *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* session.c */
struct siox__session *siox__session_create(struct siox__daemon *d, int fd);
/* What has come into the rings, of clients that wake nobody for it. */
void siox__session_drain_all(struct siox__daemon *d);
int siox__session_watch(struct siox__session *s, int pid_fd, int wake_fd);
void siox__session_end(struct siox__session *s, const char *why); /* why NULL: as it should */
void siox__session_reap(struct siox__daemon *d);
int siox__send(struct siox__session *s, const struct siox_msg_head *request, uint16_t type,
               int32_t status, const void *body1, size_t bytes1, const void *body2, size_t bytes2,
               const int *fds, int nfds);
void siox__more(uv_idle_t *idle); /* the sessions whose turn was cut */
/* Counts work for a client. left: may more be done for it in this turn? */
void siox__work(struct siox__session *s, uint64_t units);
bool siox__work_left(struct siox__session *s);
/* What a claim, or a request, that names so many disks costs. */
uint64_t siox__work_of(const struct siox__daemon *d, uint64_t disks);
void siox__answer(struct siox__session *s, uint32_t tag, char *text); /* takes text (malloc) */
/* totals.c: for the report of a client, which has joined */
void siox__totals(struct siox__session *s, struct siox_msg_totals *totals);
/* serve.c: one message; drain.c: the ring. Negative: the connection is to end (*why). */
int siox__serve(struct siox__session *s, const struct siox__message *m, const char **why);
/* Reads what was in the ring when it began, as far as the turn reaches. 0: all; 2: all of that, but
 * more has come; 1: the turn is over. */
int siox__drain(struct siox__session *s, const char **why);
int siox__claim(struct siox__session *s, uint32_t thread, const struct siox_claim_header *head,
                const struct siox_claim_run *runs, const char **why);
void siox__session_leave(struct siox__session *s);
int siox__session_renew(struct siox__session *s); /* as if it left and came again */
/* files.c */
int siox__files_create(struct siox__daemon *d, struct siox_diag *diag);
void siox__files_destroy(struct siox__daemon *d);
int siox__files_open(struct siox__session *s, const struct siox__message *m,
                     struct siox__file **file);
/* A file is known while some session keeps it, and the last few thousand beyond that. SIOX_EFULL:
 * the user's share of what can be kept is used up. */
struct siox__file *siox__files_get(struct siox__daemon *d, uint64_t id);
int siox__files_keep(struct siox__session *s, struct siox__file *file);
void siox__files_release(struct siox__session *s); /* all of them */
/* The newest of that inode, NULL: it was not opened yet. */
const struct siox__file *siox__files_known(const struct siox__daemon *d, uint64_t dev,
                                           uint64_t ino);
/* gather.c: what a collective touches that no rank asked for. */
void siox__gather_destroy(struct siox__gathering *table);
/* A rank enters a collective; when it is the last, it claims for all. */
int siox__gather(struct siox__session *s, const struct siox_rec_head *head,
                 const struct siox_rec_enter *enter, const char **why);

/* members.c */
int siox__members_create(struct siox__members **members);
void siox__members_destroy(struct siox__members *members);
/* True: for it an older one of the client's communicators was forgotten. */
bool siox__members_add(struct siox__members *members, uint64_t uid, uint32_t client);
void siox__members_drop(struct siox__members *members, uint32_t client);
const uint32_t *siox__members_of(struct siox__members *members, uint64_t uid, uint32_t *count);
/* wear.c: the wear of the drives, which outlives the daemon. Nothing that goes wrong there stops
 * it: it is said in the log, and of what cannot be believed all of the day counts as spent. */
int siox__wear_open(struct siox__daemon *d);    /* the socket is ours; SIOX_ENOMEM */
void siox__wear_begin(struct siox__daemon *d);  /* the bank is there */
void siox__wear_second(struct siox__daemon *d); /* writes what is new, beside the loop */
void siox__wear_close(struct siox__daemon *d);  /* writes the rest; the bank is still there */
/* jobs.c */
/* The job of a key given by the session's user: another user's same key is another job. */
int siox__job_find(struct siox__session *s, const char *given, uint32_t *number);
void siox__job_enters(struct siox__daemon *d, uint32_t number);
void siox__job_leaves(struct siox__daemon *d,
                      uint32_t number); /* a client; forgets the long gone */
uint32_t siox__job_serial(const struct siox__daemon *d, uint32_t number); /* for the trace */
/* record.c: what happened, to the trace and to the store */
int siox__record_possible(struct siox__daemon *d,
                          struct siox_diag *diag); /* can the trace be made? */
int siox__record_begin(struct siox__daemon *d, int64_t start, const char *program,
                       struct siox_diag *diag);
void siox__record_lost(struct siox__daemon *d, const char *why); /* something is not in the trace */
void siox__record_event(struct siox__daemon *d, const struct siox_trace_event *event);
void siox__record_segment(void *daemon, const struct siox_segment *segment);
void siox__record_flush(struct siox__daemon *d);
void siox__record_trace(struct siox__daemon *d, const struct siox_trace_event *event);
/* record_activity.c: false: the event is no activity. */
bool siox__record_activity(struct siox__daemon *d, const struct siox_trace_event *event);
void siox__record_calls(struct siox__session *s); /* record_calls.c: its totals, when it leaves */
void siox__record_activities_end(struct siox__daemon *d); /* whatever waits is decided */
/* The monitor has told of cycles: what waited for them is written, a part at a time. */
void siox__record_cycles(uv_async_t *cycles);
json_t *siox__record_json(struct siox__daemon *d); /* what was recorded, and what not */
void siox__record_end(struct siox__daemon *d);
/* turns.c */
void siox__short_turns(void); /* of the calling thread */
/* control.c */
int siox__control(struct siox__session *s, uint32_t tag, const char *text, size_t length);

#endif
