/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Taking in a trace's uses and hints, and saying a hint anew. */
#include "energy/replay_foresee.h"
#include "siox/mpiio.h"
#include <stdlib.h>
#include <string.h>

enum { LOOK_BACK = 1000 }; /* hints */

struct taker {
  struct siox__foresight *f;
  const struct siox__index *x;
  struct siox__map clients; /* by number */
  uint32_t nclients;
  uint64_t event;
};

static int add_use(struct siox__seer *s, int64_t time, uint32_t burst) {
  if (siox__room(&s->use, s->nuses, &s->use_room, sizeof *s->use) < 0)
    return SIOX_ENOMEM;
  s->use[s->nuses++] = (struct siox__use){.time = time, .burst = burst};
  return 0;
}

/* A request of a collective call is a use of all its members, from when each entered. */
static int take_io(struct taker *t, struct siox__seer *s, const struct siox_trace_event *e) {
  uint32_t burst, file = siox__index_file(t->x, e->u.io.file, t->event);
  if (file == SIOX__NONE)
    return SIOX_EPROTO;
  struct siox__bursts *b = &t->f->bursts;
  int rc = e->u.io.coll_uid ? siox__burst_group(b, e->u.io.coll_uid, e->u.io.coll_seq, &burst)
                            : siox__burst_new(b, &burst);
  if (rc == 0 && !e->u.io.coll_uid)
    rc = add_use(s, e->u.io.arrival, burst);
  return rc ? rc : siox__burst_add(b, burst, file, e->u.io.offset, e->u.io.bytes);
}

static int take_call(struct taker *t, struct siox__seer *s, const struct siox_trace_event *e) {
  uint32_t burst;
  if (!e->u.call.coll_uid)
    return 0;
  int rc = siox__burst_group(&t->f->bursts, e->u.call.coll_uid, e->u.call.coll_seq, &burst);
  return rc ? rc : add_use(s, e->u.call.start, burst);
}

static int take_hint(struct taker *t, struct siox__seer *s, const struct siox_trace_event *e) {
  struct siox__foresight *f = t->f;
  if (siox__room(&s->saying, s->nsayings, &s->saying_room, sizeof *s->saying) < 0)
    return SIOX_ENOMEM;
  s->saying[s->nsayings++] = (struct siox__saying){
      .event = t->event,
      .time = e->u.hint.time,
      .first_run = f->nruns,
      .nruns = e->u.hint.head.nruns,
  };
  for (uint32_t i = 0; i < e->u.hint.head.nruns; i++) {
    if (siox__room(&f->run, f->nruns, &f->run_room, sizeof *f->run) < 0)
      return SIOX_ENOMEM;
    f->run[f->nruns++] = e->u.hint.runs[i];
  }
  return 0;
}

static int take(struct taker *t, const struct siox_trace_event *e) {
  if (e->kind == SIOX_TRACE_CLIENT) {
    uint32_t *at = siox__map_at(&t->clients, e->u.client_def.client, 0, 0);
    if (!at)
      return SIOX_ENOMEM;
    *at = t->nclients++; /* numbered as in the index */
    return 0;
  }
  if (e->kind <= SIOX_TRACE_SITE || e->kind == SIOX_TRACE_SEGMENT)
    return 0;
  uint32_t number = siox__map_get(&t->clients, e->client, 0, 0);
  if (number >= t->f->nseers)
    return SIOX_EPROTO;
  struct siox__seer *s = &t->f->seer[number];
  int rc = 0;
  if (e->kind == SIOX_TRACE_IO)
    rc = take_io(t, s, e);
  else if (e->kind == SIOX_TRACE_CALL)
    rc = take_call(t, s, e);
  else if (e->kind == SIOX_TRACE_HINT)
    rc = take_hint(t, s, e);
  t->event++;
  return rc;
}

static int use_by_time(const void *a, const void *b) {
  const struct siox__use *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}
static int saying_by_time(const void *a, const void *b) {
  const struct siox__saying *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return (x->event > y->event) - (x->event < y->event);
}

