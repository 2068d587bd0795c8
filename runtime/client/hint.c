/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints. Each thread keeps what it last said of each disk; the rank's claim on a disk is what its
 * threads say together: needed if any needs it, at the highest speed, from the earliest to the
 * latest time any named. Only disks whose reduced claim changed leave the process.
 *
 *   set_speed ─► this thread's vector ─► unchanged? done (no lock, no clock)
 *                     │ changed
 *                     ▼ under the lock
 *               reduced vector ─► changed runs ─► ring; when it is full, the whole vector by socket
 *
 * At most MAX_THREADS threads have a vector. Those beyond can only add: their F = 1 is merged and
 * stays, their releases are ignored, and the report says so. A thread that ends takes its vector
 * along. */
#include "client/client.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 64
#define MAX_RUNS 64 /* a message; more runs make several messages */

struct wish {
  int64_t need_by, until;
  int32_t speed;
  int32_t flag; /* 1, 0, or -1: nothing said */
};

struct vector {
  uint32_t ndisks;
  bool partial; /* no vector of its own: wish[] is not there */
  struct wish wish[];
};

static _Thread_local struct vector *mine __attribute__((tls_model("initial-exec")));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vector *vectors[MAX_THREADS], *reduced, *overflow;
static uint64_t last_seq;
static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static struct vector partial = {.partial = true};

static struct vector *make(void) {
  uint32_t n = siox__client.welcome.ndisks;
  struct vector *v = malloc(sizeof *v + n * sizeof *v->wish);
  if (!v)
    return NULL;
  v->ndisks = n;
  v->partial = false;
  for (uint32_t d = 0; d < n; d++)
    v->wish[d] = (struct wish){.flag = -1};
  return v;
}

static bool same(const struct wish *a, const struct wish *b) {
  return a->flag == b->flag && a->speed == b->speed && a->need_by == b->need_by &&
         a->until == b->until;
}

static void merge(struct wish *to, const struct wish *from) {
  if (from->flag < 0 || to->flag > from->flag)
    return;
  if (to->flag < from->flag) {
    *to = *from;
    return;
  }
  if (from->speed > to->speed)
    to->speed = from->speed;
  if (from->flag) { /* from the earliest to the latest; need_by 0 is now */
    if (from->need_by < to->need_by)
      to->need_by = from->need_by;
    if (from->until > to->until)
      to->until = from->until;
  } else if (from->need_by && (!to->need_by || from->need_by < to->need_by)) {
    to->need_by = from->need_by; /* 0 is unknown: the earliest time known counts */
  }
}

static struct wish reduce(uint32_t disk) {
  struct wish w = {.flag = -1};
  for (int i = 0; i < MAX_THREADS; i++)
    if (vectors[i])
      merge(&w, &vectors[i]->wish[disk]);
  if (overflow)
    merge(&w, &overflow->wish[disk]);
  return w;
}

struct message {
  struct siox_claim_header head;
  struct siox_claim_run run[MAX_RUNS];
};

static void begin(struct message *m, uint16_t flags, uint64_t site) {
  m->head = (struct siox_claim_header){.version = SIOX_CLAIM_VERSION,
                                       .flags = flags,
                                       .seq = last_seq += 2, /* odd ones: daemon/gather.c */
                                       .time = siox__now_ns(),
                                       .site = site};
}

static void add(struct message *m, uint32_t disk, const struct wish *w) {
  struct siox_claim_run *r = m->head.nruns ? &m->run[m->head.nruns - 1] : NULL;
  if (r && r->first + r->count == disk && r->speed == w->speed && r->flag == w->flag &&
      r->need_by == w->need_by && r->until == w->until) {
    r->count++;
    return;
  }
  m->run[m->head.nruns++] = (struct siox_claim_run){.first = disk,
                                                    .count = 1,
                                                    .speed = w->speed,
                                                    .flag = w->flag,
                                                    .need_by = w->need_by,
                                                    .until = w->until};
}

/* The whole vector over the socket: records were lost from the ring. Does not fit one packet only
 * for absurd vectors; it then goes out in parts that together say the same. */
