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
  SIOX_EVENT_LEAVE,  /* client is gone, its claims are dropped already; disks it had entries for */
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
};

struct siox_disk_view {
  const struct siox_drive *drive;
  uint32_t level;     /* present level, or the one the running transition leads to */
  uint32_t target;    /* last commanded */
  bool moving;        /* in a transition */
  int64_t free_at;    /* accepted requests and transitions are done by then */
  int64_t idle_since; /* end of the last request; start of bank if none */
  double move_from;   /* speed the last transition began at, */
  int64_t move_start, move_end; /* and its time; both the start of bank if there was none */
  int64_t decayed;    /* claims with need_by (or since) up to here had no I/O for hold: they hold nothing any more */
  int64_t orphaned;   /* end of the last unpredicted touch by clients that have left; INT64_MIN: none */
};
/* What an administrator bounds, for the whole bank; zero: off. */
struct siox_limits {
  /* siox is ready for a predicted use earlier by this quantile, 0 to 1, of how early the uses that the same site
   * predicted have come. */
  double early;
};
struct siox_view {
  uint32_t ndisks;
  const struct siox_disk_view *disk;
  const struct siox_claims *claims;
  const struct siox_claims *unknown; /* who touched disks without a prediction and has not released them since:
                                      * need_by of an entry is the end of the last such touch */
  const int64_t *hold; /* per disk ns: how long an unknown disk stays at full speed */
  struct siox_limits limits;
};

struct siox_command {
  uint32_t disk, level;
  uint32_t job; /* that needs it (up) or released it (down); SIOX_NOBODY */
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
};

/* A policy of siox/policies.def by its name; *argument points behind the colon or is NULL. NULL: no such policy. */
const struct siox_policy *siox_policy_find(const char *spec, const char **argument);
/* Names with their arguments, for help texts; NULL-terminated. */
const char *const *siox_policy_names(void);

#ifdef __cplusplus
}
#endif
#endif
