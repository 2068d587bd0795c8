/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which bars siox reaches, and why not. Each bar is two functions: judge_ID says whether it is
 * asked and met, cause_ID what the figures tell of a miss. */
#include "sim_paper_bars.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double has_to_keep(const struct sim_bar_case *c) {
  return sim_paper_alone(c->scene) ? SIM_KEEPS_ALONE : SIM_KEEPS_SHARED;
}

double sim_bar_part(const struct sim_row *of, const struct sim_row *whole) {
  return of && whole && whole->saved > SIM_NEAR_ENOUGH ? sim_percent(of->saved / whole->saved)
                                                       : NAN;
}

/* % of the requests. */
static double unpredicted(const struct sim_row *row) {
  return row->requests ? 100 * (double)row->missed / (double)row->requests : 0;
}

/* What could be saved at most, as a part of base's energy, in gaps of so many seconds, one a disk:
 * a process knows of its first use when it begins only if somebody says so. */
static double could_save(const struct sim_bar_case *c, const double *seconds) {
  const struct sim_paper_result *r = &c->p->scene[c->scene];
  const struct sim_row *base = sim_paper_row(c->p, c->scene, c->rule, "base");
  const struct siox_drive *d = &r->drive[c->rule];
  double joules = 0;
  for (uint32_t disk = 0; disk < r->ndisks; disk++) {
    int64_t gap = llround(seconds[disk] / d->time_scale * 1e9);
    double saved = siox_drive_gap_saving(d, siox_drive_best_level(d, gap), gap);
    joules += isfinite(saved) && saved > 0 ? saved : 0;
  }
  return base && base->joules > 0 ? joules / base->joules : 0;
}

/* The bar in seconds of idling at full speed instead of the static level. */
static double seconds_of(const struct sim_bar_case *c, double joules, const char *level) {
  const struct sim_paper_result *r = &c->p->scene[c->scene];
  const struct siox_drive *d = &r->drive[c->rule];
  int low = siox_drive_level_at(d, (int32_t)strtol(level + strcspn(level, ":") + 1, NULL, 10));
  double watts = low < 0 ? 0 : d->level[d->nlevels - 1].idle_w - d->level[low].idle_w;
  return watts > 0 ? joules / watts / r->ndisks * d->time_scale : NAN;
}

static enum sim_bar_outcome outcome_of(bool good) { return good ? SIM_BAR_MET : SIM_BAR_MISSED; }

static enum sim_bar_outcome judge_keeps(const struct sim_bar_case *c) {
  if (!c->oracle)
    return SIM_BAR_NOT_ASKED;
  return outcome_of(c->siox->saved >= has_to_keep(c) * c->oracle->saved ||
                    c->oracle->saved - c->siox->saved <= SIM_NEAR_ENOUGH);
}

static void cause_keeps(const struct sim_bar_case *c, FILE *out) {
  const struct sim_paper_result *r = &c->p->scene[c->scene];
  const struct sim_row *early = sim_paper_row(c->p, c->scene, c->rule, "siox:early=0");
  fprintf(out, "siox saves %.2f %%, the oracle %.2f %% (%.1f %% kept)", sim_percent(c->siox->saved),
          sim_percent(c->oracle->saved), sim_bar_part(c->siox, c->oracle));
  if (c->truth && c->truth->saved < c->siox->saved)
    fprintf(out, "; with hints from the recorded truth %.2f %%, less than with its own",
            sim_percent(c->truth->saved));
  else if (c->truth)
    fprintf(out, "; with hints from the recorded truth %.2f %%, so that %s",
            sim_percent(c->truth->saved),
            sim_bar_part(c->truth, c->oracle) >= 100 * has_to_keep(c)
                ? "what is missing is missing in the program's hints"
                : "the policy itself leaves a part");
  fprintf(out,
          "; %.1f %% of the requests come unpredicted, speeds change %" PRIu64
          " times (oracle: %" PRIu64 ")",
          unpredicted(c->siox), c->siox->transitions, c->oracle->transitions);
  if (early && early->saved - c->siox->saved > SIM_NEAR_ENOUGH)
    fprintf(out,
            "; siox:early=0, which does not heed how early uses have come, saves %.2f %% at %.2f "
            "%% more I/O time",
            sim_percent(early->saved), sim_percent(early->added_io));
  fprintf(out,
          "; before the disks' first uses %.2f %% of base's energy could be saved, after their "
          "last ones %.2f %%",
          100 * could_save(c, r->before), 100 * could_save(c, r->after));
  if (r->rule[c->rule].rows.late)
    fputs("; base itself waits for disks at the start", out);
}

static enum sim_bar_outcome judge_io_time(const struct sim_bar_case *c) {
  return outcome_of(c->siox->added_io <= SIM_IO_ALLOWED);
}