static int send_whole(void) {
  const uint32_t most = (SIOX_WIRE_MAX - 256) / sizeof(struct siox_claim_run);
  struct siox_claim_run *runs = malloc(most * sizeof *runs);
  struct message m;
  if (!runs)
    return SIOX_ENOMEM;
  int result = 0;
  uint32_t used = 0, parts = 0;
  for (uint32_t d = 0; d < reduced->ndisks && result == 0;) {
    uint32_t end = d + 1;
    while (end < reduced->ndisks && same(&reduced->wish[d], &reduced->wish[end]))
      end++;
    if (reduced->wish[d].flag >= 0) {
      if (used == most) {
        begin(&m, 0, 0);
        m.head.nruns = used;
        result = siox__notify(SIOX_MSG_CLAIM, &m.head, sizeof m.head, runs, used * sizeof *runs);
        used = 0;
        parts++;
      }
      const struct wish *w = &reduced->wish[d];
      runs[used++] = (struct siox_claim_run){.first = d,
                                             .count = end - d,
                                             .speed = w->speed,
                                             .flag = w->flag,
                                             .need_by = w->need_by,
                                             .until = w->until};
    }
    d = end;
  }
  if (result == 0 && used) {
    begin(&m, parts ? 0 : SIOX_CLAIM_WHOLE, 0);
    m.head.nruns = used;
    result = siox__notify(SIOX_MSG_CLAIM, &m.head, sizeof m.head, runs, used * sizeof *runs);
  }
  free(runs);
  return result;
}

static int flush(struct message *m) {
  if (!m->head.nruns)
    return 0;
  int result = siox__record(SIOX_REC_CLAIM, &m->head, sizeof m->head, m->run,
                            m->head.nruns * sizeof *m->run);
  m->head.nruns = 0;
  return result == SIOX_EFULL ? send_whole() : result;
}

/* Brings the reduced vector up to date for the disks of T (all of them: NULL) and sends changes. */
static int publish(const struct siox_mask *T, uint16_t flags, uint64_t site) {
  struct message m;
  int result = 0;
  m.head.nruns = 0;
  begin(&m, flags, site);
  uint32_t n = reduced->ndisks;
  for (uint32_t d = T ? siox_mask_next(T, 0) : 0; d < n && (!T || d < T->ndisks);
       d = T ? siox_mask_next(T, d + 1) : d + 1) {
    struct wish w = reduce(d);
    if (same(&w, &reduced->wish[d]))
      continue;
    if (w.flag < 0) /* the last thread that spoke of it is gone: as if released */
      w = (struct wish){.flag = 0, .speed = reduced->wish[d].speed};
    if (same(&w, &reduced->wish[d]))
      continue;
    reduced->wish[d] = w;
    if (m.head.nruns == MAX_RUNS) {
      result = flush(&m);
      begin(&m, flags, site);
    }
    add(&m, d, &w);
  }
  int last = flush(&m);
  return result < 0 ? result : last;
}

static void thread_end(void *vector) {
  if (!siox__enter())
    return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_THREADS; i++)
    if (vectors[i] == vector) {
      vectors[i] = NULL;
      if (siox__welcomed() && reduced)
        publish(NULL, 0, 0);
      free(vector);
    }
  pthread_mutex_unlock(&lock);
  siox__exit();
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_end); }

/* This thread's vector, made at its first hint. NULL: out of memory. Under the lock. */
static struct vector *own(void) {
  if (mine)
    return mine;
  if (!reduced && !(reduced = make()))
    return NULL;
  for (int i = 0; i < MAX_THREADS; i++)
    if (!vectors[i]) {
      if (!(mine = vectors[i] = make()))
        return NULL;
      pthread_once(&key_once, make_key);
      pthread_setspecific(at_thread_end, mine);
      return mine;
    }
  siox__record_missing(SIOX_MISSING_THREADS);
  return mine = &partial;
}

static bool changes(const struct vector *v, const struct siox_mask *T, const struct wish *w) {
  uint32_t n = T->ndisks < v->ndisks ? T->ndisks : v->ndisks;
  for (uint32_t word = 0; word * 64 < n; word++)
    for (uint64_t bits = T->words[word]; bits; bits &= bits - 1) {
      uint32_t d = word * 64 + (uint32_t)__builtin_ctzll(bits);
      if (d < n && !same(&v->wish[d], w))
        return true;
    }
  return false;
}

