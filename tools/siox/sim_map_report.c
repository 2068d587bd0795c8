/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The map in words and tables, as Markdown. Every sentence follows from the results; nothing here
 * knows how they will come out. */
#include "sim_map.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of an axis's value, the points of a group by choice. */
static void count_choices(const struct sim_group *g, enum sim_limit limit, enum sim_axis axis,
                          const double *value, uint64_t count[SIM_NCHOICES]) {
  memset(count, 0, SIM_NCHOICES * sizeof *count);
  for (uint64_t i = 0; i < g->count; i++)
    if (!value || sim_point_value(&g->item[i]->point, axis) == *value)
      count[g->verdict[i].choice[limit]]++;
}

static const char *phrase(enum sim_choice c) {
  static const char *const phrases[] = {"nobody saves " SIM_MATTERS_TEXT " %",
                                        "**a static level wins**",
                                        "**a timeout wins**",
                                        "**hw wins**",
                                        "hints and others are within " SIM_MATTERS_TEXT " %",
                                        "**hints pay**"};
  return phrases[c];
}

/* "gaps of 1 to 2 s: nobody saves 1 %; ...", of neighbours with the same most frequent choice. */
static void sentence(const struct sim_group *g, enum sim_limit limit, enum sim_axis axis,
                     const char *what, const char *unit, FILE *out) {
  struct sim_values v;
  enum sim_choice before = SIM_NCHOICES;
  double from = 0;
  sim_group_values(g, axis, &v);
  if (v.count < 2)
    return;
  fprintf(out, "  - %s: ", what);
  for (uint32_t i = 0; i <= v.count; i++) {
    uint64_t count[SIM_NCHOICES];
    enum sim_choice most = SIM_NCHOICES;
    if (i < v.count) {
      count_choices(g, limit, axis, &v.value[i], count);
      most = SIM_CHOOSE_NOTHING;
      for (int c = 1; c < SIM_NCHOICES; c++)
        most = count[c] > count[most] ? (enum sim_choice)c : most;
    }
    if (most == before)
      continue;
    if (i > 0 && from == v.value[i - 1])
      fprintf(out, "%g%s %s", from, unit, phrase(before));
    else if (i > 0)
      fprintf(out, "%g to %g%s %s", from, v.value[i - 1], unit, phrase(before));
    if (i > 0)
      fputs(i < v.count ? "; " : "\n", out);
    before = most;
    from = i < v.count ? v.value[i] : 0;
  }
}

/* Over all points: "hints pay at 22 % of the points, a static level wins at 10 %, ...", most first.
 */
static void in_short(const struct sim_groups *g, FILE *out) {
  fputs("\n## In short\n", out);
  for (int l = 0; l < SIM_NLIMITS; l++) {
    uint64_t sum[SIM_NCHOICES] = {0}, all = 0;
    for (uint32_t i = 0; i < g->count; i++) {
      uint64_t count[SIM_NCHOICES];
      count_choices(&g->group[i], (enum sim_limit)l, SIM_AXIS_gap, NULL, count);
      for (int c = 0; c < SIM_NCHOICES; c++)
        sum[c] += count[c];
      all += g->group[i].count;
    }
    fprintf(out, "- With %s ", sim_limit_what((enum sim_limit)l));
    for (int told = 0; told < SIM_NCHOICES && all; told++) {
      int most = 0;
      for (int c = 1; c < SIM_NCHOICES; c++)
        most = sum[c] > sum[most] ? c : most;
      if (!sum[most])
        break;
      fprintf(out, "%s%s at %.0f %%%s", told ? ", " : "", phrase((enum sim_choice)most),
              100.0 * (double)sum[most] / (double)all, told ? "" : " of the points");
      sum[most] = 0;
    }
    fputs(".\n", out);
  }
}

