/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What thousands of processes have does not stay in the caches between two cycles, and which of
 * them comes next is known: memory is asked for it while others are worked on. */
#ifndef SIOX_COMMON_FETCH_H
#define SIOX_COMMON_FETCH_H
#include <stddef.h>

static inline void siox__fetch(const void *at, size_t bytes) {
  enum { LINE = 64 };
  const char *p = at;
  for (size_t i = 0; i < bytes; i += LINE)
    __builtin_prefetch(p + i);
  __builtin_prefetch(p + bytes - 1);
}

#endif
