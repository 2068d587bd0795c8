/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pictures of the map: which kind of scheme is best, and how much siox saves beside the best static
 * level, timeouts and the oracle. Small panels, the same scales in all of a picture. */
#include "output.h"
#include "sim_map.h"
#include "svg.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *colour_of(enum sim_choice c) {
  static const char *const colours[] = {"#e6e6e6", "#5d7fa3", "#e0b040",
                                        "#9c6bb0", "#f0bfae", "#c44e3c"};
  return colours[c];
}
static const char *meaning_of(enum sim_choice c) {
  static const char *const meanings[] = {
      "nobody saves " SIM_MATTERS_TEXT " %",        "a static level", "a timeout", "hw",
      "hints, no better by " SIM_MATTERS_TEXT " %", "hints"};
  return meanings[c];
}

void sim_plot_name(const struct sim_group *g, enum sim_picture picture, enum sim_limit limit,
                   char *name, size_t size) {
  static const char *const limits[] = {
#define LIMIT(name, member, limit, what) #name,
      SIM_LIMITS(LIMIT)
#undef LIMIT
  };
  int n = snprintf(name, size, "%s-%s-%u", picture == SIM_PICTURE_CHOICE ? "choice" : "saved",
                   g->drive, g->disks);
  if (picture == SIM_PICTURE_CHOICE && n > 0 && (size_t)n < size)
    n += snprintf(name + n, size - (size_t)n, "-%s", limits[limit]);
  if (n > 0 && (size_t)n < size)
    snprintf(name + n, size - (size_t)n, ".svg");
  for (char *c = name; *c; c++)
    *c = *c == ':' || *c == '/' ? '-' : *c;
}

/* The place of a grid of panels: columns and rows of values, and within each x by gap. */
struct grid {
  struct sim_values column, row, gap;
  double left, top, width, height; /* of one panel */
  double across, down;             /* from one to the next */
};

static double panel_x(const struct grid *g, uint32_t c) { return g->left + c * g->across; }
static double panel_y(const struct grid *g, uint32_t r) { return g->top + r * g->down; }

static uint32_t index_of(const struct sim_values *v, double value) {
  uint32_t i = 0;
  while (i < v->count && v->value[i] != value)
    i++;
  return i;
}

static void frame(const struct grid *g, const char *column, const char *row, FILE *out) {
  char text[80];
  for (uint32_t c = 0; c < g->column.count; c++) {
    snprintf(text, sizeof text, "%s %g%s", column, g->column.value[c],
             strcmp(column, "busy") ? "" : " %");
    svg_label(out, panel_x(g, c) + g->width / 2, g->top - 8, "text-anchor=\"middle\" fill=\"#222\"",
              text);
    for (uint32_t k = 0; k < g->gap.count; k++) {
      snprintf(text, sizeof text, "%g", g->gap.value[k]);
      svg_label(out, panel_x(g, c) + g->width * (k + 0.5) / g->gap.count,
                panel_y(g, g->row.count - 1) + g->height + 13,
                "text-anchor=\"middle\" fill=\"#555\" font-size=\"10\"", text);
    }
    svg_label(out, panel_x(g, c) + g->width / 2, panel_y(g, g->row.count - 1) + g->height + 28,
              "text-anchor=\"middle\" fill=\"#555\" font-size=\"10\"", "gap, s");
  }
  for (uint32_t r = 0; r < g->row.count; r++) {
    snprintf(text, sizeof text, "%s %g%s", row, g->row.value[r], strcmp(row, "error") ? "" : " %");
    svg_label(out, 12, panel_y(g, r) + g->height / 2 + 4, "fill=\"#222\"", text);
  }
}

struct drawing {
  const struct sim_group *g;
  enum sim_limit limit;
  enum sim_picture picture;
};

enum { CELL = 26, HIGH = 18 }; /* pixels of a point; whole ones keep the file small */

static void cell_of(const struct sim_point *p, const struct grid *grid,
                    const struct sim_values *busy, int *x, int *y) {
  *x = (int)panel_x(grid, index_of(&grid->column, p->jobs)) +
       CELL * (int)index_of(&grid->gap, p->gap);
  *y = (int)panel_y(grid, index_of(&grid->row, p->error)) +
       HIGH * (int)(busy->count - 1 - index_of(busy, p->busy));
}

