/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints placed from what a job does: the best that somebody who knows its run can have each of its
 * processes say, at points of its own (docs/sim.md, "Hints"). The job is played alone, every disk
 * at full speed; what its processes use then, and when, is noted; and from the end backwards it is
 * worked out what each says after a use: when it uses each of those disks next. A point at which a
 * process can speak (a chance) is its beginning, a file's opening (which touches its disks, so they
 * are let go again), the end of a request that is part of no
 * collective, the leaving of a collective, and the end of a wait; each stream counts its own, and
 * they are the same in every run of the job. A process that comes to one sooner or later than in
 * that run expects all that follows so much sooner or later. */
#ifndef SIOX_ENERGY_REPLAY_TRUTH_H
#define SIOX_ENERGY_REPLAY_TRUTH_H
#include "energy/replay_burst.h"
#include "energy/replay_source.h"

struct siox_sim;
struct siox__replay;
struct siox__stream;
struct siox__truth_taker;

struct siox__truth { /* hints of all streams, by stream and chance */
  struct siox__truth_hint {
    uint32_t stream, chance;
    int64_t time;
    uint32_t first_run, nruns; /* none: only when it is */
  } *hint;
  struct siox__truth_run {
    uint32_t first, count; /* disks */
    int64_t next;          /* their next use; SIOX_NEVER: there is none */
  } *run;
  uint32_t *first; /* by stream, and one more: its hints */
  uint32_t nhints, hint_room, nruns, run_room, nstreams;
};

/* Of job `index` of the simulator as its files lie now. SIOX_ENOMEM, and what a run returns. */
int siox__truth_place(struct siox__truth **truth, const struct siox_sim *sim, uint32_t index);
void siox__truth_free(struct siox__truth *truth); /* NULL is harmless */
/* Is a stream's point a chance to speak, when it is over? */
bool siox__truth_chance(const struct siox__op *op);
/* replay_truth_say.c: such a point is over; what the stream says then, if anything, becomes its
 * next one, or is noted. SIOX_ENOMEM. */
int siox__truth_speak(struct siox__replay *r, struct siox__stream *s);
/* The stream says it now. SIOX_ENOMEM. */
int siox__truth_give(struct siox__replay *r, struct siox__stream *s, const struct siox__op *op);

#define SIOX__OPENED (SIOX__NONE - 1)
/* What is noted while the job is played. */
struct siox__truth_taker {
  struct siox__bursts bursts;
  struct siox__truth_items { /* of one process, in the order of time */
    struct siox__truth_item {
      int64_t time;
      uint32_t ref;    /* burst used, file opened, or chance */
      uint32_t stream; /* that speaks; SIOX__NONE: it is a use. SIOX__OPENED */
    } *item;
    uint32_t count, room;
  } *process;
  uint32_t nprocesses, nstreams;
  int64_t *begun; /* by burst of a collective: its first request */
  uint32_t begun_room;
  int64_t end; /* the last process has left */
};
/* replay_truth_take.c: a point of a stream has happened. SIOX_ENOMEM. */
int siox__truth_note(struct siox__truth_taker *t, const struct siox__stream *s,
                     const struct siox__op *op, int64_t now);
/* The stream can speak now. SIOX_ENOMEM. */
int siox__truth_note_chance(struct siox__truth_taker *t, const struct siox__stream *s,
                            uint32_t chance, int64_t now);
void siox__truth_taker_free(struct siox__truth_taker *t);
#endif
