/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report for people. */
#include "check.h"
#include "siox_tool.h"
#include <string.h>

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}
static long long integer(const json_t *o, const char *key) {
  return (long long)json_integer_value(json_object_get(o, key));
}
static const char *string(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "?";
}

/* Two decimals, and no minus before a nought. */
static double shown(double value) { return value < 0 && value > -0.005 ? 0 : value; }

static void percent(FILE *out, const json_t *o, const char *key) {
  const json_t *value = json_object_get(o, key);
  if (json_is_number(value))
    fprintf(out, " %9.2f %%", shown(100 * json_number_value(value)));
  else
    fprintf(out, " %11s", "n/a");
}

static void row(FILE *out, const char *name, const json_t *o) {
  if (!o)
    return;
  fprintf(out, "  %-16s %10.3f %12.3f", name, real(o, "seconds"), real(o, "joules"));
  percent(out, o, "saved");
  percent(out, o, "added_io_time");
  percent(out, o, "slow_down");
  fprintf(out, " %11lld\n", integer(o, "transitions"));
}

static void disk(FILE *out, const json_t *d) {
  fprintf(out, "  disk %-4lld %12.3f J  ", integer(d, "disk"),
          real(json_object_get(d, "joules"), "total"));
  size_t l;
  json_t *level;
  json_array_foreach(json_object_get(d, "levels"), l, level)
      fprintf(out, " %lld: %.3f s", integer(level, "speed"), real(level, "seconds"));
  if (json_object_get(d, "changing_seconds")) /* not in reports of earlier versions */
    fprintf(out, ", changing: %.3f s", real(d, "changing_seconds"));
  fprintf(out, ", %lld up, %lld down\n", integer(d, "transitions_up"),
          integer(d, "transitions_down"));
}

/* What libsiox let pass, by kind; the numbers are those of processes (runtime/client/record.c). */
static void unseen(FILE *out, const json_t *kinds) {
  const char *kind, *before = "  unseen, in so many processes:";
  json_t *count;
  bool any = false;
  json_object_foreach((json_t *)(uintptr_t)kinds, kind, count) if (json_integer_value(count)) {
    fprintf(out, "%s %s %lld", before, kind, (long long)json_integer_value(count));
    before = ",";
    any = true;
  }
  if (any)
    fputc('\n', out);
}

/* Where not all activities are stored, and what the knowledge base had to say. */
static void recording(FILE *out, const json_t *r) {
  if (integer(r, "advised"))
    fprintf(out, "  advice for %lld opens, followed %lld times%s\n", integer(r, "advised"),
            integer(r, "applied"),
            integer(r, "applied") ? "" : " (SIOX_KNOWLEDGE_APPLY=1 for all ranks follows it)");
  if (!r || strcmp(string(r, "record_activities"), "all") == 0)
    return;
  const double activities = (double)integer(r, "activities"), stored = (double)integer(r, "stored");
  fprintf(out, "  activities %.0f, stored %.1f %%", activities,
          activities > 0 ? 100 * stored / activities : 0);
  if (json_object_get(r, "cycles"))
    fprintf(out, "; cycles %lld, abnormal %lld, kept %lld", integer(r, "cycles"),
            integer(r, "abnormal_cycles"), integer(r, "kept_cycles"));
  if (integer(r, "dropped"))
    fprintf(out, "; no room for %lld", integer(r, "dropped"));
  fputc('\n', out);
}

static void hints(FILE *out, const json_t *report) {
  const json_t *h = json_object_get(report, "hints");
  if (!h)
    return;
  const bool refused = integer(h, "refused") > 0;
  fprintf(out, "  hints: %lld issued, %lld sent; disk by disk %lld granted, %lld refused%s\n",
          integer(h, "issued"), integer(h, "sent"), integer(h, "granted"), integer(h, "refused"),
          refused ? " (no fault: other claims, wear or the policy stood against it)" : "");
  fprintf(out, "  %lld late completions, %lld records dropped\n", integer(report, "late"),
          integer(report, "records_dropped"));
}

void siox__report_print(FILE *out, const json_t *report) {
  fprintf(out, "siox: policy %s, time scale %g, rule %s, job %s: wall %.3f s, status %lld\n",
          string(report, "policy"), real(report, "time_scale"), string(report, "transition_rule"),
          string(report, "job"), real(report, "wall_seconds"), integer(report, "status"));
  size_t i;
  json_t *item;
  if (json_object_get(report, "run")) {
    fprintf(out, "  %-16s %10s %12s %11s %11s %11s %11s\n", "", "seconds", "joules", "saved",
            "added I/O", "slow-down", "transitions");
    row(out, "this run", json_object_get(report, "run"));
    row(out, "base (replay)", json_object_get(report, "base"));
    json_array_foreach(json_object_get(report, "static"), i, item)
        row(out, string(item, "policy"), item);
  }
  json_array_foreach(json_object_get(report, "disks"), i, item) disk(out, item);
  json_array_foreach(json_object_get(report, "jobs"), i, item) fprintf(
      out, "  job %-24s %12.3f J, %lld requests, %lld predictions missed\n", string(item, "job"),
      real(item, "joules"), integer(item, "requests"), integer(item, "missed"));
  if (json_object_get(report, "unattributed"))
    fprintf(out, "  unattributed %27.3f J\n", real(report, "unattributed"));
  const json_t *p = json_object_get(report, "processors");
  if (p)
    fprintf(out, "  processors %s: %.3f J for %.3f s of this job, idle %.3f J, others %.3f J\n",
            json_is_true(json_object_get(p, "estimated")) ? "(estimated)" : string(p, "source"),
            real(p, "job_joules"), real(p, "job_seconds"), real(p, "idle"),
            real(p, "unattributed"));
  hints(out, report);
  siox__report_machine_print(out, report);
  siox__report_totals_print(out, json_object_get(report, "totals"));
  recording(out, json_object_get(report, "recording"));
  unseen(out, json_object_get(report, "unseen"));
  if (json_object_get(report, "check"))
    siox__check_print(out, json_object_get(report, "check"));
  if (integer(report, "trace_lost"))
    fprintf(out, "  trace: %lld records lost\n", integer(report, "trace_lost"));
  const char *what;
  json_object_foreach(json_object_get(report, "unavailable"), what, item)
      fprintf(out, "  not available: %s: %s\n", what, json_string_value(item));
  if (json_is_string(json_object_get(report, "note")))
    fprintf(out, "  %s\n", string(report, "note"));
  fputs("  joules are estimated from drive profiles\n", out);
}
