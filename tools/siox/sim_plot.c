/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Energy against added I/O time as SVG, one point a row of the comparison: the lower left corner is
 * where to be. Added time is drawn on a scale that is linear below 1 % and logarithmic above, for
 * schemes differ by orders of magnitude. */
#include "sim.h"
#include "svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct place {
  double left, right, top, bottom, most_x, least_y, most_y;
};
struct label {
  double x, y; /* of its baseline's start */
  double width;
};

static const char *const colour[] = {"#333", "#7a8ea3", "#c44e3c", "#3a7d44", "#3a7d44"};

static double bend(double added) {
  return added <= 0 ? 0 : added < 0.01 ? added * 100 : 1 + log10(added * 100);
}

static double x_of(const struct place *p, double added) {
  return p->left + bend(added) / bend(p->most_x) * (p->right - p->left);
}
static double y_of(const struct place *p, double joules) {
  return p->bottom - (joules - p->least_y) / (p->most_y - p->least_y) * (p->bottom - p->top);
}

static void extent(const struct sim_rows *rows, struct place *p) {
  double low = INFINITY, high = 0, right = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    if (r->wrong[0])
      continue;
    low = fmin(low, r->joules);
    high = fmax(high, r->joules);
    right = fmax(right, r->added_io);
  }
  double step = svg_round_up((high - low > 0 ? high - low : fmax(high, 1)) / 5);
  p->least_y = floor(low / step) * step;
  p->most_y = ceil(high / step + 1e-9) * step;
  if (p->most_y <= p->least_y)
    p->most_y = p->least_y + step;
  p->most_x = fmax(svg_round_up(fmax(right, 0.01) * 1.15), 0.1);
}

static void axes(const struct place *p, FILE *out) {
  double step = svg_round_up((p->most_y - p->least_y) / 6);
  fprintf(out, "<g stroke=\"#e3e3e3\">\n");
  for (double j = ceil(p->least_y / step - 1e-9) * step; j <= p->most_y * (1 + 1e-9); j += step)
    fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", p->left, y_of(p, j), p->right);
  static const double ticks[] = {0,   0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2,
                                 0.5, 1,      2,     5,    10,   20,   50,  100};
  for (size_t i = 0; i < sizeof ticks / sizeof *ticks && ticks[i] <= p->most_x * 1.001; i++)
    fprintf(out, "<path d=\"M%.1f %.1fV%.1f\"/>\n", x_of(p, ticks[i]), p->top, p->bottom + 4);
  fprintf(out, "</g>\n<g fill=\"#555\" text-anchor=\"end\">\n");
  for (double j = ceil(p->least_y / step - 1e-9) * step; j <= p->most_y * (1 + 1e-9); j += step)
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%.6g</text>\n", p->left - 8, y_of(p, j) + 4, j);
  fprintf(out, "</g>\n<g fill=\"#555\" text-anchor=\"middle\">\n");
  double last = -INFINITY;
  for (size_t i = 0; i < sizeof ticks / sizeof *ticks && ticks[i] <= p->most_x * 1.001; i++) {
    double x = x_of(p, ticks[i]);
    if (x - last < 52)
      continue; /* its number would run into the one before */
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%g %%</text>\n", x, p->bottom + 20, ticks[i] * 100);
    last = x;
  }
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">added I/O time</text>\n", (p->left + p->right) / 2,
          p->bottom + 40);
  fprintf(out, "<text transform=\"translate(18 %.1f) rotate(-90)\">joules</text>\n</g>\n",
          (p->top + p->bottom) / 2);
}

static bool collides(const struct label *a, const struct label *b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && fabs(a->y - b->y) < 13;
}

/* Beside the point, or above or below where another label is in the way. */
static struct label find_place(const struct place *p, const struct label *others, uint32_t n,
                               double x, double y, double width) {
  bool to_left = x + 10 + width > p->right + 90;
  struct label l = {to_left ? x - 10 - width : x + 10, y + 4, width};
  for (int step = 1; step < 60; step++) {
    bool free = true;
    for (uint32_t i = 0; i < n && free; i++)
      free = !collides(&l, &others[i]);
    if (free)
      break;
    int away = (step + 1) / 2;
    l.y = y + 4 + (step % 2 ? 13.0 : -13.0) * away;
  }
  return l;
}

static void point(const struct sim_row *r, double x, double y, FILE *out) {
  if (r->kind == SIM_ORACLE || r->kind == SIM_BOUND)
    fprintf(out, "<path d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"%s\" stroke=\"%s\"/>\n", x, y - 5,
            r->kind == SIM_ORACLE ? colour[r->kind] : "#fff", colour[r->kind]);
  else if (r->kind == SIM_STATIC)
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\" fill=\"%s\"/>\n", x - 4.5,
            y - 4.5, colour[r->kind]);
  else
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n", x, y, colour[r->kind]);
}

int sim_plot_svg(const struct sim_rows *rows, FILE *out, int width) {
  struct place p = {.left = 78, .right = width - 130, .top = 44, .bottom = 480};
  struct label *labels = calloc(2 * (size_t)rows->count + 1, sizeof *labels);
  uint32_t n = 0;
  if (!labels)
    return SIOX_ENOMEM;
  extent(rows, &p);
  char title[120], rule[32] = "";
  if (strcmp(rows->rule, "-") != 0)
    snprintf(rule, sizeof rule, ", rule %s", rows->rule);
  snprintf(title, sizeof title, "Energy against added I/O time%s", rule);
  svg_begin(out, width, 536, title);
  snprintf(title + strlen(title), sizeof title - strlen(title),
           " (linear to 1 %%, then logarithmic)");
  svg_label(out, p.left, 26, "font-size=\"16\" fill=\"#222\"", title);
  axes(&p, out);
  for (uint32_t i = 0; i < rows->count; i++) /* no label on a point */
    if (!rows->row[i].wrong[0])
      labels[n++] = (struct label){x_of(&p, rows->row[i].added_io) - 5,
                                   y_of(&p, rows->row[i].joules) + 4, 10};
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    if (r->wrong[0])
      continue;
    double x = x_of(&p, r->added_io), y = y_of(&p, r->joules);
    point(r, x, y, out);
    labels[n] = find_place(&p, labels, n, x, y, 6.4 * (double)strlen(r->name));
    if (fabs(labels[n].y - y - 4) > 14)
      fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#bbb\"/>\n", x, y, labels[n].x - 1,
              labels[n].y - 4);
    char style[32];
    snprintf(style, sizeof style, "fill=\"%s\"", colour[r->kind]);
    svg_label(out, labels[n].x, labels[n].y, style, r->name);
    n++;
  }
  free(labels);
  return svg_end(out);
}
