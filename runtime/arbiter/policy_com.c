/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy com: the paper's compiler-only scheme (section VI, COM). There is no run time: each call
 * of each process goes straight to the disks, so the last caller wins, also over processes that
 * need the disk, and nothing else ever moves one. */
#include "arbiter/want.h"

struct word { /* the last one */
  uint32_t level, job;
};
struct state {
  struct siox__due due;
};

static struct word *words(const struct state *state) { return (struct word *)(state + 1); }

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + ndisks * sizeof(struct word) + siox__due_size(ndisks);
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  if (argument)
    return SIOX_EINVAL;
  siox__due_init(&state->due, words(state) + view->ndisks, view->ndisks);
  return 0;
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  uint32_t d;
  if (event->kind == SIOX_EVENT_WAKE) { /* disks that were busy when they were to be slowed */
    while (siox__due_take(&state->due, now, &d))
      siox__want(&state->due, now, d, words(state)[d].level, words(state)[d].job, view, out);
  } else if (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0) {
    for (d = siox_mask_next(event->disks, 0); d < view->ndisks;
         d = siox_mask_next(event->disks, d + 1)) {
      words(state)[d] =
          (struct word){siox__level_for(view->disk[d].drive, event->speed), event->job};
      siox__due_set(&state->due, d, SIOX_NEVER);
      siox__want(&state->due, now, d, words(state)[d].level, event->job, view, out);
      out->granted++;
    }
  }
  return siox__due_next(&state->due);
}

const struct siox_policy siox__policy_com = {.name = "com",
                                             .lead = SIOX_LEAD_TRANSITION,
                                             .state_size = state_size,
                                             .init = init,
                                             .event = event};
