/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a replay: runs of jobs, their clients and streams, and what waits for what. A stream
 * is a list of points in time, each at a recorded distance from the end of the one before it and
 * possibly waiting for points elsewhere in its run. */
#ifndef SIOX_ENERGY_REPLAY_INTERNAL_H
#define SIOX_ENERGY_REPLAY_INTERNAL_H
#include "energy/replay_server.h"
#include "energy/replay_source.h"
#include "energy/replay_truth.h"

struct siox__run;
struct siox__stream;

struct siox__dep { /* an asynchronous request */
  int64_t recorded, replayed;
  bool done;
  uint32_t users; /* who may still look; 0: free */
  struct siox__stream *waiting;
};
struct siox__channel { /* messages of one (communicator, sender, receiver, tag) */
  struct siox__sent {
    int64_t recorded, replayed;
    bool done;
  } * sent;
  uint64_t first; /* number of sent[0] */
  uint32_t head, count, room;
  uint64_t received; /* read so far */
  struct siox__stream *waiting;
};
struct siox__spot { /* somebody's entry, or one I/O */
  int64_t recorded, replayed;
  const struct siox__stream *stream;
  uint64_t order;
  bool done;
};
struct siox__spots { /* in recorded order */
  struct siox__spot *spot;
  uint32_t count, room, done; /* done: the first so many are */
  int64_t latest;             /* replayed, of all that are done */
  uint32_t least;             /* smallest number that somebody waits for */
};
struct siox__group { /* one collective */
  uint64_t uid, seq;
  struct siox__spots entry, io;
  bool has_root, root_done; /* of the entry of a root that others wait for */
  int64_t root_recorded, root_replayed;
  uint32_t users; /* points read and not yet over */
  bool used;
  struct siox__stream *waiting;
};

struct siox__process {
  uint32_t number, job; /* job: in the bank */
  int32_t rank;
  bool awaited; /* what it will use is not known before it says or does something */
  uint32_t bank;
  struct siox__stream *main;
  uint32_t nstreams, streams_left;
  struct siox__stream *waiting; /* for the other streams */
  int64_t first;                /* recorded */
  int64_t end, end_recorded;    /* latest of its streams that are over */
  int64_t io_ns, worst_ns, start, finish;
  uint64_t hints;             /* recorded */
  struct siox__told *told;    /* hints that the engine gives in its place, */
  uint32_t told_first, ntold; /* of the disks from the first on; none: told is NULL */
};

struct siox__stream {
  struct siox__run *run;
  struct siox__process *client;
  uint32_t thread, number;           /* number: in the run */
  struct siox__cursor *cursor;       /* two: own events, and those of the process as such */
  struct siox__generator *generator; /* instead of cursors */
  enum { SIOX__JOINING, SIOX__MIDDLE, SIOX__LEAVING, SIOX__OVER } phase;
  struct siox__op next; /* not yet joined with other streams' */
  bool has_next;
  int64_t latest;      /* recorded time of the last point read */
  struct siox__op *op; /* joined and not yet over: a ring of `room`, a power of two */
  uint32_t head, count, room;
  /* replay */
  int64_t base, base_recorded; /* end of the point before */
  int64_t due;
  bool parked;
  struct siox__stream *next_waiting;
  uint32_t inside;  /* collective it is in, or SIOX__NONE */
  bool synchronous; /* that one is left by all together */
  bool access;      /* and it has moved data, or will */
  int64_t entered;
  uint64_t member_of; /* communicator it was last noted in */
  uint32_t chances;   /* to speak, so far */
  uint32_t truth_at;  /* where it stands in its placed hints */
};

