/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy claims: a disk runs at the greatest speed that any live claim names, needed or released.
 * The maximum does not care how often or in which order claims come, which is where the paper's
 * counters go wrong. */
#include "arbiter/claims.h"
#include "arbiter/rule.h"

struct state {
  struct siox__rule rule;
};

static size_t state_size(uint32_t ndisks) { return sizeof(struct state) + siox__rule_size(ndisks); }

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  if (argument)
    return SIOX_EINVAL;
  siox__rule_init(&state->rule, state + 1, view, false);
  state->rule.greatest = true;
  state->rule.waits = true;
  return 0;
}

static void wish(void *memory, int64_t now, uint32_t disk, const struct siox_event *event,
                 const struct siox_view *view, struct siox__wish *wish) {
  (void)memory;
  struct siox__claims_walk walk = siox__claims_walk(view->claims, disk, INT64_MIN);
  const struct siox__claimant *c;
  uint32_t level = 0;
  bool any = false;
  while ((c = siox__claims_next(&walk, INT64_MAX))) {
    int64_t end = siox__entry_end(view, disk, &c->entry);
    if (end <= now)
      continue;
    uint32_t asked = siox__level_for(view->disk[disk].drive, c->entry.speed);
    wish->wake = siox__sooner(wish->wake, end);
    wish->withheld |= c->client != event->client;
    if (!any || asked > level) {
      level = asked;
      wish->job = c->job;
    }
    any = true;
  }
  wish->unclaimed = !any;
  if (any)
    wish->level = level;
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  return siox__rule_event(&state->rule, state, wish, now, event, view, out);
}

const struct siox_policy siox__policy_claims = {.name = "claims",
                                                .lead = SIOX_LEAD_TRANSITION,
                                                .state_size = state_size,
                                                .init = init,
                                                .event = event};
