/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clock reads in nanoseconds. clock_gettime cannot fail for these ids on Linux >= 2.6.39. */
#include "common/clock.h"
#include <time.h>

static int64_t read_clock(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t siox__now_ns(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t siox__boot_ns(void) { return read_clock(CLOCK_BOOTTIME); }
int64_t siox__wall_ns(void) { return read_clock(CLOCK_REALTIME); }
