/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Small spaces are tried whole. In large ones the search goes file by file: with the others where
 * they are, the file takes its best place (of a large grid the best base, then factor, then unit);
 * that is repeated until nothing improves, from several starting points: as files lie now, all of
 * them alike, spread over the disks, and at random. What a choice costs is remembered. */
#include "layout_search.h"
#include "siox/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, WHOLE_GRID = 512, RANDOM_STARTS = 6 };
#define EQUAL 1e-9

struct memo { /* open addressing; 0 in `used` is free */
  uint32_t *choice;
  struct layout_figures *figures;
  bool *used;
  uint64_t room, count;
};
struct search {
  const struct layout_space *space;
  const struct layout_search_options *o;
  struct memo memo;
  struct layout_search_result *r;
  uint32_t *list; /* choices under comparison */
  uint32_t nlist, list_room;
  bool spent; /* as many evaluations as were allowed */
};

static uint32_t grid(const struct layout_space *s) { return s->nbases * s->nfactors * s->nunits; }

uint64_t layout_space_size(const struct layout_space *s) {
  uint64_t size = 1;
  for (uint32_t i = 0; i < s->nfiles; i++)
    if (__builtin_mul_overflow(size, (uint64_t)grid(s) + 1, &size))
      return UINT64_MAX;
  return size;
}

static uint32_t moved(const struct search *s, const uint32_t *choice) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->space->nfiles; i++)
    n += choice[i] != 0;
  return n;
}

static bool keeps(const struct search *s, const struct layout_figures *f) {
  return f->added <= s->o->most_added + 1e-12;
}

static bool better(const struct search *s, const uint32_t *a, const struct layout_figures *fa,
                   const uint32_t *b, const struct layout_figures *fb) {
  if (fa->pruned || fb->pruned)
    return !fa->pruned;
  bool ka = keeps(s, fa), kb = keeps(s, fb);
  if (ka != kb)
    return ka;
  double x = ka ? fa->joules : fa->added, y = ka ? fb->joules : fb->added;
  if (fabs(x - y) > EQUAL * fmax(fabs(x), fabs(y)))
    return x < y;
  if (moved(s, a) != moved(s, b))
    return moved(s, a) < moved(s, b);
  return memcmp(a, b, s->space->nfiles * sizeof *a) < 0;
}

static uint64_t place(const struct search *s, const uint32_t *choice) {
  uint64_t h = 0x9e3779b97f4a7c15;
  for (uint32_t i = 0; i < s->space->nfiles; i++)
    h = (h ^ choice[i]) * UINT64_C(0xbf58476d1ce4e5b9), h ^= h >> 29;
  return h & (s->memo.room - 1);
}

static uint64_t find(const struct search *s, const uint32_t *choice) {
  const struct memo *m = &s->memo;
  uint64_t i = place(s, choice);
  while (m->used[i] &&
         memcmp(m->choice + i * s->space->nfiles, choice, s->space->nfiles * sizeof *choice) != 0)
    i = (i + 1) & (m->room - 1);
  return i;
}

static int grow(struct search *s) {
  struct memo old = s->memo;
  struct memo *m = &s->memo;
  *m = (struct memo){.room = old.room ? old.room * 2 : 1024, .count = old.count};
  m->choice = calloc(m->room * s->space->nfiles, sizeof *m->choice);
  m->figures = calloc(m->room, sizeof *m->figures);
  m->used = calloc(m->room, sizeof *m->used);
  bool failed = !m->choice || !m->figures || !m->used;
  for (uint64_t i = 0; i < old.room && !failed; i++) {
    if (!old.used[i])
      continue;
    const uint32_t *choice = old.choice + i * s->space->nfiles;
    uint64_t at = find(s, choice);
    memcpy(m->choice + at * s->space->nfiles, choice, s->space->nfiles * sizeof *choice);
    m->figures[at] = old.figures[i];
    m->used[at] = true;
  }
  free(old.choice);
  free(old.figures);
  free(old.used);
  return failed ? SIOX_ENOMEM : 0;
}

static int remember(struct search *s, const uint32_t *choice, const struct layout_figures *f) {
  if (s->memo.count >= s->memo.room / 2 && grow(s) < 0)
    return SIOX_ENOMEM;
  uint64_t at = find(s, choice);
  memcpy(s->memo.choice + at * s->space->nfiles, choice, s->space->nfiles * sizeof *choice);
  s->memo.figures[at] = *f;
  s->memo.count += !s->memo.used[at];
  s->memo.used[at] = true;
  return 0;
}

