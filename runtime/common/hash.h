/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 64-bit FNV-1a, the hash of every stable key (sites, regions, files). Constants: Fowler, Noll, Vo.
 */
#ifndef SIOX_COMMON_HASH_H
#define SIOX_COMMON_HASH_H
#include <stddef.h>
#include <stdint.h>

static inline uint64_t siox__fnv1a(const void *data, size_t size) {
  const unsigned char *p = (const unsigned char *)data; /* C++ includes this too */
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++)
    h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  return h;
}

#endif
