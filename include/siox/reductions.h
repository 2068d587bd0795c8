/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Minimum, maximum, average and sum of every series over 100 ms to 10 min. Times are those of the
 * collector's cycles; an interval begins at a multiple of its length. No clock, no thread; not
 * thread-safe. */
#ifndef SIOX_REDUCTIONS_H
#define SIOX_REDUCTIONS_H
#include "siox/collector.h"
#ifdef __cplusplus
extern "C" {
#endif

enum siox_reduction {
#define SIOX_REDUCTION(name, text, ns, kept) SIOX_REDUCTION_##name,
#include "siox/reductions.def"
#undef SIOX_REDUCTION
  SIOX_NREDUCTIONS,
};
int64_t siox_reduction_ns(enum siox_reduction length);
const char *siox_reduction_text(enum siox_reduction length);
/* The length of a text, with blanks or without: "1s" and "1 s"; SIOX_NREDUCTIONS: there is none. */
enum siox_reduction siox_reduction_find(const char *text);

struct siox_interval {
  int64_t start_ns;
  uint32_t samples;
  float min, max; /* of values: unit, counters unit a second */
  double average; /* of values, each for as long as it stands for */
  double sum;     /* of amounts: unit; watts of a domain: joules; 0 for other gauges */
};

struct siox_reductions;
int siox_reductions_new(struct siox_reductions **out);
void siox_reductions_free(struct siox_reductions *r); /* NULL is fine */
/* The valid samples of a cycle. A sample that stands for the time since the cycle before belongs
 * where the middle of that time lies, so that a late cycle does not leave one interval empty and
 * fill the next twice. */
int siox_reductions_take(struct siox_reductions *r, const struct siox_cycle *cycle);
/* Intervals of a series that begin in [from_ns, to_ns), earliest first, those without a sample left
 * out; at most room. */
size_t siox_reductions_read(const struct siox_reductions *r, size_t series,
                            enum siox_reduction length, int64_t from_ns, int64_t to_ns,
                            struct siox_interval *out, size_t room);

#ifdef __cplusplus
}
#endif
#endif
