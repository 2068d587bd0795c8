/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One process of a generated job: compute, move a burst, say when the disks are needed again. Its
 * recorded times are those of a run in which a request takes a nanosecond. */
#include "common/random.h"
#include "energy/replay_source.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_FOR = -1, LOOK_AHEAD = 64 }; /* phases in which a disk's next use is looked for */

int siox__scratch_open(struct siox__scratch *s, uint32_t ndisks) {
  s->need_by = malloc(ndisks * sizeof *s->need_by);
  s->run = malloc(ndisks * sizeof *s->run);
  int rc = s->need_by && s->run ? siox_mask_init(&s->wanted, ndisks) : SIOX_ENOMEM;
  return rc ? rc : siox_mask_init(&s->touched, ndisks);
}

void siox__scratch_close(struct siox__scratch *s) {
  free(s->need_by);
  free(s->run);
  siox_mask_free(&s->wanted);
  siox_mask_free(&s->touched);
  *s = (struct siox__scratch){0};
}

static int64_t gap_of(const struct siox_sim_generated *job, uint32_t phase) {
  if (job->jitter == 0)
    return job->gap_ns;
  uint64_t draw = siox__scramble(siox__scramble(job->seed + 1) + phase) >> 11;
  return llround((double)job->gap_ns * (1 + job->jitter * (2 * (double)draw * 0x1p-53 - 1)));
}

void siox__generator_open(struct siox__generator *g, const struct siox_sim_generated *job,
                          uint32_t process, struct siox__scratch *scratch) {
  *g = (struct siox__generator){.job = job,
                                .scratch = scratch,
                                .process = process,
                                .random = job->seed * UINT64_C(0xd1342543de82ef95) + process,
                                .state = job->hints ? SIOX__GEN_HINT : SIOX__GEN_IO,
                                .at = job->hints ? 0 : gap_of(job, 0)};
}

static int64_t offset_of(const struct siox__generator *g, uint32_t phase) {
  return ((int64_t)phase * g->job->processes + g->process) * g->job->burst;
}

static struct siox__op point(struct siox__generator *g, enum siox__op_kind kind) {
  g->order += 2;
  return (struct siox__op){.at = g->at,
                           .end = g->at,
                           .order = g->order,
                           .kind = (uint8_t)kind,
                           .file = SIOX__NONE,
                           .group = SIOX__NONE,
                           .dep = SIOX__NONE};
}

/* Next use of each disk that the last burst touched, of every disk of the file at first: LOOKED_FOR
 * marks those without one. */
static void find_uses(struct siox__generator *g) {
  const struct siox_sim_generated *j = g->job;
  const struct siox_layout *l = j->layout;
  struct siox__scratch *s = g->scratch;
  uint32_t left = 0;
  siox_mask_zero(&s->wanted);
  if (g->phase)
    siox_layout_mask(l, offset_of(g, g->phase - 1), j->burst, &s->wanted);
  else
    siox_layout_disks(l, &s->wanted);
  for (uint32_t d = siox_mask_next(&s->wanted, 0); d < l->ndisks;
       d = siox_mask_next(&s->wanted, d + 1)) {
    s->need_by[d] = LOOKED_FOR;
    left++;
  }
  double off = 1 + j->error * (2 * (double)(siox__random(&g->random) >> 11) * 0x1p-53 - 1);
  double ahead = 0;
  for (uint32_t k = 0; left && k < LOOK_AHEAD && g->phase + k < j->phases; k++) {
    ahead += (double)gap_of(j, g->phase + k);
    siox_mask_zero(&s->touched);
    siox_layout_mask(l, offset_of(g, g->phase + k), j->burst, &s->touched);
    siox_mask_and(&s->touched, &s->wanted);
    for (uint32_t d = siox_mask_next(&s->touched, 0); d < l->ndisks;
         d = siox_mask_next(&s->touched, d + 1))
      if (s->need_by[d] == LOOKED_FOR) {
        int64_t time = g->at + llround(ahead * off);
        s->need_by[d] = time > 0 ? time : 1;
        left--;
      }
  }
}

static int hint(struct siox__generator *g, struct siox__op *op) {
  struct siox__scratch *s = g->scratch;
  struct siox_claim_run *run = s->run;
  uint32_t n = 0, ndisks = g->job->layout->ndisks;
  find_uses(g);
  for (uint32_t d = siox_mask_next(&s->wanted, 0); d < ndisks;
       d = siox_mask_next(&s->wanted, d + 1)) {
    int64_t need_by = s->need_by[d] == LOOKED_FOR ? 0 : s->need_by[d];
    if (n && run[n - 1].first + run[n - 1].count == d && run[n - 1].need_by == need_by)
      run[n - 1].count++;
    else
      run[n++] = (struct siox_claim_run){d, 1, SIOX_SPEED_LOWEST, 0, need_by, SIOX_NEVER};
  }
  *op = point(g, SIOX__OP_HINT);
  if (!(op->hint = malloc(sizeof *op->hint + n * sizeof *run)))
    return SIOX_ENOMEM;
  memcpy(op->hint->run, run, n * sizeof *run);
  op->hint->head = (struct siox_claim_header){
      .version = SIOX_CLAIM_VERSION, .flags = SIOX_CLAIM_PREDICTED, .nruns = n, .time = g->at};
  return 1;
}

static void burst_over(struct siox__generator *g) {
  const struct siox_sim_generated *j = g->job;
  g->done = 0;
  if (++g->phase == j->phases) {
    g->state = j->hints ? SIOX__GEN_HINT : SIOX__GEN_OVER;
    return;
  }
  g->state = j->hints ? SIOX__GEN_HINT : SIOX__GEN_IO;
  if (!j->hints)
    g->at += gap_of(j, g->phase);
}

static void io(struct siox__generator *g, struct siox__op *op) {
  const struct siox_sim_generated *j = g->job;
  int64_t size = j->request ? j->request : j->burst;
  *op = point(g, SIOX__OP_IO);
  op->file = 0;
  op->offset = offset_of(g, g->phase) + g->done;
  op->bytes = j->burst - g->done < size ? j->burst - g->done : size;
  op->write = j->write;
  op->end = ++g->at; /* a moment, so that a burst need not be read as a whole */
  g->done += op->bytes;
  if (g->done < j->burst)
    return;
  if (j->together)
    g->state = SIOX__GEN_ENTER;
  else
    burst_over(g);
}

int siox__generator_next(struct siox__generator *g, struct siox__op *op) {
  int rc = 1;
  switch (g->state) {
  case SIOX__GEN_HINT:
    rc = hint(g, op);
    g->state = g->phase == g->job->phases ? SIOX__GEN_OVER : SIOX__GEN_IO;
    g->at += g->state == SIOX__GEN_IO ? gap_of(g->job, g->phase) : 0;
    return rc;
  case SIOX__GEN_IO:
    io(g, op);
    return 1;
  case SIOX__GEN_ENTER:
  case SIOX__GEN_EXIT:
    *op = point(g, g->state == SIOX__GEN_ENTER ? SIOX__OP_ENTER : SIOX__OP_EXIT);
    op->uid = 1;
    op->seq = g->phase + 1u;
    op->wait = SIOX__WAIT_ALL;
    op->inner = g->state == SIOX__GEN_EXIT;
    if (g->state == SIOX__GEN_ENTER)
      g->state = SIOX__GEN_EXIT;
    else
      burst_over(g);
    return 1;
  default:
    return 0;
  }
}
