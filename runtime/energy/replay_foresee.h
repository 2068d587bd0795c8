/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hints that a trace's programs would give if their files lay elsewhere: at the moments of the
 * recorded ones, of what each process next uses under the present layouts, as right or wrong as the
 * recorded ones were (docs/sim.md, "Hints"). Grows with the trace, unlike the replay: 48 bytes a
 * request. */
#ifndef SIOX_ENERGY_REPLAY_FORESEE_H
#define SIOX_ENERGY_REPLAY_FORESEE_H
#include "energy/replay_burst.h"
#include "energy/replay_index.h"
#include "energy/replay_source.h"

/* Reads the trace once more. SIOX_ENOMEM, and what reading returns. */
int siox__foresight_load(struct siox__foresight **out, const struct siox__index *index,
                         const char *path);
void siox__foresight_free(struct siox__foresight *f); /* NULL is harmless */
/* The files lie where the index says now. SIOX_ENOMEM; then nothing is foreseen. */
int siox__foresight_place(struct siox__foresight *f, const struct siox__index *index);
/* What the client (of the index) says in place of its hint at that event of the trace; NULL:
 * nothing. Freed by the caller. SIOX_ENOMEM. May be asked by several runs at once. */
int siox__foresight_hint(const struct siox__foresight *f, uint32_t client, uint64_t event,
                         const struct siox_trace_event *recorded, struct siox__hint **out);

/* replay_foresee_next.c: when each disk is next used. */
struct siox__next_uses { /* of one client */
  uint32_t *disk;        /* that it uses at all, ascending */
  uint32_t *first;       /* ndisks + 1: where its times begin */
  int64_t *time;         /* ascending; of uses between two hints only the first */
  uint32_t ndisks;
};
struct siox__use {
  int64_t time;
  uint32_t burst;
  /* All its disks were, when recorded, from this saying on, plus 1, 0: not so. Whatever use the
   * process spoke for; only by claims, or by releases with a time too. */
  uint32_t held;
  bool claimed;
};
struct siox__said {  /* of one use, as it was known at a hint */
  int64_t use;       /* SIOX_NEVER: of a disk that was not used again */
  int64_t predicted; /* 0: released without a time. SIOX_NEVER: claimed already */
};
struct siox__saying { /* a hint of the recording */
  uint64_t event;
  int64_t time;
  uint32_t first_run, nruns;  /* while the trace is taken in */
  uint32_t first_said, nsaid; /* what the process had said by then of uses to come, by use */
  /* Least and greatest use to come that it spoke of; greatest first: none. */
  int64_t released[2], claimed[2];
  int32_t release_speed, claim_speed;
  bool released_never;
  bool whole; /* of all disks: the compiler or predictor, which know every one, said it, and none
               * is held */
};
struct siox__seer { /* one client */
  struct siox__use *use;
  struct siox__saying *saying;
  uint32_t nuses, use_room, nsayings, saying_room;
  int64_t reach;    /* it has known uses so far ahead, */
  int64_t fails;    /* and not those of gaps from here on; INT64_MAX: none was misjudged so */
  bool knows_never; /* it has said of a disk that it is not used again, and was right */
  struct siox__next_uses next;
};
struct siox__foresight {
  struct siox__seer *seer;
  uint32_t nseers;
  struct siox__bursts bursts;
  struct siox_claim_run *run;
  struct siox__said *said;
  uint32_t nruns, run_room, nsaid, said_room;
  uint32_t ndisks; /* as the files lie now */
};
/* Of all clients. recorded: by the recorded layouts. */
int siox__next_uses_find(struct siox__foresight *f, const struct siox__index *index, bool recorded);
void siox__next_uses_free(struct siox__next_uses *n);
/* The k-th disk's next use from a time on, SIOX_NEVER. */
int64_t siox__next_use(const struct siox__next_uses *n, uint32_t k, int64_t from);
/* The disk's place k, or ndisks. */
uint32_t siox__next_uses_disk(const struct siox__next_uses *n, uint32_t disk);

/* replay_foresee_said.c: what the recorded hints said of it. */
int siox__sayings_judge(struct siox__foresight *f, const struct siox__index *index);
#endif
