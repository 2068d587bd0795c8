/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The figures of a run. Energy and time come from the trace, as it happened and replayed in closed
 * loop with every disk at full speed (`base`) and at each level that serves (`static:SPEED`), so
 * all columns pay for the same accesses and think times, from the initial levels and back to them.
 * A figure that cannot be had is null, and `unavailable` says why. */
#include "activities.h"
#include "siox_tool.h"

static double seconds(int64_t from, int64_t to) { return (double)(to - from) / 1e9; }

/* Of the rank that waited longest for its I/O. */
static double io_seconds(const struct siox_replay_result *r) {
  int64_t most = 0;
  for (uint32_t i = 0; i < r->nranks; i++)
    most = r->rank[i].io_ns > most ? r->rank[i].io_ns : most;
  return seconds(0, most);
}

/* One column of the table. base NULL: the comparison is not available. */
static json_t *column(const struct siox_replay_result *r, const struct siox_replay_result *base) {
  json_t *o = json_pack("{s:f, s:f, s:f, s:I, s:I, s:I}", "joules", r->joules, "seconds",
                        seconds(r->start, r->end), "io_seconds", io_seconds(r), "requests",
                        (json_int_t)r->requests, "transitions", (json_int_t)r->transitions,
                        "missed", (json_int_t)r->missed);
  bool compare = base && base->joules > 0;
  json_object_set_new(o, "saved", compare ? json_real(1 - r->joules / base->joules) : json_null());
  json_object_set_new(o, "added_io_time", base ? json_real(siox_added_io(r, base)) : json_null());
  double base_seconds = base ? seconds(base->start, base->end) : 0;
  json_object_set_new(o, "slow_down",
                      base_seconds > 0 ? json_real(seconds(r->start, r->end) / base_seconds - 1)
                                       : json_null());
  return o;
}

static json_t *disks_of(const struct siox_replay_result *r, const json_t *live) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < r->ndisks; i++) {
    const struct siox_disk_totals *d = &r->disk[i];
    double total = 0;
    json_t *o = json_object(), *joules = json_object(), *levels = json_array();
    for (int s = 0; s < SIOX_NSTATES; s++) {
      json_object_set_new(joules, siox_state_name((enum siox_state)s), json_real(d->joules[s]));
      total += d->joules[s];
    }
    json_object_set_new(joules, "total", json_real(total));
    size_t l;
    json_t *level;
    json_array_foreach(json_object_get(json_array_get(json_object_get(live, "disks"), i), "levels"),
                       l, level) {
      json_array_append_new(
          levels, json_pack("{s:O, s:f}", "speed", json_object_get(level, "speed"), "seconds",
                            l < SIOX_MAX_LEVELS ? (double)d->level_ns[l] / 1e9 : 0.0));
    }
    json_object_set_new(o, "disk", json_integer(i));
    json_object_set_new(o, "joules", joules);
    json_object_set_new(o, "levels", levels);
    json_object_set_new(o, "changing_seconds", json_real(seconds(0, d->moving_ns)));
    json_object_set_new(o, "transitions_up", json_integer((json_int_t)d->transitions_up));
    json_object_set_new(o, "transitions_down", json_integer((json_int_t)d->transitions_down));
    json_object_set_new(o, "requests", json_integer((json_int_t)d->requests));
    json_array_append_new(list, o);
  }
  return list;
}

static double sum(const double *joules) {
  double total = 0;
  for (int s = 0; s < SIOX_NSTATES; s++)
    total += joules[s];
  return total;
}

static json_t *jobs_of(const struct siox_replay_result *r) {
  json_t *list = json_array();
  for (uint32_t j = 0; j < r->njobs; j++)
    json_array_append_new(
        list,
        json_pack("{s:s, s:f, s:I, s:I, s:I, s:I, s:I}", "job", r->job[j].key ? r->job[j].key : "?",
                  "joules", sum(r->job[j].joules), "hints", (json_int_t)r->job[j].hints, "granted",
                  (json_int_t)r->job[j].granted, "refused", (json_int_t)r->job[j].refused,
                  "requests", (json_int_t)r->job[j].requests, "missed",
                  (json_int_t)r->job[j].missed));
  return list;
}

static void unavailable(json_t *report, const char *what, const char *why) {
  json_object_set_new(json_object_get(report, "unavailable"), what, json_string(why));
}

static bool replay(json_t *report, const char *trace, const char *policy,
                   struct siox_replay_result *result) {
  struct siox_diag diag = {""};
  const struct siox_replay_options options = {.policy = policy, .prepared = true};
  int r = siox_replay(trace, &options, result, &diag);
  if (r < 0)
    unavailable(report, policy, *diag.text ? diag.text : siox_strerror(r));
  return r >= 0;
}

/* One line for people about a run that could not show anything. */
static void note(json_t *report, const char *mount, bool accessed) {
  char text[4200] = "";
  if (!mount || !*mount)
    snprintf(text, sizeof text,
             "no mount is set: nothing is emulated; name a "
             "configuration with --config, or --set mount=DIRECTORY");
  else if (!accessed)
    snprintf(text, sizeof text, "no access was below the mount %s", mount);
  json_object_set_new(report, "note", *text ? json_string(text) : json_null());
}

static bool is_whole(const json_t *live, const struct siox_replay_result *run) {
  const json_t *counters = json_object_get(live, "counters");
  return counters ? json_integer_value(json_object_get(counters, "trace_lost")) == 0 : !run->cut;
}

