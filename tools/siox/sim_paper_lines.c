/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fig. 8, how long disks are idle, counted and by the time that passes; and Fig. 9, which requests
 * applications make when. */
#include "sim_paper.h"
#include "svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct period {
  enum sim_paper_scene scene;
  const char *label, *colour;
  double seconds;
} periods[] = {
#define SIM_PERIOD(scene, label, colour, seconds) {SIM_SCENE_##scene, label, colour, seconds},
#include "sim_paper.def"
};
enum { NPERIODS = sizeof periods / sizeof *periods };
/* One a curve: colours alone do not tell them apart for everybody, nor in grey. */
static const char *const dashes[NPERIODS] = {"none", "9 3", "2 2", "9 3 2 3"};

struct panel {
  double left, top, width, height;
};

/* Fig. 8: seconds on a logarithmic scale from 1 ms to 1000 s. */
static const double shortest = 1e-3, longest = 1e3;

static double x_of(const struct panel *a, double seconds) {
  double at = (log10(seconds) - log10(shortest)) / (log10(longest) - log10(shortest));
  return a->left + fmin(fmax(at, 0), 1) * a->width;
}

/* A step at each period; those that would fall onto the same pixel are one. */
static void draw_curve(const struct panel *a, const struct sim_idle *idle, bool by_time,
                       const char *colour, const char *dash, FILE *out) {
  double last = -1, y = a->top + a->height;
  fprintf(
      out,
      "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" d=\"M%.1f %.1f",
      colour, dash, a->left, y);
  for (size_t i = 0; i < idle->count; i++) {
    double x = x_of(a, idle->seconds[i]);
    if (i + 1 < idle->count && x_of(a, idle->seconds[i + 1]) - fmax(last, a->left) < 0.5)
      continue;
    double share = by_time ? sim_idle_by_time(idle, idle->seconds[i])
                           : sim_idle_by_count(idle, idle->seconds[i]);
    y = a->top + a->height * (1 - share);
    fprintf(out, "H%.1fV%.1f", x, y);
    last = x;
  }
  fprintf(out, "H%.1f\"/>\n", a->left + a->width);
}

static void draw_axes(const struct panel *a, const char *title, double even, FILE *out) {
  char text[48];
  svg_label(out, a->left, a->top - 10, "fill=\"#222\"", title);
  for (int share = 0; share <= 100; share += 20) {
    double y = a->top + a->height * (1 - share / 100.0);
    fprintf(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\"/>\n", a->left, y, a->width,
            share ? "#e3e3e3" : "#333");
    snprintf(text, sizeof text, "%d %%", share);
    svg_label(out, a->left - 6, y + 4, "text-anchor=\"end\" fill=\"#555\"", text);
  }
  for (double s = shortest; s <= longest * 1.001; s *= 10) {
    fprintf(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#e3e3e3\"/>\n", x_of(a, s), a->top,
            a->height);
    snprintf(text, sizeof text, s < 0.9 ? "%.0f ms" : "%.0f s", s < 0.9 ? s * 1000 : s);
    svg_label(out, x_of(a, s), a->top + a->height + 17, "text-anchor=\"middle\" fill=\"#555\"",
              text);
  }
  if (isfinite(even)) {
    fprintf(out, "<path d=\"M%.1f %.1fv%.1f\" stroke=\"#333\"/>\n", x_of(a, even), a->top - 6,
            a->height + 6);
    snprintf(text, sizeof text, "break-even %.2f s", even); /* above: curves run to the right */
    svg_label(out, x_of(a, even) - 4, a->top - 10, "fill=\"#222\" font-size=\"11\"", text);
  }
}

static void draw_legend(double x, double y, FILE *out) {
  for (int i = 0; i < NPERIODS; i++) {
    fprintf(
        out,
        "<path d=\"M%.0f %.0fh34\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n", x,
        y, periods[i].colour, dashes[i]);
    svg_label(out, x + 40, y + 4, "fill=\"#222\"", periods[i].label);
    x += 64 + 7.5 * (double)strlen(periods[i].label);
  }
}

int sim_paper_draw_idle(void *paper, FILE *out) {
  const struct sim_paper *p = paper;
  const struct panel panel[2] = {{64, 92, 400, 260}, {540, 92, 400, 260}};
  double even = sim_paper_break_even(&p->scene[SIM_SCENE_alone_mxm].drive[p->headline]);
  svg_begin(out, 964, 424, "Fig. 8: idle periods of disks under base, by their length");
  svg_label(out, 64, 26, "font-size=\"16\" fill=\"#222\"",
            "Fig. 8: idle periods of disks under base, by their length");
  draw_legend(64, 48, out);
  for (int k = 0; k < 2; k++) {
    draw_axes(&panel[k],
              k ? "idle time in periods that are not longer" : "periods that are not longer", even,
              out);
    for (int i = 0; i < NPERIODS; i++)
      draw_curve(&panel[k], &p->scene[periods[i].scene].idle, k, periods[i].colour, dashes[i], out);
    svg_label(out, panel[k].left + panel[k].width / 2, panel[k].top + panel[k].height + 38,
              "text-anchor=\"middle\" fill=\"#555\"", "length of a period");
  }
  return svg_end(out);
}

