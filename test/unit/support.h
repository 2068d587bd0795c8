/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What every unit test starts with: cmocka, and a small generator so that random cases are the same
 * on every run. */
#ifndef SIOX_TEST_UNIT_SUPPORT_H
#define SIOX_TEST_UNIT_SUPPORT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants the four above first */
#include <cmocka.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t test_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
/* In [0, n), n > 0. */
static inline uint64_t test_below(uint64_t *state, uint64_t n) { return test_random(state) % n; }

#endif
