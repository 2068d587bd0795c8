/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One emulated disk on a time line of its own: requests first come first served, speed changes
 * between them. A transition starts after the requests already accepted, serves nothing, and
 * arrivals queue behind it; while nothing was accepted behind it a drive with a ramp can be turned
 * round from the speed reached. Pure. */
#ifndef SIOX_DISK_MODEL_H
#define SIOX_DISK_MODEL_H
#include "siox/bank.h"

/* A stretch of the disk's time, told in order and exactly once. */
struct siox__piece {
  enum siox_state state;
  int64_t start, end;
  double from, to; /* speeds */
  uint32_t level;  /* IDLE, ACTIVE */
  uint64_t bytes;
  uint32_t job; /* ACTIVE: of the request; UP, DOWN: of the command */
  double joules;
  bool way_back; /* the return to the initial level after the end */
};
typedef void (*siox__piece_fn)(void *context, uint32_t disk, const struct siox__piece *piece);

struct siox__span {
  int64_t start, end;
};
/* Transitions that can lie ahead at once: downward ones need an empty queue, so one and then only
 * upward ones. */
#define SIOX__MOVES (SIOX_MAX_LEVELS + 2)

struct siox__disk {
  const struct siox_drive *drive;
  uint32_t index, level; /* level: present, or the one the last transition leads to */
  siox__piece_fn tell;
  void *context;
  int64_t told;     /* the time line was told up to here */
  int64_t free_at;  /* accepted requests and transitions are done */
  int64_t last_end; /* of the last request */
  bool open; /* the last transition has nothing behind it and was not told: it may still change */
  double move_from;
  int64_t move_start, move_end;
  uint32_t move_job;
  double slow; /* what begins before slow_until takes so many times as long; for trials */
  int64_t slow_until;
  bool served; /* file and next are valid */
  uint64_t file, next;
  struct { /* service times that were worked out last, [sequential] */
    uint64_t bytes;
    uint32_t level;
    int64_t ns[2];
  } known;
  struct siox__span move[SIOX__MOVES]; /* the last transitions, a ring */
  uint32_t nmoves;
};

void siox__disk_init(struct siox__disk *disk, uint32_t index, const struct siox_drive *drive,
                     uint32_t level, int64_t start, siox__piece_fn tell, void *context);
/* Tells the transition that is over by now, but no idle time. */
void siox__disk_arrive(struct siox__disk *disk, int64_t now);
/* Tells everything up to now (idle time too). */
void siox__disk_settle(struct siox__disk *disk, int64_t now);
/* Is a transition running that a command could turn round at once? */
bool siox__disk_turnable(const struct siox__disk *disk, int64_t now);
/* The speed it has now, or would begin a transition from. */
double siox__disk_speed(const struct siox__disk *disk, int64_t now);
/* New target. 0; SIOX_EREFUSED: lower while requests are in flight; SIOX_EUNKNOWN: the profile
 * lacks the change. */
int siox__disk_command(struct siox__disk *disk, int64_t now, uint32_t level, uint32_t job);
/* The same, not begun before `at`; the disk idles until then. */
int siox__disk_command_at(struct siox__disk *disk, int64_t now, int64_t at, uint32_t level,
                          uint32_t job);

/* ns that its present level takes to serve so many bytes. */
int64_t siox__disk_service(struct siox__disk *disk, uint64_t bytes, bool sequential);

struct siox__charge {
  int64_t start, end;
  int64_t moving_ns, queued_ns; /* wait for transitions, and for the requests before it */
  bool sequential;              /* it continued the one before */
};
/* Accepts a request that arrives now; the level the disk will have then must serve. */
struct siox__charge siox__disk_serve(struct siox__disk *disk, int64_t now, uint32_t job,
                                     uint64_t file, uint64_t local, uint64_t bytes);
/* Ends the time line at `end` (later where accepted work lasts longer) and tells the way back to a
 * level, over others where the profile states no straight one. SIOX_EUNKNOWN when there is none:
 * nothing is charged for it then. */
int siox__disk_finish(struct siox__disk *disk, int64_t end, uint32_t level);
#endif