/* One run of one job: everything that its streams share. Times of its points have `shift` added. */
struct siox__run {
  const struct siox__index *index; /* NULL: generated */
  const struct siox_sim_generated *generated;
  struct siox__scratch scratch; /* of a generated job with hints */
  int64_t shift;
  uint32_t number;                 /* in the order they began */
  uint32_t live;                   /* streams that are not over */
  bool apart;                      /* no stream waits for another: each is read by itself */
  double think;                    /* factor on think times */
  bool tells;                      /* its hints are given by the teller, as the policy wants them */
  const struct siox__truth *truth; /* hints in place of the recorded ones, or NULL */
  uint64_t files;                  /* the bank's number of its first file, less 1 */
  struct siox__process *client;
  struct siox__stream *stream;
  struct siox__cursor *cursor;       /* of the streams: large, so they are not in them */
  struct siox__generator *generator; /* instead */
  uint32_t nclients, nstreams;
  struct siox__stream **heap; /* streams with a next point, by its recorded time */
  uint32_t nheap;
  struct siox__map groups, channels, requests;
  struct siox__group *group;
  struct siox__channel *channel;
  struct siox__dep *dep;
  uint32_t ngroups, group_room, nchannels, channel_room, ndeps, dep_room;
  uint32_t *free_dep, nfree_dep, free_dep_room;
  uint32_t *free_group, nfree_group, free_group_room;
  uint32_t *old, old_head, nold, old_room; /* groups in the order they came, for forgetting */
  uint64_t spots;                          /* in all their lists */
  uint64_t read;                           /* points so far */
};

/* replay_run.c */
struct siox__run_options {
  const struct siox__index *index;
  const struct siox_sim_generated *generated;
  int64_t shift; /* index: added to recorded times. Generated: when it starts */
  enum siox__hints hints;
};
int siox__run_open(struct siox__run *run, const struct siox__run_options *options);
void siox__run_close(struct siox__run *run); /* all but the clients and their figures */
void siox__run_free(struct siox__run *run);
/* Joins the points of all streams up to a recorded time. */
int siox__run_read_to(struct siox__run *run, int64_t time);
/* The stream's next point, NULL: it is over. negative: an error. */
int siox__run_current(struct siox__stream *s, struct siox__op **op);
/* Takes that point away; it must have been told to siox__link_over. */
void siox__run_pop(struct siox__stream *s);
/* A hint becomes the stream's next point, at once after what was over last. hint: the point's from
 * now on, or NULL. SIOX_ENOMEM. */
int siox__run_speak(struct siox__stream *s, uint32_t chance, struct siox__hint *hint);
/* Recorded time of the next point that is not joined yet, INT64_MAX: none. */
int64_t siox__run_ahead(const struct siox__run *run);

/* replay_link.c. latest: of what a point follows, as recorded and as replayed. */
struct siox__latest {
  int64_t recorded, replayed;
  struct siox__stream **waiting; /* where to wait when it has not happened */
};
int siox__link(struct siox__stream *s, struct siox__op *op); /* a point is read */
/* Whether all that the stream's point waits for has happened. The run must have been read up to it.
 */
bool siox__link_follows(struct siox__stream *s, const struct siox__op *op, struct siox__latest *l);
/* The point has happened; *wake gets the streams that waited for it. */
void siox__link_happened(struct siox__stream *s, const struct siox__op *op, int64_t now,
                         int64_t end, struct siox__stream **wake);
void siox__link_over(struct siox__stream *s,
                     const struct siox__op *op); /* and is not needed any more */
bool siox__link_has_io(const struct siox__run *run, uint32_t group);

/* Latencies of a point as it ends, with the times it had (replay_totals.c). */
void siox__account(struct siox__stream *s, const struct siox__op *op, int64_t at, int64_t end);
int siox__result_ranks(struct siox__run *const *run, uint32_t nruns, int64_t start,
                       struct siox_replay_result *result);

/* replay_hint.c: hints given in a client's place: what it knows of its next use of each disk,
 * told as the policy wants it. */
