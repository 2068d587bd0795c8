/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of a run whose trace could not be written to its end: the daemon's own totals, which
 * need no trace. What only a replay can tell is null. */
#include "siox_tool.h"

static json_int_t integer(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}

static double total(const json_t *o) {
  return json_number_value(json_object_get(json_object_get(o, "joules"), "total"));
}

static json_t *disk(const json_t *live) {
  static const char *const copied[] = {"disk", "joules", "transitions_up", "transitions_down",
                                       "requests"};
  json_t *o = json_object(), *levels = json_array(), *level;
  size_t i;
  for (i = 0; i < sizeof copied / sizeof *copied; i++)
    json_object_set(o, copied[i], json_object_get(live, copied[i]));
  json_array_foreach(json_object_get(live, "levels"), i, level) json_array_append_new(
      levels, json_pack("{s:O, s:f}", "speed", json_object_get(level, "speed"), "seconds",
                        (double)integer(level, "ns") / 1e9));
  json_object_set_new(o, "levels", levels);
  json_object_set_new(o, "changing_seconds", json_real((double)integer(live, "moving_ns") / 1e9));
  return o;
}

static json_t *job(const json_t *live) {
  static const char *const copied[] = {"job", "hints", "granted", "refused", "requests", "missed"};
  json_t *o = json_pack("{s:f}", "joules", total(live));
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
    json_object_set(o, copied[i], json_object_get(live, copied[i]));
  return o;
}

void siox__report_live(json_t *report, const json_t *live) {
  json_t *disks = json_array(), *jobs = json_array(), *item;
  double joules = 0;
  json_int_t transitions = 0, requests = 0, missed = 0;
  size_t i;
  json_array_foreach(json_object_get(live, "disks"), i, item) {
    joules += total(item);
    transitions += integer(item, "transitions_up") + integer(item, "transitions_down");
    json_array_append_new(disks, disk(item));
  }
  json_array_foreach(json_object_get(live, "jobs"), i, item) {
    requests += integer(item, "requests");
    missed += integer(item, "missed");
    json_array_append_new(jobs, job(item));
  }
  json_object_set_new(report, "run",
                      json_pack("{s:f, s:f, s:n, s:I, s:I, s:I, s:n, s:n, s:n}", "joules", joules,
                                "seconds",
                                (double)(integer(live, "now") - integer(live, "start")) / 1e9,
                                "io_seconds", "requests", requests, "transitions", transitions,
                                "missed", missed, "saved", "added_io_time", "slow_down"));
  json_object_set_new(report, "disks", disks);
  json_object_set_new(report, "jobs", jobs);
  json_object_set_new(report, "unattributed",
                      json_real(total(json_object_get(live, "unattributed"))));
  const char *why = json_string_value(json_object_get(live, "trace_error"));
  json_object_set_new(
      json_object_get(report, "unavailable"), "saved",
      json_sprintf("%s: no replay to compare with; these are the daemon's own totals",
                   why ? why : "the trace is not whole"));
}
