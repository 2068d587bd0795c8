/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What siox has to reach in the evaluation, and where it does not. */
#include "sim_paper.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of siox itself: parts of the oracle's savings; or so near to them in parts of base's energy; at
 * so much more I/O. */
static const double keeps_alone = 0.95, keeps_shared = 0.90, near_enough = 0.005, io_allowed = 0.01;
/* Of the compiler's hints: part of what hints from the recorded truth save. */
static const double keeps_truth = 0.95;

enum bar { KEEPS, IO_TIME, BUDGET, UNDOMINATED, HINTS, NBARS };
static const char *const bar_names[NBARS] = {
    "keeps the oracle's savings", "adds at most 1 % I/O time",
    "siox:delay=2 saves what the best static level within 2 % saves",
    "not dominated by more than 1 %", "the compiler's hints save what true ones do"};

enum outcome { NOT_ASKED, MET, MISSED };

struct verdict {
  enum outcome outcome[NBARS];
  const struct sim_row *siox, *oracle, *budget, *rival, *dominator, *truth;
  struct sim_budget within;
};

static bool is_alone(enum sim_paper_scene scene) {
  return scene <= SIM_SCENE_alone_btio || scene >= SIM_SCENE_mxm_k2;
}

static enum outcome outcome_of(bool good) { return good ? MET : MISSED; }

/* What the map asks of a point, and then our bars. */
static void judge(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                  struct verdict *v) {
  const struct sim_paper_play *play = &p->scene[scene].rule[rule];
  const struct sim_result point = {.feasible = true, .rows = play->rows};
  struct sim_verdict of_map;
  *v = (struct verdict){0};
  sim_judge(&point, &of_map);
  v->siox = of_map.siox;
  v->oracle = of_map.oracle;
  v->dominator = of_map.dominator;
  v->truth = sim_paper_row(p, scene, rule, SIM_PAPER_TRUTH);
  if (!v->siox)
    return;
  if (v->oracle) {
    double keeps = is_alone(scene) ? keeps_alone : keeps_shared;
    v->outcome[KEEPS] = outcome_of(v->siox->saved >= keeps * v->oracle->saved ||
                                   v->oracle->saved - v->siox->saved <= near_enough);
  }
  v->outcome[IO_TIME] = outcome_of(v->siox->added_io <= io_allowed);
  v->outcome[UNDOMINATED] = outcome_of(!v->dominator);
  for (uint32_t b = 0; b < of_map.nbudgets; b++)
    if (of_map.budget[b].percent == 2) {
      v->within = of_map.budget[b];
      v->budget = v->within.row;
      v->rival = v->within.best_static;
      v->outcome[BUDGET] = outcome_of(
          v->within.over <= 0 && (!v->rival || v->budget->joules <= v->rival->joules * (1 + 1e-9)));
    }
  if (v->truth && is_alone(scene))
    v->outcome[HINTS] = outcome_of(v->siox->saved >= keeps_truth * v->truth->saved ||
                                   v->truth->saved - v->siox->saved <= near_enough);
}

static double part(const struct sim_row *of, const struct sim_row *whole) {
  return of && whole && whole->saved > 0 ? 100 * of->saved / whole->saved : NAN;
}

