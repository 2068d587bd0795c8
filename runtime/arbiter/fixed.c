/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Levels that never change. */
#include "arbiter/fixed.h"
#include "arbiter/want.h"

int64_t siox__fixed_event(const uint32_t *level, const struct siox_event *event,
                          const struct siox_view *view, struct siox_commands *out) {
  if (event->kind == SIOX_EVENT_START) {
    for (uint32_t d = 0; d < view->ndisks; d++)
      if (view->disk[d].level != level[d])
        siox__command(out, d, level[d], SIOX_NOBODY);
  } else {
    siox__count_met(event, view, out);
  }
  return SIOX_NEVER;
}
