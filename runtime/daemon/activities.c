/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tallies of processes, a cycle at a time and a job at a time. */
#include "daemon/activities.h"
#include "common/clock.h"
#include "common/tally.h"
#include "daemon/spread.h"
#include "siox/error.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

enum {
  CHAINS = 1024,
  TMPFS = 0x01021994, /* TMPFS_MAGIC: what memfds are made of, unless of huge pages, which may run
                         out under the reader */
  LEFT_MOST = 4096,   /* that wait for their last cycle */
  LATE = 65536,       /* calls between their time and their number */
};
static const int SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
/* Nobody does so much between two looks. */
static const uint64_t CALLS_MOST = UINT64_C(1) << 40, AMOUNT_MOST = UINT64_C(1) << 60;

struct seen { /* a slot, at the last cycle */
  bool known;
  uint16_t row;
  uint8_t size_class;
  bool gained; /* in this cycle: */
  struct siox_tally_sum last, gain;
};
struct sums { /* of a row */
  uint64_t calls, bytes, errors, total_ns;
  int64_t longest_ns;
};
struct job {
  struct job *next; /* of its chain */
  uint32_t serial, nrows;
  struct siox__left_out left_out;
  struct siox__spread spread;      /* of those that left */
  struct siox__tallied *processes; /* that have not left */
  struct row {
    uint16_t row;
    struct sums sums;
  } *row; /* of those that left */
};
struct siox__tallied {
  struct siox__tallied *next, *prev;         /* all */
  struct siox__tallied *like, *like_b;       /* of the pid's chain: next, before */
  struct siox__tallied *sibling, *sibling_b; /* of the job: next, before */
  const struct siox_tally *tally;
  int32_t pid, rank;
  int64_t came_ns;
  uint32_t job;
  bool left, told;        /* has left, and been in a cycle since */
  bool active;            /* has something to tell of this cycle */
  uint64_t partial, lost; /* at the last cycle, and come in it */
  unsigned nseen;
  struct seen *seen;
};
struct siox__activities {
  pthread_mutex_t lock;
  bool cycles;
  unsigned owners, left;
  uint64_t refused;
  struct siox__tallied *all;
  struct siox__tallied *by_pid[CHAINS];
  struct job *chain[CHAINS];
  /* the cycles' own */
  size_t nkinds;
  uint16_t kind_of[SIOX_TALLY_ROWS];     /* + 1 */
  struct siox_activity_kind *kind, *one; /* the node's and a process's */
  struct siox_activity_summary node, own;
  int64_t now_ns; /* of the last cycle */
};

int siox__activities_new(struct siox__activities **out, bool cycles) {
  struct siox__activities *a = *out = calloc(1, sizeof *a);
  if (!a)
    return SIOX_ENOMEM;
  a->kind = calloc(SIOX_TALLY_ROWS, sizeof *a->kind);
  a->one = calloc(SIOX_TALLY_ROWS, sizeof *a->one);
  if (!a->kind || !a->one) {
    free(a->kind);
    free(a->one);
    free(a);
    *out = NULL;
    return SIOX_ENOMEM;
  }
  pthread_mutex_init(&a->lock, NULL);
  a->cycles = cycles;
  a->owners = 1;
  return 0;
}

struct siox__activities *siox__activities_hold(struct siox__activities *a) {
  pthread_mutex_lock(&a->lock);
  a->owners++;
  pthread_mutex_unlock(&a->lock);
  return a;
}

static struct siox__tallied **chain_of(struct siox__activities *a, int32_t pid) {
  return &a->by_pid[(uint32_t)pid % CHAINS];
}

/* Under the lock, as all below that say nothing else. */
static void discard(struct siox__activities *a, struct siox__tallied *p) {
  if (p->next)
    p->next->prev = p->prev;
  *(p->prev ? &p->prev->next : &a->all) = p->next;
  if (p->like)
    p->like->like_b = p->like_b;
  *(p->like_b ? &p->like_b->like : chain_of(a, p->pid)) = p->like;
  a->left -= p->left;
  if (p->tally)
    munmap((void *)(uintptr_t)p->tally, sizeof *p->tally);
  free(p->seen);
  free(p);
}

