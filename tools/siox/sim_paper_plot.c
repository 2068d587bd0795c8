/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The paper's bars: energy, run time and I/O time of each scheme over those of base, by scenario.
 * I/O time is on a logarithmic scale: who waits for disks has a hundred times base's, and others'
 * bars would be flat beside that. On a white ground, so that they are read in dark surroundings,
 * too; colours of the palette of Okabe and Ito, which those tell apart who do not see red or green.
 */
#include "output.h"
#include "sim_paper.h"
#include "svg.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 33, GAP = 22, LEFT = 70, TOP = 84, HIGH = 150, BETWEEN = 34, PANELS = 3 };
enum { LEAST_WIDE = 940 }; /* for the legend */

static const struct bar {
  const char *scheme, *colour; /* scheme NULL: the best static level */
} bars[] = {{NULL, "#0072b2"},
#define SIM_COMPARED(scheme, colour) {scheme, colour},
#include "sim_paper.def"
            {"siox" SIM_PAPER_TRUE, "#f8dcc6"},
            {"oracle", "#fff"}};
enum { NBARS = sizeof bars / sizeof *bars };

static unsigned shown_bars(void) {
  unsigned n = 0;
  for (int i = 0; i < NBARS; i++)
    n += bars[i].colour != NULL;
  return n;
}

void sim_paper_plot_name(enum sim_paper_figure f, char name[48]) {
  static const char *const names[] = {
#define SIM_FIGURE(id, title, question) #id,
#include "sim_paper.def"
  };
  snprintf(name, 48, "%s.svg", names[f]);
  sim_paper_dashes(name);
}

static double value_of(const struct sim_paper *p, enum sim_paper_scene scene, int bar, int panel) {
  int rule = p->headline;
  const struct sim_row *row = bars[bar].scheme ? sim_paper_row(p, scene, rule, bars[bar].scheme)
                                               : sim_paper_static(p, scene, rule);
  const struct sim_row *base = sim_paper_row(p, scene, rule, "base");
  if (!row || !base || (panel > 0 && !row->timed))
    return NAN;
  return panel == 0   ? row->joules / base->joules
         : panel == 1 ? row->seconds / base->seconds
                      : row->io_seconds / base->io_seconds;
}

struct drawing {
  const struct sim_paper *p;
  enum sim_paper_figure figure;
};

struct scale { /* what a panel shows, from its bottom to its top */
  double least, most;
  bool logarithmic;
};

static double high_of(const struct scale *s, double v) {
  double part =
      s->logarithmic ? log(fmax(v, s->least) / s->least) / log(s->most / s->least) : v / s->most;
  return part * HIGH;
}

static struct scale scale_of(const struct drawing *d, int panel) {
  struct scale s = {.least = 1, .most = 1, .logarithmic = panel == 2};
  for (int i = 0; i < SIM_NSHOWN; i++)
    for (int bar = 0; bar < NBARS; bar++)
      if (sim_paper_shown[i].figure == d->figure && bars[bar].colour) {
        double v = value_of(d->p, sim_paper_shown[i].scene, bar, panel);
        s.most = isfinite(v) ? fmax(s.most, v) : s.most;
        s.least = v > 0 ? fmin(s.least, v) : s.least;
      }
  if (s.logarithmic) { /* bars of 1 can be seen, and the numbers above the bars */
    s.least = fmax(s.least / 2, 1e-3);
    s.most *= pow(s.most / s.least, 0.12);
  } else {
    s.most *= 1.12;
  }
  return s;
}

static const char *name_of(int bar) {
  const char *scheme = bars[bar].scheme;
  return !scheme                     ? "best static level"
         : !strcmp(scheme, "oracle") ? "oracle (no delay, joules only)"
                                     : scheme;
}

static void draw_legend(FILE *out) {
  double x = LEFT;
  for (int bar = 0; bar < NBARS; bar++) {
    if (!bars[bar].colour)
      continue;
    fprintf(out,
            "<rect x=\"%.0f\" y=\"38\" width=\"12\" height=\"12\" fill=\"%s\" stroke=\"#333\" "
            "stroke-width=\"0.6\"/>\n",
            x, bars[bar].colour);
    svg_label(out, x + 17, 48, "fill=\"#222\"", name_of(bar));
    x += 34 + 6.6 * (double)strlen(name_of(bar));
  }
}

static void draw_bar(const struct drawing *d, enum sim_paper_scene scene, int bar, int panel,
                     double x, double bottom, const struct scale *scale, FILE *out) {
  double v = value_of(d->p, scene, bar, panel), high = high_of(scale, v);
  char text[32];
  if (!isfinite(v))
    return;
  fprintf(out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\" stroke=\"#333\" "
          "stroke-width=\"0.6\"/>\n",
          x, bottom - high, BAR - 5, high, bars[bar].colour);
  snprintf(text, sizeof text, "%.*f", panel == 1 ? 3 : v < 9.995 ? 2 : v < 99.5 ? 1 : 0, v);
  svg_label(out, x + (BAR - 5) / 2.0, bottom - high - 3, /* lines end at a number, not behind it */
            "text-anchor=\"middle\" font-size=\"9\" fill=\"#222\" stroke=\"#fff\" "
            "stroke-width=\"4\" paint-order=\"stroke\"",
            text);
}

