/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is asked of the schemes at every point of the map, how often it is met, and where not. */
#include "cli/text.h"
#include "sim_csv.h"
#include "sim_map.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Percent that the questions ask about; texts say them, too. */
#define ABOVE_BOUND 5 /* joules */
#define WRONG_FROM 25 /* error of predictions */
#define KEEPS_ONE 95  /* of the oracle's savings, with one job */
#define KEEPS_MORE 90
#define NEAR 0.5 /* of base's joules: so close to the oracle that it is as good */

/* One case of a question at one point: how bad it is (0: as asked), and what it is about. */
struct answer {
  bool asked;
  double bad;
  char text[200];
};

static void of_domination(const struct sim_verdict *v, const struct sim_row *row,
                          const struct sim_row *by, struct answer *a) {
  a->asked = row != NULL;
  if (!row || !by)
    return;
  a->bad = sim_dominates(by, row, &v->noise);
  snprintf(a->text, sizeof a->text, "%s saves %.1f %% at %.2f %% added I/O; %s %.1f %% at %.2f %%",
           row->name, row->saved * 100, row->added_io * 100, by->name,
           100 * (1 - by->joules / v->base->joules), by->added_io * 100);
}

static void dominated(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                      struct answer *a) {
  (void)r;
  if (k == 0)
    of_domination(v, v->siox, v->dominator, a);
}

static const struct sim_budget *budget_of(const struct sim_verdict *v, uint32_t k,
                                          struct answer *a) {
  a->asked = k < v->nbudgets;
  return a->asked ? &v->budget[k] : NULL;
}

static void overspent(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                      struct answer *a) {
  (void)r;
  const struct sim_budget *b = budget_of(v, k, a);
  if (!b)
    return;
  a->bad = b->over;
  snprintf(a->text, sizeof a->text, "%s takes %.2f %% longer", b->row->name,
           b->row->slow_down * 100);
}

static void above_bound(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                        struct answer *a) {
  (void)r;
  const struct sim_budget *b = budget_of(v, k, a);
  if (!b)
    return;
  a->bad = b->above > SIM_PART(ABOVE_BOUND) ? b->above : 0;
  snprintf(a->text, sizeof a->text, "%s takes %.0f J, %.1f %% above the bound at its delay",
           b->row->name, b->row->joules, b->above * 100);
}

static void budget_dominated(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                             struct answer *a) {
  (void)r;
  if (k < v->nbudgets)
    of_domination(v, v->budget[k].row, v->budget[k].dominator, a);
}

static void budget_dearer(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                          struct answer *a) {
  (void)r;
  const struct sim_budget *b = budget_of(v, k, a);
  if (!b)
    return;
  if (!b->cheaper)
    return;
  a->bad = 1 - b->cheaper->joules / b->row->joules;
  snprintf(a->text, sizeof a->text, "%s saves %.1f %%; %s %.1f %%, %.2f %% longer", b->row->name,
           b->row->saved * 100, b->cheaper->name, b->cheaper->saved * 100,
           b->cheaper->slow_down * 100);
}

static void loses(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                  struct answer *a) {
  if (k || !v->siox || r->point.error < WRONG_FROM)
    return;
  a->asked = true;
  a->bad = -v->siox->saved > fmax(1e-9, v->noise.joules) ? -v->siox->saved : 0;
  snprintf(a->text, sizeof a->text, "siox saves %.2f %% at %.2f %% added I/O", v->siox->saved * 100,
           v->siox->added_io * 100);
}

/* The target with right predictions: KEEPS_ONE or KEEPS_MORE of the oracle's savings, or NEAR them;
 * at SIM_MATTERS of added I/O time at most. */
static void keeps(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                  struct answer *a) {
  if (k || !v->siox || !v->oracle || r->point.error > 0)
    return;
  a->asked = true;
  double want = SIM_PART(r->point.jobs > 1 ? KEEPS_MORE : KEEPS_ONE),
         lost = v->oracle->saved - v->siox->saved;
  if (v->siox->saved < want * v->oracle->saved && lost > SIM_PART(NEAR))
    a->bad = lost;
  snprintf(a->text, sizeof a->text, "siox saves %.2f %%, the oracle %.2f %%", v->siox->saved * 100,
           v->oracle->saved * 100);
}

static void delays(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
                   struct answer *a) {
  if (k || !v->siox || r->point.error > 0)
    return;
  a->asked = true;
  a->bad = v->siox->added_io > fmax(SIM_PART(SIM_MATTERS), v->noise.io) ? v->siox->added_io : 0;
  snprintf(a->text, sizeof a->text, "siox adds %.2f %% I/O time", v->siox->added_io * 100);
}

