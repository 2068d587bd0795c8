/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether what the paper claims is so here, under each rule. */
#include "sim_paper.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*trend_fn)(const struct sim_paper *p, int rule, FILE *why);

/* In the unit of the claim's text. */
#define SIM_TREND(id, where, claim)
#define SIM_TREND_LIMIT(id, where, before, limit, after) static const double limit_##id = limit;
#include "sim_paper_trends.def"

/* "hw saves 10.1, 11.2, 12.0 %", of a figure's scenarios in their order; the change from one to the
 * next. */
static bool in_order(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                     const char *scheme, int direction, FILE *why) {
  double before = NAN;
  bool good = true;
  fprintf(why, "%s saves", scheme);
  for (int i = 0; i < SIM_NSHOWN; i++) {
    if (sim_paper_shown[i].figure != f)
      continue;
    double saved = sim_paper_saved(p, sim_paper_shown[i].scene, rule, scheme);
    fprintf(why, "%s %.2f", isnan(before) ? "" : ",", sim_percent(saved));
    good &= isnan(before) || direction * (saved - before) > 0;
    before = saved;
  }
  fputs(" %", why);
  return good;
}

/* Why a figure's savings go where they go: the disks' load, and how often speeds are changed. */
static void put_load(const struct sim_paper *p, enum sim_paper_figure f, int rule,
                     const char *scheme, FILE *why) {
  const char *between = "; disks serve in ";
  for (int i = 0; i < SIM_NSHOWN; i++)
    if (sim_paper_shown[i].figure == f) {
      fprintf(why, "%s%.1f", between,
              p->scene[sim_paper_shown[i].scene].rule[rule].rows.busy * 100);
      between = ", ";
    }
  between = " % of the time; changes of a disk's speed: ";
  for (int i = 0; i < SIM_NSHOWN; i++) {
    const struct sim_row *row = sim_paper_row(p, sim_paper_shown[i].scene, rule, scheme);
    if (sim_paper_shown[i].figure != f || !row)
      continue;
    fprintf(why, "%s%.1f", between,
            (double)row->transitions / p->scene[sim_paper_shown[i].scene].ndisks);
    between = ", ";
  }
}

static bool trend_hw_gains(const struct sim_paper *p, int rule, FILE *why) {
  bool good = in_order(p, SIM_FIGURE_fig11, rule, "hw", 1, why);
  put_load(p, SIM_FIGURE_fig11, rule, "hw", why);
  return good;
}
static bool trend_com_loses(const struct sim_paper *p, int rule, FILE *why) {
  bool good = in_order(p, SIM_FIGURE_fig11, rule, "com", -1, why);
  put_load(p, SIM_FIGURE_fig11, rule, "com", why);
  return good;
}
static bool trend_rt_loses(const struct sim_paper *p, int rule, FILE *why) {
  bool good = in_order(p, SIM_FIGURE_fig11, rule, "rt", -1, why);
  put_load(p, SIM_FIGURE_fig11, rule, "rt", why);
  return good;
}
static bool trend_hw_gains_mix(const struct sim_paper *p, int rule, FILE *why) {
  bool good = in_order(p, SIM_FIGURE_fig12, rule, "hw", 1, why);
  put_load(p, SIM_FIGURE_fig12, rule, "hw", why);
  return good;
}

static bool trend_com_below_hw(const struct sim_paper *p, int rule, FILE *why) {
  double com = sim_paper_saved(p, SIM_SCENE_mxm_x3, rule, "com"),
         hw = sim_paper_saved(p, SIM_SCENE_mxm_x3, rule, "hw");
  bool slightly = hw - com <= limit_com_below_hw / 100;
  fprintf(why, "com saves %.2f %%, hw %.2f %%: %s", sim_percent(com), sim_percent(hw),
          com >= hw  ? "com's last caller is not that wrong here"
          : slightly ? "com is worse, and not by much"
                     : "com is worse, but not slightly");
  return com < hw && slightly;
}