static void draw_line(double width, double bottom, const struct scale *scale, double v, FILE *out) {
  char text[32];
  double y = bottom - high_of(scale, v);
  fprintf(out, "<path d=\"M%d %.1fH%.1f\" stroke=\"#e3e3e3\"/>\n", LEFT, y, width - 10);
  snprintf(text, sizeof text, "%g", v);
  svg_label(out, LEFT - 6, y + 4, "text-anchor=\"end\" fill=\"#555\"", text);
}

static void draw_scale(double width, double bottom, const struct scale *scale, const char *what,
                       FILE *out) {
  static const double steps[] = {1, 2, 5};
  double step = svg_round_up(scale->most / 5);
  char style[96];
  if (scale->logarithmic)
    for (double ten = 1e-3; ten <= scale->most; ten *= 10)
      for (int i = 0; i < 3; i++) {
        bool crowded = i && scale->most / scale->least > 200; /* then tens are enough */
        if (!crowded && steps[i] * ten >= scale->least && steps[i] * ten <= scale->most)
          draw_line(width, bottom, scale, steps[i] * ten, out);
      }
  else
    for (double v = 0; v <= scale->most; v += step)
      draw_line(width, bottom, scale, v, out);
  fprintf(out, "<path d=\"M%d %.1fH%.1f\" stroke=\"#333\"/>\n", LEFT, bottom, width - 10);
  fprintf(out, "<path d=\"M%d %.1fH%.1f\" stroke=\"#888\" stroke-dasharray=\"5 3\"/>\n", LEFT,
          bottom - high_of(scale, 1), width - 10);
  snprintf(style, sizeof style,
           "transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\" fill=\"#222\"",
           bottom - HIGH / 2.0);
  svg_label(out, 0, 0, style, what);
}

static int draw_bars(void *drawing, FILE *out) {
  static const char *const what[PANELS] = {"energy / base", "run time / base",
                                           "I/O time / base (log)"};
  const struct drawing *d = drawing;
  unsigned groups = 0, n = shown_bars();
  char title[160];
  for (int i = 0; i < SIM_NSHOWN; i++)
    groups += sim_paper_shown[i].figure == d->figure;
  double group = n * BAR + GAP, width = fmax(LEFT + groups * group + 14, LEAST_WIDE);
  group = (width - LEFT - 14) / groups; /* the figure is filled, however few there are */
  snprintf(title, sizeof title, "%s: %s (rule %s)", sim_paper_title(d->figure),
           sim_paper_question(d->figure), sim_rule_name(d->p->headline));
  svg_begin(out, width, TOP + PANELS * (HIGH + BETWEEN) + 4, title);
  svg_label(out, LEFT, 24, "font-size=\"16\" fill=\"#222\"", title);
  draw_legend(out);
  for (int panel = 0; panel < PANELS; panel++) {
    double bottom = TOP + panel * (HIGH + BETWEEN) + HIGH, x = LEFT + (group - n * BAR) / 2;
    const struct scale scale = scale_of(d, panel);
    draw_scale(width, bottom, &scale, what[panel], out);
    for (int i = 0; i < SIM_NSHOWN; i++) {
      if (sim_paper_shown[i].figure != d->figure)
        continue;
      double at = x;
      for (int bar = 0; bar < NBARS; bar++)
        if (bars[bar].colour) {
          draw_bar(d, sim_paper_shown[i].scene, bar, panel, at, bottom, &scale, out);
          at += BAR;
        }
      svg_label(out, x + n * BAR / 2.0, bottom + 16, "text-anchor=\"middle\" fill=\"#222\"",
                sim_paper_shown[i].label);
      x += group;
    }
  }
  return svg_end(out);
}

int sim_paper_plot(const struct sim_paper *p, const char *directory) {
  struct sim_paper *same = (struct sim_paper *)(uintptr_t)p; /* not changed by who draws */
  int status = siox__output_write_in("siox sim", directory, "fig8.svg", sim_paper_draw_idle, same);
  status |= siox__output_write_in("siox sim", directory, "fig9.svg", sim_paper_draw_requests, same);
  for (int f = 0; f < SIM_NFIGURES; f++) {
    struct drawing d = {.p = p, .figure = (enum sim_paper_figure)f};
    char name[48];
    sim_paper_plot_name(d.figure, name);
    status |= siox__output_write_in("siox sim", directory, name, draw_bars, &d);
  }
  return status;
}
