/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Levels that never change. */
#include "arbiter/fixed.h"

int64_t siox__fixed_event(const uint32_t *level, const struct siox_event *event,
                          const struct siox_view *view, struct siox_commands *out) {
  if (event->kind == SIOX_EVENT_START) {
    for (uint32_t d = 0; d < view->ndisks; d++)
      if (view->disk[d].level != level[d])
        siox__command(out, d, level[d], SIOX_NOBODY);
  } else if (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0) {
    for (uint32_t d = siox_mask_next(event->disks, 0); d < view->ndisks;
         d = siox_mask_next(event->disks, d + 1)) {
      uint32_t asked = siox__level_for(view->disk[d].drive, event->speed);
      bool met = event->flag == 1 ? level[d] >= asked : level[d] <= asked;
      out->granted += met;
      out->refused += !met;
    }
  }
  return SIOX_NEVER;
}
