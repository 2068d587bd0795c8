/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the processes of a job differ: of each figure the least, the average and the greatest, and
 * which process the greatest is of. Pure. */
#ifndef SIOX_DAEMON_SPREAD_H
#define SIOX_DAEMON_SPREAD_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* SIOX__FIGURE(name): of a process; names are those of the JSON. */
#define SIOX__FIGURES                                                                              \
  SIOX__FIGURE(seconds) /* from its HELLO to its end */                                            \
  SIOX__FIGURE(mpiio_seconds)                                                                      \
  SIOX__FIGURE(posix_seconds)                                                                      \
  SIOX__FIGURE(longest_seconds)                                                                    \
  SIOX__FIGURE(mpiio_bytes)                                                                        \
  SIOX__FIGURE(posix_bytes)                                                                        \
  SIOX__FIGURE(calls)                                                                              \
  SIOX__FIGURE(errors)
enum siox__figure {
#define SIOX__FIGURE(name) SIOX__FIGURE_##name,
  SIOX__FIGURES
#undef SIOX__FIGURE
      SIOX__NFIGURES
};

struct siox__spread {
  struct siox__spread_of {
    uint32_t n;
    struct {
      double least, most, sum;
      int32_t rank, pid; /* of the greatest; the first of equal ones */
    } figure[SIOX__NFIGURES];
  } ranks, others; /* others: without a rank */
};
/* rank -1: it has none. */
void siox__spread_add(struct siox__spread *s, int32_t rank, int32_t pid,
                      const double figures[SIOX__NFIGURES]);
/* {"ranks": 4, "others": 1, "figures": {"seconds": {"minimum", "average", "maximum", "rank",
 * "pid"}, ...}}: of ranks, if there are any, else of all. */
json_t *siox__spread_json(const struct siox__spread *s);

#endif
