/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The bars as Markdown and as JSON. */
#include "sim_paper_bars.h"
#include <math.h>
#include <stdlib.h>

static const char *const names[] = {
#define SIM_BAR(id, name) name,
#include "sim_paper.def"
};

static void put_cell(enum sim_bar_outcome outcome, double value, const char *unit, FILE *out) {
  if (outcome == SIM_BAR_NOT_ASKED || isnan(value))
    fprintf(out, " %s |",
            outcome == SIM_BAR_MISSED ? "**missed**"
            : outcome == SIM_BAR_MET  ? "met"
                                      : "-");
  else
    fprintf(out, outcome == SIM_BAR_MET ? " %.2f%s |" : " **%.2f%s** |", value == 0 ? 0 : value,
            unit);
}

static void put_row(const struct sim_paper *p, enum sim_paper_scene scene, int rule, FILE *out) {
  char name[32];
  struct sim_bar_case c;
  sim_paper_name(scene, name);
  sim_bar_judge(p, scene, rule, &c);
  fprintf(out, "| %s | %s |", name, sim_rule_name(rule));
  put_cell(c.outcome[SIM_BAR_keeps], sim_bar_part(c.siox, c.oracle), " %", out);
  put_cell(c.outcome[SIM_BAR_io_time], c.siox ? c.siox->added_io * 100 : NAN, " %", out);
  put_cell(c.outcome[SIM_BAR_budget],
           c.budget && c.rival ? (c.budget->saved - c.rival->saved) * 100 : NAN, "", out);
  if (c.dominator)
    fprintf(out, " **%s** |", c.dominator->name);
  else
    fprintf(out, " %s |", c.siox ? "nobody" : "-");
  put_cell(c.outcome[SIM_BAR_hints], sim_bar_part(c.siox, c.truth), " %", out);
  double kept = sim_bar_part(c.truth, c.oracle);
  put_cell(isnan(kept) ? SIM_BAR_NOT_ASKED : SIM_BAR_MET, kept, " %", out);
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
          SIM_KEEPS_ALONE * 100, SIM_KEEPS_SHARED * 100, SIM_NEAR_ENOUGH * 100,
          SIM_IO_ALLOWED * 100, SIM_KEEPS_TRUTH * 100);
  for (int scene = 0; scene < SIM_NSCENES; scene++)
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      put_row(p, (enum sim_paper_scene)scene, rule, out);
  for (int bar = 0; bar < SIM_NBARS; bar++) {
    unsigned asked = 0, missed = 0;
    for (int scene = 0; scene < SIM_NSCENES; scene++)
      for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
        struct sim_bar_case c;
        sim_bar_judge(p, (enum sim_paper_scene)scene, rule, &c);
        asked += c.outcome[bar] != SIM_BAR_NOT_ASKED;
        missed += c.outcome[bar] == SIM_BAR_MISSED;
      }
    counts.good += asked - missed;
    counts.bad += missed;
    if (asked)
      fprintf(out, "\n**%s**: met in %u of %u cases.\n", names[bar], asked - missed, asked);
    else
      fprintf(out, "\n**%s**: not asked; there are no such hints.\n", names[bar]);
    for (int scene = 0; scene < SIM_NSCENES && missed; scene++)
      for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
        struct sim_bar_case c;
        char name[32];
        sim_bar_judge(p, (enum sim_paper_scene)scene, rule, &c);
        if (c.outcome[bar] != SIM_BAR_MISSED)
          continue;
        sim_paper_name((enum sim_paper_scene)scene, name);
        fprintf(out, "- %s, rule %s: ", name, sim_rule_name(rule));
        sim_bar_cause(&c, (enum sim_bar)bar, out);
        fputs(".\n", out);
      }
  }
  return counts;
}

json_t *sim_paper_bars_json(const struct sim_paper *p) {
  static const char *const outcomes[] = {NULL, "met", "missed"};
  static const char *const keys[] = {
#define SIM_BAR(id, name) #id,
#include "sim_paper.def"
  };
  json_t *all = json_array();
  for (int scene = 0; scene < SIM_NSCENES; scene++)
    for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
      struct sim_bar_case c;
      char name[32];
      sim_paper_name((enum sim_paper_scene)scene, name);
      sim_bar_judge(p, (enum sim_paper_scene)scene, rule, &c);
      json_t *one = json_pack("{s:s, s:s}", "scenario", name, "rule", sim_rule_name(rule));
      for (int bar = 0; bar < SIM_NBARS; bar++) {
        char *why = NULL;
        size_t size;
        FILE *out = c.outcome[bar] == SIM_BAR_MISSED ? open_memstream(&why, &size) : NULL;
        if (c.outcome[bar] != SIM_BAR_NOT_ASKED)
          json_object_set_new(one, keys[bar], json_string(outcomes[c.outcome[bar]]));
        if (out) {
          char key[32];
          sim_bar_cause(&c, (enum sim_bar)bar, out);
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
