/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The comparison as a table, CSV and JSON, and how far it is. */
#include "cli/text.h"
#include "sim.h"
#include "sim_csv.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *sim_kind_name(enum sim_kind kind) {
  static const char *const kinds[] = {"base", "static", "scheme", "oracle", "bound"};
  return kinds[kind];
}

void sim_show_progress(void *context, const char *what, double part) {
  (void)context;
  int done = (int)(part * 40);
  fprintf(stderr, "\r%-20.20s [%.*s%*s] %3.0f %%", what, done,
          "########################################", 40 - done, "", part * 100);
}

static void show_recorded(const struct sim_rows *r, FILE *out) {
  if (!r->recorded)
    return;
  fprintf(out,
          "  recorded %.3f J in %.3f s; with its arrivals kept %.3f J (%+.1e); in closed loop "
          "under the "
          "recorded policy\n  %.3f J (%+.2f %%) in %.3f s (%+.2f %%)\n",
          r->recorded_joules, r->recorded_seconds, r->open_joules,
          r->open_joules / r->recorded_joules - 1, r->closed_joules,
          (r->closed_joules / r->recorded_joules - 1) * 100, r->closed_seconds,
          (r->closed_seconds / r->recorded_seconds - 1) * 100);
}

/* A figure in a column, or the least that it can be. */
static void show_least(FILE *out, bool least, double value, int digits, const char *unit) {
  char text[64];
  snprintf(text, sizeof text, "%s%.*f %s", least ? ">=" : "", digits, value, unit);
  fprintf(out, " %11s", text);
}

/* The least part that a table shows as other than 0.00 %. What is below is a matter of rounding
 * times to nanoseconds, and changes no joules that are shown. */
static const double LEAST_SHOWN = 5e-5;

/* Whom the bounds do not hold for: they are for the requests of base, each no earlier than there.
 */
static bool quicker(const struct sim_row *r) {
  return !r->wrong[0] && (r->less_io >= LEAST_SHOWN || r->less_run >= LEAST_SHOWN);
}

/* A part that was done without, in per cent; no "-0.00". */
static double less(double part) { return part >= LEAST_SHOWN ? -100 * part : 0; }

static void show_quicker(const struct sim_rows *rows, FILE *out) {
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    if (quicker(r))
      fprintf(
          out,
          "  %s: %.2f %% I/O time of all processes together and %.2f %% run time against base: "
          "delays keep processes\n  apart that queue in base, and what it takes may be less than "
          "the bounds\n",
          r->name, less(r->less_io), less(r->less_run));
  }
}

void sim_show_table(const struct sim_rows *rows, const struct sim_scenario *s, FILE *out) {
  char head[32];
  bool ruled = strcmp(rows->rule, "-") != 0, missed = false, any_quicker = false;
  snprintf(head, sizeof head, ruled ? "scheme (rule %s)" : "scheme", rows->rule);
  int width = (int)strlen(head) > 14 ? (int)strlen(head) : 14;
  for (uint32_t i = 0; i < rows->count; i++) {
    int length = (int)strlen(rows->row[i].name) + (rows->row[i].best ? 7 : 0);
    width = length > width ? length : width;
    any_quicker |= quicker(&rows->row[i]);
  }
  fprintf(out, "%-*s %13s %9s %11s %11s %12s %10s %8s%s\n", width, head, "joules", "saved",
          "added I/O", "run time", "transitions", "worst wait", "missed",
          s->cache.size ? "      hits  from cache" : "");
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    char name[100];
    snprintf(name, sizeof name, "%s%s", r->name, r->best ? " (best)" : "");
    if (r->wrong[0]) {
      fprintf(out, "%-*s %s\n", width, name, r->wrong);
      continue;
    }
    fprintf(out, "%-*s %13.3f %7.2f %%", width, name, r->joules, r->saved * 100);
    bool least = s->waits_untold && r->timed && r->kind != SIM_BASE;
    show_least(out, least, r->added_io * 100, 2, "%");
    if (r->timed)
      show_least(out, least, r->seconds, 3, "s");
    if (r->timed)
      fprintf(out, " %12" PRIu64 " %8.3f s %8" PRIu64, r->transitions, r->worst_seconds, r->missed);
    if (r->timed && s->cache.size)
      fprintf(out, " %7.2f %% %7.1f MiB", r->hit_rate * 100, (double)r->cache.hit / 1048576);
    if (r->timed)
      fputc('\n', out);
    else if (r->kind == SIM_ORACLE)
      fprintf(out, " %9.3f s %12" PRIu64 "\n", r->seconds, r->transitions);
    else
      fprintf(out, "   no scheme uses less%s\n", any_quicker ? ", save those named below" : "");
  }
  for (uint32_t i = 0; i < rows->count; i++)
    missed |= rows->row[i].missed > 0;
  if (ruled)
    fprintf(out, "  rule %s says what a change of speed costs (transition_rule: a, b or c)\n",
            rows->rule);
  if (missed)
    fprintf(out,
            "  missed: requests that no live hint of their process foretold; base, static, timeout "
            "and hw heed no hints, and\n  generated jobs give none under them (docs/sim.md)\n");
  if (rows->used < s->ndisks)
    fprintf(
        out,
        "  %u of %u disks serve nothing: %.3f J of base's are theirs, and what is saved on them "
        "counts as saved;\n  see disks and layouts\n",
        s->ndisks - rows->used, s->ndisks, rows->unused_joules);
  show_quicker(rows, out);
  show_recorded(rows, out);
  for (uint32_t i = 0; i < rows->count; i++)
    if (rows->row[i].released)
      fprintf(out,
              "  %s: %" PRIu64 " waits given up: records of what they waited for are missing\n",
              rows->row[i].name, rows->row[i].released);
  if (rows->cut)
    fprintf(out, "  a trace has no end; it is played as far as it goes\n");
  if (s->cache.size && (s->cache.write_back || s->cache.read_ahead))
    fprintf(out,
            "  what servers read ahead or write back delays nobody when it comes later: the oracle "
            "does it as base\n  does, others need not, and there are no bounds\n");
  if (rows->late)
    fprintf(out, "  base itself waits for disks that begin below full speed, and the oracle serves "
                 "when base does:\n  a scheme that serves at once at a lower speed may take less; "
                 "there are no bounds\n");
  if (s->notes)
    fprintf(out, "  %s", s->notes);
  for (uint32_t i = 0; i < s->drives.nprofiles; i++)
    if (s->drives.profile[i].assumed[0])
      fprintf(out, "  %s: assumed, not published: %s\n", s->drives.profile[i].name,
              s->drives.profile[i].assumed);
  fprintf(out, "  joules are estimated from drive profiles\n");
}

