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
  v->truth = sim_paper_row(p, scene, rule, "siox" SIM_PAPER_TRUE);
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
  return of && whole && whole->saved > near_enough ? sim_percent(of->saved / whole->saved) : NAN;
}

/* % of the requests. */
static double unpredicted(const struct sim_row *row) {
  return row->requests ? 100 * (double)row->missed / (double)row->requests : 0;
}

/* What could be saved at most, as a part of base's energy, in gaps of so many seconds, one a disk:
 * a process knows of its first use when it begins only if somebody says so. */
static double could_save(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                         const double *seconds) {
  const struct sim_paper_result *r = &p->scene[scene];
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  const struct siox_drive *d = &r->drive[rule];
  double joules = 0;
  for (uint32_t disk = 0; disk < r->ndisks; disk++) {
    int64_t gap = llround(seconds[disk] / d->time_scale * 1e9);
    double saved = siox_drive_gap_saving(d, siox_drive_best_level(d, gap), gap);
    joules += isfinite(saved) && saved > 0 ? saved : 0;
  }
  return base && base->joules > 0 ? joules / base->joules : 0;
}

/* The bar in seconds of idling at full speed instead of the static level. */
static double seconds_of(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                         double joules, const char *level) {
  const struct siox_drive *d = &p->scene[scene].drive[rule];
  int low = siox_drive_level_at(d, (int32_t)strtol(level + strcspn(level, ":") + 1, NULL, 10));
  double watts = low < 0 ? 0 : d->level[d->nlevels - 1].idle_w - d->level[low].idle_w;
  return watts > 0 ? joules / watts / p->scene[scene].ndisks * d->time_scale : NAN;
}

/* Why a bar was missed, as far as the figures tell. */
static void put_cause(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                      const struct verdict *v, enum bar bar, FILE *out) {
  const struct sim_row *claims = sim_paper_row(p, scene, rule, "claims"),
                       *early = sim_paper_row(p, scene, rule, "siox:early=0");
  const struct sim_rows *rows = &p->scene[scene].rule[rule].rows;
  switch (bar) {
  case KEEPS:
    fprintf(out, "siox saves %.2f %%, the oracle %.2f %% (%.1f %% kept)",
            sim_percent(v->siox->saved), sim_percent(v->oracle->saved), part(v->siox, v->oracle));
    if (v->truth && v->truth->saved < v->siox->saved)
      fprintf(out, "; with hints from the recorded truth %.2f %%, less than with its own",
              sim_percent(v->truth->saved));
    else if (v->truth)
      fprintf(out, "; with hints from the recorded truth %.2f %%, so that %s",
              sim_percent(v->truth->saved),
              part(v->truth, v->oracle) >= 100 * (is_alone(scene) ? keeps_alone : keeps_shared)
                  ? "what is missing is missing in the program's hints"
                  : "the policy itself leaves a part");
    fprintf(out,
            "; %.1f %% of the requests come unpredicted, speeds change %" PRIu64
            " times (oracle: %" PRIu64 ")",
            unpredicted(v->siox), v->siox->transitions, v->oracle->transitions);
    if (early && early->saved - v->siox->saved > near_enough)
      fprintf(out,
              "; siox:early=0, which does not heed how early uses have come, saves %.2f %% at %.2f "
              "%% more I/O time",
              sim_percent(early->saved), sim_percent(early->added_io));
    fprintf(out,
            "; before the disks' first uses %.2f %% of base's energy could be saved, after their "
            "last ones %.2f %%",
            100 * could_save(p, scene, rule, p->scene[scene].before),
            100 * could_save(p, scene, rule, p->scene[scene].after));
    if (rows->late)
      fputs("; base itself waits for disks at the start", out);
    break;
  case IO_TIME:
    fprintf(out,
            "%.2f %% more I/O time, %.2f %% longer run time; longest wait %.3f s; %.1f %% of the "
            "requests come unpredicted",
            sim_percent(v->siox->added_io), sim_percent(v->siox->slow_down),
            v->siox->worst_seconds * p->scene[scene].drive[rule].time_scale, unpredicted(v->siox));
    if (claims)
      fprintf(out, "; claims, which speeds up one transition ahead, adds %.2f %%",
              sim_percent(claims->added_io));
    break;
  case BUDGET:
    fprintf(out, "siox:delay=2 saves %.2f %% at %.2f %% longer run time",
            sim_percent(v->budget->saved), sim_percent(v->budget->slow_down));
    if (v->rival)
      fprintf(out, ", %s %.2f %% at %.2f %%", v->rival->name, sim_percent(v->rival->saved),
              sim_percent(v->rival->slow_down));
    if (v->within.over > 0)
      fprintf(out, "; %.2f points beyond the budget", v->within.over);
    else
      fprintf(out, "; it leaves %.2f points of its budget unused",
              fmax(0, 2 - sim_percent(v->budget->slow_down)));
    if (v->rival && v->budget->joules > v->rival->joules)
      fprintf(out, ", and misses what every disk takes in %.1f s of idling at full speed instead",
              seconds_of(p, scene, rule, v->budget->joules - v->rival->joules, v->rival->name));
    break;
  case UNDOMINATED:
    fprintf(out, "%s saves %.2f %% at %.2f %% more I/O time, siox %.2f %% at %.2f %%",
            v->dominator->name, sim_percent(v->dominator->saved),
            sim_percent(v->dominator->added_io), sim_percent(v->siox->saved),
            sim_percent(v->siox->added_io));
    break;
  case HINTS:
    fprintf(out,
            "%.2f %% saved, %.2f %% with true hints (%.1f %%); %.1f %% of the requests come "
            "unpredicted, then %.1f %%",
            sim_percent(v->siox->saved), sim_percent(v->truth->saved), part(v->siox, v->truth),
            unpredicted(v->siox), unpredicted(v->truth));
    break;
  default:
    break;
  }
}

static void put_cell(enum outcome outcome, double value, const char *unit, FILE *out) {
  if (outcome == NOT_ASKED || isnan(value))
    fprintf(out, " %s |", outcome == MISSED ? "**missed**" : outcome == MET ? "met" : "-");
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
  double kept = part(v.truth, v.oracle);
  put_cell(isnan(kept) ? NOT_ASKED : MET, kept, " %", out);
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
          "hints' savings | true hints keep of the oracle's |\n"
          "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: |\n",
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
