/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy hw: reactive speed control in hardware, after DRPM (Gurumurthi et al., ISCA 2003), the
 * paper's HW scheme. It knows no programs, only response times.
 *
 * Disks: one that has had nothing to do for `check` seconds (default: the time of the step itself)
 * goes one level down, but not below the floor. It never goes up of itself; requests are served at
 * the level it has.
 * Controller: averages the response times of every n requests that the disks get (each disk's part
 * of a request is one) and compares each average with the one before:
 *   change > UT %   all disks to full speed, and the floor there
 *   change < LT %   the floor one level down
 *   between         the floor goes up by that part of the way to full speed which the change is of
 *                   the way from LT to UT, in whole levels
 * It does so when the last of the n requests is done, not earlier. Defaults n = 250, UT = 15, LT =
 * 5; the floor begins at the lowest level that serves. Floors count levels from the drive's lowest
 * serving one up, and each disk takes as much of it as its drive has. */
#include "arbiter/want.h"

struct state {
  struct siox__due due;
  double n, upper, lower; /* requests, percent, percent */
  int64_t check;          /* < 0: the step's own time */
  uint32_t floor, top;    /* in levels above the lowest that serves; top: greatest of all drives */
  uint32_t count;         /* of the window in hand */
  double sum, before;     /* ns; the window before's average, < 0: none */
  int64_t last_end;
  double closed;    /* average of the window that waits for last_end, < 0: none */
  int64_t judge_at; /* its last_end */
};

static size_t state_size(uint32_t ndisks) { return sizeof(struct state) + siox__due_size(ndisks); }

static int read_argument(struct state *state, const char *text) {
  static const struct siox__key keys[] = {
      {"n", 1, 1e9}, {"ut", 0, 1e9}, {"lt", 0, 1e9}, {"check", 0, 1e9}};
  double value[] = {state->n, state->upper, state->lower, -1};
  if (siox__arguments(text, keys, 4, value) < 0 || value[2] > value[1])
    return SIOX_EINVAL;
  state->n = (double)(uint32_t)value[0];
  state->upper = value[1];
  state->lower = value[2];
  if (value[3] >= 0)
    state->check = siox__seconds(value[3]);
  return 0;
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  siox__due_init(&state->due, state + 1, view->ndisks);
  state->n = 250;
  state->upper = 15;
  state->lower = 5;
  state->check = -1;
  state->before = state->closed = -1;
  state->judge_at = SIOX_NEVER;
  for (uint32_t d = 0; d < view->ndisks; d++) {
    const struct siox_drive *drive = view->disk[d].drive;
    uint32_t levels = drive->nlevels - 1 - siox__lowest(drive);
    if (levels > state->top)
      state->top = levels;
  }
  return argument ? read_argument(state, argument) : 0;
}

/* The lowest level the disk may take now. */
static uint32_t floor_of(const struct state *state, const struct siox_drive *drive) {
  uint32_t level = siox__lowest(drive) + state->floor;
  return level < drive->nlevels ? level : drive->nlevels - 1;
}

/* Raises the disk to the floor, or goes a level down when it has been idle long enough. */
static void look(struct state *state, int64_t now, uint32_t d, const struct siox_view *view,
                 struct siox_commands *out) {
  const struct siox_disk_view *v = &view->disk[d];
  uint32_t least = floor_of(state, v->drive);
  siox__due_set(&state->due, d, SIOX_NEVER);
  if (v->level < least) {
    siox__want(&state->due, now, d, least, SIOX_NOBODY, view, out);
  } else if (v->level > least) {
    int64_t step = siox_drive_transition_ns(v->drive, v->drive->level[v->level].speed,
                                            v->drive->level[v->level - 1].speed);
    if (step < 0)
      return; /* the profile has no such change */
    int64_t from = siox__later(v->free_at, state->check < 0 ? step : state->check);
    if (from <= now) {
      siox__want(&state->due, now, d, v->level - 1, SIOX_NOBODY, view, out);
      from = siox__later(now, 1); /* the bank moves it first; then the next step */
    }
    siox__due_set(&state->due, d, from);
  }
}

static void judge(struct state *state, int64_t now, const struct siox_view *view,
                  struct siox_commands *out) {
  double before = state->before, average = state->closed;
  state->before = average;
  state->closed = -1;
  state->judge_at = SIOX_NEVER;
  if (before < 0)
    return;
  double change = before > 0 ? 100 * (average - before) / before : 0;
  uint32_t was = state->floor;
  if (change > state->upper)
    state->floor = state->top;
  else if (change < state->lower)
    state->floor -= state->floor > 0;
  else if (state->upper > state->lower)
    state->floor += (uint32_t)((state->top - state->floor) * (change - state->lower) /
                               (state->upper - state->lower));
  if (state->floor != was)
    for (uint32_t d = 0; d < view->ndisks; d++)
      look(state, now, d, view, out);
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  uint32_t d;
  if (state->closed >= 0 && state->judge_at <= now)
    judge(state, now, view, out);
  if (event->kind == SIOX_EVENT_START)
    for (d = 0; d < view->ndisks; d++)
      look(state, now, d, view, out);
  else if (event->kind == SIOX_EVENT_WAKE)
    while (siox__due_take(&state->due, now, &d)) {
      look(state, now, d, view, out);
      if (state->due.time[d] <= now)
        siox__due_set(&state->due, d, now + 1);
    }
  else
    siox__count_met(event, view, out);
  return siox__sooner(siox__due_next(&state->due), state->judge_at);
}

static int64_t served(void *memory, int64_t now, const struct siox_served *s,
                      const struct siox_view *view) {
  struct state *state = memory;
  (void)now;
  (void)view;
  state->sum += (double)(s->end - s->arrival);
  if (s->end > state->last_end)
    state->last_end = s->end;
  if (++state->count >= state->n) {
    if (state->closed >= 0) /* one window follows another before its requests are done */
      state->before = state->closed;
    state->closed = state->sum / state->count;
    state->judge_at = state->last_end;
    state->sum = 0;
    state->count = 0;
  }
  return state->judge_at;
}

const struct siox_policy siox__policy_hw = {.name = "hw",
                                            .lead = SIOX_LEAD_NONE,
                                            .state_size = state_size,
                                            .init = init,
                                            .event = event,
                                            .served = served};
