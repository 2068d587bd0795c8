/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The evaluation as Markdown. Every sentence follows from the results. */
#include "sim_paper.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One value a rule, "0.38 / 0.39 / 0.41". */
static void put_rules(const struct sim_paper *p, enum sim_paper_scene scene, const char *scheme,
                      double (*value)(const struct sim_paper *, enum sim_paper_scene, int,
                                      const struct sim_row *),
                      FILE *out) {
  fputs(" |", out);
  for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
    const struct sim_row *row = sim_paper_row(p, scene, rule, scheme);
    double v = row ? value(p, scene, rule, row) : NAN;
    if (isnan(v))
      fputs(rule > p->first_rule ? " / -" : " -", out);
    else
      fprintf(out, "%s%.3f", rule > p->first_rule ? " / " : " ", v);
  }
}

static double energy(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                     const struct sim_row *row) {
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  return base ? row->joules / base->joules : NAN;
}
static double run_time(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                       const struct sim_row *row) {
  return row->timed ? 1 + sim_paper_longer(p, scene, rule, row->name) : NAN;
}
static double io_time(const struct sim_paper *p, enum sim_paper_scene scene, int rule,
                      const struct sim_row *row) {
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  return row->timed && base && base->io_seconds > 0 ? row->io_seconds / base->io_seconds : NAN;
}

static void put_scene(const struct sim_paper *p, const struct sim_paper_shown *shown, FILE *out) {
  const struct sim_rows *rows = &p->scene[shown->scene].rule[p->headline].rows;
  const struct sim_row *base = sim_paper_row(p, shown->scene, p->headline, "base");
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *row = &rows->row[i];
    if (row->kind == SIM_BASE && base)
      fprintf(out,
              "| **%s** | base: %.3f J, %.3f s, of which I/O %.3f s; disks serve in %.2f %% of the "
              "time | 1 | 1 | 1",
              shown->label, row->joules, sim_paper_seconds(p, shown->scene, p->headline),
              sim_paper_io(p, shown->scene, p->headline), rows->busy * 100);
    else {
      fprintf(out, "| | %s%s", row->name, row->best ? " (best static)" : "");
      put_rules(p, shown->scene, row->name, energy, out);
      put_rules(p, shown->scene, row->name, run_time, out);
      put_rules(p, shown->scene, row->name, io_time, out);
    }
    fputs(" |\n", out);
  }
}

static void figures(const struct sim_paper *p, const char *plots, FILE *out) {
  for (int f = 0; f < SIM_NFIGURES; f++) {
    char name[48];
    fprintf(out, "\n## %s: %s\n", sim_paper_title((enum sim_paper_figure)f),
            sim_paper_question((enum sim_paper_figure)f));
    sim_paper_plot_name((enum sim_paper_figure)f, name);
    if (plots)
      fprintf(out, "\n![%s](%s/%s)\n", sim_paper_title((enum sim_paper_figure)f), plots, name);
    fprintf(
        out,
        "\nEverything is relative to base%s%s: joules of all disks, the run time until the last "
        "program has ended, and the I/O time of the rank with most. The oracle and the bounds are "
        "joules only: no run is played for them, and bounds hold for who adds so much I/O "
        "time.\n\n"
        "| scenario | scheme | energy | run time | I/O time |\n| --- | --- | --- | --- | --- |\n",
        p->last_rule > p->first_rule ? ", by rules a / b / c" : ", by rule ",
        p->last_rule > p->first_rule ? "" : sim_rule_name(p->first_rule));
    for (int i = 0; i < SIM_NSHOWN; i++)
      if (sim_paper_shown[i].figure == (enum sim_paper_figure)f)
        put_scene(p, &sim_paper_shown[i], out);
  }
}

/* Least and greatest over a figure's scenarios of what a scheme saves, or takes longer. */
static void span(const struct sim_paper *p, enum sim_paper_figure f, const char *scheme,
                 double (*value)(const struct sim_paper *, enum sim_paper_scene, int, const char *),
                 double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < SIM_NSHOWN; i++)
    if (sim_paper_shown[i].figure == f) {
      double v = value(p, sim_paper_shown[i].scene, p->headline, scheme);
      *low = fmin(*low, v);
      *high = fmax(*high, v);
    }
}

static void put_span(const struct sim_paper *p, enum sim_paper_figure f, const char *scheme,
                     FILE *out) {
  double low, high;
  span(p, f, scheme, sim_paper_saved, &low, &high);
  fprintf(out, "%.1f to %.1f %%", sim_percent(low), sim_percent(high));
  span(p, f, scheme, sim_paper_longer, &low, &high);
  fprintf(out, " at %.2f to %.2f %% longer run time", sim_percent(low), sim_percent(high));
}

