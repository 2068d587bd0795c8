/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy rt: the counters of paper section V (Figs. 6 and 7), kept exactly, faults included. A hint
 * with F = 1 counts the disk up. A speed above the present one is granted, an equal one discarded,
 * a lower one granted only while the counter is at most 1. F = 0, and the end of an application
 * that needs the disk, count it down. */
#include "arbiter/rule.h"

struct rt_disk {
  uint32_t counter;
  uint32_t speed; /* level granted last: the paper's array of current speeds */
};
struct state {
  struct siox__rule rule;
  uint32_t ndisks;
};

static struct rt_disk *disks(const struct state *state) {
  return (struct rt_disk *)((char *)(state + 1) + siox__rule_size(state->ndisks));
}

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + siox__rule_size(ndisks) + ndisks * sizeof(struct rt_disk);
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  if (argument)
    return SIOX_EINVAL;
  state->ndisks = view->ndisks;
  siox__rule_init(&state->rule, state + 1, view, false);
  for (uint32_t d = 0; d < view->ndisks; d++)
    disks(state)[d] = (struct rt_disk){0, view->disk[d].level};
  return 0;
}

static void hint(struct rt_disk *disk, int32_t flag, uint32_t asked, struct siox_commands *out) {
  if (flag == 1)
    disk->counter++;
  bool granted = asked >= disk->speed || disk->counter <= 1;
  if (granted)
    disk->speed = asked;
  out->granted += granted;
  out->refused += !granted;
  if (flag == 0 && disk->counter > 0)
    disk->counter--;
}

static void wish(void *memory, int64_t now, uint32_t disk, const struct siox_event *event,
                 const struct siox_view *view, struct siox__wish *wish) {
  struct state *state = memory;
  struct rt_disk *rt = &disks(state)[disk];
  const struct siox_disk_view *v = &view->disk[disk];
  int64_t changed = state->rule.disk[disk].changed;
  int64_t end = siox__later(v->idle_since > changed ? v->idle_since : changed, view->hold[disk]);
  uint32_t lowest = siox__lowest(v->drive);
  if (now >= end && rt->speed > lowest)
    rt->speed = lowest; /* no I/O for hold: no claim holds it any more */
  else if (now < end)
    wish->wake = end;
  wish->level = rt->speed;
  wish->job = event->job;
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  struct rt_disk *disk = disks(state);
  struct siox_commands counted = {0};
  const struct siox_mask *m = event->kind == SIOX_EVENT_CLAIM   ? event->disks
                              : event->kind == SIOX_EVENT_LEAVE ? event->missed
                                                                : NULL;
  for (uint32_t d = m ? siox_mask_next(m, 0) : view->ndisks; d < view->ndisks;
       d = siox_mask_next(m, d + 1)) {
    if (event->kind == SIOX_EVENT_CLAIM && event->flag >= 0)
      hint(&disk[d], event->flag, siox__level_for(view->disk[d].drive, event->speed), &counted);
    else if (disk[d].counter > 0)
      disk[d].counter--;
  }
  int64_t wake = siox__rule_event(&state->rule, state, wish, now, event, view, out);
  out->granted = counted.granted;
  out->refused = counted.refused;
  return wake;
}

uint32_t siox__rt_counter(const void *memory, uint32_t disk) { return disks(memory)[disk].counter; }

const struct siox_policy siox__policy_rt = {.name = "rt",
                                            .lead = SIOX_LEAD_TRANSITION,
                                            .state_size = state_size,
                                            .init = init,
                                            .event = event};
