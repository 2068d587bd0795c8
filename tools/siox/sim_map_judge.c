/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the rows of one point of the map say about the schemes. */
#include "sim_map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double matters = SIM_PART(SIM_MATTERS);
static const double allowance = SIM_PART(SIM_ALLOWANCE);

static const char budget_prefix[] = "siox:delay=";

static bool is(const struct sim_row *r, const char *name) { /* with any argument */
  size_t n = strlen(name);
  return strncmp(r->name, name, n) == 0 && (!r->name[n] || r->name[n] == ':');
}

static bool played(const struct sim_row *r) { return r->timed && !r->wrong[0]; }

const char *sim_choice_name(enum sim_choice c) {
  static const char *const names[] = {"nothing", "static", "timeout", "hw", "any", "hints"};
  return names[c];
}

const char *sim_limit_what(enum sim_limit l) {
  static const char *const what[] = {
#define LIMIT(name, member, limit, what) what,
      SIM_LIMITS(LIMIT)
#undef LIMIT
  };
  return what[l];
}

bool sim_limit_told(enum sim_limit l) {
  return l == SIM_LIMIT_run0 || l == SIM_LIMIT_run5 || l == SIM_LIMIT_io5;
}

double sim_dominates(const struct sim_row *a, const struct sim_row *b,
                     const struct sim_noise *noise) {
  const double equal = 1e-9;
  if (a->joules > b->joules * (1 + equal) || a->added_io > b->added_io + equal)
    return 0;
  double joules = 1 - a->joules / b->joules, io = b->added_io - a->added_io;
  return fmax(joules > fmax(matters, noise->joules) ? joules : 0,
              io > fmax(matters, noise->io) ? io : 0);
}

bool sim_on_front(const struct sim_rows *rows, const struct sim_row *row) {
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    if (played(r) && r->joules <= row->joules && r->added_io <= row->added_io &&
        (r->joules < row->joules || r->added_io < row->added_io))
      return false;
  }
  return true;
}

static const struct sim_row *find(const struct sim_rows *rows, const char *name) {
  for (uint32_t i = 0; i < rows->count; i++)
    if (!rows->row[i].wrong[0] && !strcmp(rows->row[i].name, name))
      return &rows->row[i];
  return NULL;
}

/* The one of those without claims that dominates most. */
static const struct sim_row *dominator_of(const struct sim_rows *rows, const struct sim_row *row,
                                          const struct sim_noise *noise) {
  const struct sim_row *worst = NULL;
  double most = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    bool rival = is(r, "base") || is(r, "static") || is(r, "timeout") || is(r, "hw") ||
                 is(r, "com") || is(r, "rt");
    double by = rival && played(r) ? sim_dominates(r, row, noise) : 0;
    if (by > most) {
      most = by;
      worst = r;
    }
  }
  return worst;
}

static void judge_budget(const struct sim_rows *rows, const struct sim_row *row,
                         const struct sim_noise *noise, struct sim_budget *b) {
  double most = 0;
  *b = (struct sim_budget){.row = row,
                           .percent = strtod(row->name + sizeof budget_prefix - 1, NULL)};
  double limit = b->percent / 100 + allowance;
  b->over = row->slow_down * 100 - b->percent;
  if (b->over <= 100 * fmax(allowance, noise->run))
    b->over = 0;
  b->above = row->bound > 0 ? row->joules / row->bound - 1 : 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    if (r->kind != SIM_STATIC || !played(r) || r->slow_down > limit)
      continue;
    double by = sim_dominates(r, row, noise);
    if (by > most) {
      most = by;
      b->dominator = r;
    }
    if (!b->best_static || r->joules < b->best_static->joules)
      b->best_static = r;
  }
  if (b->best_static && b->best_static->joules < row->joules * (1 - matters))
    b->cheaper = b->best_static;
}

static enum sim_choice choice_of(const struct sim_row *r) {
  return r->kind == SIM_STATIC ? SIM_CHOOSE_STATIC
         : is(r, "timeout")    ? SIM_CHOOSE_TIMEOUT
         : is(r, "hw")         ? SIM_CHOOSE_HW
         : r->kind == SIM_BASE ? SIM_CHOOSE_NOTHING
                               : SIM_CHOOSE_HINTS;
}

static bool within(const struct sim_row *r, enum sim_limit limit) {
  switch (limit) {
#define LIMIT(name, member, most, what)                                                            \
  case SIM_LIMIT_##name:                                                                           \
    return r->member <= (most) + allowance;
    SIM_LIMITS(LIMIT)
#undef LIMIT
  default:
    return false;
  }
}

static void choose(const struct sim_rows *rows, enum sim_limit limit, struct sim_verdict *v) {
  const struct sim_row *with = NULL, *without = NULL;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    const struct sim_row **best = choice_of(r) == SIM_CHOOSE_HINTS ? &with : &without;
    if (played(r) && within(r, limit) && (!*best || r->joules < (*best)->joules))
      *best = r;
  }
  if (!without) /* base is always within */
    return;
  double saves = matters * v->base->joules;
  v->lead[limit] = with ? (without->joules - with->joules) / v->base->joules : 0;
  v->least[limit] = with && with->joules < without->joules ? with : without;
  if (v->least[limit]->joules > v->base->joules - saves)
    v->choice[limit] = SIM_CHOOSE_NOTHING;
  else if (!with || with->joules > without->joules + saves)
    v->choice[limit] = choice_of(without);
  else if (with->joules < without->joules - saves)
    v->choice[limit] = SIM_CHOOSE_HINTS;
  else
    v->choice[limit] = SIM_CHOOSE_ANY;
}

void sim_judge(const struct sim_result *one, struct sim_verdict *v) {
  const struct sim_rows *rows = &one->rows;
  *v = (struct sim_verdict){.noise = one->noise,
                            .base = find(rows, "base"),
                            .siox = find(rows, "siox"),
                            .oracle = find(rows, "oracle")};
  if (!v->base)
    return;
  if (v->siox)
    v->dominator = dominator_of(rows, v->siox, &v->noise);
  for (uint32_t i = 0; i < rows->count; i++)
    if (played(&rows->row[i]) && v->nbudgets < SIM_MAX_BUDGETS &&
        strncmp(rows->row[i].name, budget_prefix, sizeof budget_prefix - 1) == 0)
      judge_budget(rows, &rows->row[i], &v->noise, &v->budget[v->nbudgets++]);
  for (int l = 0; l < SIM_NLIMITS; l++)
    choose(rows, (enum sim_limit)l, v);
}