static const struct question {
  const char *key, *what;
  void (*ask)(const struct sim_result *r, const struct sim_verdict *v, uint32_t k,
              struct answer *a);
} questions[] = {
    {"dominated",
     "siox is dominated by static, timeout, hw, com or rt, by more than " SIM_MATTERS_TEXT " %",
     dominated},
    {"overspent", "siox:delay=D makes a job more than D + " SIM_ALLOWANCE_TEXT " % longer",
     overspent},
    {"above_bound",
     "siox:delay=D takes " SIM_TEXT(ABOVE_BOUND) " % more than the bound at the delay it used",
     above_bound},
    {"budget_dominated",
     "siox:delay=D is dominated by a static level within D, by more than " SIM_MATTERS_TEXT " %",
     budget_dominated},
    {"budget_dearer",
     "siox:delay=D takes " SIM_MATTERS_TEXT " % more joules than a static level within D",
     budget_dearer},
    {"loses", "with errors of " SIM_TEXT(WRONG_FROM) " % and more siox takes more than base",
     loses},
    {"keeps",
     "without errors siox keeps less of the oracle's savings "
     "than " SIM_TEXT(KEEPS_ONE) " % (1 job), " SIM_TEXT(KEEPS_MORE) " %",
     keeps},
    {"delays", "without errors siox adds more than " SIM_MATTERS_TEXT " % I/O time", delays},
};
enum { NQUESTIONS = sizeof questions / sizeof *questions };

struct worst {
  const struct sim_result *r;
  struct answer a;
};
struct tally {
  uint64_t asked, points, bad;
  struct worst *list; /* every bad answer */
};

static int worse_first(const void *a, const void *b) {
  const struct worst *x = a, *y = b;
  return (x->a.bad < y->a.bad) - (x->a.bad > y->a.bad);
}

static void gather(const struct sim_results *r, const struct question *q, struct tally *t) {
  size_t room = 0;
  *t = (struct tally){0};
  for (uint64_t i = 0; i < r->count; i++) {
    struct sim_verdict v;
    bool bad = false;
    sim_judge(&r->item[i], &v);
    for (uint32_t k = 0; v.base && k < SIM_MAX_BUDGETS; k++) {
      struct answer a = {0};
      q->ask(&r->item[i], &v, k, &a);
      t->asked += a.asked;
      if (!(a.bad > 0))
        continue;
      bad = true;
      if (t->bad == room) {
        struct worst *more = realloc(t->list, (room * 2 + 64) * sizeof *more);
        if (!more)
          return;
        t->list = more;
        room = room * 2 + 64;
      }
      t->list[t->bad++] = (struct worst){&r->item[i], a};
    }
    t->points += bad;
  }
  if (t->bad)
    qsort(t->list, t->bad, sizeof *t->list, worse_first);
}

/* How often base itself differs by more than a part of its I/O time. */
static uint64_t noisy(const struct sim_results *r, double part) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < r->count; i++)
    n += r->item[i].feasible && r->item[i].noise.io > part;
  return n;
}

static void print_noise(const struct sim_results *r, FILE *out) {
  fprintf(out,
          "When jobs begin up to 2 ms later, the I/O time of base itself changes by more "
          "than " SIM_MATTERS_TEXT " %% at %" PRIu64 " points, and by more than 20 %% at %" PRIu64
          ". What differs by less than that at its point is not counted.\n",
          noisy(r, SIM_PART(SIM_MATTERS)), noisy(r, 0.2));
}

static uint64_t feasible_of(const struct sim_results *r) {
  uint64_t feasible = 0;
  for (uint64_t i = 0; i < r->count; i++)
    feasible += r->item[i].feasible;
  return feasible;
}

void sim_verdict_print(const struct sim_results *r, uint32_t worst, FILE *out) {
  uint64_t feasible = feasible_of(r);
  fprintf(out, "%" PRIu64 " points; at %" PRIu64 " of them disks cannot be so little busy\n",
          r->count, r->count - feasible);
  print_noise(r, out);
  for (int q = 0; q < NQUESTIONS; q++) {
    struct tally t;
    gather(r, &questions[q], &t);
    fprintf(out, "\n%s\n  %" PRIu64 " of %" PRIu64 " cases, at %" PRIu64 " points\n",
            questions[q].what, t.bad, t.asked, t.points);
    for (uint64_t i = 0; i < t.bad && i < worst; i++) {
      fprintf(out, "  %s\n    siox sim --map --point ", t.list[i].a.text);
      sim_point_print(&t.list[i].r->point, out);
      fprintf(out, "%s\n", t.list[i].r->in_step ? "   # in step" : "");
    }
    free(t.list);
  }
}

