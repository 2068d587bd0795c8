/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers of threads that live, given out again when they end: a tally has places for so many, and
 * counts without locking for the first of these. What comes beyond has numbers above, which several
 * may have. Never 0. */
#include "client/client.h"
#include "client/tally.h"

enum { PLACES = SIOX_TALLY_THREADS };
static _Atomic uint64_t taken[PLACES / 64];

static uint32_t take_number(void) {
  static _Atomic uint32_t last;
  for (uint32_t w = 0; w < PLACES / 64; w++) {
    uint64_t have = atomic_load(&taken[w]);
    while (~have) {
      const uint32_t bit = (uint32_t)__builtin_ctzll(~have);
      if (atomic_compare_exchange_weak(&taken[w], &have, have | UINT64_C(1) << bit))
        return 64 * w + bit + 1;
    }
  }
  return PLACES + 1 + atomic_fetch_add(&last, 1) % (UINT16_MAX - PLACES);
}

uint32_t siox__thread_number(void) {
  if (!siox__self.number)
    siox__self.number = take_number();
  return siox__self.number;
}

void siox__thread_number_end(void) {
  const uint32_t number = siox__self.number;
  siox__self.number = 0;
  if (number - 1 < PLACES)
    atomic_fetch_and(&taken[(number - 1) / 64], ~(UINT64_C(1) << (number - 1) % 64));
}

void siox__thread_number_reset(void) {
  const uint32_t own = siox__self.number; /* other threads are not here */
  for (uint32_t w = 0; w < PLACES / 64; w++)
    atomic_store(&taken[w], own && (own - 1) / 64 == w ? UINT64_C(1) << (own - 1) % 64 : 0);
}
