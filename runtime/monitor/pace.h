/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading many things in turns, so that a cycle costs no more than it may: how many of them now,
 * from what those before took. Pure: times are arguments. Not thread-safe per object. */
#ifndef SIOX_MONITOR_PACE_H
#define SIOX_MONITOR_PACE_H
#include <stddef.h>
#include <stdint.h>

struct siox__pace {
  double cost_ns;             /* of one; 0: nothing is known yet */
  size_t next;                /* whose turn it is */
  int64_t began_ns, round_ns; /* of this round, and how long the last one took */
};
/* How many of n have their turn now: all where the cost is not known or room_ns has room for all,
 * at least one (n > 0) however little room there is. */
size_t siox__pace_many(const struct siox__pace *p, size_t n, double room_ns);
/* `many` of n had their turn at now_ns and took so long; of how many it was, `of` (some may have
 * been read out of turn). */
void siox__pace_took(struct siox__pace *p, size_t n, size_t many, size_t of, double took_ns,
                     int64_t now_ns);

#endif
