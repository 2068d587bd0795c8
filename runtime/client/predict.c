/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Joins the predictor to the program: the calls that the pass inserted, and the hooks of the MPI
 * wrappers. Regions are followed on one thread, the first that enters one; accesses count whichever
 * thread makes them. */
#include "client/predict.h"
#include "client/held.h"
#include "client/profile.h"
#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
  pthread_mutex_t lock;
  struct siox__predictor predictor;
  struct siox_drive drive;
  uint32_t epoch;          /* of the connection it was made for; 0: none */
  uint64_t nthreads, user; /* threads that accessed files so far; which of them did last */
} self = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint32_t mine
    __attribute__((tls_model("initial-exec"))); /* epoch in which this thread owns them */

static void hint(void *context, const struct siox_mask *T, int32_t S, int32_t F, int64_t need_by,
                 int64_t until) {
  (void)context;
  siox__hint(T, S, F, need_by, until, siox__self.site, true);
}

/* Calls of this thread that passed messages, when the last of them was over, and when the predictor
 * wants to hear of one again. */
static _Thread_local uint64_t beats __attribute__((tls_model("initial-exec")));
static _Thread_local int64_t beat_at __attribute__((tls_model("initial-exec")));
static _Thread_local int64_t next_beat __attribute__((tls_model("initial-exec")));

static struct siox__predictor *with_beats(struct siox__predictor *p) {
  p->beats = beats;
  p->beat_at = beat_at;
  return p;
}

/* Each thread that accesses files, by number from 1. */
static _Thread_local uint64_t number __attribute__((tls_model("initial-exec")));

/* Whether this access is by another thread than the last one. The caller holds the lock. */
static bool other_thread(void) {
  if (!number)
    number = ++self.nthreads;
  uint64_t before = self.user;
  self.user = number;
  return before && before != number;
}

_Atomic uint32_t siox__predict_asleep, siox__predict_followed, siox__predict_flights;

static void count_flights(void) {
  atomic_store_explicit(&siox__predict_flights, self.predictor.nflights, memory_order_relaxed);
}

/* The predictor of the present connection, made on first use. The caller holds the lock. */
static struct siox__predictor *predictor(void) {
  uint32_t epoch = atomic_load(&siox__client.epoch);
  if (self.epoch == epoch)
    return &self.predictor;
  if (self.epoch)
    siox__predictor_free(&self.predictor);
  const struct siox_msg_welcome *w = &siox__client.welcome;
  struct siox__predict_env env = {.ndisks = w->ndisks,
                                  .lead = (enum siox_lead_kind)w->lead_kind,
                                  .lead_ns = w->lead_ns,
                                  .min_gap_ns = w->min_gap_ns,
                                  .hint = hint};
  if (env.lead == SIOX_LEAD_TRANSITION && env.ndisks && siox_disk_drive(0, &self.drive) == 0)
    env.drive = &self.drive;
  siox__predictor_init(&self.predictor, &env); /* a failed one stays silent */
  self.epoch = epoch;
  count_flights();
  atomic_store(&siox__predict_asleep, siox__predictor_asleep(&self.predictor) ? epoch : 0);
  return &self.predictor;
}

/* A signal handler that comes back here while its thread is inside must not wait for itself. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static bool begin(void) {
  if (inside || !siox__welcomed())
    return false;
  inside = true;
  pthread_mutex_lock(&self.lock);
  return true;
}
static void end(void) {
  pthread_mutex_unlock(&self.lock);
  inside = false;
}

static bool owns_regions(void) {
  if (!siox__welcomed())
    return false;
  uint32_t epoch = atomic_load_explicit(&siox__client.epoch, memory_order_relaxed), none;
  if (mine == epoch)
    return true;
  none = atomic_load(&siox__predict_followed);
  if (none == epoch || !atomic_compare_exchange_strong(&siox__predict_followed, &none, epoch))
    return false;
  mine = epoch;
  return true;
}

static void drop_in_child(void) { self.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
__attribute__((constructor)) static void register_fork(void) {
  pthread_atfork(NULL, NULL, drop_in_child);
}

/* What a compiler's table leads to may be anything by now, so the kernel does the reading. */
static bool read_pointer(const void *from, const void **value) {
  struct iovec here = {value, sizeof *value}, there = {(void *)(uintptr_t)from, sizeof *value};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)sizeof *value;
}

static const void *follow(const struct siox_file_use *use, const void *value) {
  for (uint32_t i = 0; i < use->nsteps; i++)
    if (!value || !read_pointer((const char *)value + use->steps[i], &value))
      return NULL;
  return value;
}

/* Experience soon tells more than the table. */
enum { LOOKS = 64, MOST_USES = 64 };

SIOX_EXPORT void siox_region_files(struct siox_file_uses *uses, const void *a, const void *b,
                                   const void *c, const void *d) {
  if (!uses || uses->calls >= LOOKS || uses->nuses > MOST_USES || !owns_regions() || !begin())
    return;
  int saved = errno;
  const void *base[SIOX_FILE_BASES] = {a, b, c, d}, *handle[MOST_USES];
  uses->calls++;
  for (uint32_t i = 0; i < uses->nuses; i++)
    handle[i] =
        uses->use[i].base < SIOX_FILE_BASES ? follow(&uses->use[i], base[uses->use[i].base]) : NULL;
  siox__predictor_files(predictor(), uses, handle);
  end();
  errno = saved;
}

