/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The timeline in the terminal: a row per disk, a column per stretch of time. Height says the mean
 * speed in the column (eighths of full speed), a thin bar that the disk served requests in it; on a
 * terminal colour says the speed too. */
#include "timeline.h"
#include <siox/error.h>
#include <string.h>

static const char *const block[9] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char request_mark[] = "┃";

static const char *glyph(double speed, double full) {
  int eighths = (int)(speed / full * 8 + 0.5);
  return block[eighths < 0 ? 0 : eighths > 8 ? 8 : eighths];
}

/* From blue (slow) over green and yellow to red (full), in the terminal's 256 colours. */
static int colour_of(double speed, double full) {
  static const int ramp[] = {25, 31, 37, 72, 108, 143, 179, 173, 167};
  int i = (int)(speed / full * 8 + 0.5);
  return ramp[i < 0 ? 0 : i > 8 ? 8 : i];
}

static void axis(const struct timeline *t, FILE *out, int label, int columns) {
  int64_t duration = t->end - t->start,
          tick = siox__timeline_tick(duration, columns / 10 > 1 ? columns / 10 : 1);
  int at = 0;
  fprintf(out, "%*s ", label, "");
  for (int64_t time = 0; time <= duration; time += tick) {
    char text[48];
    siox__timeline_seconds(time, tick, text, sizeof text);
    int column = (int)((double)time / (double)duration * columns), length = (int)strlen(text) + 4;
    if (column + length > columns + 2)
      break;
    at += fprintf(out, "%*s", column - at, "");
    fprintf(out, "└ %s s", text);
    at += length;
  }
  fputc('\n', out);
}

static void legend(const struct timeline *t, FILE *out, int label, int columns, bool colour) {
  const char *unit = t->drive.ramp ? " RPM" : "";
  fprintf(out, "%*s ", label, "");
  for (uint32_t level = t->drive.nlevels; level-- > 0;) {
    double speed = t->drive.level[level].speed;
    if (colour)
      fprintf(out, "\x1b[38;5;%dm%s\x1b[0m %.0f%s  ", colour_of(speed, t->full_speed),
              glyph(speed, t->full_speed), speed, unit);
    else
      fprintf(out, "%s %.0f%s  ", glyph(speed, t->full_speed), speed, unit);
  }
  fprintf(out, "%s requests  one column is %.3g s\n", request_mark,
          (double)(t->end - t->start) / 1e9 / columns);
}

int siox__timeline_text(const struct timeline *t, FILE *out, int width, bool colour) {
  char name[32];
  int label = snprintf(name, sizeof name, "disk %u", t->ndisks ? t->ndisks - 1 : 0);
  int columns = width - label - 13; /* room for the joules */
  if (columns < 10)
    columns = 10;
  fprintf(out, "policy %s%s%s: %s\n", t->policy, t->drive.ramp ? ", rule " : "",
          t->drive.ramp ? siox_rule_name(t->drive.rule) : "", t->program);
  for (uint32_t d = 0; d < t->ndisks; d++) {
    int shown = -1;
    snprintf(name, sizeof name, "disk %u", d);
    fprintf(out, "%-*s ", label, name);
    for (int c = 0; c < columns; c++) {
      double step = (double)(t->end - t->start) / columns;
      int64_t from = t->start + (int64_t)(c * step), to = t->start + (int64_t)((c + 1) * step);
      double speed = siox__timeline_speed(&t->disk[d], from, to > from ? to : from + 1);
      bool busy = siox__timeline_busy(&t->disk[d], from, to);
      int wanted = busy ? 255 : colour_of(speed, t->full_speed);
      if (colour && wanted != shown)
        fprintf(out, "\x1b[38;5;%dm", wanted);
      shown = wanted;
      fputs(busy ? request_mark : glyph(speed, t->full_speed), out);
    }
    fprintf(out, "%s %9.1f J\n", colour ? "\x1b[0m" : "", t->disk[d].joules);
  }
  axis(t, out, label, columns);
  legend(t, out, label, columns, colour);
  return ferror(out) ? SIOX_EIO : 0;
}
