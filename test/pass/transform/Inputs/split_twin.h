/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs of split_twin.py need: the log of a loop's iterations, on standard output. Standard error gets one line
 * at the end: loops that were run, those in which a hint came, and those in which it came at another iteration than it had
 * to. */
#include "io.h"

struct seen {
  unsigned long hash;
  long count, first, last;
};
struct hint {
  long trip, at, lead;
  int came;
};
extern struct seen seen; /* split_twin.c */
extern struct hint hint;
static unsigned data[64];
static long runs, hinted, wrong;

static __attribute__((noinline, unused)) void visit(long i) {
  if (seen.count++ == 0)
    seen.first = i;
  seen.last = i;
  seen.hash = (seen.hash ^ (unsigned long)i) * 1099511628211UL;
  __asm__ volatile("" ::: "memory");
}
static __attribute__((noinline, unused)) void begin(void) {
  seen.hash = 14695981039346656037UL;
  seen.count = seen.first = seen.last = 0;
  for (int k = 0; k < 64; k++)
    data[k] = 0;
  hint.came = 0;
}
/* one: every iteration makes one visit; early: it may end before its count. */
static __attribute__((noinline, unused)) void finish(int k, int total, long other, int one, int early) {
  const struct hint h = hint; /* the loop below gets one of its own */
  for (int d = 0; d < 64; d++)
    seen.hash = (seen.hash ^ data[d]) * 1099511628211UL;
  printf("%d: %ld from %ld to %ld %016lx %d %ld\n", k, seen.count, seen.first, seen.last, seen.hash, total, other);
  runs++;
  if (!h.came)
    return;
  hinted++;
  long least = h.lead ? h.lead : 1, at = h.trip > h.lead ? h.trip - h.lead : 0;
  long sure = h.trip > least ? h.trip - least : 0;
  if (one && ((h.at != at && h.at != sure) || (!early && h.trip != seen.count))) {
    fprintf(stderr, "loop %d: hint at %ld of %ld, lead %ld of %ld\n", k, h.at, seen.count, h.lead, h.trip);
    wrong++;
  }
}
static int over(void) {
  fprintf(stderr, "runs %ld hinted %ld wrong %ld\n", runs, hinted, wrong);
  return 0;
}