/* Why a bar was missed, as far as the figures tell. */
static void put_cause(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                      const struct verdict *v, enum bar bar, FILE *out) {
  const struct sim_row *claims = sim_paper_row(p, scene, rule, "claims");
  const struct sim_rows *rows = &p->scene[scene].rule[rule].rows;
  switch (bar) {
  case KEEPS:
    fprintf(out, "siox saves %.2f %%, the oracle %.2f %% (%.1f %% kept)", v->siox->saved * 100,
            v->oracle->saved * 100, part(v->siox, v->oracle));
    if (v->truth)
      fprintf(out, "; with hints from the recorded truth %.2f %%, so that %s",
              v->truth->saved * 100,
              part(v->truth, v->oracle) >= 100 * (is_alone(scene) ? keeps_alone : keeps_shared)
                  ? "what is missing is missing in the program's hints"
                  : "the policy itself leaves a part");
    fprintf(out,
            "; %.1f %% of the requests come unpredicted, speeds change %" PRIu64
            " times (oracle: %" PRIu64 ")",
            v->siox->requests ? 100 * (double)v->siox->missed / (double)v->siox->requests : 0,
            v->siox->transitions, v->oracle->transitions);
    if (rows->late)
      fputs("; base itself waits for disks at the start", out);
    break;
  case IO_TIME:
    fprintf(out,
            "%.2f %% more I/O time, %.2f %% longer run time; longest wait %.3f s; %.1f %% of the "
            "requests come unpredicted",
            v->siox->added_io * 100, v->siox->slow_down * 100,
            v->siox->worst_seconds * p->scene[scene].drive[rule].time_scale,
            v->siox->requests ? 100 * (double)v->siox->missed / (double)v->siox->requests : 0);
    if (claims)
      fprintf(out, "; claims, which speeds up one transition ahead, adds %.2f %%",
              claims->added_io * 100);
    break;
  case BUDGET:
    fprintf(out, "siox:delay=2 saves %.2f %% at %.2f %% longer run time", v->budget->saved * 100,
            v->budget->slow_down * 100);
    if (v->rival)
      fprintf(out, ", %s %.2f %% at %.2f %%", v->rival->name, v->rival->saved * 100,
              v->rival->slow_down * 100);
    if (v->within.over > 0)
      fprintf(out, "; %.2f points beyond the budget", v->within.over);
    else
      fprintf(out, "; it leaves %.2f points of its budget unused", 2 - v->budget->slow_down * 100);
    break;
  case UNDOMINATED:
    fprintf(out, "%s saves %.2f %% at %.2f %% more I/O time, siox %.2f %% at %.2f %%",
            v->dominator->name, v->dominator->saved * 100, v->dominator->added_io * 100,
            v->siox->saved * 100, v->siox->added_io * 100);
    break;
  case HINTS:
    fprintf(out,
            "%.2f %% saved, %.2f %% with true hints (%.1f %%); %.1f %% of the requests come "
            "unpredicted, then %.1f %%",
            v->siox->saved * 100, v->truth->saved * 100, part(v->siox, v->truth),
            v->siox->requests ? 100 * (double)v->siox->missed / (double)v->siox->requests : 0,
            v->truth->requests ? 100 * (double)v->truth->missed / (double)v->truth->requests : 0);
    break;
  default:
    break;
  }
}

static void put_cell(enum outcome outcome, double value, const char *unit, FILE *out) {
  if (outcome == NOT_ASKED || isnan(value))
    fprintf(out, " %s |", outcome == MET ? "met" : outcome == MISSED ? "**missed**" : "-");
  else
    fprintf(out, outcome == MET ? " %.2f%s |" : " **%.2f%s** |", value == 0 ? 0 : value, unit);
}

static void put_row(const struct sim_paper *p, enum sim_paper_scene scene, int rule, FILE *out) {
  char name[32];
  struct verdict v;
  sim_paper_name(scene, name);
  judge(p, scene, rule, &v);
  fprintf(out, "| %s | %s |", name, siox_rule_name((enum siox_transition_rule)rule));
  put_cell(v.outcome[KEEPS], part(v.siox, v.oracle), " %", out);
  put_cell(v.outcome[IO_TIME], v.siox ? v.siox->added_io * 100 : NAN, " %", out);
  put_cell(v.outcome[BUDGET], v.budget && v.rival ? (v.budget->saved - v.rival->saved) * 100 : NAN,
           "", out);
  if (v.dominator)
    fprintf(out, " **%s** |", v.dominator->name);
  else
    fprintf(out, " %s |", v.siox ? "nobody" : "-");
  put_cell(v.outcome[HINTS], part(v.siox, v.truth), " %", out);
  fputc('\n', out);
}

