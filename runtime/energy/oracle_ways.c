/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The walks and ways of a drive. Walks are labels of a shortest-path search with two weights, time
 * and joules: one is dropped when another to the same level, and standing for the rest of the time,
 * is no dearer. No walk comes to a level twice: going round is not cheaper than standing. */
#include "energy/oracle_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int room(void *array, uint32_t count, uint32_t *room, size_t size) {
  if (count < *room)
    return 0;
  uint32_t more = *room ? 2 * *room : 16;
  void *grown = realloc(*(void **)array, more * size);
  if (!grown)
    return SIOX_ENOMEM;
  *(void **)array = grown;
  *room = more;
  return 0;
}

/* Equal but for rounding. */
static bool not_dearer(double a, double b) { return a <= b + 1e-12 * fabs(b); }

/* A walk that is shorter must leave time that is no dearer to spend, at one of its ends. */
static bool dropped(const struct siox__graph *g, uint32_t from, const struct siox__walks *w,
                    const struct siox__walk *new) {
  double idle_w = fmin(g->drive->level[from].idle_w, g->drive->level[new->level].idle_w);
  for (uint32_t i = 0; i < w->count; i++) {
    const struct siox__walk *old = &w->walk[i];
    if (old->level == new->level &&
        old->ns <= new->ns &&not_dearer(old->joules + idle_w * (double)(new->ns - old->ns) * 1e-9,
                                        new->joules))
      return true;
  }
  return false;
}

static bool passes(const struct siox__walks *w, uint32_t walk, uint32_t level) {
  for (; walk != SIOX__NO_WALK; walk = w->walk[walk].before)
    if (w->walk[walk].level == level)
      return true;
  return false;
}

/* In the order of their number of changes, so that of equals the one with the fewest stays. Walks
 * that a later one makes useless remain: others may begin with them. */
static int find_walks(struct siox__graph *g, uint32_t from) {
  struct siox__walks *w = &g->walks[from];
  int rc = room(&w->walk, 0, &w->room, sizeof *w->walk);
  if (rc < 0)
    return rc;
  w->walk[w->count++] = (struct siox__walk){.level = from, .before = SIOX__NO_WALK};
  for (uint32_t i = 0; i < w->count; i++) {
    struct siox__walk at = w->walk[i];
    if (g->kind == SIOX_ORACLE_DIRECT && i > 0)
      break;
    for (uint32_t to = 0; to < g->drive->nlevels; to++) {
      double a = g->drive->level[at.level].speed, b = g->drive->level[to].speed, joules;
      int64_t ns = siox_drive_transition_ns(g->drive, a, b);
      if (passes(w, i, to) || ns < 0 || siox_drive_transition_j(g->drive, a, b, &joules) < 0)
        continue;
      struct siox__walk new = {to, i, at.ns + ns, at.joules + joules};
      if (dropped(g, from, w, &new))
        continue;
      rc = room(&w->walk, w->count, &w->room, sizeof *w->walk);
      if (rc < 0)
        return rc;
      w->walk[w->count++] = new;
    }
  }
  return 0;
}

/* Is a at least as good as b for every gap? */
static bool better(const struct siox__graph *g, const struct siox__way *a,
                   const struct siox__way *b) {
  double wa = g->drive->level[a->rest].idle_w, wb = g->drive->level[b->rest].idle_w;
  return a->ns <= b->ns && wa <= wb &&
         not_dearer(a->joules + wa * (double)(b->ns - a->ns) * 1e-9, b->joules);
}

static int add_way(struct siox__graph *g, struct siox__way_list *w, struct siox__way new) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->count; i++)
    if (better(g, &w->way[i], &new))
      return 0;
  for (uint32_t i = 0; i < w->count; i++)
    if (!better(g, &new, &w->way[i]))
      w->way[kept++] = w->way[i];
  w->count = kept;
  int rc = room(&w->way, w->count, &w->room, sizeof *w->way);
  if (rc == 0)
    w->way[w->count++] = new;
  return rc;
}

static int find_ways(struct siox__graph *g, uint32_t from) {
  const struct siox__walks *there = &g->walks[from];
  for (uint32_t i = 0; i < there->count; i++) {
    const struct siox__walk *a = &there->walk[i];
    const struct siox__walks *on = &g->walks[a->level];
    for (uint32_t k = 0; k < on->count; k++) {
      const struct siox__walk *b = &on->walk[k];
      int rc = add_way(g, &g->ways[from][b->level],
                       (struct siox__way){a->ns + b->ns, a->joules + b->joules, a->level, i, k});
      if (rc < 0)
        return rc;
    }
  }
  return 0;
}

int siox__graph_make(struct siox__graph *g, const struct siox_drive *drive,
                     enum siox_oracle_ways kind) {
  memset(g, 0, sizeof *g);
  g->drive = drive;
  g->kind = kind;
  int rc = 0;
  for (uint32_t l = 0; l < drive->nlevels && rc == 0; l++)
    rc = find_walks(g, l);
  for (uint32_t l = 0; l < drive->nlevels && rc == 0; l++)
    rc = find_ways(g, l);
  return rc;
}

void siox__graph_free(struct siox__graph *g) {
  for (uint32_t a = 0; a < SIOX_MAX_LEVELS; a++) {
    free(g->walks[a].walk);
    for (uint32_t b = 0; b < SIOX_MAX_LEVELS; b++)
      free(g->ways[a][b].way);
  }
}