int siox__foresight_load(struct siox__foresight **out, const struct siox__index *x,
                         const char *path) {
  struct siox__foresight *f = calloc(1, sizeof *f);
  struct siox_trace_reader *reader = NULL;
  struct siox_trace_event e;
  struct taker t = {.f = f, .x = x};
  *out = NULL;
  if (!f || !(f->seer = calloc((size_t)x->nclients + 1, sizeof *f->seer))) {
    free(f);
    return SIOX_ENOMEM;
  }
  f->nseers = x->nclients;
  int rc = siox_trace_open(&reader, path, NULL);
  while (rc == 0 && (rc = siox_trace_read(reader, &e, NULL)) > 0)
    rc = take(&t, &e);
  rc = rc == SIOX_ETRUNCATED ? 0 : rc; /* the index took what there is, too */
  siox_trace_reader_close(reader);
  for (uint32_t i = 0; i < f->nseers && rc == 0; i++) {
    struct siox__seer *s = &f->seer[i];
    if (s->nuses)
      qsort(s->use, s->nuses, sizeof *s->use, use_by_time);
    if (s->nsayings)
      qsort(s->saying, s->nsayings, sizeof *s->saying, saying_by_time);
  }
  if (rc == 0)
    rc = siox__sayings_judge(f, x);
  free(f->run);
  f->run = NULL;
  free(t.clients.entry);
  free(f->bursts.groups.entry); /* not asked for any more */
  f->bursts.groups = (struct siox__map){0};
  if (rc == 0)
    *out = f;
  else
    siox__foresight_free(f);
  return rc;
}

void siox__foresight_free(struct siox__foresight *f) {
  if (!f)
    return;
  for (uint32_t i = 0; i < f->nseers; i++) {
    free(f->seer[i].use);
    free(f->seer[i].saying);
    siox__next_uses_free(&f->seer[i].next);
  }
  free(f->seer);
  siox__bursts_free(&f->bursts);
  free(f->run);
  free(f->said);
  free(f);
}

int siox__foresight_place(struct siox__foresight *f, const struct siox__index *x) {
  f->ndisks = x->ndisks;
  return siox__next_uses_find(f, x, false);
}

/* What was said of the use that is nearest to this one, NULL: nothing that has a time. */
static const struct siox__said *nearest(const struct siox__foresight *f,
                                        const struct siox__saying *s, int64_t use) {
  if (!s->nsaid)
    return NULL;
  const struct siox__said *said = f->said + s->first_said, *best = NULL;
  uint64_t least = UINT64_MAX;
  uint32_t low = 0, high = s->nsaid; /* the first that is not before it */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (said[middle].use < use)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < s->nsaid && said[low].use == use)
    return &said[low];
  if (use == SIOX_NEVER)
    return NULL;
  for (uint32_t i = low; i-- > 0 && !best;)
    if (said[i].predicted != SIOX_NEVER) {
      best = &said[i];
      least = (uint64_t)(use - best->use);
    }
  for (uint32_t i = low; i < s->nsaid && said[i].use != SIOX_NEVER; i++)
    if (said[i].predicted != SIOX_NEVER) {
      if ((uint64_t)(said[i].use - use) < least)
        best = &said[i];
      break;
    }
  return best;
}

/* The time that the process would name, 0: none; SIOX_NEVER: it has claimed the use and says
 * nothing. */
static int64_t predict(const struct siox__foresight *f, const struct siox__seer *seer,
                       const struct siox__saying *s, int64_t use) {
  const struct siox__said *said = nearest(f, s, use);
  int64_t time = use;
  if (said && (!said->predicted || said->predicted == SIOX_NEVER))
    return said->predicted;
  if (said && said->use == use)
    return said->predicted;
  if (use == SIOX_NEVER && seer->knows_never)
    return 0;
  if (said && use != SIOX_NEVER) { /* as much too early or late, for the length of the gap */
    double off = said->use > s->time
                     ? (double)(said->predicted - s->time) / (double)(said->use - s->time)
                     : 1;
    time = s->time + (int64_t)((double)(use - s->time) * off);
  }
  if (!seer->reach)
    return 0;
  if (use == SIOX_NEVER || (use - s->time >= seer->fails && time > s->time + seer->reach))
    time = s->time + seer->reach;
  return time > s->time ? time : s->time + 1;
}

static bool within(const int64_t *range, int64_t use) { return use >= range[0] && use <= range[1]; }

static bool spoken_of(const struct siox__saying *s, int64_t use) {
  return use == SIOX_NEVER ? s->released_never : within(s->released, use);
}

static bool releases(const struct siox__saying *s, int64_t use) {
  return s->whole || spoken_of(s, use);
}

/* The use of that time whose disks were all held, NULL: none. */
static const struct siox__use *held_use(const struct siox__seer *seer, int64_t time) {
  uint32_t low = 0, high = seer->nuses;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (seer->use[middle].time < time)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < seer->nuses && seer->use[low].time == time; low++)
    if (seer->use[low].held)
      return &seer->use[low];
  return NULL;
}

