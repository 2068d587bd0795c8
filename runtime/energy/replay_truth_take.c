/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the processes of a job use, and when they can speak of it, noted as it is played. */
#include "energy/replay_internal.h"
#include <stdlib.h>
#include <string.h>

static int add(struct siox__truth_taker *t, const struct siox__stream *s,
               struct siox__truth_item item) {
  uint32_t process = (uint32_t)(s->client - s->run->client);
  if (!t->process) {
    t->process = calloc((size_t)s->run->nclients + 1, sizeof *t->process);
    if (!t->process)
      return SIOX_ENOMEM;
    t->nprocesses = s->run->nclients;
    t->nstreams = s->run->nstreams;
  }
  struct siox__truth_items *i = &t->process[process];
  if (siox__room(&i->item, i->count, &i->room, sizeof *i->item) < 0)
    return SIOX_ENOMEM;
  i->item[i->count++] = item;
  return 0;
}

static int note_io(struct siox__truth_taker *t, const struct siox__stream *s,
                   const struct siox__op *op, int64_t now) {
  struct siox__bursts *b = &t->bursts;
  uint32_t burst, known = b->nbursts;
  int rc = op->uid ? siox__burst_group(b, op->uid, op->seq, &burst) : siox__burst_new(b, &burst);
  while (rc == 0 && op->uid && t->begun_room <= burst)
    rc = siox__room(&t->begun, t->begun_room, &t->begun_room, sizeof *t->begun);
  if (rc == 0 && op->uid && burst == known)
    t->begun[burst] = now;
  if (rc == 0)
    rc = siox__burst_add(b, burst, op->file, op->offset, op->bytes);
  if (rc == 0 && !op->uid)
    rc = add(t, s, (struct siox__truth_item){now, burst, SIOX__NONE});
  return rc;
}

/* A collective is a use of every member, from its first request on: what others do for it before
 * that touches no disk. */
static int note_exit(struct siox__truth_taker *t, const struct siox__stream *s,
                     const struct siox__op *op) {
  uint32_t burst = op->uid ? siox__map_get(&t->bursts.groups, op->uid, op->seq, 0) : SIOX__NONE;
  if (burst == SIOX__NONE)
    return 0; /* nothing was moved */
  return add(t, s, (struct siox__truth_item){t->begun[burst], burst, SIOX__NONE});
}

int siox__truth_note(struct siox__truth_taker *t, const struct siox__stream *s,
                     const struct siox__op *op, int64_t now) {
  if (op->kind == SIOX__OP_LEAVE && now > t->end)
    t->end = now;
  if (op->kind == SIOX__OP_IO)
    return note_io(t, s, op, now);
  if (op->kind == SIOX__OP_OPEN)
    return add(t, s, (struct siox__truth_item){now, op->file, SIOX__OPENED});
  return op->kind == SIOX__OP_EXIT ? note_exit(t, s, op) : 0;
}

int siox__truth_note_chance(struct siox__truth_taker *t, const struct siox__stream *s,
                            uint32_t chance, int64_t now) {
  return add(t, s, (struct siox__truth_item){now, chance, s->number});
}

void siox__truth_taker_free(struct siox__truth_taker *t) {
  for (uint32_t i = 0; i < t->nprocesses; i++)
    free(t->process[i].item);
  free(t->process);
  free(t->begun);
  siox__bursts_free(&t->bursts);
  memset(t, 0, sizeof *t);
}
