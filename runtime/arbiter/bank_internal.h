/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the bank share. */
#ifndef SIOX_ARBITER_BANK_INTERNAL_H
#define SIOX_ARBITER_BANK_INTERNAL_H
#include "arbiter/due.h"
#include "arbiter/service.h"
#include "disk/model.h"
#include "siox/bank.h"

struct siox__bank_job {
  struct siox_job_totals totals;
  /* While an idle stretch is shared: has it a claim there at some time, and how many now? */
  bool met;
  uint32_t holding;
  uint32_t clients;
};
struct siox__bank_client {
  uint32_t job;
  bool live;
  bool silent;            /* waited for (bank_silent.c) */
  uint32_t before, after; /* who joined before and after it and is waited for; SIOX_NOBODY: none */
  int64_t until;          /* it is waited for no longer than until then */
  struct {
    int64_t at;
    uint32_t members, last;
    uint64_t disks; /* of these numbers, modulo 64 */
  } told; /* in its latest collective request that was noted for all members (bank_use.c) */
};
/* An idle stretch that is shared between jobs. */
struct siox__edge { /* a claim begins to hold the level in it, or ends */
  int64_t time;
  uint32_t job;
  bool more;
};
struct siox__share_of {
  uint32_t nmet, nedges; /* bank's sharer and edge */
  uint32_t njobs;        /* that hold the level now */
};

/* Who holds a disk's level, as long as nothing changes: most idle stretches need no walk over the
 * claims. Kept up to date when a claim changes. */
#define SIOX__HOLDERS 8
struct siox__holders {
  int64_t until; /* at least */
  bool valid;
  uint32_t level, njobs;
  struct siox__holder {
    uint32_t job, clients;
  } job[SIOX__HOLDERS]; /* in ascending order */
};

/* A level that an administrator set (bank_pin.c). */
struct siox__pin {
  uint32_t level; /* 1 + the level; 0: none */
  bool unmet;     /* the disk is still to be taken there, or back to what the policy wants */
  struct siox_command held; /* the policy's last */
};

struct siox__full {  /* of a disk */
  int64_t free_at;   /* had it always run at full speed, and requests come as they do */
  int64_t sooner;    /* the same, had they come as at full speed */
  int64_t recovered; /* until then waits may still come of a change of level */
  uint32_t level;
};
struct siox__lag {                                   /* of a client */
  int64_t by[SIOX_MAX_LEVELS], end[SIOX_MAX_LEVELS]; /* by level: how much later it would be, and
                                                        its last request's end */
  int64_t late, done; /* how much sooner it would be at full speed; its last request's end */
};
struct siox__counted { /* of a job: delays are counted up to here, really and by level */
  int64_t real, at[SIOX_MAX_LEVELS];
};

struct siox__limit; /* bank_limit.h */

struct siox_bank {
  int64_t now, wake;
  bool finished;
  struct siox__disk *disk;
  struct siox_disk_view *shown; /* the policy's view of each */
  struct siox_disk_totals *totals;
  uint32_t *initial;
  int64_t *hold;
  struct siox_view view;
  struct siox_claims *claims, *unknown;
  uint64_t touches; /* number of the last message to unknown */

  struct siox__limit *limit; /* NULL: neither wear nor power is bounded */
  struct siox__pin *pin;     /* by disk; NULL: never was one */
  uint32_t unmet;            /* pins */
  uint32_t *user;            /* by job: the first job of the same owner */
  uint32_t *owner;           /* by job: who it was said to be of; SIOX_NOBODY: itself */
  /* Delay budgets; NULL without: when each disk would be free had it always run at full speed, what
   * the policy sees of each job, up to when its delays are counted, and how late clients would be.
   */
  struct siox__full *full;
  struct siox_job_view *job_view;
  struct siox__counted *counted;
  struct siox__lag *lag;
  uint32_t max_levels; /* of any drive */
  struct siox__services services;

