/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See pause.h. */
#include "arbiter/pause.h"
#include "arbiter/rule.h"

/* Part of a step from which on silence is a pause: shorter ones are within a burst, and what is
 * lost of a pause until it is known for one is little. Chosen. */
enum { PART = 16 };
/* Pauses that must have been seen. The next is shorter than all n before it with probability
 * 1 / (n + 1); budget.c asks for savings to match. Chosen. */
enum { SEEN = 8 };
/* A pause is none of the shorter ones only when it has been so many times longer than they: where
 * they end is known no better than that. Chosen. */
enum { APART = 2 };

void siox__pauses_init(struct siox__pauses *pauses, const struct siox_view *view) {
  int64_t least = SIOX_NEVER;
  for (uint32_t d = 0; d < view->ndisks; d++) {
    const struct siox_drive *drive = view->disk[d].drive;
    if (d > 0 && drive == view->disk[d - 1].drive)
      continue;
    for (uint32_t l = siox__lowest(drive); l + 1 < drive->nlevels; l++) {
      int64_t ns =
          siox_drive_transition_ns(drive, drive->level[l + 1].speed, drive->level[l].speed);
      if (ns >= 0 && ns < least)
        least = ns;
    }
  }
  pauses->step = least < SIOX_NEVER ? least : 0;
}

static int64_t shortest(const struct siox__pauses *pauses) { return pauses->step / PART + 1; }

static const struct siox__pauses_of *find(const struct siox__pauses *pauses,
                                          const struct siox_view *view, uint32_t job) {
  const struct siox__pauses_of *p = &pauses->of[job % SIOX__PAUSE_PLACES];
  return p->used && p->job == job && p->since == view->job[job].since ? p : NULL;
}

static struct siox__pauses_of *make(struct siox__pauses *pauses, const struct siox_view *view,
                                    uint32_t job) {
  struct siox__pauses_of *p = &pauses->of[job % SIOX__PAUSE_PLACES];
  if (!find(pauses, view, job))
    *p = (struct siox__pauses_of){.job = job,
                                  .used = true,
                                  .since = view->job[job].since,
                                  .began = INT64_MIN,
                                  .end = INT64_MIN,
                                  .told = INT64_MIN};
  return p;
}

void siox__pauses_told(struct siox__pauses *pauses, const struct siox_view *view, uint32_t job,
                       int64_t now) {
  if (pauses->step)
    make(pauses, view, job)->told = now;
}

/* The union of [from, to) of requests that come in order. */
static void add(int64_t *sum, int64_t *counted, int64_t from, int64_t to) {
  from = from > *counted ? from : *counted;
  if (to > from) {
    *sum += to - from;
    *counted = to;
  }
}

static bool tells(const struct siox__pauses_of *p) { return p->told >= p->began; }

int64_t siox__pauses_served(struct siox__pauses *pauses, const struct siox_served *s,
                            const struct siox_view *view) {
  if (!pauses->step)
    return SIOX_NEVER;
  struct siox__pauses_of *p = make(pauses, view, s->job);
  if (p->end == INT64_MIN) {
    p->began = s->arrival;
  } else if (s->arrival - p->end >= shortest(pauses)) {
    if (!tells(p)) {
      p->ns[p->next] = s->arrival - p->end;
      p->next = (p->next + 1) % SIOX__PAUSES;
      p->count += p->count < SIOX__PAUSES;
    }
    p->began = s->arrival;
  }
  p->end = s->end > p->end ? s->end : p->end;
  add(&p->waited, &p->wait_to, s->arrival, s->end - s->moving);
  add(&p->worked, &p->work_to, s->arrival, s->arrival + (s->end - s->start));
  return p->count >= SEEN && !tells(p) ? siox__later(p->end, shortest(pauses)) : SIOX_NEVER;
}

double siox__pauses_waits(const struct siox__pauses *pauses, const struct siox_view *view,
                          uint32_t job) {
  const struct siox__pauses_of *p = pauses->step ? find(pauses, view, job) : NULL;
  if (!p || p->end == INT64_MIN || tells(p) || p->count < SEEN)
    return 0;
  return p->worked > 0 && p->waited > p->worked ? (double)p->waited / (double)p->worked : 1;
}

struct siox__pause siox__pauses_now(const struct siox__pauses *pauses, const struct siox_view *view,
                                    uint32_t job, int64_t now) {
  struct siox__pause pause = {.next = now, .again = SIOX_NEVER};
  const struct siox__pauses_of *p = pauses->step ? find(pauses, view, job) : NULL;
  if (!p || p->end == INT64_MIN || tells(p) || p->count < SEEN)
    return pause;
  int64_t silent = now - p->end, least = SIOX_NEVER;
  if (silent < shortest(pauses)) {
    pause.again = siox__later(p->end, shortest(pauses));
    return pause;
  }
  int64_t shorter = 0;
  for (uint32_t i = 0; i < p->count; i++)
    if (p->ns[i] > silent) {
      pause.count++;
      least = siox__sooner(least, p->ns[i]);
    } else if (p->ns[i] > shorter) {
      shorter = p->ns[i];
    }
  if (pause.count < SEEN)
    return pause;
  bool apart = silent >= APART * shorter;
  pause.next = apart ? p->end + least : now;
  pause.again = p->end + APART * (apart ? least : shorter);
  return pause;
}
