/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the daemon counted and metered of a run, also of processes that were killed: how its
 * processes differ, calls by kind, joules of the run beside the node's, what was found, and what
 * Siox took itself. */
#include "common/tally.h"
#include "siox_tool.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}
static json_int_t integer(const json_t *o, const char *key) {
  return json_integer_value(json_object_get(o, key));
}

/* A job's name is what --job gave, as far as client/job.c takes it (31 letters where something
 * tells several launches apart, which follows after a slash, else 90), with the daemon's question
 * marks (jobs.c). */
static bool is_of(const json_t *job, const char *name) {
  const char *its = json_string_value(json_object_get(job, "job"));
  size_t i = 0;
  for (; its && its[i] && name[i] && i < 90; i++)
    if (its[i] != (isgraph((unsigned char)name[i]) ? name[i] : '?'))
      break;
  return its && ((its[i] == '/' && (!name[i] || i == 31)) || (!its[i] && (!name[i] || i == 90)));
}

static json_t *call_like(json_t *calls, const json_t *like) {
  size_t i;
  json_t *one;
  json_array_foreach(
      calls, i,
      one) if (json_equal(json_object_get(one, "layer"), json_object_get(like, "layer")) &&
               json_equal(json_object_get(one, "call"), json_object_get(like, "call"))) return one;
  return NULL;
}

static void add_calls(json_t *calls, const json_t *more) {
  static const char *const sums[] = {"calls", "bytes", "errors"};
  size_t i;
  json_t *kind;
  json_array_foreach(more, i, kind) {
    json_t *one = call_like(calls, kind);
    if (!one) {
      json_array_append_new(calls, json_deep_copy(kind));
      continue;
    }
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
      json_object_set_new(one, sums[k],
                          json_integer(integer(one, sums[k]) + integer(kind, sums[k])));
    json_object_set_new(one, "seconds", json_real(real(one, "seconds") + real(kind, "seconds")));
    if (real(kind, "longest") > real(one, "longest"))
      json_object_set_new(one, "longest", json_real(real(kind, "longest")));
  }
}

/* Most time first. */
static void sort_calls(json_t *calls) {
  const size_t n = json_array_size(calls);
  for (size_t i = 0; i + 1 < n; i++) {
    size_t most = i;
    for (size_t k = i + 1; k < n; k++)
      if (real(json_array_get(calls, k), "seconds") > real(json_array_get(calls, most), "seconds"))
        most = k;
    json_t *one = json_incref(json_array_get(calls, most));
    json_array_remove(calls, most);
    json_array_insert_new(calls, i, one);
  }
}

/* Of several launches: the ranges over all, averages by numbers of processes. */
static void add_processes(json_t *all, const json_t *more) {
  const json_int_t own = integer(all, "ranks"), its = integer(more, "ranks");
  const json_int_t n = own ? own : integer(all, "others"), m = its ? its : integer(more, "others");
  const char *name;
  json_t *figure;
  json_t *figures = json_object_get(all, "figures");
  const bool replace = n == 0 || (its > 0 && own == 0), skip = m == 0 || (own > 0 && its == 0);
  if (replace && !skip)
    json_object_set_new(all, "figures", json_deep_copy(json_object_get(more, "figures")));
  else if (!skip)
    json_object_foreach(json_object_get(more, "figures"), name, figure) {
      json_t *one = json_object_get(figures, name);
      json_object_set_new(
          one, "average",
          json_real((real(one, "average") * (double)n + real(figure, "average") * (double)m) /
                    (double)(n + m)));
      if (real(figure, "minimum") < real(one, "minimum"))
        json_object_set(one, "minimum", json_object_get(figure, "minimum"));
      if (real(figure, "maximum") > real(one, "maximum")) {
        json_object_set(one, "maximum", json_object_get(figure, "maximum"));
        json_object_set(one, "rank", json_object_get(figure, "rank"));
        json_object_set(one, "pid", json_object_get(figure, "pid"));
      }
    }
  json_object_set_new(all, "ranks", json_integer(own + its));
  json_object_set_new(all, "others",
                      json_integer(integer(all, "others") + integer(more, "others")));
}

static double total(const json_t *o) { return real(json_object_get(o, "joules"), "total"); }