  const struct siox_policy *policy;
  void *state;
  bool gap; /* hints carry the next use */
  struct siox_commands commands;

  struct siox__bank_job *job;
  uint32_t njobs, job_capacity;
  struct siox__bank_job nobody, gone; /* gone: what forgotten jobs took; theirs have no key */
  uint32_t *free_job, nfree_jobs;     /* their numbers, the one forgotten first at first_free */
  uint32_t first_free, free_room;
  struct siox__bank_client *client;
  uint32_t nclients, client_capacity;
  uint32_t *free_client;
  uint32_t nfree;
  uint32_t last_silent; /* SIOX_NOBODY: none */

  struct siox__due moves; /* when the last transition of each disk begins or ends next */
  void *moves_memory;

  struct siox_mask mask, missed, changed; /* scratch */
  struct siox_extent *extent;
  const struct siox_extent *piece; /* of the request under way */
  uint32_t npieces;                /* that its segments are told with */
  int64_t *unflushed;              /* per disk, until when; NULL: there is no such cache */
  struct siox_claim_run *run;      /* one per disk */
  uint32_t *sharer;                /* one per client: jobs, in ascending order */
  struct siox__edge *edge;         /* two per client */
  struct siox__holders *holders;

  siox_segment_fn segment;
  void *context;
};

/* bank_share.c: takes a disk's stretch of time into the totals and tells the observer whose it is.
 */
void siox__bank_piece(void *bank, uint32_t disk, const struct siox__piece *piece);
struct siox__bank_job *siox__bank_job_of(struct siox_bank *bank, uint32_t job);
/* Before and after the claims of a client on these disks change: settles the disks, so that idle
 * time up to now is shared by the claims that held it. */
void siox__bank_before(struct siox_bank *bank, const struct siox_mask *disks, uint32_t client);
void siox__bank_after(struct siox_bank *bank, const struct siox_mask *disks, uint32_t client);

/* bank_silent.c: the client has opened a file, spoken, or leaves. Before the policy is asked. */
void siox__bank_heard(struct siox_bank *bank, uint32_t client);

/* bank_use.c, before a request is charged: a piece that the entry predicts; the pieces of a request
 * of a collective call, for its members. */
void siox__bank_note_use(const struct siox_bank *bank, const struct siox_claim_entry *entry,
                         uint32_t disk);
void siox__bank_note_members(struct siox_bank *bank, const struct siox_request *request,
                             int npieces);

/* bank_event.c */
void siox__bank_show(struct siox_bank *bank, uint32_t disk); /* after a change: refresh the view */
void siox__bank_settle(struct siox_bank *bank, const struct siox_mask *disks); /* NULL: all */
/* Asks the policy; its commands are left in bank->commands. */
void siox__bank_ask(struct siox_bank *bank, const struct siox_event *event);
/* Carries out what is left in bank->commands. */
void siox__bank_obey(struct siox_bank *bank, const struct siox_event *event);
/* Moves the bank's time to an event's stamp, wake-ups on the way; returns the time it has then. */
int64_t siox__bank_arrive(struct siox_bank *bank, int64_t stamp);

/* Carries out one command, or what the limits leave of it. */
int siox__bank_command(struct siox_bank *bank, const struct siox_command *command);
/* bank_pin.c: takes pinned disks to their levels as far as that can be now. withhold: keeps the
 * policy's command for when the disk is let go; false: it is not pinned. */
void siox__bank_pins(struct siox_bank *bank);
bool siox__bank_withhold(struct siox_bank *bank, const struct siox_command *command);

/* Counts a command that was carried out. */
void siox__bank_count(struct siox_bank *bank, const struct siox_command *command);

/* siox_bank_job for a key that no job has: nothing is looked through. */
int siox__bank_add_job(struct siox_bank *bank, const char *key, uint32_t *job);

/* For tests: the state of the bank's policy. */
const void *siox__bank_policy_state(const struct siox_bank *bank);
#endif
