/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the calls of one cycle did, in numbers: per layer and kind of call, split by size. Whoever
 * sees activities fills it, detectors read it. No clock, no memory of its own; not thread-safe. */
#ifndef SIOX_ACTIVITIES_H
#define SIOX_ACTIVITIES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

enum siox_category {
#define SIOX_CATEGORY(name, text, words) SIOX_CATEGORY_##name,
#include "siox/categories.def"
#undef SIOX_CATEGORY
  SIOX_NCATEGORIES,
};

enum {
  SIOX_SIZE_CLASSES = 8, /* 0: no bytes; c: less than 2^(7 + 3c), so 1 KiB, 8 KiB, ... 32 MiB; the
                            last: all above */
  SIOX_TIME_BUCKETS =
      48, /* b: [2^b, 2^(b+1)) ns; the first also 0, the last all above (39 hours) */
};
/* Class of a call that moves so many bytes, and the least number of bytes that is no longer in a
 * class (UINT64_MAX: none). */
unsigned siox_size_class(uint64_t bytes);
uint64_t siox_size_class_end(unsigned size_class);
unsigned siox_time_bucket(int64_t ns);

/* Calls of one kind and size class: those that ended in the cycle, and those that have not. */
struct siox_activity_class {
  uint64_t calls, bytes;
  int64_t longest_ns;                /* of those that ended; 0: none */
  uint32_t times[SIOX_TIME_BUCKETS]; /* how many took how long */
  uint32_t running;                  /* at the end of the cycle */
  int64_t oldest_ns; /* running > 0: start of the one that runs longest, CLOCK_MONOTONIC */
  uint32_t callers;  /* processes that made those that ended; 0: not known */
};
struct siox_activity_kind {
  const char *layer, *call; /* "mpiio", "read_at_all"; live as long as the summary's owner */
  enum siox_category category;
  bool together; /* all ranks that opened the file make it as one, and wait for each other */
  struct siox_activity_class classes[SIOX_SIZE_CLASSES];
};
struct siox_activity_summary {
  const struct siox_activity_kind *kinds;
  size_t nkinds;    /* grows when layers come; an index stays what it is */
  uint64_t dropped; /* activities of the cycle that are in no class */
};

/* Counts a call that ended. */
void siox_activity_count(struct siox_activity_kind *kind, uint64_t bytes, int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