/* What is remembered serves unless it is a bound that the comparison now asks to be exact. */
static const struct layout_figures *recall(const struct search *s, const uint32_t *choice,
                                           const struct layout_figures *than) {
  if (!s->memo.room)
    return NULL;
  uint64_t at = find(s, choice);
  if (!s->memo.used[at])
    return NULL;
  const struct layout_figures *f = &s->memo.figures[at];
  if (f->pruned && !(than && (!keeps(s, f) || f->joules >= than->joules)))
    return NULL;
  return f;
}

static int put(struct search *s, const uint32_t *choice) {
  uint32_t n = s->space->nfiles;
  if (s->nlist == s->list_room) {
    uint32_t room = s->list_room ? s->list_room * 2 : BATCH;
    uint32_t *list = realloc(s->list, (size_t)room * n * sizeof *list);
    if (!list)
      return SIOX_ENOMEM;
    s->list = list;
    s->list_room = room;
  }
  memcpy(s->list + (size_t)s->nlist++ * n, choice, n * sizeof *choice);
  return 0;
}

static int ask(struct search *s, const uint32_t *choice, uint32_t count,
               const struct layout_figures *than) {
  struct layout_figures f[BATCH];
  int rc = s->o->cost(s->o->context, choice, count, than, f);
  for (uint32_t i = 0; i < count && rc == 0; i++) {
    const uint32_t *one = choice + (size_t)i * s->space->nfiles;
    rc = remember(s, one, &f[i]);
    s->r->evaluations++;
    s->r->pruned += f[i].pruned;
    if (rc == 0 && better(s, one, &f[i], s->r->choice, &s->r->figures)) {
      memcpy(s->r->choice, one, s->space->nfiles * sizeof *one);
      s->r->figures = f[i];
    }
  }
  if (s->o->progress)
    s->o->progress(s->o->context, (double)s->r->evaluations / (double)s->o->evaluations);
  return rc;
}

/* Evaluates the listed choices that are not known, and moves *at to the best of them and itself;
 * *moved says whether it did. */
static int compare(struct search *s, uint32_t *at, struct layout_figures *now, bool *improved) {
  uint32_t n = s->space->nfiles, waiting = 0;
  uint32_t *batch = malloc((size_t)BATCH * n * sizeof *batch);
  const struct layout_figures *than = now->pruned || !keeps(s, now) ? NULL : now;
  struct layout_figures bound = *now;
  int rc = batch ? 0 : SIOX_ENOMEM;
  for (uint32_t i = 0; i <= s->nlist && rc == 0; i++) {
    const uint32_t *one = s->list + (size_t)i * n;
    if (i < s->nlist && !recall(s, one, than)) {
      s->spent = s->r->evaluations + waiting >= s->o->evaluations;
      if (!s->spent)
        memcpy(batch + (size_t)waiting++ * n, one, n * sizeof *one);
    }
    if (waiting == BATCH || (i == s->nlist && waiting)) {
      rc = ask(s, batch, waiting, than ? &bound : NULL);
      waiting = 0;
    }
  }
  for (uint32_t i = 0; i < s->nlist && rc == 0; i++) {
    const uint32_t *one = s->list + (size_t)i * n;
    const struct layout_figures *f = recall(s, one, than);
    if (f && better(s, one, f, at, now)) {
      memcpy(at, one, n * sizeof *at);
      *now = *f;
      *improved = true;
    }
  }
  s->nlist = 0;
  free(batch);
  return rc;
}

/* Lists places of one file that differ from where it is along some of base, factor and unit. */
enum { BASE = 1, FACTOR = 2, UNIT = 4, ANY = 7 };
static int list_places(struct search *s, const uint32_t *at, uint32_t file, unsigned along) {
  const struct layout_space *p = s->space;
  uint32_t here = at[file] ? at[file] - 1 : 0, *one = malloc(p->nfiles * sizeof *one);
  uint32_t unit = here % p->nunits, factor = here / p->nunits % p->nfactors;
  uint32_t base = here / p->nunits / p->nfactors;
  int rc = one ? 0 : SIOX_ENOMEM;
  if (one)
    memcpy(one, at, p->nfiles * sizeof *one);
  for (uint32_t k = 0; k <= grid(p) && rc == 0; k++) {
    if (k && ((!(along & UNIT) && (k - 1) % p->nunits != unit) ||
              (!(along & FACTOR) && (k - 1) / p->nunits % p->nfactors != factor) ||
              (!(along & BASE) && (k - 1) / p->nunits / p->nfactors != base)))
      continue;
    one[file] = k;
    rc = put(s, one);
  }
  free(one);
  return rc;
}