void siox__activities_free(struct siox__activities *a) {
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  const bool last = --a->owners == 0;
  pthread_mutex_unlock(&a->lock);
  if (!last)
    return;
  while (a->all)
    discard(a, a->all);
  for (int i = 0; i < CHAINS; i++)
    for (struct job *j = a->chain[i], *next; j; j = next) {
      next = j->next;
      free(j->row);
      free(j);
    }
  pthread_mutex_destroy(&a->lock);
  free(a->kind);
  free(a->one);
  free(a);
}

static struct job **place_of(struct siox__activities *a, uint32_t serial) {
  struct job **at = &a->chain[serial % CHAINS];
  while (*at && (*at)->serial != serial)
    at = &(*at)->next;
  return at;
}

/* What is not sealed may shrink under the reader. */
static const struct siox_tally *map(int fd, const char **why) {
  struct stat st;
  struct statfs fs;
  const int seals = fcntl(fd, F_GET_SEALS);
  *why = "its tally is not sealed memory";
  if (seals < 0 || (seals & SEALS) != SEALS || fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS)
    return NULL;
  *why = "its tally is of another size";
  if (fstat(fd, &st) < 0 || st.st_size != sizeof(struct siox_tally))
    return NULL;
  *why = "its tally cannot be mapped";
  void *at = mmap(NULL, sizeof(struct siox_tally), PROT_READ, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED)
    return NULL;
  const struct siox_tally *t = at;
  *why = "its tally is of another version";
  if (t->magic == SIOX_TALLY_MAGIC && t->version == SIOX_TALLY_VERSION)
    return t;
  munmap(at, sizeof(struct siox_tally));
  return NULL;
}

int siox__activities_enter(struct siox__activities *a, int fd, int32_t pid, int32_t rank,
                           uint32_t job, struct siox__tallied **out, const char **why) {
  *out = NULL;
  const struct siox_tally *tally = map(fd, why);
  if (!tally)
    return SIOX_EPROTO;
  struct siox__tallied *p = calloc(1, sizeof *p);
  pthread_mutex_lock(&a->lock);
  struct job **at = place_of(a, job);
  if (p && !*at && (*at = calloc(1, sizeof **at)))
    (*at)->serial = job;
  if (!p || !*at) {
    pthread_mutex_unlock(&a->lock);
    munmap((void *)(uintptr_t)tally, sizeof *tally);
    free(p);
    return SIOX_ENOMEM;
  }
  *p = (struct siox__tallied){.tally = tally,
                              .pid = pid,
                              .rank = rank,
                              .came_ns = siox__now_ns(),
                              .job = job,
                              .next = a->all,
                              .like = *chain_of(a, pid),
                              .sibling = (*at)->processes};
  if (a->all)
    a->all->prev = p;
  a->all = p;
  if (p->like)
    p->like->like_b = p;
  *chain_of(a, pid) = p;
  if (p->sibling)
    p->sibling->sibling_b = p;
  (*at)->processes = p;
  pthread_mutex_unlock(&a->lock);
  *out = p;
  return 0;
}

static void add_sums(struct sums *to, const struct siox_tally_sum *s) {
  siox__tally_grow(&to->calls, s->calls);
  siox__tally_grow(&to->bytes, s->bytes);
  siox__tally_grow(&to->errors, s->errors);
  siox__tally_grow(&to->total_ns, s->total_ns);
  if (s->longest_ns > to->longest_ns)
    to->longest_ns = s->longest_ns;
}

