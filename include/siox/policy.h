/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policies decide disk levels. event(now, event, view) -> commands[], next_wakeup; no clock, no I/O, no
 * allocation per event. sioxd, the replay and the simulator drive the same functions (through siox/bank.h). Times are
 * nanoseconds of one monotonic clock chosen by the caller. Not thread-safe per state. */
#ifndef SIOX_POLICY_H
#define SIOX_POLICY_H
#include "siox/claim.h"
#include "siox/drive.h"
#include "siox/mask.h"
#ifdef __cplusplus
extern "C" {
#endif

#define SIOX_NOBODY UINT32_MAX

enum siox_event_kind {
  SIOX_EVENT_START,  /* bank begins; disks at their initial levels */
  SIOX_EVENT_CLAIM,  /* disks' entries of client changed; run values as asked are in the event */
  SIOX_EVENT_LEAVE,  /* client is gone, its claims are dropped already; disks it had claims on */
  SIOX_EVENT_OPEN,   /* client opened a file on these disks */
  SIOX_EVENT_ACCESS, /* client's request for these disks arrives; not yet charged */
  SIOX_EVENT_WAKE,   /* the time asked for has come */
};
struct siox_event {
  enum siox_event_kind kind;
  const struct siox_mask *disks; /* NULL for START and WAKE */
  uint32_t client, job;          /* SIOX_NOBODY for START and WAKE */
  int32_t speed, flag;           /* CLAIM; flag -1: a whole vector no longer names these disks */
  int64_t need_by, until;        /* CLAIM */
  const struct siox_mask *missed; /* ACCESS, OPEN: the disks that no live prediction of the client (collectives: of any
                                   * member) covers. LEAVE: the disks whose last claim was F = 1 */
  const struct siox_mask *touched; /* LEAVE: the disks that it had touched unpredicted and had no claims on */
};

struct siox_disk_view {
  const struct siox_drive *drive;
  uint32_t level;     /* present level, or the one the running transition leads to */
  uint32_t target;    /* last commanded; differs from level while a speed-up waits for power */
  bool moving;        /* in a transition */
  int64_t free_at;    /* accepted requests and transitions are done by then */
  int64_t idle_since; /* end of the last request; start of bank if none */
  double move_from;   /* speed the last transition began at, */
  int64_t move_start, move_end; /* and its time; both the start of bank if there was none */
  int64_t decayed;    /* claims with need_by (or since) up to here had no I/O for hold: they hold nothing any more */
  int64_t orphaned;   /* end of the last unpredicted touch by clients that have left; INT64_MIN: none */
  int64_t wear_from[SIOX_NWEAR]; /* from when on a slow-down that wears so is allowed; INT64_MIN: always */
};
/* What an administrator bounds, for the whole bank; zero: off. */
struct siox_limits {
  /* siox is ready for a predicted use earlier by this quantile, 0 to 1, of how early the uses that the same site
   * predicted have come. */
  double early;

  /* Slow-downs a day to levels that wear (siox_drive_wear), for drives whose profile states no limits. A day's worth
   * may come at once; then one as often as they are evenly spread. A slow-down beyond that goes to the next level that
   * is allowed, or is refused; speed-ups never are. */
  bool wear;
  double start_stop_per_day, load_unload_per_day; /* 0: no limit */

  /* Watts that the speed-ups of a power group (that many disks in order of number, 0: all) may draw together, each its
   * joules over its time. Those that do not fit wait, earliest need first, those of an array (that many disks, 0: 1)
   * together; after inrush_wait_ns they go whatever is drawn. */
  double inrush_w;
  uint32_t power_group, array;
  int64_t inrush_wait_ns;

  /* claims, siox: how long of the disks' time at most a process that is waited for (siox_bank_await) keeps disks at full
   * speed before it opens a file or speaks. Of a trace: negative: it does not say. */
  int64_t hold_joined_ns;

  /* siox: part, 0 to 1, of the disks that one user's claims may hold at a level which the claims of others on the same
   * disks would not. */
  double user_share;

  /* siox: part of a job's run time that it may lose by being served at lower levels, unless the job has its own
   * (siox_bank_job_budget). What jobs lose is measured when this is above 0 or `measure` says so, because jobs may come
   * that have their own. */
  double delay_budget;
  bool measure;
};
struct siox_job_view {
  int64_t since;   /* its first client joined */
  int64_t delayed; /* ns during which some request of it was being served later than at full speed */
  double budget;   /* part of its run time that this may come to */
  /* What `delayed` would have come to had every disk been at a level all the time, or at the lowest above it that
   * serves, and had no request waited longer for others because of it. */
  int64_t loss[SIOX_MAX_LEVELS];
  /* ns, of the latest requests that disks served at a level, by that level: how much longer they took by themselves,
   * and with the longer waits for others; those that a change of level held up are not counted. */
  int64_t alone[SIOX_MAX_LEVELS], among[SIOX_MAX_LEVELS];
};
struct siox_view {
  uint32_t ndisks;
  const struct siox_disk_view *disk;
  const struct siox_claims *claims;
  const struct siox_claims *unknown; /* who touched disks without a prediction and has not released them since:
                                      * need_by of an entry is the end of the last such touch */
  const int64_t *hold; /* per disk ns: how long an unknown disk stays at full speed */
  int64_t silent;      /* until then at most somebody who has joined is still to open a file or to speak; INT64_MIN: no */
  struct siox_limits limits;
  const uint32_t *user; /* by job: a number that jobs of one user share, and no others */
  const struct siox_job_view *job; /* by job; NULL: no job has a delay budget, and nothing is measured */
  uint32_t unbudgeted;             /* jobs without one, where others may have one */
};

/* Why a slow-down goes below what a claim that is in force asks for. */
enum siox_cause { SIOX_CAUSE_NONE, SIOX_CAUSE_DECAY, SIOX_CAUSE_SHARE, SIOX_CAUSE_BUDGET, SIOX_NCAUSES };

struct siox_command { /* to the level that the disk has: takes a speed-up back that waits for power */
  uint32_t disk, level;
  uint32_t job; /* that needs it (up) or released it (down); SIOX_NOBODY */
  int64_t deadline; /* speed-up: when it must be done; 0: at once */
  enum siox_cause cause;
  uint32_t asked; /* 1 + the level it would have been but for wear, 0: the same */
};
struct siox_commands { /* at most one a disk an event; room for ndisks is given by the caller */
  struct siox_command *item;
  uint32_t count, max;
  uint32_t granted, refused; /* hints of this event: disks whose wish was met / was not */
};

/* One disk's part of a request, as it was charged. */
struct siox_served {
  uint32_t disk, client, job, level; /* level: it was served at */
  int64_t arrival, start, end;
  int64_t moving; /* ns of start - arrival in which the disk changed its level */
  uint64_t bytes;
  bool sequential;
};

enum siox_lead_kind { SIOX_LEAD_NONE, SIOX_LEAD_TRANSITION, SIOX_LEAD_GAP };

struct siox_policy {
  const char *name;
  enum siox_lead_kind lead;
  size_t (*state_size)(uint32_t ndisks);
  /* argument: text after ':' in "static:9000", or NULL. SIOX_EINVAL. */
  int (*init)(void *state, const char *argument, const struct siox_view *view);
  /* Returns the time of the next wake-up wanted (SIOX_NEVER: none). A wake-up earlier than wanted is harmless. Never
   * commands a lower level for a disk whose free_at lies ahead: it asks to be woken instead. */
  int64_t (*event)(void *state, int64_t now, const struct siox_event *event, const struct siox_view *view,
                   struct siox_commands *out);
  /* Told of each part of a request right after it was charged, before the event's commands are carried out. Returns
   * as event does; the earlier of the two counts. NULL: not wanted, and costs nothing. */
  int64_t (*served)(void *state, int64_t now, const struct siox_served *served, const struct siox_view *view);
  /* Limits that the argument sets in place of the bank's, asked before all else; NULL: none. SIOX_EINVAL. */
  int (*limits)(const char *argument, struct siox_limits *limits);
};

/* A policy of siox/policies.def by its name; *argument points behind the colon or is NULL. NULL: no such policy. */
const struct siox_policy *siox_policy_find(const char *spec, const char **argument);
/* Names with their arguments, for help texts; NULL-terminated. */
const char *const *siox_policy_names(void);

#ifdef __cplusplus
}
#endif
#endif
