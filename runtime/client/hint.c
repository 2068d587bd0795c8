/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hints. Each thread keeps what it last said of each disk; the rank's claim on a disk is what its
 * threads say together: needed if any needs it, at the highest speed, from the earliest to the
 * latest time any named. Files that the program has open by itself are one speaker more (hold.h).
 * Only disks whose reduced claim changed leave the process.
 *
 *   set_speed ─► this thread's vector ─► unchanged? done (no lock, no clock)
 *                     │ changed
 *                     ▼ under the lock
 *               reduced vector ─► changed runs ─► hint_send.c
 *
 * At most MAX_THREADS threads have a vector. Those beyond can only add: their F = 1 is merged and
 * stays, their releases are ignored, and the report says so. A thread that ends takes its vector
 * along. */
#include "client/client.h"
#include "client/held.h"
#include "client/real.h"
#include <pthread.h>
#include <string.h>

#define MAX_THREADS 64

static _Thread_local struct siox__vector *mine __attribute__((tls_model("initial-exec")));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct siox__vector *vectors[MAX_THREADS], *reduced, *overflow;
static pthread_key_t at_thread_end;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static struct siox__vector partial = {.partial = true};

static size_t size_of(uint32_t ndisks) {
  return sizeof(struct siox__vector) + ndisks * sizeof(struct siox__stance);
}

/* Not by malloc, which a handler that comes to wait for the lock may have interrupted. */
static struct siox__vector *make(void) {
  const uint32_t n = siox__client.welcome.ndisks;
  struct siox__vector *v = siox__real()->mmap(NULL, size_of(n), PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (v == MAP_FAILED)
    return NULL;
  v->ndisks = n;
  for (uint32_t d = 0; d < n; d++)
    v->wish[d] = (struct siox__stance){.flag = -1};
  return v;
}

static struct siox__stance reduce(uint32_t disk, int64_t now) {
  struct siox__stance w = {.flag = -1};
  for (int i = 0; i < MAX_THREADS; i++)
    if (vectors[i])
      siox__stance_merge(&w, &vectors[i]->wish[disk]);
  if (overflow)
    siox__stance_merge(&w, &overflow->wish[disk]);
  siox__held_says(disk, now, &w);
  return w;
}

/* Brings the reduced vector up to date for the disks of T (all of them: NULL) and sends changes. */
static int publish(const struct siox_mask *T, uint16_t flags, uint64_t site) {
  static struct siox__hint_message m; /* under the lock; a handler's stack may be a few KiB */
  int result = 0;
  siox__hint_begin(&m, flags, site);
  uint32_t n = reduced->ndisks;
  for (uint32_t d = T ? siox_mask_next(T, 0) : 0; d < n && (!T || d < T->ndisks);
       d = T ? siox_mask_next(T, d + 1) : d + 1) {
    struct siox__stance w = reduce(d, m.head.time);
    if (siox__stance_same(&w, &reduced->wish[d]))
      continue;
    if (w.flag < 0) /* the last thread that spoke of it is gone: as if released */
      w = (struct siox__stance){.flag = 0, .speed = reduced->wish[d].speed};
    if (siox__stance_same(&w, &reduced->wish[d]))
      continue;
    reduced->wish[d] = w;
    if (m.head.nruns == SIOX__HINT_RUNS) {
      result = siox__hint_flush(&m, reduced);
      siox__hint_begin(&m, flags, site);
    }
    siox__hint_add(&m, d, &w);
  }
  int last = siox__hint_flush(&m, reduced);
  siox__held_published();
  return result < 0 ? result : last;
}

void siox__hint_lock(void) { pthread_mutex_lock(&lock); }
void siox__hint_unlock(void) { pthread_mutex_unlock(&lock); }

int siox__hint_publish(const struct siox_mask *T) {
  return reduced || (reduced = make()) ? publish(T, SIOX_CLAIM_PREDICTED, 0) : SIOX_ENOMEM;
}

static void thread_end(void *ended) {
  struct siox__vector *vector = ended;
  if (!siox__enter())
    return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_THREADS; i++)
    if (vectors[i] == vector) {
      vectors[i] = NULL;
      if (siox__welcomed() && reduced)
        publish(NULL, 0, 0);
      munmap(vector, size_of(vector->ndisks));
    }
  pthread_mutex_unlock(&lock);
  siox__exit();
}

static void make_key(void) { pthread_key_create(&at_thread_end, thread_end); }

/* This thread's vector, made at its first hint. NULL: out of memory. Under the lock. */
static struct siox__vector *own(void) {
  if (mine)
    return mine;
  if (!reduced && !(reduced = make()))
    return NULL;
  for (int i = 0; i < MAX_THREADS; i++)
    if (!vectors[i]) {
      if (!(mine = vectors[i] = make()))
        return NULL;
      return mine;
    }
  siox__record_missing(SIOX_MISSING_THREADS);
  return mine = &partial;
}

static bool changes(const struct siox__vector *v, const struct siox_mask *T,
                    const struct siox__stance *w) {
  uint32_t n = T->ndisks < v->ndisks ? T->ndisks : v->ndisks;
  for (uint32_t word = 0; word * 64 < n; word++)
    for (uint64_t bits = T->words[word]; bits; bits &= bits - 1) {
      uint32_t d = word * 64 + (uint32_t)__builtin_ctzll(bits);
      if (d < n && !siox__stance_same(&v->wish[d], w))
        return true;
    }
  return false;
}

static void store(struct siox__vector *v, const struct siox_mask *T, const struct siox__stance *w,
                  bool only_up) {
  uint32_t n = T->ndisks < v->ndisks ? T->ndisks : v->ndisks;
  for (uint32_t d = siox_mask_next(T, 0); d < n; d = siox_mask_next(T, d + 1))
    if (only_up)
      siox__stance_merge(&v->wish[d], w);
    else
      v->wish[d] = *w;
}

static int change(const struct siox_mask *T, const struct siox__stance *w,
                  const struct siox_site *site, uint16_t flags) {
  int result = SIOX_ENOMEM;
  uint64_t key = siox__record_site(site);
  const bool first = !mine;
  pthread_mutex_lock(&lock);
  if (__builtin_expect(siox__fault_masks, 0))
    T = siox__fault_mask();
  struct siox__vector *v = own();
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
  if (first && mine && !mine->partial) { /* it may allocate */
    pthread_once(&key_once, make_key);
    pthread_setspecific(at_thread_end, mine);
  }
  return result;
}

/* changed: it left the process, or will. */
static int say(const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by, int64_t until,
               const struct siox_site *site, bool predicted, bool *changed) {
  *changed = false;
  if (__builtin_expect(!T || S < 0 || (F != 0 && F != 1), 0))
    return SIOX_EINVAL;
  const struct siox__stance w = {.need_by = need_by, .until = F ? until : 0, .speed = S, .flag = F};
  const struct siox__vector *v = mine;
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
  if (siox__held_waits())
    siox__held_look(siox__now_ns());
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
    siox__hint_send_whole(reduced);
  pthread_mutex_unlock(&lock);
  pthread_setcancelstate(state, NULL);
}

void siox__hint_reset(void) {
  /* What other threads said died with them; their memory is left, it may be half written. */
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  memset(vectors, 0, sizeof vectors);
  reduced = overflow = NULL;
  mine = NULL;
  siox__hint_send_reset();
  siox__held_reset();
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
