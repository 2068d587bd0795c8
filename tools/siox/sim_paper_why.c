/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why a number differs from the paper's: clauses that are chosen by, and made of, what was
 * computed. */
#include "sim_paper_stated.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void sim_why_setting(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  fprintf(out, "the scenario is on other disks%s",
          p->scene[s->scene].same_layout ? "" : ", and its files do not all lie alike");
}

void sim_why_size(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  const struct sim_paper_result *r = &p->scene[s->scene];
  fprintf(out, "its files as far as they are used; %.1f MB are moved, %.2f times that",
          (double)r->bytes / 1e6, (double)r->bytes / (double)r->data);
}

void sim_why_alone(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  enum sim_paper_scene scene = s->scene;
  fprintf(out, "think times of the scenario make it so: %.1f s of it are I/O",
          sim_paper_io(p, scene, p->headline));
}

static double transitions(const struct sim_paper *p, enum sim_paper_scene scene,
                          const char *scheme) {
  const struct sim_row *row = sim_paper_row(p, scene, p->headline, scheme);
  return row ? (double)row->transitions / p->scene[scene].ndisks : NAN;
}
static double missed(const struct sim_paper *p, enum sim_paper_scene scene, const char *scheme) {
  const struct sim_row *row = sim_paper_row(p, scene, p->headline, scheme);
  return row && row->requests ? (double)row->missed / (double)row->requests : 0;
}
static double io_share(const struct sim_paper *p, enum sim_paper_scene scene) {
  return sim_paper_io(p, scene, p->headline) / sim_paper_seconds(p, scene, p->headline);
}

/* What there is to save: idle time in gaps that pay for the lowest level. */
static void put_gaps(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  const struct siox_drive *d = &p->scene[SIM_SCENE_alone_mxm].drive[p->headline];
  double pays =
      (double)siox_drive_min_gap(d, siox_drive_level(d, SIOX_SPEED_LOWEST)) / 1e9 * d->time_scale;
  SIM_MEAN_OF(busy, s->figure, p->scene[scene].rule[p->headline].rows.busy);
  fprintf(out,
          "; disks serve in %.1f %% of the time, and %.0f %% of their idle time is in periods of "
          "at least %.1f s, "
          "which pay for the lowest speed by rule %s",
          busy * 100, sim_paper_idle_share(p, s->figure, pays) * 100, pays,
          sim_rule_name(p->headline));
}

/* What hints that come true would change. */
static void put_truth(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  char name[80];
  snprintf(name, sizeof name, "%s" SIM_PAPER_TRUE, s->scheme);
  double saved = sim_paper_mean_saved(p, s->figure, p->headline, name);
  if (!isnan(saved))
    fprintf(out, "; with hints from the recorded truth it saves %.1f %%", sim_percent(saved));
}

void sim_why_saving(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  double low = INFINITY, high = -INFINITY, most = -INFINITY, ours = s->value(p, p->headline);
  for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
    low = fmin(low, s->value(p, rule));
    high = fmax(high, s->value(p, rule));
    most = fmax(most, sim_paper_mean_saved(p, s->figure, rule, "oracle") * 100);
  }
  double oracle = sim_paper_mean_saved(p, s->figure, p->headline, "oracle") * 100;
  const struct sim_row *fixed = sim_paper_static(p, SIM_SCENE_alone_mxm, p->headline);
  SIM_MEAN_OF(changes, s->figure, transitions(p, scene, s->scheme));
  SIM_MEAN_OF(unseen, s->figure, missed(p, scene, s->scheme));
  if (s->low >= low && s->high <= high)
    fprintf(out,
            "within what the rules span: the paper does not give the joules of a change of speed");
  else if (s->low > most)
    fprintf(out, "more than the optimum without delay saves here by %s rule, %.1f %%",
            p->last_rule > p->first_rule ? "any" : "this", most);
  else if (ours > s->high && fixed && ours > oracle)
    fprintf(out,
            "%s serves at lower speeds, as %s does, which saves %.1f %% in the mean; the optimum "
            "without delay saves %.1f %%",
            s->scheme, fixed->name,
            100 * sim_paper_mean_saved(p, s->figure, p->headline, fixed->name), oracle);
  else if (ours > s->high)
    fprintf(out, "more can be saved here: the optimum without delay saves %.1f %%", oracle);
  else
    fprintf(out, "the optimum without delay saves %.1f %%, of which %s keeps %.0f %%", oracle,
            s->scheme, 100 * ours / oracle);
  fprintf(out, "; %s changes a disk's speed %.1f times in the mean", s->scheme, changes);
  if (strcmp(s->scheme, "hw") != 0 && unseen > 0)
    fprintf(out, ", and %.1f %% of requests come unpredicted", unseen * 100);
  put_truth(p, s, out);
  put_gaps(p, s, out);
}

/* A run time and the I/O time in it, each a mean over the same scenarios, so that one can be put in
 * the other's unit: a mean of ranks' own ratios could not, for I/O of almost nothing grows without
 * end. */
void sim_why_longer(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  SIM_MEAN_OF(io, s->figure, io_share(p, scene));
  SIM_MEAN_OF(seconds, s->figure, sim_paper_seconds(p, scene, p->headline));
  const struct siox_drive *d = &p->scene[SIM_SCENE_alone_mxm].drive[p->headline];
  int32_t full = d->level[d->nlevels - 1].speed,
          low = d->level[siox_drive_level(d, SIOX_SPEED_LOWEST)].speed;
  double up = (double)siox_drive_transition_ns(d, low, full) / 1e9 * d->time_scale;
  double ours = s->value(p, p->headline) / 100, papers = s->low / 100;
  fprintf(out,
          "in base the rank with most I/O spends %.1f %% of the run time in it, in the mean; %s "
          "lengthens the runs by %.1f times as much, the paper's slow-down is %.1f times as much. ",
          io * 100, s->scheme, ours / io, papers / io);
  fprintf(out,
          "Counted in waits for a disk to come up from its lowest speed, %.2f s each, it is %.1f a "
          "run here and %.1f in the paper: ",
          up, ours * seconds / up, papers * seconds / up);
  fputs(ours < papers ? "its programs waited more often, or for more I/O, than these do"
                      : "these programs wait more often, or for more I/O, than its did",
        out);
}