struct siox__teller {
  struct siox_bank *bank;
  const struct siox_view *view;
  enum siox_lead_kind lead;
  struct siox__reminder {
    int64_t time;
    struct siox__process *client;
  } * heap; /* F = 1 that are due */
  uint32_t count, room;
  struct siox_claim_run *run; /* of the message under way, one a disk */
  uint32_t nruns;
  struct siox_mask mask;
  struct siox__gap {
    const struct siox_drive *drive;
    int64_t left, break_even;
    uint32_t level;
  } gap; /* the one looked at last */
};
int siox__teller_open(struct siox__teller *t, struct siox_bank *bank, const char *policy);
void siox__teller_close(struct siox__teller *t);
/* Runs with F = 0 and need_by. */
int siox__tell(struct siox__teller *t, struct siox__process *c, int64_t now,
               const struct siox__hint *hint);
/* The same, with times as of a run in which the hint is given at its own time; also what was told
 * so before and has changed since, for the client is ahead or behind by another time now. */
int siox__tell_shifted(struct siox__teller *t, struct siox__process *c, int64_t now,
                       const struct siox__hint *hint);
/* The client lets go what it has not yet of what was told so. */
int siox__tell_leaving(struct siox__teller *t, struct siox__process *c, int64_t now);
/* The client is about to use these disks. */
int siox__tell_access(struct siox__teller *t, struct siox__process *c, int64_t now,
                      const struct siox_layout *layout, int64_t offset, int64_t bytes);
int64_t siox__teller_next(const struct siox__teller *t); /* SIOX_NEVER: nothing is due */
int siox__teller_remind(struct siox__teller *t);         /* the next one, at its time */

/* replay_turns.c: the streams whose next point's time is known. */
struct siox__turns {
  struct siox__turn {
    int64_t due;
    struct siox__stream *stream;
  } * heap;
  uint32_t count, room;
  bool open; /* the top was taken */
};
int siox__turns_put(struct siox__turns *t, int64_t due, struct siox__stream *s);
const struct siox__turn *siox__turns_next(struct siox__turns *t); /* NULL: none */
struct siox__stream *siox__turns_take(struct siox__turns *t);     /* the next one */

/* replay.c: the engine. */
struct siox__instance { /* one instance of a job: its runs follow each other */
  uint32_t job, left;   /* in the simulator; runs to come */
  uint32_t *jobs;       /* the bank's, by the trace's */
  uint64_t files;
  struct siox__run *run; /* the present one */
};
struct siox__replay {
  const struct siox_sim *sim;
  const struct siox_replay_options *options;
  struct siox_bank *bank;
  struct siox__server *server; /* NULL: requests go straight to disks */
  struct siox__teller teller;
  struct siox__truth_taker *taker; /* notes what the job does, or NULL */
  uint32_t *prepared;              /* level each disk starts at, or NULL */
  struct siox__instance *track;
  struct siox__run **run; /* every one so far */
  uint32_t ntracks, nruns, run_room;
  int64_t now;
  struct siox__turns turns;
  uint32_t parked;
  uint64_t released, points, told;
  struct siox__members {
    uint32_t *client, count, room;
  } * members; /* bank's clients by communicator */
  struct siox__map uids;
  uint32_t nmembers, members_room;
};
int siox__replay_run(struct siox__replay *r); /* tracks are set up, the bank is there */

/* sim.c */
struct siox_sim {
  uint32_t ndisks;
  const struct siox_drive *const *drive;
  const uint32_t *initial_level;
  double hold_factor;
  struct siox_limits limits;
  struct siox_array array;
  struct siox_cache_options cache;
  int64_t start;
  const char *path; /* of a plain replay, for messages */
  struct siox__sim_job {
    struct siox_sim_job is; /* name and trace owned */
    struct siox__index index;
    struct siox_layout placed; /* of a generated one */
    struct siox__truth *truth; /* its placed hints; NULL: they are not known */
  } * job;
  uint32_t njobs, room;
  bool foresee; /* hints are derived also where files lie as they were recorded */
};
/* How the hints of job `index` are given. */
enum siox__hints siox__sim_hints(const struct siox_sim *sim, uint32_t index);

/* replay_bank.c */
int siox__replay_prepare(struct siox__replay *r);
int siox__replay_collect(struct siox__replay *r, struct siox_replay_result *out);
void siox__replay_close(struct siox__replay *r);
#endif
