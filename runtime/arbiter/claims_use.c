/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long a claim is kept by what its client does under it. */
#include "arbiter/claims_use.h"
#include "siox/drive.h"
#include <stdlib.h>

enum { MOVES = 4, GROUPS = 64 };

static uint32_t group_of(const struct siox_claim_use *use, uint32_t disk) {
  return (disk - use->first) / use->span;
}

static void cover(struct siox_claim_use *use, const struct siox_claim_run *run) {
  uint32_t last = group_of(use, run->first + run->count - 1);
  for (uint32_t g = group_of(use, run->first); g <= last; g++)
    use->all |= UINT64_C(1) << g;
}

static int64_t least_hold(const struct siox_claim_run *run, const int64_t *hold, int64_t least) {
  for (uint32_t d = run->first; d < run->first + run->count; d++)
    least = hold[d] < least ? hold[d] : least;
  return least;
}

struct siox_claim_use *siox__use_create(const struct siox_claim_header *head,
                                        const struct siox_claim_run *runs, const int64_t *hold) {
  struct siox_claim_use *use = calloc(1, sizeof *use);
  if (!use || head->nruns == 0)
    return use;
  const struct siox_claim_run *last = &runs[head->nruns - 1];
  use->first = runs[0].first;
  use->span = (last->first + last->count - use->first + GROUPS - 1) / GROUPS;
  use->kept = SIOX_NEVER;
  use->hold = INT64_MAX;
  for (uint32_t i = 0; i < head->nruns; i++) {
    if (runs[i].flag != 1)
      continue;
    int64_t begins = runs[i].need_by > head->time ? runs[i].need_by : head->time;
    use->kept = begins < use->kept ? begins : use->kept;
    use->hold = least_hold(&runs[i], hold, use->hold);
    cover(use, &runs[i]);
  }
  return use;
}

void siox__use_note(struct siox_claim_use *use, uint32_t disk, bool idle, int64_t now) {
  uint64_t bit = UINT64_C(1) << group_of(use, disk);
  if (now < use->kept || now - use->kept >= use->hold)
    return;
  if (idle || !(use->used & bit)) {
    use->moves += use->moves == 0 || (use->moved != now && use->moves < MOVES);
    use->moved = now;
    use->used |= bit;
    if (use->used == use->all)
      use->used = bit; /* the next round begins */
  }
  int64_t stay = use->hold > (SIOX_NEVER - use->moved) / MOVES ? SIOX_NEVER - use->moved
                                                               : (use->moves - 1) * use->hold;
  use->kept = now - use->moved < stay ? now : use->moved + stay;
}
