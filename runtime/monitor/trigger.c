/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Triggers: siox/trigger.h. */
#include "siox/trigger.h"

int siox_trigger_start(struct siox_trigger *t, const struct siox_trigger_when *when) {
  *t = (struct siox_trigger){.when = *when};
  return when->at_most > SIOX_TRIGGER_TIMES || (when->at_most > 0 && when->per_ns <= 0)
             ? SIOX_ERANGE
             : 0;
}

static bool among(uint32_t bits, unsigned number) { return bits == 0 || (bits >> number & 1); }

static bool meets(const struct siox_trigger_when *w, const struct siox_trigger_report *r) {
  if (r->level != w->level || !among(w->states, r->state) || !among(w->verdicts, r->verdict) ||
      !among(w->categories, r->category))
    return false;
  return w->states != 0 || w->verdicts != 0 || r->state != SIOX_GOOD;
}

/* As many as may lie within per_ns lie there already. */
static bool too_often(const struct siox_trigger *t, int64_t now_ns) {
  const uint32_t most = t->when.at_most;
  return most > 0 && t->count >= most &&
         now_ns - t->time[(t->count - most) % SIOX_TRIGGER_TIMES] < t->when.per_ns;
}

ptrdiff_t siox_trigger_cycle(struct siox_trigger *t, int64_t now_ns,
                             const struct siox_trigger_report *reports, size_t n) {
  size_t i = 0;
  while (i < n && !meets(&t->when, &reports[i]))
    i++;
  if (i == n) {
    t->held = 0;
    t->fired = false;
    return -1;
  }
  t->held++;
  if (t->fired || t->held < t->when.cycles)
    return -1;
  if (too_often(t, now_ns)) {
    t->late++;
    return -1;
  }
  t->fired = true;
  t->time[t->count++ % SIOX_TRIGGER_TIMES] = now_ns;
  return (ptrdiff_t)i;
}