/* All that a process did, by row. */
static void add_all(const struct siox__tallied *p, struct sums *by_row,
                    struct siox__left_out *left_out) {
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (siox__tally_next(p->tally, &at, &row, &size_class, &sum))
    add_sums(&by_row[row], &sum);
  siox__tally_grow(&left_out->partial,
                   atomic_load_explicit(&p->tally->partial, memory_order_relaxed));
  siox__tally_grow(&left_out->unshown,
                   atomic_load_explicit(&p->tally->unshown, memory_order_relaxed));
}

void siox__activities_each(struct siox__activities *a, const struct siox__tallied *p,
                           void (*each)(void *context, unsigned row, unsigned size_class,
                                        const struct siox_tally_sum *sum),
                           void *context) {
  pthread_mutex_lock(&a->lock);
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (p->tally && siox__tally_next(p->tally, &at, &row, &size_class, &sum))
    if (sum.calls > 0)
      each(context, row, size_class, &sum);
  pthread_mutex_unlock(&a->lock);
}

/* What one process did, for how it differs from the others of its job. */
static void spread(const struct siox__tallied *p, struct siox__spread *to) {
  double f[SIOX__NFIGURES] = {0};
  unsigned at = 0, row, size_class;
  struct siox_tally_sum sum;
  while (siox__tally_next(p->tally, &at, &row, &size_class, &sum)) {
    const bool mpiio = row < SIOX_NCALLS;
    const double longest = 1e-9 * (double)sum.longest_ns;
    f[mpiio ? SIOX__FIGURE_mpiio_seconds : SIOX__FIGURE_posix_seconds] +=
        1e-9 * (double)sum.total_ns;
    f[mpiio ? SIOX__FIGURE_mpiio_bytes : SIOX__FIGURE_posix_bytes] += (double)sum.bytes;
    f[SIOX__FIGURE_calls] += (double)sum.calls;
    f[SIOX__FIGURE_errors] += (double)sum.errors;
    if (longest > f[SIOX__FIGURE_longest_seconds])
      f[SIOX__FIGURE_longest_seconds] = longest;
  }
  f[SIOX__FIGURE_seconds] = 1e-9 * (double)(siox__now_ns() - p->came_ns);
  siox__spread_add(to, p->rank, p->pid, f);
}

/* What the job keeps of its processes that left; without memory it keeps less. */
static void keep(struct job *job, const struct siox__tallied *p) {
  struct sums *by_row = calloc(SIOX_TALLY_ROWS, sizeof *by_row);
  if (!by_row)
    return;
  add_all(p, by_row, &job->left_out);
  spread(p, &job->spread);
  for (uint32_t i = 0; i < job->nrows; i++) {
    const struct sums *s = &job->row[i].sums;
    add_sums(
        &by_row[job->row[i].row],
        &(struct siox_tally_sum){s->calls, s->bytes, s->total_ns, s->errors, s->longest_ns, {0}});
  }
  uint32_t n = 0;
  for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
    n += by_row[r].calls > 0;
  struct row *rows = n ? malloc(n * sizeof *rows) : NULL;
  if (rows) {
    free(job->row);
    job->row = rows;
    job->nrows = 0;
    for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
      if (by_row[r].calls > 0)
        rows[job->nrows++] = (struct row){(uint16_t)r, by_row[r]};
  }
  free(by_row);
}

void siox__activities_leave(struct siox__activities *a, struct siox__tallied *p) {
  if (!p)
    return;
  pthread_mutex_lock(&a->lock);
  struct job *job = *place_of(a, p->job);
  if (job) {
    keep(job, p);
    if (p->sibling)
      p->sibling->sibling_b = p->sibling_b;
    *(p->sibling_b ? &p->sibling_b->sibling : &job->processes) = p->sibling;
  }
  if (a->cycles && a->left < LEFT_MOST) {
    p->left = true;
    a->left++;
  } else if (!a->cycles) {
    discard(a, p);
  } else { /* the cycles do not come: it has the mapping no longer, they have the rest */
    munmap((void *)(uintptr_t)p->tally, sizeof *p->tally);
    free(p->seen);
    p->tally = NULL;
    p->seen = NULL;
    p->nseen = 0;
    p->left = true;
    a->left++;
  }
  pthread_mutex_unlock(&a->lock);
}

