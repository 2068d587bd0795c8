/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a process's calls did in all, into the store when it leaves: also of calls that were not
 * stored one by one. The counts are the process's own and may be anything. */
#include "common/tally.h"
#include "daemon/activities.h"
#include "daemon/daemon.h"

/* Sums of a thousand such values are still numbers. */
static int64_t bounded(uint64_t value) {
  const uint64_t most = UINT64_C(1) << 52;
  return (int64_t)(value < most ? value : most);
}

struct context {
  struct siox__daemon *d;
  uint32_t client;
};

static void put(void *context, unsigned row, unsigned size_class,
                const struct siox_tally_sum *sum) {
  const struct context *c = context;
  const int64_t longest = sum->longest_ns > 0 ? sum->longest_ns : 0;
  siox__store_put(c->d->store,
                  &(struct siox__store_row){.kind = SIOX__ROW_PROCESS_CALL,
                                            .number = {c->client, size_class, bounded(sum->calls),
                                                       bounded(sum->bytes), bounded(sum->total_ns),
                                                       bounded((uint64_t)longest)},
                                            .text = {siox__row_layer(row), siox__row_name(row)}});
}

void siox__record_calls(struct siox__session *s) {
  struct context c = {s->d, s->serial};
  if (s->d->config->database && s->tallied)
    siox__activities_each(s->d->activities, s->tallied, put, &c);
}