SIOX_EXPORT void siox_steps_when(struct siox_steps_when *when, int64_t first, int64_t modulus) {
  if (!when || !owns_regions() || !begin())
    return;
  int saved = errno;
  siox__predictor_when(predictor(), when, first, modulus);
  end();
  errno = saved;
}

SIOX_EXPORT int64_t siox_region_enter(struct siox_region *region, int64_t trip) {
  int64_t measured =
      siox__profiling ? siox__profile_enter(region, trip, siox__now_ns()) : SIOX_NEVER;
  if (!region || !owns_regions() || !begin())
    return measured;
  int saved = errno;
  const int64_t now = siox__now_ns();
  int64_t next = siox__predictor_enter(with_beats(predictor()), region, trip, now);
  end();
  siox__held_look(now);
  errno = saved;
  return next < measured ? next : measured;
}

SIOX_EXPORT int64_t siox_region_tick(struct siox_region *region, int64_t iteration) {
  int64_t measured =
      siox__profiling ? siox__profile_tick(region, iteration, siox__now_ns()) : SIOX_NEVER;
  if (!region || !owns_regions() || !begin())
    return measured;
  int saved = errno;
  const int64_t now = siox__now_ns();
  int64_t next = siox__predictor_tick(predictor(), region, iteration, now);
  end();
  siox__held_look(now);
  errno = saved;
  return next < measured ? next : measured;
}

SIOX_EXPORT void siox_region_leave(struct siox_region *region) {
  if (siox__profiling)
    siox__profile_leave(region, siox__now_ns());
  if (!owns_regions() || !begin())
    return;
  int saved = errno;
  siox__predictor_leave(with_beats(predictor()), region, siox__now_ns());
  end();
  errno = saved;
}

SIOX_EXPORT int64_t siox_split_lead(struct siox_region *region, int64_t trip,
                                    int64_t iteration_ns) {
  if (!region || !owns_regions() || !begin())
    return 0;
  int saved = errno;
  int64_t lead = siox__predictor_split(predictor(), region, trip, iteration_ns);
  end();
  errno = saved;
  return lead;
}

SIOX_EXPORT void siox_region_hint(struct siox_region *region, int32_t F, int64_t iterations_left) {
  if (!region || !owns_regions() || !begin())
    return;
  int saved = errno;
  siox__predictor_split_hint(predictor(), region, F, iterations_left, siox__now_ns());
  end();
  errno = saved;
}

void siox__predict_beat(int64_t now) {
  beats++;
  beat_at = now;
  if (now < next_beat || mine != atomic_load_explicit(&siox__client.epoch, memory_order_relaxed) ||
      !begin())
    return;
  next_beat = siox__predictor_beat(predictor(), beats, now);
  end();
}

void siox__predict_opened(struct siox_site *site, void *handle, const struct siox_layout *layout) {
  if (!begin())
    return;
  siox__predictor_opened(predictor(), site, handle, layout);
  end();
}

void siox__predict_closed(void *handle) {
  if (!begin())
    return;
  siox__predictor_closed(predictor(), handle, siox__now_ns());
  count_flights();
  end();
}

void siox__predict_departs(uint64_t key, void *handle, const struct siox__reach *reach) {
  if (!begin())
    return;
  siox__predictor_departs(predictor(), key, handle, reach);
  count_flights();
  end();
}

void siox__predict_lands(uint64_t key, bool seen) {
  if (!begin())
    return;
  struct siox__predictor *p = predictor();
  if (seen)
    siox__predictor_lands(p, key, siox__now_ns());
  else
    siox__predictor_lost(p, key);
  count_flights();
  end();
}

bool siox__predict_grounded(const struct siox_mask *T, struct siox_mask *rest) {
  if (siox_mask_init(rest, T->ndisks) < 0)
    return false;
  siox_mask_copy(rest, T);
  if (!begin())
    return true;
  struct siox__predictor *p = predictor();
  for (uint32_t d = siox_mask_next(T, 0); d < T->ndisks; d = siox_mask_next(T, d + 1))
    if (siox__flying(p, d))
      siox_mask_clear(rest, d);
  end();
  return true;
}

void siox__predict_told(const struct siox_mask *T, int32_t F, int64_t need_by, int64_t until) {
  if (!begin())
    return;
  siox__predictor_told(predictor(), T, F, need_by, until);
  end();
}

void siox__predict_beside(void *handle, const char *text) {
  struct siox_layout layout;
  if (!begin())
    return;
  if (siox_layout_parse(&layout, siox__client.welcome.ndisks, text) == 0)
    siox__predictor_beside(predictor(), handle, &layout);
  end();
}

void siox__predict_pointer(void *handle) {
  if (!begin())
    return;
  struct siox__predictor *p = predictor();
  p->threads |= other_thread();
  siox__predictor_pointer(p, handle);
  end();
}

void siox__predict_before(struct siox_site *site, void *handle, const struct siox__reach *reach) {
  if (!begin())
    return;
  struct siox__predictor *p = predictor();
  p->threads |= other_thread();
  siox__predictor_reach(p, site, handle, reach);
  end();
}