/* All points of one choice in one shape, then their numbers; last a dot where jobs are in step. */
static void draw_cells(const struct drawing *d, const struct grid *grid,
                       const struct sim_values *busy, FILE *out) {
  const struct sim_group *g = d->g;
  int x, y;
  for (int c = 0; c < SIM_NCHOICES; c++) {
    fprintf(out, "<path fill=\"%s\" d=\"", colour_of((enum sim_choice)c));
    for (uint64_t i = 0; i < g->count; i++)
      if (g->verdict[i].choice[d->limit] == (enum sim_choice)c) {
        cell_of(&g->item[i]->point, grid, busy, &x, &y);
        fprintf(out, "M%d %dh%dv%dh-%dz", x, y, CELL - 1, HIGH - 1, CELL - 1);
      }
    fprintf(out, "\"/>\n<g font-size=\"9\" text-anchor=\"middle\" fill=\"%s\">\n",
            c == SIM_CHOOSE_NOTHING || c == SIM_CHOOSE_ANY ? "#777" : "#fff");
    for (uint64_t i = 0; i < g->count; i++)
      if (g->verdict[i].choice[d->limit] == (enum sim_choice)c) {
        cell_of(&g->item[i]->point, grid, busy, &x, &y);
        fprintf(out, "<text x=\"%d\" y=\"%d\">%ld</text>\n", x + CELL / 2, y + HIGH / 2 + 3,
                lround(g->verdict[i].lead[d->limit] * 100));
      }
    fputs("</g>\n", out);
  }
  fputs("<path fill=\"#222\" d=\"", out);
  for (uint64_t i = 0; i < g->count; i++)
    if (g->item[i]->in_step) {
      cell_of(&g->item[i]->point, grid, busy, &x, &y);
      fprintf(out, "M%d %dh2v2h-2z", x + CELL - 5, y + 2);
    }
  fputs("\"/>\n", out);
}

static int draw_choice(const struct drawing *d, FILE *out) {
  const struct sim_group *g = d->g;
  struct sim_values busy;
  struct grid grid = {.left = 118, .top = 86};
  char text[200];
  sim_group_values(g, SIM_AXIS_jobs, &grid.column);
  sim_group_values(g, SIM_AXIS_error, &grid.row);
  sim_group_values(g, SIM_AXIS_gap, &grid.gap);
  sim_group_values(g, SIM_AXIS_busy, &busy);
  grid.width = CELL * grid.gap.count;
  grid.height = HIGH * busy.count;
  grid.across = grid.width + 18;
  grid.down = grid.height + 14;
  double width = fmax(panel_x(&grid, grid.column.count), 780);
  snprintf(text, sizeof text, "%s, %u disks: what saves most, %s", g->drive, g->disks,
           sim_limit_what(d->limit));
  svg_begin(out, width, panel_y(&grid, grid.row.count) + 34, text);
  svg_label(out, 12, 22, "font-size=\"15\" fill=\"#222\"", text);
  double x = 12;
  for (int c = 0; c < SIM_NCHOICES; c++) {
    fprintf(out, "<rect x=\"%.0f\" y=\"34\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
            colour_of((enum sim_choice)c));
    svg_label(out, x + 16, 44, "fill=\"#222\" font-size=\"11\"", meaning_of((enum sim_choice)c));
    x += 28 + 6.2 * (double)strlen(meaning_of((enum sim_choice)c));
  }
  svg_label(out, 12, 62, "fill=\"#666\" font-size=\"10\"",
            "numbers: % of base's energy by which the best with hints leads the best without; rows "
            "of a panel: % busy; dot: jobs in step; white: not possible");
  frame(&grid, "jobs", "error", out);
  for (uint32_t r = 0; r < grid.row.count; r++)
    for (uint32_t k = 0; k < busy.count; k++) {
      snprintf(text, sizeof text, "%g", busy.value[busy.count - 1 - k]);
      svg_label(out, grid.left - 5, panel_y(&grid, r) + HIGH * (k + 0.5) + 3.5,
                "text-anchor=\"end\" fill=\"#555\" font-size=\"10\"", text);
    }
  for (uint32_t r = 0; r < grid.row.count; r++)
    for (uint32_t c = 0; c < grid.column.count; c++)
      fprintf(out,
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
              "stroke=\"#ccc\"/>\n",
              panel_x(&grid, c), panel_y(&grid, r), grid.width, grid.height);
  draw_cells(d, &grid, &busy, out);
  return svg_end(out);
}

/* The curves of the second picture: savings by gap. */
enum curve { ORACLE, BEST_STATIC, BEST_TIMEOUT, SIOX_RIGHT, SIOX_WRONG, NCURVES };
static const struct style {
  const char *colour, *dash, *what;
} styles[NCURVES] = {{"#3a7d44", "5 3", "oracle, no delay"},
                     {"#5d7fa3", "", "best static, whatever the delay"},
                     {"#e0b040", "", "best timeout, whatever the delay"},
                     {"#c44e3c", "", "siox"},
                     {"#c44e3c", "2 3", "siox, greatest error"}};

static double saved_by(const struct sim_result *r, const struct sim_verdict *v, enum curve c) {
  double most = -INFINITY;
  switch (c) {
  case ORACLE:
    return v->oracle ? v->oracle->saved : NAN;
  case SIOX_RIGHT:
  case SIOX_WRONG:
    return v->siox ? v->siox->saved : NAN;
  default:
    for (uint32_t i = 0; i < r->rows.count; i++) {
      const struct sim_row *row = &r->rows.row[i];
      bool is = c == BEST_STATIC ? row->kind == SIM_STATIC : !strncmp(row->name, "timeout", 7);
      if (is && !row->wrong[0] && row->saved > most)
        most = row->saved;
    }
    return isfinite(most) ? most : NAN;
  }
}