static void store(struct vector *v, const struct siox_mask *T, const struct wish *w, bool only_up) {
  uint32_t n = T->ndisks < v->ndisks ? T->ndisks : v->ndisks;
  for (uint32_t d = siox_mask_next(T, 0); d < n; d = siox_mask_next(T, d + 1))
    if (only_up)
      merge(&v->wish[d], w);
    else
      v->wish[d] = *w;
}

static int change(const struct siox_mask *T, const struct wish *w, const struct siox_site *site,
                  uint16_t flags) {
  int result = SIOX_ENOMEM;
  uint64_t key = siox__record_site(site);
  pthread_mutex_lock(&lock);
  if (__builtin_expect(siox__fault_masks, 0))
    T = siox__fault_mask();
  struct vector *v = own();
  if (v && !v->partial) {
    store(v, T, w, false);
    result = publish(T, flags, key);
  } else if (v && w->flag != 1) {
    result = 0; /* a release of a thread without a vector cannot be told from others' needs */
  } else if (v && (overflow || (overflow = make()))) {
    store(overflow, T, w, true);
    result = publish(T, flags, key);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

/* changed: it left the process, or will. */
static int say(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
               const struct siox_site *site, bool predicted, bool *changed) {
  *changed = false;
  if (__builtin_expect(!T || S < 0 || (F != 0 && F != 1), 0))
    return SIOX_EINVAL;
  const struct wish w = {.need_by = need_by, .until = F ? until : 0, .speed = S, .flag = F};
  const struct vector *v = mine;
  if (siox__connected())
    atomic_fetch_add_explicit(&siox__client.ring->issued, 1, memory_order_relaxed);
  if (siox__connected() && v && !v->partial && !siox__fault_masks && !changes(v, T, &w))
    return 0;
  /* The ring takes records of a daemon that has died, too. What is said while it is away is kept:
   * one that comes back is told the whole vector. */
  siox__client_glance();
  if (!siox__client_usable() && !siox__welcomed())
    return SIOX_EGONE;
  if (!siox__enter())
    return SIOX_EREFUSED; /* from a signal handler that interrupted us */
  int saved = errno, state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  int result = change(T, &w, site, predicted ? SIOX_CLAIM_PREDICTED : 0);
  *changed = result >= 0;
  pthread_setcancelstate(state, NULL);
  errno = saved;
  siox__exit();
  return result;
}

int siox__hint(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
               const struct siox_site *site, bool predicted) {
  bool changed;
  return say(T, S, F, need_by, until, site, predicted, &changed);
}

/* Of the program's, or placed by the compiler with masks of its own: the predictor must not believe
 * that what it said last still holds. */
static int say_and_tell(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by,
                        int64_t until, const struct siox_site *site) {
  struct siox_mask rest = {0};
  bool changed;
  int result;
  /* Neither knows which accesses are complete: a release leaves out the disks of those that are
   * not. */
  if (__builtin_expect(
          F == 0 && T && atomic_load_explicit(&siox__predict_flights, memory_order_relaxed), 0)) {
    if (!siox__predict_grounded(T, &rest))
      return SIOX_ENOMEM;
    T = &rest;
  }
  result = say(T, S, F, need_by, until, site, false, &changed);
  if (changed)
    siox__predict_told(T, F, need_by, until);
  siox_mask_free(&rest);
  return result;
}

void siox__hint_again(void) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_mutex_lock(&lock);
  if (reduced)
    send_whole();
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(state, NULL);
}

void siox__hint_reset(void) {
  /* What other threads said died with them; their memory is left, it may be half written. */
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  memset(vectors, 0, sizeof vectors);
  reduced = overflow = NULL;
  mine = NULL;
  last_seq = 0;
  if (key_once != PTHREAD_ONCE_INIT)
    pthread_setspecific(at_thread_end, NULL);
}

SIOX_EXPORT int siox_set_speed(const struct siox_mask *T, int32_t S, int32_t F) {
  return say_and_tell(T, S, F, 0, SIOX_NEVER, NULL);
}

SIOX_EXPORT int siox_set_speed_at(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by,
                                  int64_t until, const struct siox_site *site) {
  return say_and_tell(T, S, F, need_by, until, site);
}
