/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy static:SPEED: every disk at the level for that speed, whatever anybody says. */
#include "arbiter/fixed.h"
#include <errno.h>
#include <stdlib.h>

static size_t state_size(uint32_t ndisks) { return ndisks * sizeof(uint32_t); }

static int init(void *state, const char *argument, const struct siox_view *view) {
  uint32_t *level = state;
  if (!argument || *argument < '0' || *argument > '9')
    return SIOX_EINVAL;
  char *end;
  errno = 0;
  long speed = strtol(argument, &end, 10);
  if (errno || *end || speed > INT32_MAX)
    return SIOX_EINVAL;
  for (uint32_t d = 0; d < view->ndisks; d++)
    level[d] = siox__level_for(view->disk[d].drive, (int32_t)speed);
  return 0;
}

static int64_t event(void *state, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  (void)now;
  return siox__fixed_event(state, event, view, out);
}

const struct siox_policy siox__policy_static = {.name = "static",
                                                .lead = SIOX_LEAD_NONE,
                                                .state_size = state_size,
                                                .init = init,
                                                .event = event};