void siox__activities_forget(struct siox__activities *a, uint32_t serial) {
  pthread_mutex_lock(&a->lock);
  struct job **at = place_of(a, serial), *job = *at;
  if (job && !job->processes) {
    *at = job->next;
    free(job->row);
    free(job);
  }
  pthread_mutex_unlock(&a->lock);
}

uint64_t siox__activities_refused(struct siox__activities *a) {
  pthread_mutex_lock(&a->lock);
  const uint64_t refused = a->refused;
  pthread_mutex_unlock(&a->lock);
  return refused;
}

int siox__activities_totals(struct siox__activities *a, uint32_t serial,
                            struct siox__activity_total **totals, size_t *ntotals,
                            struct siox__left_out *left_out) {
  struct sums *by_row = calloc(SIOX_TALLY_ROWS, sizeof *by_row);
  struct siox__activity_total *list = calloc(SIOX_TALLY_ROWS, sizeof *list);
  size_t n = 0;
  *totals = NULL;
  *ntotals = 0;
  *left_out = (struct siox__left_out){0};
  if (!by_row || !list) {
    free(by_row);
    free(list);
    return SIOX_ENOMEM;
  }
  pthread_mutex_lock(&a->lock);
  const struct job *job = *place_of(a, serial);
  if (job) {
    *left_out = job->left_out;
    for (uint32_t i = 0; i < job->nrows; i++)
      by_row[job->row[i].row] = job->row[i].sums;
    for (const struct siox__tallied *p = job->processes; p; p = p->sibling)
      add_all(p, by_row, left_out);
  }
  pthread_mutex_unlock(&a->lock);
  for (unsigned r = 0; r < SIOX_TALLY_ROWS; r++)
    if (by_row[r].calls > 0)
      list[n++] = (struct siox__activity_total){.layer = siox__row_layer(r),
                                                .call = siox__row_name(r),
                                                .calls = by_row[r].calls,
                                                .bytes = by_row[r].bytes,
                                                .errors = by_row[r].errors,
                                                .seconds = 1e-9 * (double)by_row[r].total_ns,
                                                .longest_s = 1e-9 * (double)by_row[r].longest_ns};
  free(by_row);
  *totals = list;
  *ntotals = n;
  return 0;
}

json_t *siox__activities_processes(struct siox__activities *a, uint32_t serial) {
  struct siox__spread all = {0};
  pthread_mutex_lock(&a->lock);
  const struct job *job = *place_of(a, serial);
  if (job) {
    all = job->spread;
    for (const struct siox__tallied *p = job->processes; p; p = p->sibling)
      spread(p, &all);
  }
  pthread_mutex_unlock(&a->lock);
  return siox__spread_json(&all);
}

static json_t *whole(uint64_t x) { return json_integer(x > INT64_MAX ? INT64_MAX : (json_int_t)x); }

json_t *siox__activities_json(struct siox__activities *a, uint32_t job) {
  struct siox__activity_total *total;
  size_t n;
  struct siox__left_out left_out;
  if (siox__activities_totals(a, job, &total, &n, &left_out) < 0)
    return json_null();
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:o, s:o, s:o, s:f, s:f}", "layer", total[i].layer,
                                    "call", total[i].call, "calls", whole(total[i].calls), "bytes",
                                    whole(total[i].bytes), "errors", whole(total[i].errors),
                                    "seconds", total[i].seconds, "longest", total[i].longest_s));
  free(total);
  return json_pack("{s:o, s:o, s:o}", "kinds", list, "partial", whole(left_out.partial), "unshown",
                   whole(left_out.unshown));
}