struct sim_paper_counts sim_paper_bars_markdown(const struct sim_paper *p, FILE *out) {
  struct sim_paper_counts counts = {0};
  fprintf(out,
          "What siox is to reach: %.0f %% of the oracle's savings alone and %.0f %% with several "
          "programs, or within %.1f %% "
          "of base's energy of them; at most %.0f %% more I/O time; with a delay budget of 2 %% of "
          "the run time no less than the "
          "best static level that keeps to it (points of base's energy more); nobody without "
          "claims, nor com or rt, at least "
          "as good in energy and I/O time and better by more than " SIM_MATTERS_TEXT
          " %% in one; and the compiler's hints "
          "%.0f %% of what hints save that are placed from the recorded truth. What is bold is "
          "missed.\n\n"
          "| scenario | rule | oracle's savings kept | added I/O time | delay=2 beyond static, "
          "points | dominated by | of true "
          "hints' savings |\n| --- | --- | ---: | ---: | ---: | --- | ---: |\n",
          keeps_alone * 100, keeps_shared * 100, near_enough * 100, io_allowed * 100,
          keeps_truth * 100);
  for (int scene = 0; scene < SIM_NSCENES; scene++)
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      put_row(p, (enum sim_paper_scene)scene, rule, out);
  for (int bar = 0; bar < NBARS; bar++) {
    unsigned asked = 0, missed = 0;
    for (int scene = 0; scene < SIM_NSCENES; scene++)
      for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
        struct verdict v;
        judge(p, (enum sim_paper_scene)scene, rule, &v);
        asked += v.outcome[bar] != NOT_ASKED;
        missed += v.outcome[bar] == MISSED;
      }
    counts.good += asked - missed;
    counts.bad += missed;
    if (asked)
      fprintf(out, "\n**%s**: met in %u of %u cases.\n", bar_names[bar], asked - missed, asked);
    else
      fprintf(out, "\n**%s**: not asked; there are no such hints.\n", bar_names[bar]);
    for (int scene = 0; scene < SIM_NSCENES && missed; scene++)
      for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
        struct verdict v;
        char name[32];
        judge(p, (enum sim_paper_scene)scene, rule, &v);
        if (v.outcome[bar] != MISSED)
          continue;
        sim_paper_name((enum sim_paper_scene)scene, name);
        fprintf(out, "- %s, rule %s: ", name, siox_rule_name((enum siox_transition_rule)rule));
        put_cause(p, (enum sim_paper_scene)scene, rule, &v, (enum bar)bar, out);
        fputs(".\n", out);
      }
  }
  return counts;
}

json_t *sim_paper_bars_json(const struct sim_paper *p) {
  static const char *const keys[NBARS] = {"keeps", "io_time", "budget", "undominated", "hints"};
  static const char *const outcomes[] = {NULL, "met", "missed"};
  json_t *all = json_array();
  for (int scene = 0; scene < SIM_NSCENES; scene++)
    for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
      struct verdict v;
      char name[32];
      sim_paper_name((enum sim_paper_scene)scene, name);
      judge(p, (enum sim_paper_scene)scene, rule, &v);
      json_t *one = json_pack("{s:s, s:s}", "scenario", name, "rule",
                              siox_rule_name((enum siox_transition_rule)rule));
      for (int bar = 0; bar < NBARS; bar++) {
        char *why = NULL;
        size_t size;
        FILE *out = v.outcome[bar] == MISSED ? open_memstream(&why, &size) : NULL;
        if (v.outcome[bar] != NOT_ASKED)
          json_object_set_new(one, keys[bar], json_string(outcomes[v.outcome[bar]]));
        if (out) {
          char key[32];
          put_cause(p, (enum sim_paper_scene)scene, rule, &v, (enum bar)bar, out);
          fclose(out);
          snprintf(key, sizeof key, "%s_why", keys[bar]);
          json_object_set_new(one, key, json_string(why));
          free(why);
        }
      }
      json_array_append_new(all, one);
    }
  return all;
}
