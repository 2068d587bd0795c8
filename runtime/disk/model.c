/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated disk. What is accepted is settled: a request is told to the observer the moment it
 * is charged, though it may lie ahead. Only the last transition stays open while nothing is queued
 * behind it, because a ramp can be turned round; it is told when it ends, is turned, or gets a
 * request behind it. */
#include "disk/model.h"
#include <math.h>

static double speed_of(const struct siox__disk *disk, uint32_t level) {
  return disk->drive->level[level].speed;
}

void siox__disk_init(struct siox__disk *disk, uint32_t index, const struct siox_drive *drive,
                     uint32_t level, int64_t start, siox__piece_fn tell, void *context) {
  *disk = (struct siox__disk){.drive = drive,
                              .index = index,
                              .level = level,
                              .tell = tell,
                              .context = context,
                              .told = start,
                              .free_at = start,
                              .last_end = start,
                              .move_start = start,
                              .move_end = start,
                              .move_job = SIOX_NOBODY,
                              .known.level = UINT32_MAX};
  disk->move_from = speed_of(disk, level);
}

static void tell_move(struct siox__disk *disk, int64_t end, double to, bool way_back) {
  struct siox__piece piece = {.state = to > disk->move_from ? SIOX_UP : SIOX_DOWN,
                              .start = disk->move_start,
                              .end = end,
                              .from = disk->move_from,
                              .to = to,
                              .level = disk->level,
                              .job = disk->move_job,
                              .way_back = way_back};
  /* Known: the command was accepted only after the profile had stated it, and a ramp states all
   * between. */
  (void)siox_drive_transition_j(disk->drive, disk->move_from, to, &piece.joules);
  disk->told = end;
  disk->tell(disk->context, disk->index, &piece);
}

static void close_move(struct siox__disk *disk) {
  if (!disk->open)
    return;
  disk->open = false;
  tell_move(disk, disk->move_end, speed_of(disk, disk->level), false);
}

void siox__disk_arrive(struct siox__disk *disk, int64_t now) {
  if (disk->open && disk->move_end <= now)
    close_move(disk);
}

void siox__disk_settle(struct siox__disk *disk, int64_t now) {
  siox__disk_arrive(disk, now);
  if (disk->open || disk->told >= now)
    return;
  const struct siox_level *level = &disk->drive->level[disk->level];
  struct siox__piece piece = {.state = SIOX_IDLE,
                              .start = disk->told,
                              .end = now,
                              .from = level->speed,
                              .to = level->speed,
                              .level = disk->level,
                              .job = SIOX_NOBODY,
                              .joules = level->idle_w * (double)(now - disk->told) * 1e-9};
  disk->told = now;
  disk->tell(disk->context, disk->index, &piece);
}

bool siox__disk_turnable(const struct siox__disk *disk, int64_t now) {
  return disk->open && disk->move_end > now && (disk->drive->ramp || disk->move_start >= now);
}

/* Speed reached at a moment of the open transition; the ramp is linear. */
static double speed_reached(const struct siox__disk *disk, int64_t now) {
  double to = speed_of(disk, disk->level);
  double part = (double)(now - disk->move_start) / (double)(disk->move_end - disk->move_start);
  return disk->move_from + (to - disk->move_from) * part;
}

double siox__disk_speed(const struct siox__disk *disk, int64_t now) {
  if (disk->open && disk->move_start >= now)
    return disk->move_from;
  return siox__disk_turnable(disk, now) ? speed_reached(disk, now) : speed_of(disk, disk->level);
}

int siox__disk_command(struct siox__disk *disk, int64_t now, uint32_t level, uint32_t job) {
  return siox__disk_command_at(disk, now, now, level, job);
}

int siox__disk_command_at(struct siox__disk *disk, int64_t now, int64_t at, uint32_t level,
                          uint32_t job) {
  if (level == disk->level)
    return 0;
  if (level < disk->level && disk->last_end > now)
    return SIOX_EREFUSED;
  siox__disk_settle(disk, now);

  double from = speed_of(disk, disk->level), to = speed_of(disk, level);
  int64_t start = disk->free_at > now ? disk->free_at : now;
  bool unstarted = disk->open && disk->move_start >= now;
  bool turn = disk->open && !unstarted && disk->drive->ramp && at <= now;
  if (!unstarted && at > start)
    start = at;
  if (unstarted) {
    from = disk->move_from;
    start = disk->move_start;
  } else if (turn) {
    from = speed_reached(disk, now);
    start = now;
  }
  int64_t ns = siox_drive_transition_ns(disk->drive, from, to);
  double joules;
  if (ns < 0)
    return (int)ns;
  if (siox_drive_transition_j(disk->drive, from, to, &joules) < 0)
    return SIOX_EUNKNOWN;

  if (unstarted) { /* it has done nothing yet: as if it had never been asked for */
    disk->open = false;
    disk->nmoves--;
  } else if (turn) {
    disk->open = false;
    tell_move(disk, now, from, false);
    disk->move[(disk->nmoves - 1) % SIOX__MOVES].end = now;
  } else {
    close_move(disk); /* without a ramp the running one goes through to its end */
    siox__disk_settle(disk, at > now ? start : now);
  }
  disk->level = level;
  disk->open = from != to;
  disk->move_from = from;
  disk->move_start = start;
  disk->move_end = disk->free_at = start + ns;
  disk->move_job = job;
  if (disk->open)
    disk->move[disk->nmoves++ % SIOX__MOVES] = (struct siox__span){start, start + ns};
  return 0;
}