/* Points of Fig. 9 that lie on one pixel are drawn once. */
struct grid {
  bool *seen;
  unsigned wide, high;
};

static bool is_new(struct grid *g, double x, double y) {
  unsigned column = (unsigned)x, row = (unsigned)y;
  if (column >= g->wide || row >= g->high || g->seen[row * g->wide + column])
    return false;
  return g->seen[row * g->wide + column] = true;
}

static void draw_points(const struct sim_paper_result *r, const struct panel *a, double seconds,
                        double most, bool write, FILE *out) {
  struct grid g = {.wide = (unsigned)a->width + 1, .high = (unsigned)a->height + 1};
  g.seen = calloc((size_t)g.wide * g.high, sizeof *g.seen);
  fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"",
          write ? "#c44e3c" : "#5d7fa3");
  for (size_t i = 0; i < r->nrequests && g.seen; i++) {
    double x = r->request[i].seconds / seconds * a->width;
    double y = a->height * (1 - (double)r->request[i].bytes / most);
    if (r->request[i].write == write && x >= 0 && is_new(&g, x, y))
      fprintf(out, "M%.0f %.0fh0", a->left + x, a->top + y);
  }
  fputs("\"/>\n", out);
  free(g.seen);
}

static void draw_requests(const struct sim_paper *p, const struct period *of, const struct panel *a,
                          FILE *out) {
  const struct sim_paper_result *r = &p->scene[of->scene];
  double seconds = sim_paper_seconds(p, of->scene, p->headline), most = 1;
  char text[120];
  if (of->seconds > 0 && of->seconds < seconds)
    seconds = of->seconds;
  for (size_t i = 0; i < r->nrequests; i++)
    if (r->request[i].seconds <= seconds)
      most = fmax(most, (double)r->request[i].bytes);
  double step = svg_round_up(most / 1024 / 5), high = ceil(most / 1024 / step) * step * 1024;
  if (of->seconds > 0)
    snprintf(text, sizeof text, "%s, its first %g s", of->label, seconds);
  else
    snprintf(text, sizeof text, "%s", of->label);
  svg_label(out, a->left, a->top - 8, "fill=\"#222\"", text);
  for (double k = 0; k * 1024 <= high * 1.0001; k += step) {
    double y = a->top + a->height * (1 - k * 1024 / high);
    fprintf(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\"/>\n", a->left, y, a->width,
            k > 0 ? "#e3e3e3" : "#333");
    snprintf(text, sizeof text, "%g", k);
    svg_label(out, a->left - 6, y + 4, "text-anchor=\"end\" fill=\"#555\"", text);
  }
  double tick = svg_round_up(seconds / 8);
  for (double s = 0; s <= seconds * 1.0001; s += tick) {
    double x = a->left + s / seconds * a->width;
    fprintf(out, "<path d=\"M%.1f %.1fv4\" stroke=\"#333\"/>\n", x, a->top + a->height);
    snprintf(text, sizeof text, "%g", s);
    svg_label(out, x, a->top + a->height + 16, "text-anchor=\"middle\" fill=\"#555\"", text);
  }
  draw_points(r, a, seconds, high, false, out);
  draw_points(r, a, seconds, high, true, out);
}

int sim_paper_draw_requests(void *paper, FILE *out) {
  const struct sim_paper *p = paper;
  svg_begin(out, 980, 560, "Fig. 9: requests over time");
  svg_label(out, 64, 26, "font-size=\"16\" fill=\"#222\"",
            "Fig. 9: size of requests in KiB over time in s, under base");
  fputs("<path d=\"M66 44h0\" stroke=\"#5d7fa3\" stroke-width=\"7\" stroke-linecap=\"round\"/>\n"
        "<path d=\"M136 44h0\" stroke=\"#c44e3c\" stroke-width=\"7\" stroke-linecap=\"round\"/>\n",
        out);
  svg_label(out, 76, 48, "fill=\"#222\"", "reads");
  svg_label(out, 146, 48, "fill=\"#222\"", "writes");
  for (int i = 0; i < NPERIODS; i++) {
    const struct panel a = {72 + i % 2 * 480, 84 + i / 2 * 236, 400, 180};
    draw_requests(p, &periods[i], &a, out);
  }
  return svg_end(out);
}