/* What came since the last look; false where that cannot be, and the next look begins anew. */
static bool take(struct seen *seen, const struct siox_tally_sum *now, int64_t now_ns,
                 struct siox_tally_sum *gain) {
  const struct siox_tally_sum *last = &seen->last;
  bool right = now->calls >= last->calls && now->bytes >= last->bytes &&
               now->total_ns >= last->total_ns && now->errors >= last->errors &&
               now->longest_ns >= last->longest_ns && now->longest_ns <= now_ns;
  *gain = (struct siox_tally_sum){.calls = now->calls - last->calls,
                                  .bytes = now->bytes - last->bytes,
                                  .total_ns = now->total_ns - last->total_ns,
                                  .errors = now->errors - last->errors};
  uint64_t timed = 0;
  int slowest = 0;
  for (int b = 0; b < SIOX_TIME_BUCKETS; b++) {
    gain->times[b] = now->times[b] - last->times[b]; /* modulo 2^32 */
    timed += gain->times[b];
    slowest = gain->times[b] ? b : slowest;
  }
  right = right && gain->calls <= CALLS_MOST && gain->bytes <= AMOUNT_MOST &&
          gain->total_ns <= AMOUNT_MOST && timed <= gain->calls + LATE;
  /* The longest of all, if it is a new one; else as long as its bucket says, and no longer. */
  const int64_t end = (INT64_C(2) << slowest) - 1;
  gain->longest_ns =
      now->longest_ns > last->longest_ns || now->longest_ns < end ? now->longest_ns : end;
  seen->last = *now;
  return right;
}

static size_t kind_of(struct siox__activities *a, unsigned row) {
  if (!a->kind_of[row]) {
    const struct siox_activity_kind kind = {.layer = siox__row_layer(row),
                                            .call = siox__row_name(row),
                                            .category = siox__row_category(row),
                                            .together = siox__row_together(row)};
    a->kind[a->nkinds] = a->one[a->nkinds] = kind;
    a->kind_of[row] = (uint16_t)++a->nkinds;
  }
  return a->kind_of[row] - 1u;
}

static void clear(struct siox_activity_kind *kind, size_t n) {
  for (size_t i = 0; i < n; i++)
    memset(kind[i].classes, 0, sizeof kind[i].classes);
}

static void add_class(struct siox_activity_class *to, const struct siox_tally_sum *gain) {
  siox__tally_grow(&to->calls, gain->calls);
  siox__tally_grow(&to->bytes, gain->bytes);
  to->callers += gain->calls > 0;
  if (gain->calls > 0 && gain->longest_ns > to->longest_ns)
    to->longest_ns = gain->longest_ns;
  for (int b = 0; b < SIOX_TIME_BUCKETS; b++)
    if (__builtin_add_overflow(to->times[b], gain->times[b], &to->times[b]))
      to->times[b] = UINT32_MAX;
}

static void ended(struct siox__activities *a, struct siox__tallied *p, int64_t now_ns) {
  const unsigned n = siox__tally_slots(p->tally);
  if (n > p->nseen) {
    struct seen *more = realloc(p->seen, n * sizeof *more);
    if (!more)
      return; /* the next cycle tells */
    memset(more + p->nseen, 0, (n - p->nseen) * sizeof *more);
    p->seen = more;
    p->nseen = n;
  }
  for (unsigned i = 0; i < n; i++) {
    struct seen *seen = &p->seen[i];
    unsigned row, size_class;
    seen->gained = false;
    if (!seen->known && siox__tally_what(p->tally, i, &row, &size_class)) {
      seen->known = true;
      seen->row = (uint16_t)row;
      seen->size_class = (uint8_t)size_class;
    }
    if (!seen->known || siox__tally_calls(p->tally, i) == seen->last.calls)
      continue;
    struct siox_tally_sum now;
    siox__tally_sum(p->tally, i, &now);
    if (!take(seen, &now, now_ns, &seen->gain)) {
      a->refused++;
      continue;
    }
    seen->gained = p->active = true;
    add_class(&a->kind[kind_of(a, seen->row)].classes[seen->size_class], &seen->gain);
  }
}