static int descend(struct search *s, uint32_t *at) {
  static const unsigned lines[] = {BASE, FACTOR, UNIT, 0};
  static const unsigned whole[] = {ANY, 0};
  const unsigned *way = grid(s->space) <= WHOLE_GRID ? whole : lines;
  struct layout_figures now = {.pruned = true};
  bool improved = false;
  int rc = put(s, at);
  if (rc == 0)
    rc = compare(s, at, &now, &improved);
  for (improved = !now.pruned; improved && rc == 0 && !s->spent;) {
    improved = false;
    for (uint32_t i = 0; i < s->space->nfiles && rc == 0 && !s->spent; i++)
      for (const unsigned *along = way; *along && rc == 0; along++) {
        rc = list_places(s, at, i, *along);
        rc = rc ? rc : compare(s, at, &now, &improved);
      }
  }
  return rc;
}

static uint64_t draw(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* All files alike, at the best of the grid; a grid too large for that is looked at in steps. */
static int start_alike(struct search *s, uint32_t *at) {
  uint64_t most = s->o->evaluations / 4 + 1, step = (grid(s->space) + most - 1) / most;
  struct layout_figures now = {.pruned = true};
  bool improved;
  int rc = 0;
  for (uint64_t k = 1; k <= grid(s->space) && rc == 0; k += step) {
    for (uint32_t i = 0; i < s->space->nfiles; i++)
      at[i] = (uint32_t)k;
    rc = put(s, at);
  }
  return rc ? rc : compare(s, at, &now, &improved);
}

/* Each file on bases of its own, with the smallest factor. */
static void start_spread(const struct search *s, uint32_t *at) {
  const struct layout_space *p = s->space;
  for (uint32_t i = 0; i < p->nfiles; i++) {
    uint32_t base = (uint32_t)((uint64_t)i * p->nbases / p->nfiles);
    at[i] = 1 + base * p->nfactors * p->nunits + p->nunits - 1;
  }
}

static int from_everywhere(struct search *s) {
  uint64_t random = s->o->seed;
  uint32_t n = s->space->nfiles, *at = calloc(n, sizeof *at);
  int rc = at ? descend(s, at) : SIOX_ENOMEM; /* as files lie now */
  if (rc == 0 && !s->spent)
    rc = start_alike(s, at);
  if (rc == 0 && !s->spent)
    rc = descend(s, at);
  if (rc == 0 && !s->spent) {
    start_spread(s, at);
    rc = descend(s, at);
  }
  for (int k = 0; k < RANDOM_STARTS && rc == 0 && !s->spent; k++) {
    for (uint32_t i = 0; i < n; i++)
      at[i] = (uint32_t)(draw(&random) % ((uint64_t)grid(s->space) + 1));
    rc = descend(s, at);
  }
  free(at);
  return rc;
}

static int everything(struct search *s, uint64_t size) {
  uint32_t n = s->space->nfiles, *batch = calloc((size_t)BATCH * n, sizeof *batch), waiting = 0;
  int rc = batch ? 0 : SIOX_ENOMEM;
  for (uint64_t number = 0; number < size && rc == 0; number++) {
    uint64_t rest = number;
    for (uint32_t i = n; i-- > 0; rest /= (uint64_t)grid(s->space) + 1)
      batch[(size_t)waiting * n + i] = (uint32_t)(rest % ((uint64_t)grid(s->space) + 1));
    if (++waiting < BATCH && number + 1 < size)
      continue;
    rc = ask(s, batch, waiting, NULL);
    waiting = 0;
  }
  free(batch);
  return rc;
}

int layout_search(const struct layout_space *space, const struct layout_search_options *options,
                  struct layout_search_result *result) {
  struct layout_search_options o = *options;
  struct search s = {.space = space, .o = &o, .r = result};
  uint64_t size = layout_space_size(space);
  *result = (struct layout_search_result){.figures.pruned = true};
  if (!(result->choice = calloc((size_t)space->nfiles + 1, sizeof *result->choice)))
    return SIOX_ENOMEM;
  result->exhaustive = size <= o.evaluations;
  if (result->exhaustive)
    o.evaluations = size; /* for the progress */
  int rc = result->exhaustive ? everything(&s, size) : from_everywhere(&s);
  free(s.memo.choice);
  free(s.memo.figures);
  free(s.memo.used);
  free(s.list);
  if (rc) {
    free(result->choice);
    result->choice = NULL;
  }
  return rc;
}