void sim_show_csv_head(FILE *out) {
#define COLUMN(name, member) fputs(#name ",", out);
  fputs("scheme,kind,best,", out);
  SIM_COLUMNS(COLUMN, COLUMN, COLUMN)
#undef COLUMN
  for (int k = 0; k < SIOX_NSTATES; k++)
    fprintf(out, "joules_%s,", siox_state_name((enum siox_state)k));
  fputs("failure\n", out);
}

/* Figures that a row does not have are left empty. */
static void csv_real(FILE *out, bool there, double value) {
  if (there && !isnan(value))
    fprintf(out, "%.17g", value);
  fputc(',', out);
}

static void csv_count(FILE *out, bool there, uint64_t value) {
  if (there)
    fprintf(out, "%" PRIu64, value);
  fputc(',', out);
}

void sim_show_csv(const struct sim_rows *rows, const char *lead, FILE *out) {
  for (uint32_t i = 0; i < rows->count; i++) {
    const struct sim_row *r = &rows->row[i];
    bool there = !r->wrong[0], timed = there && r->timed;
    fprintf(out, "%s\"%s\",%s,%d,", lead, r->name, sim_kind_name(r->kind), r->best);
#define ALL(name, member) csv_real(out, there, r->member);
#define REAL(name, member) csv_real(out, timed, r->member);
#define COUNT(name, member) csv_count(out, timed, r->member);
    SIM_COLUMNS(ALL, REAL, COUNT)
#undef ALL
#undef REAL
#undef COUNT
    for (int k = 0; k < SIOX_NSTATES; k++)
      csv_real(out, timed, r->joules_state[k]);
    if (r->wrong[0])
      siox__csv_quote(out, r->wrong);
    fputc('\n', out);
  }
}

static json_t *row_of(const struct sim_row *r) {
  json_t *o = json_pack("{s:s, s:s, s:b}", "scheme", r->name, "kind", sim_kind_name(r->kind),
                        "best", r->best);
  if (r->wrong[0]) {
    json_object_set_new(o, "failure", json_string(r->wrong));
    return o;
  }
#define ALL(name, member) json_object_set_new(o, #name, json_real(r->member));
#define REAL(name, member)                                                                         \
  if (r->timed && !isnan(r->member))                                                               \
    json_object_set_new(o, #name, json_real(r->member));
#define COUNT(name, member)                                                                        \
  if (r->timed)                                                                                    \
    json_object_set_new(o, #name, json_integer((json_int_t)r->member));
  SIM_COLUMNS(ALL, REAL, COUNT)
#undef ALL
#undef REAL
#undef COUNT
  if (!r->timed)
    return o;
  if (r->kind != SIM_BASE) {
    json_object_set_new(o, "less_io_time", json_real(r->less_io));
    json_object_set_new(o, "less_run_time", json_real(r->less_run));
  }
  json_t *states = json_object();
  for (int k = 0; k < SIOX_NSTATES; k++)
    json_object_set_new(states, siox_state_name((enum siox_state)k), json_real(r->joules_state[k]));
  json_object_set_new(o, "joules_by_state", states);
  return o;
}

json_t *sim_show_json(const struct sim_rows *rows, const struct sim_scenario *s) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < rows->count; i++)
    json_array_append_new(list, row_of(&rows->row[i]));
  json_t *all = json_pack("{s:s, s:I, s:I, s:f, s:f, s:b, s:b, s:b, s:b, s:o}", "transition_rule",
                          rows->rule, "disks", (json_int_t)s->ndisks, "disks_used",
                          (json_int_t)rows->used, "joules_unused", rows->unused_joules, "busy",
                          rows->busy, "estimated", 1, "cut", rows->cut, "waits_told",
                          !s->waits_untold, "base_waits_at_start", rows->late, "rows", list);
  if (rows->recorded)
    json_object_set_new(all, "recorded",
                        json_pack("{s:f, s:f, s:f, s:f, s:f}", "joules", rows->recorded_joules,
                                  "seconds", rows->recorded_seconds, "joules_arrivals_kept",
                                  rows->open_joules, "joules_closed_loop", rows->closed_joules,
                                  "seconds_closed_loop", rows->closed_seconds));
  json_object_set_new(all, "limits", siox__limits_json(&s->limits));
  json_t *assumed = json_object();
  for (uint32_t i = 0; i < s->drives.nprofiles; i++)
    if (s->drives.profile[i].assumed[0])
      json_object_set_new(assumed, s->drives.profile[i].name,
                          json_string(s->drives.profile[i].assumed));
  json_object_set_new(all, "assumed", assumed);
  if (s->notes)
    json_object_set_new(all, "notes", json_string(s->notes));
  return all;
}
