/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline as SVG: a row per disk, height and colour say the speed, dark ticks above a row the
 * requests. */
#include "svg.h"
#include "timeline.h"
#include <siox/error.h>
#include <string.h>

struct colour {
  double r, g, b;
};

struct place {                        /* of the drawing, in pixels */
  double left, right, top, row, area; /* a row is `row` high, of which `area` shows the speed */
};

/* Blue for slow, sand, red for full speed: apart in lightness too, so that grey prints keep the
 * order. */
static struct colour colour_of(double speed, double full) {
  static const struct colour ramp[3] = {{93, 155, 189}, {233, 196, 129}, {196, 78, 60}};
  double at =
      (speed / full - 0.3) / 0.7 * 2; /* below 30 % of full speed all look like the slowest */
  at = at < 0 ? 0 : at > 2 ? 2 : at;
  int i = at >= 1 ? 1 : 0;
  double part = at - i;
  return (struct colour){ramp[i].r + (ramp[i + 1].r - ramp[i].r) * part,
                         ramp[i].g + (ramp[i + 1].g - ramp[i].g) * part,
                         ramp[i].b + (ramp[i + 1].b - ramp[i].b) * part};
}

static void fill(FILE *out, double speed, double full) {
  struct colour c = colour_of(speed, full);
  fprintf(out, "fill=\"#%02x%02x%02x\"", (unsigned)(c.r + 0.5), (unsigned)(c.g + 0.5),
          (unsigned)(c.b + 0.5));
}

static double x_of(const struct timeline *t, const struct place *p, int64_t time) {
  return p->left + (double)(time - t->start) / (double)(t->end - t->start) * (p->right - p->left);
}

static void axis(const struct timeline *t, const struct place *p, FILE *out) {
  int64_t duration = t->end - t->start;
  int most = (int)((p->right - p->left) / 70);
  int64_t tick = siox__timeline_tick(duration, most > 1 ? most : 1);
  double bottom = p->top + t->ndisks * p->row;
  fprintf(out, "<g stroke=\"#e3e3e3\">\n");
  for (int64_t time = 0; time <= duration; time += tick)
    fprintf(out, "<path d=\"M%.1f %.1fV%.1f\"/>\n", x_of(t, p, t->start + time), p->top,
            bottom + 4);
  fprintf(out, "</g>\n<g fill=\"#555\" text-anchor=\"middle\">\n");
  for (int64_t time = 0; time <= duration; time += tick) {
    char seconds[48];
    siox__timeline_seconds(time, tick, seconds, sizeof seconds);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x_of(t, p, t->start + time),
            bottom + 18, seconds);
  }
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">seconds</text>\n</g>\n", (p->left + p->right) / 2,
          bottom + 34);
}

/* Speeds of one disk: rectangles, and for a ramp a few slices so that the colour follows. */
static void speeds(const struct timeline *t, const struct place *p,
                   const struct timeline_disk *disk, double base, FILE *out) {
  for (size_t i = 0; i < disk->npieces; i++) {
    const struct timeline_piece *piece = &disk->piece[i];
    double x = x_of(t, p, piece->start), end = x_of(t, p, piece->end);
    int slices = piece->from == piece->to ? 1 : end - x < 8 ? 2 : (int)((end - x) / 4);
    for (int s = 0; s < slices; s++) {
      double a = x + (end - x) * s / slices, b = x + (end - x) * (s + 1) / slices;
      double from = piece->from + (piece->to - piece->from) * s / slices;
      double to = piece->from + (piece->to - piece->from) * (s + 1) / slices;
      /* 0.3 px of overlap hide the seams of neighbouring shapes */
      fprintf(out, "<path d=\"M%.2f %.2fV%.2fL%.2f %.2fV%.2fz\" ", a, base,
              base - from / t->full_speed * p->area, b + (s + 1 < slices ? 0.3 : 0),
              base - to / t->full_speed * p->area, base);
      fill(out, (from + to) / 2, t->full_speed);
      fprintf(out, "/>\n");
    }
  }
}

/* Requests closer than half a pixel become one tick. */
static void requests(const struct timeline *t, const struct place *p,
                     const struct timeline_disk *disk, double base, FILE *out) {
  double top = base - p->area - 5;
  double from = -1, to = -1;
  fprintf(out, "<g fill=\"#222\">\n");
  for (size_t i = 0; i <= disk->nrequests; i++) {
    double a = i < disk->nrequests ? x_of(t, p, disk->request[i].start) : 1e300;
    if (from >= 0 && a > to + 0.5) {
      double width = to - from < 1 ? 1 : to - from;
      fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"4\"/>\n", from, top, width);
      from = -1;
    }
    if (i == disk->nrequests)
      break;
    if (from < 0)
      from = a;
    to = x_of(t, p, disk->request[i].end);
  }
  fprintf(out, "</g>\n");
}

static void legend(const struct timeline *t, const struct place *p, double y, FILE *out) {
  double x = p->left;
  for (uint32_t level = t->drive.nlevels; level-- > 0;) {
    double speed = t->drive.level[level].speed;
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" ", x, y - 10);
    fill(out, speed, t->full_speed);
    fprintf(out, "/><text x=\"%.1f\" y=\"%.1f\">%.0f%s</text>\n", x + 17, y, speed,
            t->drive.ramp ? " RPM" : "");
    x += 100;
  }
  fprintf(out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"#222\"/><text x=\"%.1f\" "
          "y=\"%.1f\">requests</text>\n",
          x, y - 6, x + 17, y);
}

int siox__timeline_svg(const struct timeline *t, FILE *out, int width) {
  struct place p = {.left = 62,
                    .right = width - 84,
                    .top = 84,
                    .row = t->ndisks <= 16   ? 40
                           : t->ndisks <= 64 ? 24
                                             : 14};
  double height = p.top + t->ndisks * p.row + 44, total = 0;
  p.area = p.row - 12 > 6 ? p.row - 12 : 6;
  for (uint32_t d = 0; d < t->ndisks; d++)
    total += t->disk[d].joules;
  char title[160], program[128];
  snprintf(title, sizeof title, "Disk speeds under policy %s", t->policy);
  if (t->drive.ramp)
    snprintf(title + strlen(title), sizeof title - strlen(title), ", rule %s",
             siox_rule_name(t->drive.rule));
  int fits = (int)((p.right - p.left) / 6.5);
  snprintf(program, sizeof program, "%.*s", fits < 127 ? fits : 127, t->program);
  svg_begin(out, width, height, title);
  snprintf(title + strlen(title), sizeof title - strlen(title), ": %.1f J in %.2f s", total,
           (double)(t->end - t->start) / 1e9);
  fprintf(out, "<g fill=\"#222\">\n");
  svg_label(out, p.left, 24, "font-size=\"16\"", title);
  svg_label(out, p.left, 42, "fill=\"#666\"", program);
  legend(t, &p, 66, out);
  fprintf(out, "</g>\n");
  axis(t, &p, out);
  for (uint32_t d = 0; d < t->ndisks; d++) {
    double base = p.top + (d + 1) * p.row;
    fprintf(out, "<g id=\"disk%u\">\n", d);
    fprintf(out, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#222\">disk %u</text>\n",
            p.left - 8, base - p.area / 2 + 4, d);
    speeds(t, &p, &t->disk[d], base, out);
    requests(t, &p, &t->disk[d], base, out);
    fprintf(out, "<text x=\"%.0f\" y=\"%.1f\" fill=\"#555\">%.1f J</text>\n</g>\n", p.right + 8,
            base - p.area / 2 + 4, t->disk[d].joules);
  }
  return svg_end(out);
}