static bool trend_rt_most(const struct sim_paper *p, int rule, FILE *why) {
  static const enum sim_paper_figure figures[] = {SIM_FIGURE_fig11, SIM_FIGURE_fig12,
                                                  SIM_FIGURE_fig13};
  unsigned all = 0, good = 0;
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
    for (int i = 0; i < SIM_NSHOWN; i++) {
      enum sim_paper_scene scene = sim_paper_shown[i].scene;
      if (sim_paper_shown[i].figure != figures[f] || scene == SIM_SCENE_alone_mxm)
        continue;
      double rt = sim_paper_saved(p, scene, rule, "rt"), hw = sim_paper_saved(p, scene, rule, "hw");
      double com = sim_paper_saved(p, scene, rule, "com");
      bool most = rt >= hw && rt >= com;
      all++;
      good += most;
      if (!most)
        fprintf(why, "%s: %s saves %.1f %%, rt %.1f %%; ", sim_paper_shown[i].label,
                hw > com ? "hw" : "com", fmax(hw, com) * 100, sim_percent(rt));
    }
  fprintf(why, "so in %u of %u scenarios", good, all);
  return good == all;
}

static bool trend_rt_near_com(const struct sim_paper *p, int rule, FILE *why) {
  bool good = true;
  const char *between = "rt takes ";
  for (int i = 0; i < SIM_NSHOWN; i++) {
    if (sim_paper_shown[i].figure != SIM_FIGURE_fig10)
      continue;
    enum sim_paper_scene scene = sim_paper_shown[i].scene;
    double above =
        (1 - sim_paper_saved(p, scene, rule, "rt")) / (1 - sim_paper_saved(p, scene, rule, "com")) -
        1;
    fprintf(why, "%s%+.2f %% (%s)", between, sim_percent(above), sim_paper_shown[i].label);
    good &= fabs(above) <= limit_rt_near_com / 100;
    between = ", ";
  }
  return good;
}

static bool trend_com_worst_s4(const struct sim_paper *p, int rule, FILE *why) {
  double com = sim_paper_saved(p, SIM_SCENE_s4, rule, "com"),
         hw = sim_paper_saved(p, SIM_SCENE_s4, rule, "hw");
  double rt = sim_paper_saved(p, SIM_SCENE_s4, rule, "rt");
  fprintf(why, "com saves %.1f %%, hw %.1f %%, rt %.1f %%", sim_percent(com), sim_percent(hw),
          sim_percent(rt));
  return com < hw && com < rt;
}

static bool trend_hw_slower_mix(const struct sim_paper *p, int rule, FILE *why) {
  double mix = sim_paper_mean_longer(p, SIM_FIGURE_fig12, rule, "hw");
  double same = sim_paper_mean_longer(p, SIM_FIGURE_fig11, rule, "hw");
  fprintf(why, "%.2f %% longer in the mean of S1 to S4, %.2f %% of one to three MxM",
          sim_percent(mix), sim_percent(same));
  return mix > same;
}

static bool trend_com_slowest(const struct sim_paper *p, int rule, FILE *why) {
  double com = sim_paper_mean_longer(p, SIM_FIGURE_fig12, rule, "com");
  double hw = sim_paper_mean_longer(p, SIM_FIGURE_fig12, rule, "hw");
  double rt = sim_paper_mean_longer(p, SIM_FIGURE_fig12, rule, "rt");
  fprintf(why, "com %.2f %%, hw %.2f %%, rt %.2f %% longer", sim_percent(com), sim_percent(hw),
          sim_percent(rt));
  return com > hw && hw > rt;
}

static bool trend_layouts_alike(const struct sim_paper *p, int rule, FILE *why) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < SIM_NSHOWN; i++)
    if (sim_paper_shown[i].figure == SIM_FIGURE_fig13) {
      double saved = sim_paper_saved(p, sim_paper_shown[i].scene, rule, "rt");
      low = fmin(low, saved);
      high = fmax(high, saved);
    }
  fprintf(why, "rt saves from %.2f to %.2f %%", sim_percent(low), sim_percent(high));
  return high - low <= limit_layouts_alike / 100;
}

