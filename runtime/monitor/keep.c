/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which cycles are stored: siox/keep.h. */
#include "siox/keep.h"
#include <string.h>

int siox_record_parse(const char *text, enum siox_record *mode) {
  static const char *const names[] = {"off", "anomalies", "all"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(text, names[i]) == 0) {
      *mode = (enum siox_record)i;
      return 0;
    }
  return SIOX_EINVAL;
}

void siox_keep_start(struct siox_keep *k, enum siox_record mode) {
  *k = (struct siox_keep){.mode = mode};
}

void siox_keep_mode(struct siox_keep *k, enum siox_record mode) { k->mode = mode; }

void siox_keep_window(struct siox_keep *k, uint64_t cycles) {
  if (cycles > k->window)
    k->window = cycles;
}

/* Decides the cycle that waits longest: the one before it and the one after it, which waits too or
 * does not come, are known. */
static struct siox_decision decide(struct siox_keep *k) {
  const struct siox__pending p = k->pending[0];
  const bool after = k->npending > 1 && k->pending[1].abnormal;
  const struct siox_decision d = {
      .cycle = p.cycle,
      .store = p.mode == SIOX_RECORD_ALL ||
               (p.mode == SIOX_RECORD_ANOMALIES && (p.asked || k->before || p.abnormal || after)),
  };
  k->before = p.abnormal;
  k->pending[0] = k->pending[1];
  k->npending--;
  return d;
}

int siox_keep_cycle(struct siox_keep *k, uint64_t cycle, bool abnormal, bool late,
                    struct siox_decision *decision) {
  int n = 0;
  if (k->npending > 0) {
    struct siox__pending *last = &k->pending[k->npending - 1];
    if (cycle <= last->cycle)
      return SIOX_EINVAL;
    last->abnormal |= late;
  }
  if (k->npending == SIOX_KEEP_PENDING)
    decision[n++] = decide(k);
  k->pending[k->npending++] = (struct siox__pending){
      .cycle = cycle, .abnormal = abnormal, .asked = k->window > 0, .mode = k->mode};
  if (k->window > 0)
    k->window--;
  return n;
}

int siox_keep_end(struct siox_keep *k, struct siox_decision decisions[SIOX_KEEP_PENDING]) {
  int n = 0;
  while (k->npending > 0)
    decisions[n++] = decide(k);
  k->before = false;
  return n;
}