int64_t siox__disk_service(struct siox__disk *disk, uint64_t bytes, bool sequential) {
  if (disk->known.level != disk->level || disk->known.bytes != bytes) {
    disk->known.level = disk->level;
    disk->known.bytes = bytes;
    for (int s = 0; s < 2; s++)
      disk->known.ns[s] = siox_drive_service_ns(disk->drive, disk->level, bytes, s);
  }
  return disk->known.ns[sequential];
}

/* Spans follow one another, so those before the first that ended by `from` ended by then, too. */
static int64_t moving_between(const struct siox__disk *disk, int64_t from, int64_t to) {
  int64_t sum = 0;
  uint32_t first = disk->nmoves > SIOX__MOVES ? disk->nmoves - SIOX__MOVES : 0;
  for (uint32_t i = disk->nmoves; i-- > first;) {
    struct siox__span span = disk->move[i % SIOX__MOVES];
    if (span.end <= from)
      break;
    int64_t a = span.start > from ? span.start : from, b = span.end < to ? span.end : to;
    if (a < b)
      sum += b - a;
  }
  return sum;
}

struct siox__charge siox__disk_serve(struct siox__disk *disk, int64_t now, uint32_t job,
                                     uint64_t file, uint64_t local, uint64_t bytes) {
  siox__disk_settle(disk, now);
  close_move(disk);
  const struct siox_level *level = &disk->drive->level[disk->level];
  bool sequential = disk->served && disk->file == file && disk->next == local;
  struct siox__charge charge = {.start = disk->free_at > now ? disk->free_at : now,
                                .sequential = sequential};
  charge.end = charge.start + siox__disk_service(disk, bytes, sequential);
  if (charge.start < disk->slow_until)
    charge.end = charge.start + llround((double)(charge.end - charge.start) * disk->slow);
  charge.moving_ns = disk->nmoves ? moving_between(disk, now, charge.start) : 0;
  charge.queued_ns = charge.start - now - charge.moving_ns;
  disk->served = true;
  disk->file = file;
  disk->next = local + bytes;
  disk->told = disk->free_at = disk->last_end = charge.end;
  struct siox__piece piece = {.state = SIOX_ACTIVE,
                              .start = charge.start,
                              .end = charge.end,
                              .from = level->speed,
                              .to = level->speed,
                              .level = disk->level,
                              .bytes = bytes,
                              .job = job,
                              .joules =
                                  level->active_w * (double)(charge.end - charge.start) * 1e-9};
  disk->tell(disk->context, disk->index, &piece);
  return charge;
}

/* The way with the least joules to a level, over others where the profile states no straight one.
 * next[l]: where to from level l. SIOX_EUNKNOWN: there is none from here. */
static int way_to(const struct siox_drive *drive, uint32_t from, uint32_t to, uint32_t *next) {
  double joules[SIOX_MAX_LEVELS], step;
  for (uint32_t l = 0; l < drive->nlevels; l++)
    joules[l] = l == to ? 0 : INFINITY;
  for (uint32_t round = 1; round < drive->nlevels; round++)
    for (uint32_t l = 0; l < drive->nlevels; l++)
      for (uint32_t m = 0; m < drive->nlevels; m++)
        if (m != l &&
            siox_drive_transition_j(drive, drive->level[l].speed, drive->level[m].speed, &step) ==
                0 &&
            step + joules[m] < joules[l]) {
          joules[l] = step + joules[m];
          next[l] = m;
        }
  return isinf(joules[from]) ? SIOX_EUNKNOWN : 0;
}

static void go_back(struct siox__disk *disk, double from, uint32_t level, int64_t ns) {
  disk->level = level;
  disk->move_from = from;
  disk->move_start = disk->told;
  disk->move_end = disk->free_at = disk->told + ns;
  tell_move(disk, disk->move_end, speed_of(disk, level), true);
}

int siox__disk_finish(struct siox__disk *disk, int64_t end, uint32_t level) {
  siox__disk_settle(disk, end);
  double from = speed_of(disk, disk->level), to = speed_of(disk, level);
  if (disk->open && disk->move_start >= end) {
    from = disk->move_from;
    disk->open = false;
  } else if (disk->open && disk->drive->ramp) {
    from = speed_reached(disk, end);
    disk->open = false;
    tell_move(disk, end, from, false);
  } else {
    close_move(disk);
  }
  if (from == to)
    return 0;
  int64_t ns = siox_drive_transition_ns(disk->drive, from, to);
  if (ns >= 0) {
    go_back(disk, from, level, ns);
    return 0;
  }
  uint32_t next[SIOX_MAX_LEVELS] = {0}, at = disk->level;
  for (uint32_t l = 0; l < disk->drive->nlevels; l++) /* not that of a change taken back above */
    at = disk->drive->level[l].speed == from ? l : at;
  if (way_to(disk->drive, at, level, next) < 0)
    return SIOX_EUNKNOWN;
  for (; at != level; at = next[at]) {
    double here = speed_of(disk, at);
    go_back(disk, here, next[at],
            siox_drive_transition_ns(disk->drive, here, speed_of(disk, next[at])));
  }
  return 0;
}
