/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Size classes and times of calls. */
#include "siox/activities.h"

enum { FIRST_BITS = 10, CLASS_BITS = 3 }; /* 1 KiB, and eight times as much a class */

unsigned siox_size_class(uint64_t bytes) {
  if (bytes == 0)
    return 0;
  const int bits = 64 - __builtin_clzll(bytes); /* bytes < 2^bits */
  const int c = 1 + (bits - FIRST_BITS + CLASS_BITS - 1) / CLASS_BITS;
  return bits <= FIRST_BITS ? 1 : c < SIOX_SIZE_CLASSES ? (unsigned)c : SIOX_SIZE_CLASSES - 1;
}

uint64_t siox_size_class_end(unsigned c) {
  return c == 0                       ? 1
         : c >= SIOX_SIZE_CLASSES - 1 ? UINT64_MAX
                                      : UINT64_C(1) << (FIRST_BITS + CLASS_BITS * (c - 1));
}

unsigned siox_time_bucket(int64_t ns) {
  if (ns < 2)
    return 0;
  const unsigned b = 63 - (unsigned)__builtin_clzll((unsigned long long)ns);
  return b < SIOX_TIME_BUCKETS ? b : SIOX_TIME_BUCKETS - 1;
}

void siox_activity_count(struct siox_activity_kind *kind, uint64_t bytes, int64_t ns) {
  struct siox_activity_class *c = &kind->classes[siox_size_class(bytes)];
  c->calls++;
  c->bytes += bytes;
  c->times[siox_time_bucket(ns)]++;
  if (ns > c->longest_ns)
    c->longest_ns = ns;
}
