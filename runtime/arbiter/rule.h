/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What rt, claims and siox share: the one rule for the unknown (docs/arbiter.md) and the walk over
 * the disks an event concerns. A policy adds only its wish for one disk. */
#ifndef SIOX_ARBITER_RULE_H
#define SIOX_ARBITER_RULE_H
#include "arbiter/claims_use.h"
#include "arbiter/due.h"
#include "siox/policy.h"

static inline int64_t siox__later(int64_t time, int64_t by) { /* saturates; by >= 0 */
  return time > SIOX_NEVER - by ? SIOX_NEVER : time + by;
}
static inline int64_t siox__sooner(int64_t a, int64_t b) { return a < b ? a : b; }

/* What follows is asked of every claim on a disk, time and again: it is here to be inlined.
 *
 * Lowest level that serves, and the level for a speed asked for, never below that. */
static inline uint32_t siox__lowest(const struct siox_drive *drive) {
  return drive->level[0].serves ? 0 : siox_drive_level(drive, SIOX_SPEED_LOWEST);
}
static inline uint32_t siox__level_for(const struct siox_drive *drive, int32_t speed) {
  uint32_t top = drive->nlevels - 1, lowest = siox__lowest(drive);
  if (speed > SIOX_SPEED_LOWEST && (top == 0 || speed > drive->level[top - 1].speed))
    return top;
  uint32_t level = speed > SIOX_SPEED_LOWEST ? siox_drive_level(drive, speed) : lowest;
  return level > lowest ? level : lowest;
}

/* First moment at which the entry holds nothing any more: `until` has passed or it has decayed. */
static inline int64_t siox__entry_end(const struct siox_view *view, uint32_t disk,
                                      const struct siox_claim_entry *entry) {
  const struct siox_disk_view *v = &view->disk[disk];
  int64_t made = entry->need_by > entry->since ? entry->need_by : entry->since;
  if (entry->use && entry->use->kept > made) /* by what its client does elsewhere */
    made = entry->use->kept;
  int64_t idle = v->idle_since > made ? v->idle_since : made;
  int64_t end = made <= v->decayed ? made : siox__later(idle, view->hold[disk]);
  if (entry->flag == 0 && entry->need_by > entry->since) {
    /* A prediction may be as late as it looked ahead. */
    int64_t late = siox__later(made, entry->need_by - entry->since);
    end = late > end ? late : end;
  }
  if (entry->flag == 1)
    end = siox__sooner(end, siox__later(entry->until, 1));
  return end;
}

/* Does the entry need a level, and from when on? gap: hints carry the next use (siox), so a release
 * with need_by needs the full level from then on. Without: F = 1 counts from its arrival. */
static inline bool siox__entry_demand(const struct siox_drive *drive,
                                      const struct siox_claim_entry *entry, bool gap, int64_t *from,
                                      uint32_t *level) {
  if (entry->flag == 1) {
    *from = gap ? entry->need_by : 0;
    *level = siox__level_for(drive, entry->speed);
    return true;
  }
  if (entry->flag != 0 || !gap || entry->need_by == 0)
    return false;
  *from = entry->need_by;
  *level = drive->nlevels - 1;
  return true;
}

/* Is an access now what the entry predicts? */
static inline bool siox__entry_predicts(const struct siox_view *view, uint32_t disk,
                                        const struct siox_claim_entry *entry, bool gap,
                                        int64_t now) {
  int64_t from;
  uint32_t level;
  return siox__entry_demand(view->disk[disk].drive, entry, gap, &from, &level) &&
         entry->need_by <= now && now < siox__entry_end(view, disk, entry);
}

/* Those who have let a disk go without saying until when, and whose word still counts. */
struct siox__freed {
  uint32_t count;
  uint32_t level, client,
      job;     /* the greatest level that one of them names, and the first who does */
  int64_t end; /* when the first of their words ends */
};
/* Finds them without looking at each. False: that cannot be, for some of a group count no more, or
 * they name different speeds, or disks share a list. */
bool siox__freed(const struct siox_view *view, uint32_t disk, int64_t now,
                 struct siox__freed *freed);

struct siox__wish {
  uint32_t level;
  uint32_t job;          /* that needs it when it is higher than now */
  int64_t wake;          /* when to ask again, at the latest */
  bool withheld;         /* another's need keeps the disk faster than this event's client asks */
  bool kept;             /* whatever is wished for, the disk is not slowed now */
  bool late;             /* it was kept so until now */
  bool unclaimed;        /* nobody says anything: the rule decides */
  int64_t deadline;      /* when a higher level must be reached; 0: at once */
  uint32_t asked;        /* as of a command */
  enum siox_cause cause; /* why it is below a claim in force; decay is found by the rule */
};

struct siox__rule_disk {
  int64_t changed;   /* last claim or leave; with need_by, that */
  uint32_t released; /* job that spoke or left last: it has let the disk go if it slows;
                        SIOX_NOBODY: touched */
  uint32_t witness;  /* client whose claim was found to keep the level last */
  int64_t left;      /* when the last of those who had used or claimed it was gone; INT64_MIN: some
                        are there, or nobody ever came */
  bool again;        /* the last time that it was so, somebody came soon after */
  bool settled;      /* at the last look the claims came to the level that the disk has */
  bool used;         /* somebody has touched or claimed it */
  bool kept;         /* it is in the list of these */
  bool late;         /* it was, and has not been looked at since */
};
struct siox__rule {
  bool gap;      /* see siox__entry_demand */
  bool greatest; /* the greatest claim in force counts, whatever else is said */
  bool waits;    /* for those who have joined and said nothing yet (view's silent) */
  /* The level at which the disk serves within delay budgets; NULL: there are none. */
  uint32_t (*serves)(const void *state, uint32_t disk);
  struct siox__rule_disk *disk;
  uint32_t *kept, nkept; /* disks that would have been slowed but for them */
  struct siox__due due;
};
/* Fills in wish for a disk that no unknown touch holds; wish->level is the present target. */
typedef void (*siox__wish_fn)(void *state, int64_t now, uint32_t disk,
                              const struct siox_event *event, const struct siox_view *view,
                              struct siox__wish *wish);

size_t siox__rule_size(uint32_t ndisks); /* bytes behind the struct for its arrays */
void siox__rule_init(struct siox__rule *rule, void *memory, const struct siox_view *view, bool gap);
int64_t siox__rule_event(struct siox__rule *rule, void *state, siox__wish_fn wish, int64_t now,
                         const struct siox_event *event, const struct siox_view *view,
                         struct siox_commands *out);
/* Does a client that does not speak with this event ask for the level that the disk has, or above
 * it, for more than that? Until when: *end. Keeps in mind who it was. */
bool siox__rule_witness(struct siox__rule *rule, int64_t now, uint32_t disk,
                        const struct siox_event *event, const struct siox_view *view, bool above,
                        int64_t *end);
/* One command for the event, if there is room (there always is in a bank). */
void siox__command(struct siox_commands *out, uint32_t disk, uint32_t level, uint32_t job);

#define SIOX_POLICY(name, argument, what) extern const struct siox_policy siox__policy_##name;
#include "siox/policies.def"
#undef SIOX_POLICY

/* The paper's counter of a disk, for tests and reports; state of policy rt. */
uint32_t siox__rt_counter(const void *state, uint32_t disk);
#endif