/* The same of all schemes: "hw saves ..., com ...". */
static void put_spans(const struct sim_paper *p, enum sim_paper_figure f, FILE *out) {
  static const char *const said[][2] = {
      {"hw", "hw saves "}, {"com", ", com "}, {"rt", ", rt "}, {"siox", ", **siox** "}};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    fputs(said[i][1], out);
    put_span(p, f, said[i][0], out);
  }
}

/* Static levels need neither hints nor an arbiter. What they do comes first. */
static void statics(const struct sim_paper *p, FILE *out) {
  const struct sim_row *best = sim_paper_static(p, SIM_SCENE_alone_mxm, p->headline);
  if (!best)
    return;
  double fixed = sim_paper_mean_saved(p, SIM_FIGURE_fig10, p->headline, best->name);
  double rt = sim_paper_mean_saved(p, SIM_FIGURE_fig10, p->headline, "rt");
  double siox = sim_paper_mean_saved(p, SIM_FIGURE_fig10, p->headline, "siox");
  double low, high;
  fprintf(out,
          "- **Every disk at one lower speed all the time (`%s`), with no compiler, no hints and "
          "no arbiter, saves ",
          best->name);
  put_span(p, SIM_FIGURE_fig10, best->name, out);
  fprintf(out, "** for each application alone, and ");
  put_span(p, SIM_FIGURE_fig12, best->name, out);
  span(p, SIM_FIGURE_fig10, best->name, sim_paper_longer, &low, &high);
  fprintf(out,
          " for the mixes. In the mean of the four alone that is %.1f points %s than rt and %.1f "
          "points %s than siox: "
          "%s.\n",
          fabs(fixed - rt) * 100, fixed >= rt ? "more" : "less", fabs(fixed - siox) * 100,
          fixed >= siox ? "more" : "less",
          fixed > siox && high <= 0.02
              ? "where a run may take so much longer, these workloads need no hints"
          : fixed > siox ? "its price is the longer run time just named"
                         : "hints save more than that");
}

/* Of the oracle's savings, with the program's hints and with true ones. */
static void kept(const struct sim_paper *p, enum sim_paper_figure f, FILE *out) {
  static const char *const hints[][2] = {{"siox", "the program's hints"},
                                         {"siox" SIM_PAPER_TRUE, "hints that come true"}};
  for (int i = 0; i < 2; i++) {
    double low, high;
    span(p, f, hints[i][0], sim_paper_kept, &low, &high);
    if (isfinite(low))
      fprintf(out, "%s%.1f to %.1f %% with %s", i ? " and " : "", sim_percent(low),
              sim_percent(high), hints[i][1]);
  }
}

static void in_short(const struct sim_paper *p, const struct sim_paper_counts *trends,
                     const struct sim_paper_counts *bars, const char *report, FILE *out) {
  fputs(
      "\n## In short\n- What a change of speed costs is not in the paper; three rules are tried (",
      out);
  sim_paper_page(p, report, "drives.md", out);
  fprintf(out, "). Where one number stands it is by rule **%s**, %s.\n", sim_rule_name(p->headline),
          p->last_rule > p->first_rule
              ? "the one by which siox saves least"
              : "the default; the others were not played and may save less");
  statics(p, out);
  fputs("- Alone, ", out);
  put_spans(p, SIM_FIGURE_fig10, out);
  fputs(".\n- In mixes (Fig. 12), ", out);
  put_spans(p, SIM_FIGURE_fig12, out);
  fputs(".\n- Of what the oracle saves, siox keeps ", out);
  kept(p, SIM_FIGURE_fig10, out);
  fputs(" alone, ", out);
  kept(p, SIM_FIGURE_fig12, out);
  fputs(" in mixes", out);
  fputs(".\n- Of the trends that the paper claims, ", out);
  if (p->last_rule > p->first_rule)
    fprintf(out, "%u hold by all three rules, %u by some of them only, and %u by none.\n",
            trends->good, trends->mixed, trends->bad);
  else
    fprintf(out, "%u hold and %u fail.\n", trends->good, trends->bad);
  fprintf(out, "- Of our own bars %u are met and %u missed.\n", bars->good, bars->bad);
  fputs("- A scenario's run time lasts until its last program has ended, so another program in it "
        "may "
        "have been delayed by more; our own bars judge the program and the rank that lost most.\n",
        out);
}

