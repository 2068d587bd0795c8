/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Placed hints as a run gives them. */
#include "energy/replay_internal.h"
#include <stdlib.h>

bool siox__truth_chance(const struct siox__op *op) {
  return op->kind == SIOX__OP_JOIN || (op->kind == SIOX__OP_IO && !op->uid) ||
         op->kind == SIOX__OP_OPEN || op->kind == SIOX__OP_EXIT || op->kind == SIOX__OP_AFTER;
}

/* What a stream says at a chance: *out NULL: nothing. need_by is as in the run that nobody delays,
 * 0: never; the time too. */
static int find(const struct siox__truth *t, uint32_t stream, uint32_t chance, uint32_t *at,
                struct siox__hint **out) {
  *out = NULL;
  if (stream >= t->nstreams || t->first[stream] + *at >= t->first[stream + 1])
    return 0;
  const struct siox__truth_hint *h = &t->hint[t->first[stream] + *at];
  if (h->chance != chance)
    return 0;
  ++*at;
  struct siox__hint *hint = malloc(sizeof *hint + h->nruns * sizeof *hint->run);
  if (!hint)
    return SIOX_ENOMEM;
  hint->head = (struct siox_claim_header){.version = SIOX_CLAIM_VERSION,
                                          .flags = SIOX_CLAIM_PREDICTED,
                                          .nruns = h->nruns,
                                          .time = h->time};
  for (uint32_t i = 0; i < h->nruns; i++) {
    const struct siox__truth_run *r = &t->run[h->first_run + i];
    hint->run[i] = (struct siox_claim_run){
        r->first, r->count, SIOX_SPEED_LOWEST, 0, r->next == SIOX_NEVER ? 0 : r->next, SIOX_NEVER};
  }
  *out = hint;
  return 0;
}

int siox__truth_speak(struct siox__replay *r, struct siox__stream *s) {
  uint32_t chance = s->chances++;
  struct siox__hint *hint = NULL;
  int rc = r->taker ? 0 : find(s->run->truth, s->number, chance, &s->truth_at, &hint);
  return rc == 0 && (r->taker || hint) ? siox__run_speak(s, chance, hint) : rc;
}

/* That nobody uses a disk is for policies that put claims together; to the others the release of
 * what another job uses is an order. */
int siox__truth_give(struct siox__replay *r, struct siox__stream *s, const struct siox__op *op) {
  if (r->taker)
    return siox__truth_note_chance(r->taker, s, op->request, r->now);
  struct siox__hint *h = op->hint;
  if (op->request == 0 && s == s->client->main && r->teller.lead != SIOX_LEAD_GAP) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->head.nruns; i++)
      if (h->run[i].need_by)
        h->run[n++] = h->run[i];
    h->head.nruns = n;
  }
  return siox__tell_shifted(&r->teller, s->client, r->now, h);
}