static void shares(const struct sim_groups *g, FILE *out) {
  fputs("\n## Who saves most\nShare of the points, in %, at which each kind of scheme saves most "
        "within a limit. *hints* are the best of com, rt, claims and siox with any delay budget, "
        "and are best only where they save at least " SIM_MATTERS_TEXT " % of base's energy more "
        "than all others; *no difference* is where they come within " SIM_MATTERS_TEXT " %; "
        "*nobody* where nobody saves " SIM_MATTERS_TEXT " %. "
        "A limit may be exceeded by " SIM_ALLOWANCE_TEXT " points.\n\n"
        "| drive, disks | limit | hints | no difference | static | timeout | hw | nobody |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        out);
  static const enum sim_choice order[] = {SIM_CHOOSE_HINTS,   SIM_CHOOSE_ANY, SIM_CHOOSE_STATIC,
                                          SIM_CHOOSE_TIMEOUT, SIM_CHOOSE_HW,  SIM_CHOOSE_NOTHING};
  for (uint32_t i = 0; i < g->count; i++)
    for (int l = 0; l < SIM_NLIMITS; l++) {
      const struct sim_group *one = &g->group[i];
      uint64_t count[SIM_NCHOICES];
      if (!one->count)
        continue;
      count_choices(one, (enum sim_limit)l, SIM_AXIS_gap, NULL, count);
      if (l == 0)
        fprintf(out, "| %s, %" PRIu32 " (%" PRIu64 " points) |", one->drive, one->disks,
                one->count);
      else
        fputs("| |", out);
      fprintf(out, " %s |", sim_limit_what((enum sim_limit)l));
      for (int c = 0; c < SIM_NCHOICES; c++)
        fprintf(out, " %.0f |", 100.0 * (double)count[order[c]] / (double)one->count);
      fputc('\n', out);
    }
}

static void sentences(const struct sim_groups *g, FILE *out) {
  fputs("\n## Where\nWhat is best at most points of each value, over all the others.\n", out);
  for (uint32_t i = 0; i < g->count; i++)
    for (int l = 0; l < SIM_NLIMITS; l++) {
      const struct sim_group *one = &g->group[i];
      if (!one->told || !sim_limit_told((enum sim_limit)l))
        continue;
      fprintf(out, "\n- %s, %" PRIu32 " disks, %s\n", one->drive, one->disks,
              sim_limit_what((enum sim_limit)l));
      sentence(one, (enum sim_limit)l, SIM_AXIS_gap, "gaps", " s", out);
      sentence(one, (enum sim_limit)l, SIM_AXIS_busy, "disks busy", " %", out);
      sentence(one, (enum sim_limit)l, SIM_AXIS_jobs, "jobs", "", out);
      sentence(one, (enum sim_limit)l, SIM_AXIS_error, "errors of predictions", " %", out);
    }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Of n values, put in order: the one at a share of them. */
static double quantile(double *value, size_t n, double share) {
  if (!n)
    return 0;
  qsort(value, n, sizeof *value, ascending);
  return value[(size_t)((double)(n - 1) * share + 0.5)];
}

/* In %, without the sign of what is rounded away. */
static double in_percent(double part) { return part < 0 && part > -0.0005 ? 0 : part * 100; }

static void errors(const struct sim_groups *g, double *x, FILE *out) {
  fputs("\n## Wrong predictions\n`siox` without a delay budget.\n\n"
        "| drive, disks | error | saved: median, least | added I/O time: median, greatest | "
        "oracle's savings kept, median |\n| --- | --- | --- | --- | --- |\n",
        out);
  for (uint32_t i = 0; i < g->count; i++) {
    struct sim_values v;
    const struct sim_group *one = &g->group[i];
    sim_group_values(one, SIM_AXIS_error, &v);
    for (uint32_t e = 0; e < v.count; e++) {
      double *saved = x, *added = x + one->count, *kept = added + one->count;
      size_t n = 0, k = 0;
      for (uint64_t p = 0; p < one->count; p++) {
        const struct sim_verdict *j = &one->verdict[p];
        if (one->item[p]->point.error != v.value[e] || !j->siox)
          continue;
        saved[n] = j->siox->saved;
        added[n++] = j->siox->added_io;
        if (j->oracle && j->oracle->saved > SIM_PART(SIM_MATTERS))
          kept[k++] = j->siox->saved / j->oracle->saved;
      }
      if (!n)
        continue;
      fprintf(out, "| %s, %" PRIu32 " | %g %% | %.1f %%, %.1f %% | %.2f %%, %.2f %% | %.0f %% |\n",
              one->drive, one->disks, v.value[e], in_percent(quantile(saved, n, 0.5)),
              in_percent(quantile(saved, n, 0)), in_percent(quantile(added, n, 0.5)),
              in_percent(quantile(added, n, 1)), in_percent(quantile(kept, k, 0.5)));
    }
  }
}

static void budgets(const struct sim_groups *g, double *x, FILE *out) {
  fputs("\n## Delay budgets\n`siox:delay=D`, over all points of a group. *above the bound*: joules "
        "over the lower bound for anyone who adds as much I/O time; it need not be reachable "
        "(docs/oracle.md). *static*: the best level within the budget.\n\n"
        "| drive, disks | D | saved, median | static saves, median | longer run time: median, "
        "greatest | above the bound, median |\n| --- | --- | --- | --- | --- | --- |\n",
        out);
  for (uint32_t i = 0; i < g->count; i++)
    for (uint32_t b = 0; b < SIM_MAX_BUDGETS; b++) {
      const struct sim_group *one = &g->group[i];
      double *saved = x, *rival = x + one->count, *longer = x + 2 * one->count,
             *above = x + 3 * one->count, percent = 0;
      size_t n = 0;
      for (uint64_t p = 0; p < one->count; p++) {
        const struct sim_verdict *j = &one->verdict[p];
        if (b >= j->nbudgets)
          continue;
        percent = j->budget[b].percent;
        saved[n] = j->budget[b].row->saved;
        rival[n] = j->budget[b].best_static ? j->budget[b].best_static->saved : 0;
        longer[n] = j->budget[b].row->slow_down;
        above[n++] = j->budget[b].above;
      }
      if (!n)
        continue;
      fprintf(out, "| %s, %" PRIu32 " | %g %% | %.1f %% | %.1f %% | %.2f %%, %.2f %% | %.1f %% |\n",
              one->drive, one->disks, percent, in_percent(quantile(saved, n, 0.5)),
              in_percent(quantile(rival, n, 0.5)), in_percent(quantile(longer, n, 0.5)),
              in_percent(quantile(longer, n, 1)), in_percent(quantile(above, n, 0.5)));
    }
}

/* How often each scheme stands on the front of joules and added I/O time. */
static void fronts(const struct sim_groups *g, double *x, FILE *out) {
  fputs("\n## Pareto fronts\nShare of the points at which nobody is at least as good in joules and "
        "added I/O time and better in one; then the medians.\n\n"
        "| drive, disks | scheme | on the front | saved | added I/O time | longer run time |\n"
        "| --- | --- | --- | --- | --- | --- |\n",
        out);
  for (uint32_t i = 0; i < g->count; i++) {
    const struct sim_group *one = &g->group[i];
    double *saved = x, *added = x + one->count, *longer = x + 2 * one->count;
    if (!one->told)
      continue;
    const struct sim_rows *first = &one->item[0]->rows;
    for (uint32_t k = 0; k < first->count; k++) {
      size_t n = 0, front = 0;
      for (uint64_t p = 0; p < one->count; p++) {
        const struct sim_rows *rows = &one->item[p]->rows;
        for (uint32_t r = 0; r < rows->count; r++) {
          const struct sim_row *row = &rows->row[r];
          if (!row->timed || row->wrong[0] || strcmp(row->name, first->row[k].name) != 0)
            continue;
          front += sim_on_front(rows, row);
          saved[n] = row->saved;
          added[n] = row->added_io;
          longer[n++] = row->slow_down;
        }
      }
      if (n)
        fprintf(out, "| %s, %" PRIu32 " | %s | %.0f %% | %.1f %% | %.2f %% | %.2f %% |\n",
                one->drive, one->disks, first->row[k].name, 100.0 * (double)front / (double)n,
                in_percent(quantile(saved, n, 0.5)), in_percent(quantile(added, n, 0.5)),
                in_percent(quantile(longer, n, 0.5)));
    }
  }
}

static void pictures(const struct sim_groups *g, const char *plots, FILE *out) {
  fputs("\n## Pictures\n", out);
  for (uint32_t i = 0; i < g->count; i++) {
    char name[160];
    const struct sim_group *one = &g->group[i];
    if (!one->told)
      continue;
    sim_plot_name(one, SIM_PICTURE_SAVED, SIM_LIMIT_run0, name, sizeof name);
    fprintf(out, "\n%s, %" PRIu32 " disks: [energy saved](%s/%s)", one->drive, one->disks, plots,
            name);
    for (int l = 0; l < SIM_NLIMITS; l++) {
      if (!sim_limit_told((enum sim_limit)l))
        continue;
      sim_plot_name(one, SIM_PICTURE_CHOICE, (enum sim_limit)l, name, sizeof name);
      fprintf(out, ", [best with %s](%s/%s)", sim_limit_what((enum sim_limit)l), plots, name);
    }
    fputs("\n", out);
  }
}

static void assumptions(const struct sim_groups *g, FILE *out) {
  for (uint32_t i = 0; i < g->count; i++) {
    struct siox_drive d;
    struct siox_diag diag;
    char name[80];
    bool seen = false;
    for (uint32_t k = 0; k < i; k++)
      seen |= !strcmp(g->group[k].drive, g->group[i].drive);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(g->group[i].drive, ":"), g->group[i].drive);
    if (!seen && siox_drive_load(&d, name, 1, &diag) == 0 && d.assumed[0])
      fprintf(out, "- `%s`: **assumed**, not published: %s.\n", name, d.assumed);
  }
}

int sim_report_map(const struct sim_results *r, const struct sim_groups *g, const char *command,
                   const char *plots, FILE *out) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < g->count; i++)
    most = g->group[i].count > most ? g->group[i].count : most;
  double *x = calloc(4 * most + 1, sizeof *x);
  if (!x)
    return SIOX_ENOMEM;
  fprintf(out,
          "# Where hinting pays\nMade by `%s` and not by hand; docs/sim.md says how the points are "
          "made. Joules are estimated from drive profiles.\n\n",
          command);
  assumptions(g, out);
  in_short(g, out);
  sim_verdict_markdown(r, 3, out);
  shares(g, out);
  sentences(g, out);
  errors(g, x, out);
  budgets(g, x, out);
  fronts(g, x, out);
  if (plots)
    pictures(g, plots, out);
  free(x);
  return ferror(out) ? SIOX_EIO : 0;
}