void sim_why_above(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  SIM_MEAN_OF(changes, s->figure, transitions(p, scene, "rt"));
  SIM_MEAN_OF(others, s->figure, transitions(p, scene, "com"));
  double ours = s->value(p, p->headline);
  fprintf(out, "rt changes a disk's speed %.1f times, com %.1f times; %s", changes, others,
          ours < s->low
              ? "the paper puts its 1 to 2 % down to the time that its calls take, which nobody is "
                "charged here"
              : "rt slows a disk down when all processes have released it, com when the first has");
}

void sim_why_over(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  const struct sim_stated *other = NULL;
  double rt = sim_paper_mean_saved(p, s->figure, p->headline, "rt");
  double it = sim_paper_mean_saved(p, s->figure, p->headline, s->scheme),
         ours = s->value(p, p->headline);
  static const char *const swapped[][2] = {{"rt_over_com_abstract", "rt_over_com"},
                                           {"rt_over_hw_abstract", "rt_over_hw"}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      if (!strcmp(s->id, swapped[i][k]))
        other = sim_stated_find(swapped[i][1 - k]);
  fprintf(out, "rt saves %.1f %% of base, %s %.1f %%", rt * 100, s->scheme, it * 100);
  if (other)
    fprintf(out, "; the paper has both %g and %g %% for this, and %s is nearer to ours", s->low,
            other->low,
            fabs(sim_stated_off(s, ours)) < fabs(sim_stated_off(other, ours)) ? "this"
                                                                              : "the other");
}

void sim_why_instances(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  enum sim_paper_scene scene = s->scene;
  double alone = sim_paper_seconds(p, SIM_SCENE_alone_mxm, p->headline);
  double io = sim_paper_io(p, SIM_SCENE_alone_mxm, p->headline);
  const struct sim_stated *one = sim_stated_find("time_x1");
  bool three = scene == SIM_SCENE_mxm_x3 || scene == SIM_SCENE_mxm_x3_cache;
  double could = (three ? 2 : 1) * io, paper = one ? s->high - one->high : NAN;
  double added = sim_paper_seconds(p, scene, p->headline) - alone;
  const char *single = s->figure == SIM_FIGURE_fig11_cache ? "one without caches" : "one";
  if (fabs(added) < 0.05)
    fprintf(out, "our instances take as long as %s", single);
  else
    fprintf(out, "our instances take %.1f s %s than %s", fabs(added), added > 0 ? "longer" : "less",
            single);
  fprintf(out,
          "; one has %.1f s of I/O, so that waiting for the others' adds %.1f s at most, "
          "%s",
          io, could, paper > could ? "less than the paper's" : "enough for the paper's");
  fprintf(out, " %.1f s%s", paper,
          paper > could ? ": in the paper they shared more than disks, or did more I/O" : "");
}

/* The scenario at a place of a figure, from 0; NULL: there are not so many. */
static const struct sim_paper_shown *shown_at(enum sim_paper_figure f, int place) {
  for (int i = 0; i < SIM_NSHOWN; i++)
    if (sim_paper_shown[i].figure == f && place-- == 0)
      return &sim_paper_shown[i];
  return NULL;
}

/* What the paper states of the mix at a place of Fig. 12, or NULL. */
static const struct sim_stated *stated_mix(int place) {
  const struct sim_paper_shown *mix = shown_at(SIM_FIGURE_fig12, place);
  return mix ? sim_stated_of(SIM_FIGURE_fig12, mix->scene, SIM_SECONDS) : NULL;
}

/* A mix is of the first applications of Fig. 10: S1 of one, S2 of two. */
void sim_why_mix(const struct sim_paper *p, const struct sim_stated *s, FILE *out) {
  const struct sim_paper_shown *mix, *member;
  double longest = 0, io = 0, first = 0;
  const char *which = "";
  int place = 0;
  while ((mix = shown_at(SIM_FIGURE_fig12, place)) && mix->scene != s->scene)
    place++;
  if (place == 0) {
    sim_why_alone(p, s, out);
    return;
  }
  for (int i = 0; i <= place && (member = shown_at(SIM_FIGURE_fig10, i)); i++) {
    double seconds = sim_paper_seconds(p, member->scene, p->headline);
    io += sim_paper_io(p, member->scene, p->headline);
    if (seconds > longest) {
      longest = seconds;
      first = sim_paper_io(p, member->scene, p->headline);
      which = member->label;
    }
  }
  fprintf(out, "%s takes %.1f s alone and the others have %.1f s of I/O to wait for", which,
          longest, io - first);
  const struct sim_stated *less = stated_mix(place - 1), *more = stated_mix(place + 1);
  if (less && less->high > s->high)
    fprintf(
        out,
        "; the paper's own %g s are less than its %g s of S%d, whose programs are all among these",
        s->high, less->high, place);
  if (more && more->high < s->high)
    fprintf(out, "; the paper's S%d, with one program more, takes less: %g s", place + 2,
            more->high);
  if (s->high > longest + io - first)
    fprintf(out, "; the paper's %g s are more than both together", s->high);
}
