/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See budget_cycle.h. */
#include "arbiter/budget_cycle.h"
#include "arbiter/gap.h"
#include <math.h>

/* A new cycle counts a quarter in averages, whose memory is then about four cycles. Chosen. */
enum { SMOOTHING = 4 };
/* The longest gap is forgotten, and the usual one follows, over so many cycles: changes of level
 * wait for gaps that come once in a while. Chosen: four times SMOOTHING. */
enum { FORGETTING = 16 };
/* ns: how busy a disk is, is an average over ten minutes; it is asked for in the queue's closed
 * form only, which is for where nothing was measured. Chosen. */
#define MEMORY 600e9

/* Smoothed: the first value, then a part of each difference. */
static double average(bool known, double old, double value) {
  return known ? old + (value - old) / SMOOTHING : value;
}

/* The least joules that a gap takes, by the level that the disk serves at before and after it. */
static void gap_joules(const struct siox_drive *drive, int64_t gap, bool untold, double *least) {
  for (uint32_t l = 0; l < drive->nlevels; l++) {
    const struct siox__stand stand = {.at = 0, .speed = drive->level[l].speed};
    least[l] = INFINITY;
    for (uint32_t g = untold ? l : 0; drive->level[l].serves && g <= l; g++)
      least[l] = fmin(least[l], siox__gap_joules(drive, &stand, g, gap, l));
  }
}

void siox__cycle_ends(struct siox__budget_disk *b, const struct siox_drive *drive, int64_t now,
                      int64_t gap, int64_t next, bool untold) {
  double least[SIOX_MAX_LEVELS];
  gap_joules(drive, gap, untold, least);
  for (uint32_t l = 0; l < drive->nlevels; l++) {
    if (!drive->level[l].serves)
      continue;
    b->cycle[l] = average(b->known, b->cycle[l], b->active[l] + least[l]);
    b->burst[l] = b->cost[l];
    b->active[l] = 0;
    b->cost[l] = 0;
  }
  b->longest -= b->longest / FORGETTING;
  b->longest = gap > b->longest ? gap : b->longest;
  b->usual = b->known ? b->usual + (gap - b->usual) / FORGETTING : gap;
  b->span += (double)(now - b->since);
  for (uint32_t l = 0; l < drive->nlevels && b->span > MEMORY; l++)
    b->work[l] /= 2;
  b->span /= b->span > MEMORY ? 2 : 1;
  b->period = (int64_t)average(b->known, (double)b->period, (double)(now - b->since));
  b->since = now;
  b->gap = gap;
  b->told_end = next;
  b->first = !b->known;
  b->untold = untold;
  b->known = true;
  b->used = false;
}

/* As if it had been known when the cycle ended. */
void siox__cycle_told(struct siox__budget_disk *b, const struct siox_drive *drive, int64_t next) {
  double part = b->first ? 1 : SMOOTHING, was[SIOX_MAX_LEVELS], is[SIOX_MAX_LEVELS];
  int64_t gap = b->gap + (next - b->told_end);
  gap = gap > 0 ? gap : 0;
  gap_joules(drive, b->gap, b->untold, was);
  gap_joules(drive, gap, false, is);
  for (uint32_t l = 0; l < drive->nlevels; l++)
    b->cycle[l] += drive->level[l].serves ? (is[l] - was[l]) / part : 0;
  b->longest = gap > b->longest ? gap : b->longest;
  b->usual += (gap - b->gap) / (b->first ? 1 : FORGETTING);
  b->gap = gap;
  b->untold = false;
  b->told_end = next;
}
