/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): numbers that depend on a seed alone, and its
 * finaliser, which spreads whatever differs in a key over all bits. */
#ifndef SIOX_COMMON_RANDOM_H
#define SIOX_COMMON_RANDOM_H
#include <stdint.h>

static inline uint64_t siox__scramble(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline uint64_t siox__random(uint64_t *state) {
  return siox__scramble(*state += UINT64_C(0x9e3779b97f4a7c15));
}

#endif
