/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What counting a call costs on this processor, by counting some: the only figure of Siox's own
 * cost that a process can give without having measured every call twice. */
#include "common/clock.h"
#include "common/tally.h"

enum { ROUNDS = 8, CALLS = 128 };

int64_t siox__tally_cost(struct siox_tally *scratch) {
  int64_t best = INT64_MAX;
  siox__tally_init(scratch, 0);
  for (int r = 0; r < ROUNDS; r++) {
    const int64_t begin = siox__now_ns();
    for (int i = 0; i < CALLS; i++) {
      const int64_t start = siox__now_ns();
      struct siox_tally_running *running = siox__tally_run(scratch, 1, 0, 4096, start);
      if (running)
        atomic_store_explicit(&running->start, 0, memory_order_release);
      siox__tally_count(scratch, 1, 0, 4096, siox__now_ns() - start, false);
    }
    const int64_t took = siox__now_ns() - begin;
    best = took < best ? took : best;
  }
  return best / CALLS;
}