static void runs(struct siox_activity_class *c, int64_t start) {
  c->oldest_ns = c->running == 0 || start < c->oldest_ns ? start : c->oldest_ns;
  c->running++;
}

/* Calls that run at the cycle's time, to the kinds; true: there are some. */
static bool running(struct siox__activities *a, const struct siox__tallied *p,
                    struct siox_activity_kind *kinds) {
  const uint32_t used = atomic_load_explicit(&p->tally->threads, memory_order_acquire);
  bool any = false;
  for (uint32_t t = 0; t < used && t < SIOX_TALLY_THREADS; t++)
    for (int l = 0; l < SIOX_NLAYERS; l++) {
      const struct siox_tally_running *r = &p->tally->thread[t].layer[l];
      const int64_t start = atomic_load_explicit(&r->start, memory_order_acquire);
      if (start <= 0 || start > a->now_ns)
        continue; /* none, or younger than this cycle */
      const uint32_t what = atomic_load_explicit(&r->what, memory_order_acquire);
      if (atomic_load_explicit(&r->start, memory_order_acquire) != start)
        continue; /* of another call perhaps */
      if (what / SIOX_SIZE_CLASSES >= SIOX_TALLY_ROWS) {
        a->refused++;
        continue;
      }
      runs(&kinds[kind_of(a, what / SIOX_SIZE_CLASSES)].classes[what % SIOX_SIZE_CLASSES], start);
      any = true;
    }
  return any;
}

static void look(struct siox__activities *a, struct siox__tallied *p) {
  const uint64_t before = p->partial;
  p->active = false;
  p->lost = 0;
  if (!p->tally)
    return;
  ended(a, p, a->now_ns);
  if (!p->left && running(a, p, a->kind))
    p->active = true;
  p->partial = atomic_load_explicit(&p->tally->partial, memory_order_relaxed);
  p->lost = p->partial > before ? p->partial - before : 0;
  siox__tally_grow(&a->node.dropped, p->lost);
}

const struct siox_activity_summary *siox__activities_cycle(struct siox__activities *a,
                                                           int64_t now_ns) {
  pthread_mutex_lock(&a->lock);
  clear(a->kind, a->nkinds);
  a->now_ns = now_ns;
  a->node = (struct siox_activity_summary){.kinds = a->kind};
  /* Whoever comes meanwhile stands before the first; only this thread takes any out. */
  for (struct siox__tallied *p = a->all, *next; p; p = next) {
    look(a, p);
    next = p->next;
    if (p->told)
      discard(a, p);
    else
      p->told = p->left;
    pthread_mutex_unlock(&a->lock); /* the loop may have something to say in between */
    pthread_mutex_lock(&a->lock);
  }
  a->node.nkinds = a->nkinds;
  pthread_mutex_unlock(&a->lock);
  return &a->node;
}

const struct siox_activity_summary *siox__activities_of(void *context, int32_t pid) {
  struct siox__activities *a = context;
  bool any = false;
  pthread_mutex_lock(&a->lock);
  a->own = (struct siox_activity_summary){.kinds = a->one};
  for (struct siox__tallied *p = *chain_of(a, pid); p; p = p->like) {
    if (p->pid != pid || !p->active)
      continue;
    if (!any)
      clear(a->one, a->nkinds);
    any = true;
    for (unsigned i = 0; i < p->nseen; i++)
      if (p->seen[i].gained)
        add_class(&a->one[kind_of(a, p->seen[i].row)].classes[p->seen[i].size_class],
                  &p->seen[i].gain);
    if (p->tally && !p->left)
      running(a, p, a->one);
    siox__tally_grow(&a->own.dropped, p->lost);
  }
  a->own.nkinds = a->nkinds;
  pthread_mutex_unlock(&a->lock);
  return any ? &a->own : NULL;
}