/* Of this run's jobs, of the node while the daemon was there, by domain. */
static json_t *energy(const json_t *live, double disks, double processors) {
  const json_t *monitor = json_object_get(live, "monitor");
  const json_t *meter = json_object_get(monitor, "processors");
  json_t *job = json_object(), *node = json_object(), *one;
  double all = 0;
  size_t i;
  json_array_foreach(json_object_get(live, "disks"), i, one) all += total(one);
  json_object_set_new(job, "disk", json_pack("{s:f, s:b}", "joules", disks, "estimated", true));
  json_object_set_new(node, "disk", json_pack("{s:f, s:b}", "joules", all, "estimated", true));
  if (json_is_object(meter)) /* the packages' source: powercap, a model ... */
    json_object_set_new(job, "package",
                        json_pack("{s:f, s:O, s:O}", "joules", processors, "estimated",
                                  json_object_get(meter, "estimated"), "source",
                                  json_object_get(meter, "source")));
  json_array_foreach(json_object_get(monitor, "domains"), i, one) {
    const char *domain = json_string_value(json_object_get(one, "domain"));
    if (domain && strcmp(domain, "disk") != 0)
      json_object_set_new(node, domain,
                          json_pack("{s:O, s:O}", "joules", json_object_get(one, "joules"),
                                    "estimated", json_object_get(one, "estimated")));
  }
  return json_pack("{s:o, s:o}", "job", job, "node", node);
}

static json_t *anomalies(const json_t *live) {
  const json_t *monitor = json_object_get(live, "monitor");
  const json_t *node = json_object_get(monitor, "node");
  if (!json_is_object(monitor))
    return json_null();
  json_t *findings = json_object_get(monitor, "findings");
  return json_pack("{s:I, s:I, s:I, s:O}", "cycles", integer(node, "cycles"), "abnormal_cycles",
                   integer(node, "abnormal_cycles"), "issues", integer(node, "issues_seen"),
                   "findings", findings ? findings : json_null());
}

static json_t *cost(const json_t *live, json_int_t calls) {
  struct siox_tally *scratch = calloc(1, sizeof *scratch);
  const double each = scratch ? 1e-9 * (double)siox__tally_cost(scratch) : 0;
  const json_t *own = json_object_get(live, "self");
  free(scratch);
  json_t *o = json_pack("{s:I, s:f, s:f}", "calls", calls, "seconds_a_call", each,
                        "seconds_of_calls", each * (double)calls);
  json_object_set(o, "daemon_cpu_seconds", json_object_get(own, "cpu_seconds"));
  json_object_set(o, "daemon_memory_bytes", json_object_get(own, "most_memory_bytes"));
  return o;
}

/* Listing 1 of Monitoring Energy Consumption With SIOX, of the run; the network is the node's. */
static json_t *listing(const json_t *live, const json_t *calls, double cpu_seconds, double joules,
                       double runtime_s) {
  const json_t *monitor = json_object_get(live, "monitor");
  const json_t *network = json_object_get(monitor, "network_bytes");
  json_int_t bytes = 0;
  size_t i;
  json_t *one;
  json_array_foreach(calls, i, one) {
    const char *layer = json_string_value(json_object_get(one, "layer"));
    bytes += layer && !strcmp(layer, "posix") ? integer(one, "bytes") : 0;
  }
  return json_pack("{s:o, s:f, s:I, s:O, s:f}", "consumed_cpu_seconds",
                   json_is_object(monitor) ? json_real(cpu_seconds) : json_null(),
                   "consumed_energy_joule", joules, "accessed_io_bytes", bytes,
                   "transferred_network_bytes", network ? network : json_null(),
                   "observed_runtime_ms", 1e3 * runtime_s);
}

void siox__report_totals(json_t *report, const json_t *live, const char *job) {
  json_t *calls = json_array(), *one;
  json_t *processes = json_pack("{s:i, s:i, s:{}}", "ranks", 0, "others", 0, "figures");
  double disks = 0, processors = 0, cpu = 0, mpiio = 0, posix = 0;
  json_int_t partial = 0, unshown = 0, number = 0;
  size_t i;
  json_array_foreach(json_object_get(live, "jobs"), i, one) {
    if (!is_of(one, job))
      continue;
    const json_t *counted = json_object_get(one, "calls");
    add_calls(calls, json_object_get(counted, "kinds"));
    add_processes(processes, json_object_get(one, "processes"));
    partial += integer(counted, "partial");
    unshown += integer(counted, "unshown");
    disks += total(one);
    processors += real(json_object_get(one, "processors"), "joules");
    cpu += real(json_object_get(one, "processors"), "seconds");
  }
  sort_calls(calls);
  json_array_foreach(calls, i, one) {
    const char *layer = json_string_value(json_object_get(one, "layer"));
    *(layer && !strcmp(layer, "mpiio") ? &mpiio : &posix) += real(one, "seconds");
    number += integer(one, "calls");
  }
  json_t *totals =
      json_pack("{s:o, s:o, s:I, s:I, s:{s:f, s:f}, s:o, s:o, s:o}", "processes", processes,
                "calls", calls, "partial", partial, "unshown", unshown, "io_seconds", "mpiio",
                mpiio, "posix", posix, "energy", energy(live, disks, processors), "anomalies",
                anomalies(live), "cost", cost(live, number));
  json_object_set_new(totals, "listing",
                      listing(live, calls, cpu, disks + processors, real(report, "wall_seconds")));
  json_object_set_new(report, "totals", totals);
}