static void from_trace(json_t *report, const json_t *live, const char *trace) {
  struct siox_replay_result run = {0}, base = {0};
  struct siox_diag diag = {""};
  int r = siox_replay_recorded(trace, &run, &diag);
  if (r < 0) {
    unavailable(report, "run", *diag.text ? diag.text : siox_strerror(r));
    return;
  }
  if (run.cut)
    unavailable(report, "end",
                "the trace has no end: processes were still connected, or the daemon was killed");
  json_t *activities = siox__activities(trace, &diag);
  if (activities)
    json_object_set_new(report, "activities", activities);
  else
    unavailable(report, "activities", diag.text);
  bool has_base = replay(report, trace, "base", &base);
  /* Joules of a trace with holes are those of less time than base is replayed for. */
  bool whole = is_whole(live, &run);
  if (!whole)
    unavailable(report, "saved", "the trace is not whole: this run's joules are too few");
  json_object_set_new(report, "run", column(&run, has_base && whole ? &base : NULL));
  json_object_set_new(report, "disks", disks_of(&run, live));
  json_object_set_new(report, "jobs", jobs_of(&run));
  json_object_set_new(report, "unattributed", json_real(sum(run.job[run.njobs].joules)));
  if (has_base)
    json_object_set_new(report, "base", column(&base, &base));
  json_t *statics = json_array(), *level;
  size_t l;
  /* Without an access a level's way there and back is compared with hardly any time: no figure. */
  const json_t *levels =
      run.requests ? json_object_get(json_array_get(json_object_get(live, "disks"), 0), "levels")
                   : NULL;
  json_array_foreach(levels, l, level) {
    char policy[32];
    struct siox_replay_result one = {0};
    snprintf(policy, sizeof policy, "static:%d",
             (int)json_integer_value(json_object_get(level, "speed")));
    if (replay(report, trace, policy, &one)) {
      json_t *o = column(&one, has_base ? &base : NULL);
      json_object_set_new(o, "policy", json_string(policy));
      json_array_append_new(statics, o);
    }
    siox_replay_free(&one);
  }
  json_object_set_new(report, "static", statics);
  siox_replay_free(&base);
  siox_replay_free(&run);
}

static void hints(json_t *report, const json_t *live) {
  json_int_t sent = 0, granted = 0, refused = 0;
  size_t i;
  json_t *job;
  json_array_foreach(json_object_get(live, "jobs"), i, job) {
    sent += json_integer_value(json_object_get(job, "hints"));
    granted += json_integer_value(json_object_get(job, "granted"));
    refused += json_integer_value(json_object_get(job, "refused"));
  }
  json_object_set_new(report, "hints",
                      json_pack("{s:O, s:I, s:I, s:I}", "issued",
                                json_object_get(json_object_get(live, "counters"), "hints_issued"),
                                "sent", sent, "granted", granted, "refused", refused));
}

/* The processors' joules while the daemon measured, and the part of it that this run's jobs took;
 * nothing where nobody meters them. */
static void processors(json_t *report, const json_t *live) {
  const json_t *all = json_object_get(json_object_get(live, "monitor"), "processors");
  double joules = 0, seconds = 0;
  size_t i;
  json_t *job;
  if (!json_is_object(all))
    return;
  json_array_foreach(json_object_get(live, "jobs"), i, job) {
    const json_t *own = json_object_get(job, "processors");
    joules += json_number_value(json_object_get(own, "joules"));
    seconds += json_number_value(json_object_get(own, "seconds"));
  }
  json_object_set_new(
      report, "processors",
      json_pack("{s:f, s:f, s:O, s:O, s:O, s:O, s:O}", "job_joules", joules, "job_seconds", seconds,
                "joules", json_object_get(all, "joules"), "idle", json_object_get(all, "idle"),
                "unattributed", json_object_get(all, "unattributed"), "source",
                json_object_get(all, "source"), "estimated", json_object_get(all, "estimated")));
}

json_t *siox__report_make(const json_t *live, const struct siox__outcome *outcome,
                          const struct siox__load *load, const char *job) {
  static const char *const copied[] = {"policy", "time_scale", "clock",    "transition_rule",
                                       "ndisks", "record",     "finished", "recording"};
  const json_t *counters = json_object_get(live, "counters");
  /* A name may be any bytes, and a long one is cut within a letter. */
  char name[96], *const words[] = {name, NULL};
  snprintf(name, sizeof name, "%s", job);
  json_t *report = json_pack("{s:o, s:i, s:f, s:{}}", "job", siox__words(words), "status",
                             outcome->status, "wall_seconds", outcome->seconds, "unavailable");
  for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
    json_object_set(report, copied[i], json_object_get(live, copied[i]));
  if (counters) {
    json_object_set(report, "late", json_object_get(counters, "late"));
    json_object_set(report, "records_dropped", json_object_get(counters, "records_dropped"));
    json_object_set(report, "trace_lost", json_object_get(counters, "trace_lost"));
    json_object_set(report, "unseen", json_object_get(counters, "missing"));
    hints(report, live);
  } else {
    unavailable(report, "counters", "the daemon was gone when they were asked for");
  }
  processors(report, live);
  if (counters)
    siox__report_totals(report, live, job);
  json_object_set_new(report, "estimated", json_true());
  const char *trace = json_string_value(json_object_get(live, "record"));
  if (!json_is_true(json_object_get(live, "begun")))
    unavailable(report, "run", siox__command_unseen(outcome));
  else if (!trace)
    unavailable(report, "run", "the daemon records no trace (setting record)");
  else if (json_is_string(json_object_get(live, "trace_error")) ||
           json_integer_value(json_object_get(counters, "trace_lost")))
    siox__report_live(report, live);
  else
    from_trace(report, live, trace);
  const char *mount = json_string_value(json_object_get(live, "mount"));
  const json_t *run = json_object_get(report, "run");
  note(report, mount, !run || json_integer_value(json_object_get(run, "requests")) > 0);
  siox__report_machine(report, load); /* last: it looks at the run's I/O time */
  return report;
}