static void periods(const struct sim_paper *p, const char *plots, FILE *out) {
  double even = sim_paper_break_even(&p->scene[SIM_SCENE_alone_mxm].drive[p->headline]);
  fprintf(out, "\n## Figs. 8 and 9: idle periods of disks, and requests\nUnder base, each "
               "application alone. A period is the time "
               "between what a disk serves, before the first and after the last included. The "
               "count says how many are short, the time in which of them it passes.\n");
  if (plots)
    fprintf(out, "\n![Fig. 8](%s/fig8.svg)\n\n![Fig. 9](%s/fig9.svg)\n", plots, plots);
  fprintf(out,
          "\n| application | periods | shorter than 1 s | longer than break-even, %.2f s | idle "
          "time in periods below 1 s | "
          "beyond break-even | longest | requests | MB of files | MB read | MB written |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          even);
#define SIM_PERIOD(scene_, label, colour, seconds_)                                                \
  {                                                                                                \
    const struct sim_paper_result *r = &p->scene[SIM_SCENE_##scene_];                              \
    double reads = 0;                                                                              \
    for (size_t i = 0; i < r->nrequests; i++)                                                      \
      reads += r->request[i].write ? 0 : (double)r->request[i].bytes;                              \
    fprintf(out,                                                                                   \
            "| %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f s | %zu | %.2f | %.2f | "   \
            "%.2f |\n",                                                                            \
            label, r->idle.count, 100 * sim_idle_by_count(&r->idle, 1),                            \
            100 * (1 - sim_idle_by_count(&r->idle, even)), 100 * sim_idle_by_time(&r->idle, 1),    \
            100 * (1 - sim_idle_by_time(&r->idle, even)),                                          \
            r->idle.count ? r->idle.seconds[r->idle.count - 1] : 0, r->nrequests,                  \
            (double)r->data / 1e6, reads / 1e6, ((double)r->bytes - reads) / 1e6);                 \
  }
#include "sim_paper.def"
}

static void sources(const struct sim_paper *p, FILE *out) {
  fputs("\n## What it was made from\n", out);
  for (int scene = 0; scene < SIM_NSCENES; scene++) {
    const struct sim_paper_result *r = &p->scene[scene];
    char name[32];
    sim_paper_name((enum sim_paper_scene)scene, name);
    if (r->notes) {
      fprintf(out, "- %s: ", name);
      for (const char *c = r->notes; *c; c++)
        if (*c != '\n')
          fputc(*c, out);
        else if (c[1])
          fputs(c[1] == ' ' ? "" : "; ", out); /* a note goes on, or the next begins */
      fputs(".\n", out);
    }
    if (r->assumed)
      fprintf(out, "- %s: its drive is **assumed**, not published: %s.\n", name, r->assumed);
  }
  fputs("\n| file | SHA-256 |\n| --- | --- |\n", out);
  for (size_t i = 0; i < p->files.count; i++)
    fprintf(out, "| %s | `%s` |\n", p->files.file[i].name, p->files.file[i].hash);
}

/* A recording that was ended early makes every figure of its scenario another. */
static void cuts(const struct sim_paper *p, FILE *out) {
  for (int scene = 0; scene < SIM_NSCENES; scene++) {
    char name[32];
    sim_paper_name((enum sim_paper_scene)scene, name);
    if (p->scene[scene].rule[p->first_rule].rows.cut)
      fprintf(out, "\n**%s: a trace has no end; it is played as far as it goes.**\n", name);
  }
}

static bool is_explained(const struct sim_paper *p) {
  char *path = NULL;
  bool there = asprintf(&path, "%s/README.md", p->files.directory) > 0 && access(path, R_OK) == 0;
  free(path);
  return there;
}

int sim_paper_report(const struct sim_paper *p, const char *command, const char *report,
                     const char *plots, FILE *out) {
  char *text[2] = {NULL, NULL};
  size_t size;
  struct sim_paper_counts counts[2];
  for (int i = 0; i < 2; i++) {
    FILE *part = open_memstream(&text[i], &size);
    if (part) {
      counts[i] = i ? sim_paper_bars_markdown(p, part) : sim_paper_trends_markdown(p, part);
      fclose(part);
    }
  }
  if (text[0] && text[1]) {
    fprintf(out,
            "# The paper's evaluation, played again\nMade by `%s` and not by hand: the four "
            "applications of S. W. Son and "
            "M. Kandemir, *Runtime System Support for Software-Guided Disk Power Management* "
            "(",
            command);
    sim_paper_page(p, report, "applications.md", out);
    fputs("), recorded once and played again under every scheme (", out);
    sim_paper_page(p, report, "sim.md", out);
    fputs("). Joules are estimated from the drive's profile.\n", out);
    if (is_explained(p)) {
      fputs("What was chosen before any saving was known, and why, stands in ", out);
      sim_paper_choices(p, report, out);
      fputs(".\n", out);
    }
    cuts(p, out);
    in_short(p, &counts[0], &counts[1], report, out);
    fputs("\n## Words\n", out);
    sim_paper_terms(p, report, out);
    fputs("\n## What the paper's text states, and ours\n", out);
    sim_paper_stated_markdown(p, out);
    fputs("\n## What the paper claims\n", out);
    fputs(text[0], out);
    fputs("\n## Our own bars\n", out);
    fputs(text[1], out);
    periods(p, plots, out);
    figures(p, plots, out);
    sources(p, out);
  }
  int rc = !text[0] || !text[1] ? SIOX_ENOMEM : ferror(out) ? SIOX_EIO : 0;
  free(text[0]);
  free(text[1]);
  return rc;
}