void sim_verdict_markdown(const struct sim_results *r, uint32_t worst, FILE *out) {
  uint64_t feasible = feasible_of(r);
  struct tally t[NQUESTIONS];
  fprintf(out,
          "\n%" PRIu64 " points; at %" PRIu64 " more, disks cannot be so little busy.\n\n"
          "## Where siox loses\n",
          feasible, r->count - feasible);
  print_noise(r, out);
  fputs("\n| what is not as it should be | cases | of | points |\n"
        "| --- | --- | --- | --- |\n",
        out);
  for (int q = 0; q < NQUESTIONS; q++) {
    gather(r, &questions[q], &t[q]);
    fprintf(out, "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n", questions[q].what, t[q].bad,
            t[q].asked, t[q].points);
  }
  for (int q = 0; q < NQUESTIONS; q++) {
    if (t[q].bad)
      fprintf(out, "\n%s; the worst:\n", questions[q].what);
    for (uint64_t i = 0; i < t[q].bad && i < worst; i++) {
      fprintf(out, "- %s: `siox sim --map --point ", t[q].list[i].a.text);
      sim_point_print(&t[q].list[i].r->point, out);
      fputs("`\n", out);
    }
    free(t[q].list);
  }
}

static json_t *point_json(const struct sim_point *p) {
  json_t *o = json_object();
#define JSON_REAL(v) json_real(v)
#define JSON_COUNT(v) json_integer(v)
#define JSON_NAME(v) json_string(v)
#define AXIS(name, type, member, low, high, initial, what)                                         \
  json_object_set_new(o, #name, JSON_##type(p->member));
  SIM_AXES(AXIS)
#undef AXIS
  return o;
}

json_t *sim_verdict_json(const struct sim_results *r) {
  json_t *all = json_object();
  uint64_t feasible = feasible_of(r);
  json_object_set_new(all, "points", json_integer((json_int_t)r->count));
  json_object_set_new(all, "impossible", json_integer((json_int_t)(r->count - feasible)));
  for (int q = 0; q < NQUESTIONS; q++) {
    struct tally t;
    gather(r, &questions[q], &t);
    json_t *list = json_array();
    for (uint64_t i = 0; i < t.bad; i++) {
      json_t *one = point_json(&t.list[i].r->point);
      json_object_set_new(one, "bad", json_real(t.list[i].a.bad));
      json_object_set_new(one, "what", json_string(t.list[i].a.text));
      json_array_append_new(list, one);
    }
    json_object_set_new(all, questions[q].key,
                        json_pack("{s:s, s:I, s:I, s:o}", "what", questions[q].what, "cases",
                                  (json_int_t)t.asked, "points", (json_int_t)t.points, "bad",
                                  list));
    free(t.list);
  }
  return all;
}

/* A line a point: what is best within each limit and by how much of base's joules hints lead. */
void sim_verdict_csv(const struct sim_results *r, FILE *out) {
#define AXIS(name, type, member, low, high, initial, what) fputs(#name ",", out);
  SIM_AXES(AXIS)
#undef AXIS
  fputs("in_step,busy_measured,noise_io", out);
#define LIMIT(name, member, limit, what) fputs(",best_" #name ",scheme_" #name ",lead_" #name, out);
  SIM_LIMITS(LIMIT)
#undef LIMIT
  fputs(",siox_saved,siox_added_io_time,oracle_saved,dominated_by\n", out);
  for (uint64_t i = 0; i < r->count; i++) {
    const struct sim_result *one = &r->item[i];
    struct sim_verdict v;
    if (!one->feasible)
      continue;
    sim_judge(one, &v);
#define CSV_REAL(v) fprintf(out, "%.15g,", v);
#define CSV_COUNT(v) fprintf(out, "%" PRIu32 ",", v);
#define CSV_NAME(v) (siox__csv_quote(out, v), fputc(',', out));
#define AXIS(name, type, member, low, high, initial, what) CSV_##type(one->point.member)
    SIM_AXES(AXIS)
#undef AXIS
    fprintf(out, "%d,%.6g,%.6g", one->in_step, one->busy, one->noise.io);
    for (int l = 0; l < SIM_NLIMITS; l++)
      fprintf(out, ",%s,\"%s\",%.6g", sim_choice_name(v.choice[l]),
              v.least[l] ? v.least[l]->name : "", v.lead[l]);
    if (v.siox)
      fprintf(out, ",%.6g,%.6g", v.siox->saved, v.siox->added_io);
    else
      fputs(",,", out);
    if (v.oracle)
      fprintf(out, ",%.6g", v.oracle->saved);
    else
      fputc(',', out);
    fprintf(out, ",\"%s\"\n", v.dominator ? v.dominator->name : "");
  }
}
