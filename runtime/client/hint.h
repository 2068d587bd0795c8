/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What this process says of its disks, between the files that make it up: hint.c (what threads say,
 * and what they say together), hold.c (files that the program has open by itself), hint_send.c (how
 * it leaves the process). */
#ifndef SIOX_CLIENT_HINT_H
#define SIOX_CLIENT_HINT_H
#include "common/wire.h"
#include "siox/siox.h"

struct siox__stance {
  int64_t need_by, until;
  int32_t speed;
  int32_t flag; /* 1, 0, or -1: nothing said */
};

static inline bool siox__stance_same(const struct siox__stance *a, const struct siox__stance *b) {
  return a->flag == b->flag && a->speed == b->speed && a->need_by == b->need_by &&
         a->until == b->until;
}

/* What two say together: needed if one needs it, at the higher speed, over all the time that they
 * name. */
static inline void siox__stance_merge(struct siox__stance *to, const struct siox__stance *from) {
  if (from->flag < 0 || to->flag > from->flag)
    return;
  if (to->flag < from->flag) {
    *to = *from;
    return;
  }
  if (from->speed > to->speed)
    to->speed = from->speed;
  if (from->flag) { /* from the earliest to the latest; need_by 0 is now */
    if (from->need_by < to->need_by)
      to->need_by = from->need_by;
    if (from->until > to->until)
      to->until = from->until;
  } else if (from->need_by && (!to->need_by || from->need_by < to->need_by)) {
    to->need_by = from->need_by; /* 0 is unknown: the earliest time known counts */
  }
}

struct siox__vector {
  uint32_t ndisks;
  bool partial; /* no vector of its own: wish[] is not there */
  struct siox__stance wish[];
};

/* hint.c. The lock of hints: nothing under it allocates by malloc or calls the program, so that a
 * signal handler that interrupted malloc may wait for it. Whoever takes it from a routine that
 * handlers may interrupt holds signals back meanwhile. */
void siox__hint_lock(void);
void siox__hint_unlock(void);
/* Under the lock: brings what the process says of these disks (NULL: all) up to date and sends what
 * has changed. */
int siox__hint_publish(const struct siox_mask *T);

/* hint_send.c, under the lock. */
enum { SIOX__HINT_RUNS = 64 }; /* a message; more runs make several messages */
struct siox__hint_message {
  struct siox_claim_header head;
  struct siox_claim_run run[SIOX__HINT_RUNS];
};
void siox__hint_begin(struct siox__hint_message *m, uint16_t flags, uint64_t site);
/* There is room, or the disk continues the last run. */
void siox__hint_add(struct siox__hint_message *m, uint32_t disk, const struct siox__stance *w);
/* Sends it; where the ring is full, all of the vector. */
int siox__hint_flush(struct siox__hint_message *m, const struct siox__vector *all);
int siox__hint_send_whole(const struct siox__vector *all);
void siox__hint_send_reset(void);

#endif