/* Savings, in [-20 %, 100 %], to y within a panel. */
static double saved_y(const struct grid *g, double saved) {
  double low = -0.2, high = 1;
  saved = saved < low ? low : saved > high ? high : saved;
  return g->height * (high - saved) / (high - low);
}

static void curve(const struct sim_group *g, const struct grid *grid, uint32_t c, uint32_t r,
                  double error, enum curve which, FILE *out) {
  bool pen = false;
  fprintf(out,
          "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" stroke-dasharray=\"%s\" d=\"",
          styles[which].colour, styles[which].dash);
  for (uint32_t k = 0; k < grid->gap.count; k++) {
    double saved = NAN;
    for (uint64_t i = 0; i < g->count; i++) {
      const struct sim_point *p = &g->item[i]->point;
      if (p->busy == grid->column.value[c] && p->jobs == (uint32_t)grid->row.value[r] &&
          p->error == error && p->gap == grid->gap.value[k])
        saved = saved_by(g->item[i], &g->verdict[i], which);
    }
    if (!isnan(saved))
      fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M',
              panel_x(grid, c) + grid->width * (k + 0.5) / grid->gap.count,
              panel_y(grid, r) + saved_y(grid, saved));
    pen = !isnan(saved);
  }
  fprintf(out, "\"/>\n");
}

static int draw_saved(const struct drawing *d, FILE *out) {
  const struct sim_group *g = d->g;
  struct sim_values error;
  struct grid grid = {.left = 118, .top = 84, .width = 168, .height = 110};
  char text[200];
  grid.across = grid.width + 14;
  grid.down = grid.height + 12;
  sim_group_values(g, SIM_AXIS_busy, &grid.column);
  sim_group_values(g, SIM_AXIS_jobs, &grid.row);
  sim_group_values(g, SIM_AXIS_gap, &grid.gap);
  sim_group_values(g, SIM_AXIS_error, &error);
  double least = error.count ? error.value[0] : 0;
  double most = error.count ? error.value[error.count - 1] : 0;
  double width = fmax(panel_x(&grid, grid.column.count), 780);
  snprintf(text, sizeof text, "%s, %u disks: energy saved by gap; errors %g and %g %%", g->drive,
           g->disks, least, most);
  svg_begin(out, width, panel_y(&grid, grid.row.count) + 34, text);
  svg_label(out, 12, 22, "font-size=\"15\" fill=\"#222\"", text);
  double x = 12;
  for (int c = 0; c < NCURVES; c++) {
    fprintf(out,
            "<path d=\"M%.0f 40h18\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
            x, styles[c].colour, styles[c].dash);
    svg_label(out, x + 22, 44, "fill=\"#222\" font-size=\"11\"", styles[c].what);
    x += 34 + 5.9 * (double)strlen(styles[c].what);
  }
  frame(&grid, "busy", "jobs", out);
  for (uint32_t r = 0; r < grid.row.count; r++)
    for (uint32_t c = 0; c < grid.column.count; c++) {
      for (int s = -20; s <= 100; s += 20) {
        double y = panel_y(&grid, r) + saved_y(&grid, s / 100.0);
        fprintf(out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\"/>\n", panel_x(&grid, c), y,
                grid.width, s ? "#eee" : "#bbb");
        snprintf(text, sizeof text, "%d %%", s);
        if (c == 0 && s % 40 == 0)
          svg_label(out, grid.left - 5, y + 3.5,
                    "text-anchor=\"end\" fill=\"#555\" font-size=\"10\"", text);
      }
      for (int k = 0; k < NCURVES; k++)
        curve(g, &grid, c, r, k == SIOX_WRONG ? most : least, (enum curve)k, out);
    }
  return svg_end(out);
}

static int draw(void *drawing, FILE *out) {
  const struct drawing *d = drawing;
  return d->picture == SIM_PICTURE_CHOICE ? draw_choice(d, out) : draw_saved(d, out);
}

static int write_one(struct drawing *d, enum sim_picture picture, const char *directory) {
  char name[160];
  d->picture = picture;
  sim_plot_name(d->g, picture, d->limit, name, sizeof name);
  return siox__output_write_in("siox sim", directory, name, draw, d);
}

int sim_plot_map(const struct sim_groups *g, const char *directory) {
  int status = siox__output_directory("siox sim", directory);
  for (uint32_t i = 0; i < g->count && status == 0; i++) {
    struct drawing d = {.g = &g->group[i]};
    if (!g->group[i].told)
      continue;
    status = write_one(&d, SIM_PICTURE_SAVED, directory);
    for (int l = 0; l < SIM_NLIMITS && status == 0; l++) {
      d.limit = (enum sim_limit)l;
      status = sim_limit_told(d.limit) ? write_one(&d, SIM_PICTURE_CHOICE, directory) : 0;
    }
  }
  return status;
}