/* From which saying on the use was. */
static const struct siox__saying *held_by(const struct siox__seer *seer, int64_t time,
                                          bool *claimed) {
  const struct siox__use *u = held_use(seer, time);
  *claimed = u && u->claimed;
  return u ? &seer->saying[u->held - 1] : NULL;
}

static void say(struct siox__hint *h, uint32_t disk, int32_t speed, int32_t flag, int64_t need_by) {
  struct siox_claim_run *last = h->head.nruns ? &h->run[h->head.nruns - 1] : NULL;
  if (last && last->first + last->count == disk && last->flag == flag && last->need_by == need_by)
    last->count++;
  else
    h->run[h->head.nruns++] = (struct siox_claim_run){disk, 1, speed, flag, need_by, SIOX_NEVER};
}

static int64_t next_use(const struct siox__seer *seer, const struct siox__saying *s, uint32_t k) {
  return k < seer->next.ndisks ? siox__next_use(&seer->next, k, s->time) : SIOX_NEVER;
}

/* What is in force of the use already, from one of the process's hints before. k: the disk's place
 * among those it uses. */
static bool said_before(const struct siox__foresight *f, const struct siox__seer *seer,
                        const struct siox__saying *s, uint32_t k, int64_t use, int64_t time) {
  for (int back = 0; back < LOOK_BACK && s-- > seer->saying; back++) {
    if (next_use(seer, s, k) != use || within(s->claimed, use))
      return false;
    if (releases(s, use))
      return predict(f, seer, s, use) == time;
  }
  return false;
}

/* The disk is held for the use from `from` on: has a hint before this one claimed it? */
static bool claimed_before(const struct siox__seer *seer, const struct siox__saying *s, uint32_t k,
                           const struct siox__saying *from) {
  while (s-- > from) {
    int64_t use = next_use(seer, s, k);
    bool claimed;
    const struct siox__saying *by = held_by(seer, use, &claimed);
    if (within(s->claimed, use) || (claimed && by <= s))
      return true;
    if (releases(s, use))
      return false;
  }
  return false;
}

/* Of one disk, whose next use by the process is known. What the recorded hint did not speak of is
 * not said again. */
static void speak(const struct siox__foresight *f, const struct siox__seer *seer,
                  const struct siox__saying *s, uint32_t disk, uint32_t k, struct siox__hint *h) {
  int64_t use = next_use(seer, s, k);
  if (within(s->claimed, use)) {
    say(h, disk, s->claim_speed, 1, 0);
    return;
  }
  bool claimed;
  const struct siox__saying *by = held_by(seer, use, &claimed);
  if (claimed && by <= s) {
    if (!claimed_before(seer, s, k, by))
      say(h, disk, by->claim_speed, 1, 0);
    return;
  }
  if (!releases(s, use) && by != s)
    return;
  int64_t time = predict(f, seer, s, use);
  if (time != SIOX_NEVER && (spoken_of(s, use) || !said_before(f, seer, s, k, use, time)))
    say(h, disk, s->release_speed, 0, time);
}

static const struct siox__saying *find_saying(const struct siox__seer *seer, int64_t time,
                                              uint64_t event) {
  uint32_t low = 0, high = seer->nsayings;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct siox__saying *s = &seer->saying[middle];
    if (s->time < time || (s->time == time && s->event < event))
      low = middle + 1;
    else
      high = middle;
  }
  return low < seer->nsayings && seer->saying[low].event == event ? &seer->saying[low] : NULL;
}

int siox__foresight_hint(const struct siox__foresight *f, uint32_t client, uint64_t event,
                         const struct siox_trace_event *recorded, struct siox__hint **out) {
  const struct siox__seer *seer = &f->seer[client];
  const struct siox__saying *s = find_saying(seer, recorded->u.hint.time, event);
  *out = NULL;
  if (!s)
    return 0;
  struct siox__hint *h = malloc(sizeof *h + f->ndisks * sizeof *h->run);
  if (!h)
    return SIOX_ENOMEM;
  h->head = recorded->u.hint.head;
  h->head.nruns = 0;
  h->head.flags &= (uint16_t)~SIOX_CLAIM_WHOLE;
  uint32_t k = 0;
  for (uint32_t d = 0; d < f->ndisks; d++) {
    bool used = k < seer->next.ndisks && seer->next.disk[k] == d;
    if (used || seer->knows_never) /* of a disk that it never uses it says so or nothing */
      speak(f, seer, s, d, used ? k : UINT32_MAX, h);
    k += used;
  }
  if (!h->head.nruns) {
    free(h);
    return 0;
  }
  *out = h;
  return 0;
}
