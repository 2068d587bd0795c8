/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How right the recorded hints were: what each said of the next use of a disk, beside that use. A
 * process's sayings hold until the use has come, so each hint carries those of the ones before it.
 */
#include "energy/replay_foresee.h"
#include <stdlib.h>
#include <string.h>

struct judge {
  struct siox__foresight *f;
  struct siox__seer *seer;
  struct siox__said *known; /* by recorded disk; use 0: nothing was said */
  bool *released;           /* by recorded disk */
  uint32_t ndisks, nreleased;
};

static void widen(int64_t *range, int64_t use) {
  if (use == SIOX_NEVER)
    return;
  range[0] = use < range[0] ? use : range[0];
  range[1] = use > range[1] ? use : range[1];
}

static int64_t use_of(const struct judge *j, uint32_t disk, int64_t from) {
  uint32_t k = siox__next_uses_disk(&j->seer->next, disk);
  return k < j->seer->next.ndisks ? siox__next_use(&j->seer->next, k, from) : SIOX_NEVER;
}

/* How far ahead it sees: up to the shortest gap that it took for less than half of what it was. */
static void measure(struct siox__seer *seer, int64_t gap, int64_t named) {
  if (named < gap / 2)
    seer->fails = gap < seer->fails ? gap : seer->fails;
  else if (named > seer->reach)
    seer->reach = named < gap ? named : gap;
}

static void take_run(struct judge *j, struct siox__saying *s, const struct siox_claim_run *run) {
  bool release = run->flag == 0, claim = !release && run->need_by <= s->time;
  for (uint32_t d = run->first; d < j->ndisks && d - run->first < run->count; d++) {
    int64_t use = use_of(j, d, s->time);
    int64_t said = run->need_by > s->time ? run->need_by : 0;
    if (claim) {
      widen(s->claimed, use);
      s->claim_speed = run->speed;
      said = SIOX_NEVER;
    } else if (release) {
      widen(s->released, use);
      s->released_never |= use == SIOX_NEVER;
      s->release_speed = run->speed;
    }
    j->known[d] = (struct siox__said){use, said};
    j->nreleased += (uint32_t)!claim - (uint32_t)j->released[d];
    j->released[d] = !claim;
    if (use == SIOX_NEVER)
      j->seer->knows_never |= release && !said;
    else if (said && said != SIOX_NEVER)
      measure(j->seer, use - s->time, said - s->time);
  }
}

static int by_use(const void *a, const void *b) {
  const struct siox__said *x = a, *y = b;
  if (x->use != y->use)
    return x->use < y->use ? -1 : 1;
  return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

/* What is known of uses to come, one entry each. */
static int keep(struct judge *j, struct siox__saying *s) {
  struct siox__foresight *f = j->f;
  s->first_said = f->nsaid;
  for (uint32_t d = 0; d < j->ndisks; d++) {
    const struct siox__said *known = &j->known[d];
    if (!known->use || known->use < s->time)
      continue;
    if (f->nsaid > s->first_said && !memcmp(known, &f->said[f->nsaid - 1], sizeof *known))
      continue; /* as of the disk beside it */
    if (siox__room(&f->said, f->nsaid, &f->said_room, sizeof *f->said) < 0)
      return SIOX_ENOMEM;
    f->said[f->nsaid++] = *known;
  }
  uint32_t n = f->nsaid - s->first_said, kept = 0;
  if (!n)
    return 0;
  struct siox__said *said = f->said + s->first_said;
  qsort(said, n, sizeof *said, by_use);
  for (uint32_t i = 0; i < n; i++) /* the earliest of several times */
    if (!kept || said[kept - 1].use != said[i].use)
      said[kept++] = said[i];
  s->nsaid = kept;
  f->nsaid = s->first_said + kept;
  return 0;
}

/* A claim holds a disk for each use from then on, not for the first alone, until the disk is let
 * go; a release with a time does so from that time on. held: by recorded disk, by: the saying
 * plus 1.
 */
struct held {
  uint32_t by;
  bool claimed;
};
static void hold(const struct siox__foresight *f, const struct siox__seer *seer, uint32_t saying,
                 uint32_t ndisks, struct held *held) {
  const struct siox__saying *s = &seer->saying[saying];
  for (uint32_t n = 0; n < s->nruns; n++) {
    const struct siox_claim_run *run = &f->run[s->first_run + n];
    for (uint32_t d = run->first; d < ndisks && d - run->first < run->count; d++)
      held[d] = (struct held){run->flag || run->need_by ? saying + 1 : 0,
                              run->flag && run->need_by <= s->time};
  }
}

static const struct siox_layout *recorded_layout(const void *index, uint32_t file) {
  return &((const struct siox__index *)index)->file[file].recorded;
}

/* Under the recorded layouts a use may have needed no word of its own, for its disks were held for
 * another; elsewhere it needs one. */
static void find_held(const struct siox__foresight *f, const struct siox__index *x,
                      struct siox__seer *seer, struct siox_mask *mask, struct held *held) {
  uint32_t saying = 0;
  memset(held, 0, mask->ndisks * sizeof *held);
  for (uint32_t i = 0; i < seer->nuses; i++) {
    struct siox__use *u = &seer->use[i];
    while (saying < seer->nsayings && seer->saying[saying].time <= u->time)
      hold(f, seer, saying++, mask->ndisks, held);
    siox_mask_zero(mask);
    siox__burst_disks(&f->bursts, u->burst, recorded_layout, x, mask);
    bool all = true;
    u->claimed = true;
    for (uint32_t d = siox_mask_next(mask, 0); d < mask->ndisks; d = siox_mask_next(mask, d + 1)) {
      all &= held[d].by > 0;
      u->claimed &= held[d].claimed;
      u->held = held[d].by > u->held ? held[d].by : u->held;
    }
    u->held = all ? u->held : 0;
  }
}

int siox__sayings_judge(struct siox__foresight *f, const struct siox__index *x) {
  struct judge j = {.f = f, .ndisks = x->header->ndisks};
  j.known = calloc((size_t)j.ndisks + 1, sizeof *j.known);
  j.released = calloc((size_t)j.ndisks + 1, sizeof *j.released);
  struct held *held = malloc(((size_t)j.ndisks + 1) * sizeof *held);
  struct siox_mask mask = {0};
  int rc = j.known && j.released && held ? siox__next_uses_find(f, x, true) : SIOX_ENOMEM;
  rc = rc ? rc : siox_mask_init(&mask, j.ndisks);
  for (uint32_t i = 0; i < f->nseers && rc == 0; i++) {
    j.seer = &f->seer[i];
    j.seer->fails = INT64_MAX;
    memset(j.known, 0, j.ndisks * sizeof *j.known);
    memset(j.released, 0, j.ndisks * sizeof *j.released);
    j.nreleased = 0;
    for (uint32_t k = 0; k < j.seer->nsayings && rc == 0; k++) {
      struct siox__saying *s = &j.seer->saying[k];
      s->released[0] = s->claimed[0] = INT64_MAX;
      s->released[1] = s->claimed[1] = INT64_MIN;
      for (uint32_t n = 0; n < s->nruns; n++)
        take_run(&j, s, &f->run[s->first_run + n]);
      s->whole = j.nreleased == j.ndisks;
      rc = keep(&j, s);
    }
    if (rc == 0)
      find_held(f, x, j.seer, &mask, held);
  }
  siox_mask_free(&mask);
  free(held);
  free(j.known);
  free(j.released);
  return rc;
}