/* Fig. 8 is of base: the same under every rule. */
static bool trend_short_idle(const struct sim_paper *p, int rule, FILE *why) {
  bool good = true;
  const char *between = "";
  (void)rule;
#define SIM_PERIOD(scene_, label, colour, seconds)                                                 \
  {                                                                                                \
    const struct sim_idle *idle = &p->scene[SIM_SCENE_##scene_].idle;                              \
    double share = sim_idle_by_count(idle, limit_short_idle);                                      \
    fprintf(why, "%s%s: %.0f %% of %zu periods, with %.1f %% of the idle time", between, label,    \
            share * 100, idle->count, sim_idle_by_time(idle, limit_short_idle) * 100);             \
    good &= share > 0.5;                                                                           \
    between = "; ";                                                                                \
  }
#include "sim_paper.def"
  return good;
}

static bool trend_no_spin_down(const struct sim_paper *p, int rule, FILE *why) {
  bool good = true;
  double even = sim_paper_break_even(&p->scene[SIM_SCENE_alone_mxm].drive[rule]);
  const char *between = "";
#define SIM_PERIOD(scene_, label, colour, seconds)                                                 \
  {                                                                                                \
    double share = 1 - sim_idle_by_time(&p->scene[SIM_SCENE_##scene_].idle, even);                 \
    fprintf(why, "%s%s: %.0f %% beyond %.2f s", between, label, share * 100, even);                \
    good &= share < 0.5;                                                                           \
    between = "; ";                                                                                \
  }
#include "sim_paper.def"
  return good;
}

static const struct trend {
  const char *id, *where, *claim;
  trend_fn is_so;
} trends[] = {
#define SIM_TREND(id, where, claim) {#id, where, claim, trend_##id},
#define SIM_TREND_LIMIT(id, where, before, limit, after) SIM_TREND(id, where, before #limit after)
#include "sim_paper_trends.def"
};
enum { NTRENDS = sizeof trends / sizeof *trends };

enum verdict { HOLDS, HOLDS_BY_SOME, FAILS };
static const char *const verdicts[] = {"holds", "holds by some rules", "fails"};

/* The verdict, and the reason under the headline rule; for who asks, also of each rule. */
static enum verdict judge(const struct sim_paper *p, const struct trend *t, bool so[SIM_NRULES],
                          char **why) {
  bool all = true, any = false;
  *why = NULL;
  for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    so[rule] = out && t->is_so(p, rule, out);
    if (out)
      fclose(out);
    all &= so[rule];
    any |= so[rule];
    if (rule == p->headline)
      *why = text;
    else
      free(text);
  }
  return all ? HOLDS : any ? HOLDS_BY_SOME : FAILS;
}

struct sim_paper_counts sim_paper_trends_markdown(const struct sim_paper *p, FILE *out) {
  struct sim_paper_counts counts = {0};
  fprintf(
      out,
      "| where | claim | verdict | by rule | figures, rule %s |\n| --- | --- | --- | --- | --- |\n",
      sim_rule_name(p->headline));
  for (int i = 0; i < NTRENDS; i++) {
    bool so[SIM_NRULES];
    char *why;
    enum verdict verdict = judge(p, &trends[i], so, &why);
    counts.good += verdict == HOLDS;
    counts.mixed += verdict == HOLDS_BY_SOME;
    counts.bad += verdict == FAILS;
    fprintf(out, "| %s | %s | **%s** | ", trends[i].where, trends[i].claim, verdicts[verdict]);
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      fprintf(out, "%s%s %s", rule > p->first_rule ? ", " : "", sim_rule_name(rule),
              so[rule] ? "holds" : "fails");
    fprintf(out, " | %s |\n", why ? why : "");
    free(why);
  }
  return counts;
}

json_t *sim_paper_trends_json(const struct sim_paper *p) {
  json_t *all = json_array();
  for (int i = 0; i < NTRENDS; i++) {
    bool so[SIM_NRULES];
    char *why;
    enum verdict verdict = judge(p, &trends[i], so, &why);
    json_t *rules = json_object();
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      json_object_set_new(rules, sim_rule_name(rule), json_boolean(so[rule]));
    json_array_append_new(all,
                          json_pack("{s:s, s:s, s:s, s:s, s:o, s:s}", "id", trends[i].id, "where",
                                    trends[i].where, "claim", trends[i].claim, "verdict",
                                    verdicts[verdict], "by_rule", rules, "why", why ? why : ""));
    free(why);
  }
  return all;
}
