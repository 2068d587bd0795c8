/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One run for the comparison, out of whatever file tells of it; see compare.h. */
#include "activities.h"
#include "compare.h"
#include "siox_tool.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct {
  const char *key, *path, *missing;
} figures[] = {
#define COMPARE_FIGURE(key, heading, unit, decimals, path, missing) {#key, path, missing},
#define COMPARE_TABLE()
#include "compare.def"
#undef COMPARE_FIGURE
#undef COMPARE_TABLE
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* "run.joules" of a report. */
static const json_t *at(const json_t *o, const char *path) {
  char key[32];
  for (size_t n; o && *path; path += n + (path[n] == '.')) {
    n = strcspn(path, ".");
    snprintf(key, sizeof key, "%.*s", (int)n, path);
    o = json_object_get(o, key);
  }
  return o;
}

/* Why siox run could not tell it, by the part of the report: its own words, else ours. */
static const char *reason(const json_t *report, const char *path, const char *ours) {
  char part[32];
  snprintf(part, sizeof part, "%.*s", (int)strcspn(path, "."), path);
  const char *told = json_string_value(at(at(report, "unavailable"), *part ? part : "run"));
  return told ? told : ours;
}

static void put(json_t *run, size_t i, const json_t *value, const char *why) {
  bool there = json_is_number(value) && isfinite(json_number_value(value));
  json_object_set_new(run, figures[i].key,
                      there ? json_copy((json_t *)(uintptr_t)value) : json_null());
  if (!there)
    json_object_set_new(json_object_get(run, "missing"), figures[i].key, json_string(why));
}

/* All jobs of the run; the rest is nobody's. */
static json_t *jobs_joules(const json_t *report) {
  const json_t *jobs = json_object_get(report, "jobs");
  double sum = 0;
  size_t i;
  json_t *job;
  json_array_foreach((json_t *)(uintptr_t)jobs, i, job) {
    sum += json_number_value(json_object_get(job, "joules"));
  }
  return json_is_array(jobs) ? json_real(sum) : json_null();
}

static json_t *begin(const char *path, const json_t *command, const json_t *ranks) {
  json_t *run = json_pack("{s:o, s:{}}", "file",
                          siox__words((char *const[]){(char *)(uintptr_t)path, NULL}), "missing");
  json_object_set_new(run, "command",
                      json_is_string(command) ? json_copy((json_t *)(uintptr_t)command)
                                              : json_null());
  json_object_set_new(run, "ranks",
                      json_is_integer(ranks) ? json_copy((json_t *)(uintptr_t)ranks) : json_null());
  return run;
}

static json_t *of_report(const char *path, const json_t *report) {
  if (!json_is_number(json_object_get(report, "wall_seconds")) ||
      !json_is_object(json_object_get(report, "unavailable"))) {
    fprintf(stderr, "siox report: %s: it is no report of siox run --json: %s is missing\n", path,
            json_is_number(json_object_get(report, "wall_seconds")) ? "unavailable"
                                                                    : "wall_seconds");
    return NULL;
  }
  json_t *run = begin(path, json_object_get(report, "command"), at(report, "activities.ranks"));
  for (size_t i = 0; i < FIGURES; i++) {
    json_t *sum = *figures[i].path ? NULL : jobs_joules(report);
    put(run, i, sum ? sum : at(report, figures[i].path),
        reason(report, figures[i].path, figures[i].missing));
    json_decref(sum);
  }
  json_object_set_new(run, "estimated",
                      json_boolean(json_is_true(at(report, "processors.estimated"))));
  return run;
}

static double seconds(int64_t ns) { return (double)ns / 1e9; }

/* What a trace has of it: all but the processors. */
static json_t *trace_report(const struct siox_replay_result *r) {
  int64_t io = 0;
  json_t *jobs = json_array();
  for (uint32_t i = 0; i < r->nranks; i++)
    io = r->rank[i].io_ns > io ? r->rank[i].io_ns : io;
  for (uint32_t j = 0; j < r->njobs; j++) {
    double joules = 0;
    for (int s = 0; s < SIOX_NSTATES; s++)
      joules += r->job[j].joules[s];
    json_array_append_new(jobs, json_pack("{s:f}", "joules", joules));
  }
  return json_pack(
      "{s:f, s:{s:s}, s:o, s:{s:f, s:I, s:f}}", "wall_seconds", seconds(r->end - r->start),
      "unavailable", "processors", "a trace does not have them; siox run --json does", "jobs", jobs,
      "run", "joules", r->joules, "requests", (json_int_t)r->requests, "io_seconds", seconds(io));
}

static json_t *of_trace(const char *path) {
  struct siox_replay_result result = {0};
  struct siox_trace_reader *reader = NULL;
  struct siox_diag diag = {""};
  json_t *run = NULL, *report = NULL, *activities = siox__activities(path, &diag);
  if (activities && siox_replay_recorded(path, &result, &diag) == 0 &&
      siox_trace_open(&reader, path, &diag) == 0) {
    char *const program[] = {(char *)(uintptr_t)siox_trace_header(reader)->program, NULL};
    report = trace_report(&result);
    json_object_set(report, "activities", activities);
    json_object_set_new(report, "command", *program ? siox__words(program) : json_null());
    run = of_report(path, report);
  } else {
    fprintf(stderr, "siox report: %s%s%s\n", strstr(diag.text, path) ? "" : path,
            strstr(diag.text, path) ? "" : ": ", *diag.text ? diag.text : "it cannot be read");
  }
  if (reader)
    siox_trace_reader_close(reader);
  siox_replay_free(&result);
  json_decref(activities);
  json_decref(report);
  return run;
}

json_t *compare_read(const char *path) {
  char first = 0;
  json_error_t error;
  errno = 0;
  FILE *in = fopen(path, "re");
  if (!in || (fread(&first, 1, 1, in) == 0 && ferror(in))) {
    fprintf(stderr, "siox report: %s: %s\n", path, strerror(errno));
    if (in)
      fclose(in);
    return NULL;
  }
  rewind(in);
  json_t *run = NULL, *report = first == '{' ? json_loadf(in, 0, &error) : NULL;
  fclose(in);
  if (first && first != '{')
    return of_trace(path);
  if (report)
    run = of_report(path, report);
  else if (!first)
    fprintf(stderr, "siox report: %s: it is empty\n", path);
  else
    fprintf(stderr, "siox report: %s:%d:%d: %s\n", path, error.line, error.column, error.text);
  json_decref(report);
  return run;
}