static void cause_io_time(const struct sim_bar_case *c, FILE *out) {
  const struct sim_row *claims = sim_paper_row(c->p, c->scene, c->rule, "claims");
  fprintf(out,
          "%.2f %% more I/O time, %.2f %% longer run time; longest wait %.3f s; %.1f %% of the "
          "requests come unpredicted",
          sim_percent(c->siox->added_io), sim_percent(c->siox->slow_down),
          c->siox->worst_seconds * c->p->scene[c->scene].drive[c->rule].time_scale,
          unpredicted(c->siox));
  if (claims)
    fprintf(out, "; claims, which speeds up one transition ahead, adds %.2f %%",
            sim_percent(claims->added_io));
}

static enum sim_bar_outcome judge_budget(const struct sim_bar_case *c) {
  if (!c->budget)
    return SIM_BAR_NOT_ASKED;
  return outcome_of(c->within.over <= 0 &&
                    (!c->rival || c->budget->joules <= c->rival->joules * (1 + 1e-9)));
}

static void cause_budget(const struct sim_bar_case *c, FILE *out) {
  fprintf(out, "siox:delay=2 saves %.2f %% at %.2f %% longer run time",
          sim_percent(c->budget->saved), sim_percent(c->budget->slow_down));
  if (c->rival)
    fprintf(out, ", %s %.2f %% at %.2f %%", c->rival->name, sim_percent(c->rival->saved),
            sim_percent(c->rival->slow_down));
  if (c->within.over > 0)
    fprintf(out, "; %.2f points beyond the budget", c->within.over);
  else
    fprintf(out, "; it leaves %.2f points of its budget unused",
            fmax(0, 2 - sim_percent(c->budget->slow_down)));
  if (c->rival && c->budget->joules > c->rival->joules)
    fprintf(out,
            ", and it takes more than %s by as much as every disk would save in %.1f s of idling "
            "at that "
            "speed instead of at full speed",
            c->rival->name, seconds_of(c, c->budget->joules - c->rival->joules, c->rival->name));
}

static enum sim_bar_outcome judge_undominated(const struct sim_bar_case *c) {
  return outcome_of(!c->dominator);
}

static void cause_undominated(const struct sim_bar_case *c, FILE *out) {
  fprintf(out, "%s saves %.2f %% at %.2f %% more I/O time, siox %.2f %% at %.2f %%",
          c->dominator->name, sim_percent(c->dominator->saved), sim_percent(c->dominator->added_io),
          sim_percent(c->siox->saved), sim_percent(c->siox->added_io));
}

static enum sim_bar_outcome judge_hints(const struct sim_bar_case *c) {
  if (!c->truth || !sim_paper_alone(c->scene))
    return SIM_BAR_NOT_ASKED;
  return outcome_of(c->siox->saved >= SIM_KEEPS_TRUTH * c->truth->saved ||
                    c->truth->saved - c->siox->saved <= SIM_NEAR_ENOUGH);
}

static void cause_hints(const struct sim_bar_case *c, FILE *out) {
  fprintf(out,
          "%.2f %% saved, %.2f %% with true hints (%.1f %%); %.1f %% of the requests come "
          "unpredicted, then %.1f %%",
          sim_percent(c->siox->saved), sim_percent(c->truth->saved),
          sim_bar_part(c->siox, c->truth), unpredicted(c->siox), unpredicted(c->truth));
}

static const struct {
  enum sim_bar_outcome (*judge)(const struct sim_bar_case *c); /* c->siox is not NULL */
  void (*cause)(const struct sim_bar_case *c, FILE *out);
} bars[SIM_NBARS] = {
#define SIM_BAR(id, name) {judge_##id, cause_##id},
#include "sim_paper.def"
};

void sim_bar_judge(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                   struct sim_bar_case *c) {
  const struct sim_result point = {.feasible = true, .rows = p->scene[scene].rule[rule].rows};
  struct sim_verdict of_map;
  sim_judge(&point, &of_map);
  *c = (struct sim_bar_case){.p = p,
                             .scene = scene,
                             .rule = rule,
                             .siox = of_map.siox,
                             .oracle = of_map.oracle,
                             .dominator = of_map.dominator,
                             .truth = sim_paper_row(p, scene, rule, "siox" SIM_PAPER_TRUE)};
  if (!c->siox)
    return;
  for (uint32_t b = 0; b < of_map.nbudgets; b++)
    if (of_map.budget[b].percent == 2) {
      c->within = of_map.budget[b];
      c->budget = c->within.row;
      c->rival = c->within.best_static;
    }
  for (int bar = 0; bar < SIM_NBARS; bar++)
    c->outcome[bar] = bars[bar].judge(c);
}

void sim_bar_cause(const struct sim_bar_case *c, enum sim_bar bar, FILE *out) {
  bars[bar].cause(c, out);
}
