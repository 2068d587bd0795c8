/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Policy timeout: what a disk's own firmware can do. A disk that has been idle for its timeout goes
 * to its deepest level; the next request brings it back to full speed. It listens to no hint.
 *
 *   timeout           the gap from which that level pays (siox_drive_min_gap): going down then
 * costs at most twice what knowing the gap's length would timeout:SECONDS   that long, wall time
 *   timeout:adaptive  begins at the first and learns per disk. A sleep shorter than the gap that
 *                     pays doubles it; a sleep that paid, and a gap that would have paid without a
 *                     sleep, halve it; between a sixteenth and sixteen times the beginning. */
#include "arbiter/want.h"
#include <string.h>

enum { ADAPT = 16 };

struct sleeper {
  uint32_t deepest; /* level */
  uint32_t job;     /* of the last request: it has let the disk go */
  int64_t pays;     /* gap from which the deepest level pays; SIOX_NEVER: never sleeps */
  int64_t timeout;
  int64_t slept; /* when it went down; SIOX_NEVER: it is up */
};
struct state {
  struct siox__due due;
  bool adaptive;
};

static struct sleeper *sleepers(const struct state *state) { return (struct sleeper *)(state + 1); }

static size_t state_size(uint32_t ndisks) {
  return sizeof(struct state) + ndisks * sizeof(struct sleeper) + siox__due_size(ndisks);
}

/* The level of least idle watts that full speed can go to and come back from. */
static uint32_t deepest(const struct siox_drive *drive) {
  uint32_t best = drive->nlevels - 1;
  for (uint32_t l = 0; l + 1 < drive->nlevels; l++)
    if (siox_drive_min_gap(drive, l) != SIOX_NEVER &&
        drive->level[l].idle_w < drive->level[best].idle_w)
      best = l;
  return best;
}

static int init(void *memory, const char *argument, const struct siox_view *view) {
  struct state *state = memory;
  double seconds = -1;
  state->adaptive = argument && strcmp(argument, "adaptive") == 0;
  if (argument && !state->adaptive &&
      (siox__argument(&argument, 0, 1e9, &seconds) < 0 || *argument))
    return SIOX_EINVAL;
  siox__due_init(&state->due, sleepers(state) + view->ndisks, view->ndisks);
  for (uint32_t d = 0; d < view->ndisks; d++) {
    const struct siox_drive *drive = view->disk[d].drive;
    uint32_t level = deepest(drive);
    int64_t pays = level + 1 == drive->nlevels ? SIOX_NEVER : siox_drive_min_gap(drive, level);
    sleepers(state)[d] = (struct sleeper){
        .deepest = level,
        .job = SIOX_NOBODY,
        .pays = pays,
        .timeout = seconds >= 0 && pays != SIOX_NEVER ? siox__seconds(seconds) : pays,
        .slept = SIOX_NEVER};
  }
  return 0;
}

/* A gap has ended: was its timeout well chosen? */
static void learn(struct sleeper *s, int64_t now, const struct siox_disk_view *v) {
  bool paid = s->slept != SIOX_NEVER ? now - s->slept >= s->pays : now - v->free_at >= s->pays;
  if (!paid && s->slept != SIOX_NEVER)
    s->timeout = s->timeout > s->pays * ADAPT / 2 ? s->pays * ADAPT : 2 * s->timeout;
  else if (paid)
    s->timeout = s->timeout / 2 > s->pays / ADAPT ? s->timeout / 2 : s->pays / ADAPT;
}

static void request(struct state *state, int64_t now, uint32_t d, uint32_t job,
                    const struct siox_view *view, struct siox_commands *out) {
  struct sleeper *s = &sleepers(state)[d];
  const struct siox_disk_view *v = &view->disk[d];
  if (s->pays == SIOX_NEVER)
    return;
  if (state->adaptive && (s->slept != SIOX_NEVER || v->free_at <= now))
    learn(s, now, v);
  s->job = job;
  s->slept = SIOX_NEVER;
  siox__want(&state->due, now, d, v->drive->nlevels - 1, job, view, out);
  siox__due_set(&state->due, d, siox__later(now, s->timeout)); /* at the earliest */
}

static void wake(struct state *state, int64_t now, uint32_t d, const struct siox_view *view,
                 struct siox_commands *out) {
  struct sleeper *s = &sleepers(state)[d];
  const struct siox_disk_view *v = &view->disk[d];
  int64_t end = siox__later(v->free_at, s->timeout);
  if (end > now) {
    siox__due_set(&state->due, d, end);
  } else if (s->slept == SIOX_NEVER) {
    s->slept = now;
    siox__want(&state->due, now, d, s->deepest, s->job, view, out);
  }
}

static int64_t event(void *memory, int64_t now, const struct siox_event *event,
                     const struct siox_view *view, struct siox_commands *out) {
  struct state *state = memory;
  uint32_t d;
  if (event->kind == SIOX_EVENT_START) {
    for (d = 0; d < view->ndisks; d++)
      if (sleepers(state)[d].pays != SIOX_NEVER)
        wake(state, now, d, view, out);
  } else if (event->kind == SIOX_EVENT_WAKE) {
    while (siox__due_take(&state->due, now, &d))
      wake(state, now, d, view, out);
  } else if (event->kind == SIOX_EVENT_ACCESS) {
    for (d = siox_mask_next(event->disks, 0); d < view->ndisks;
         d = siox_mask_next(event->disks, d + 1))
      request(state, now, d, event->job, view, out);
  } else {
    siox__count_met(event, view, out);
  }
  return siox__due_next(&state->due);
}

const struct siox_policy siox__policy_timeout = {.name = "timeout",
                                                 .lead = SIOX_LEAD_NONE,
                                                 .state_size = state_size,
                                                 .init = init,
                                                 .event = event};
