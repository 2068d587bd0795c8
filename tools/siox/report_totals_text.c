/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The totals of a run for people: some twenty lines, however much there is. */
#include "common/tally.h"
#include "siox_tool.h"
#include <string.h>

enum { KINDS_SHOWN = 6, FINDINGS_SHOWN = 4 };

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

static void figure(FILE *out, const char *name, const json_t *f, bool whole) {
  const int decimals = whole ? 0 : 6;
  if (!f)
    return;
  fprintf(out, "    %-24s %14.*f %14.*f %14.*f  ", name, decimals, real(f, "minimum"),
          whole ? 1 : decimals, real(f, "average"), decimals, real(f, "maximum"));
  if (integer(f, "rank") >= 0)
    fprintf(out, "rank %lld\n", integer(f, "rank"));
  else
    fprintf(out, "pid %lld\n", integer(f, "pid"));
}

static void processes(FILE *out, const json_t *p) {
  static const struct {
    const char *key, *name;
    bool whole;
  } shown[] = {{"seconds", "seconds", false},
               {"mpiio_seconds", "in MPI-IO, seconds", false},
               {"posix_seconds", "in POSIX I/O, seconds", false},
               {"longest_seconds", "longest call, seconds", false},
               {"posix_bytes", "bytes of POSIX I/O", true},
               {"calls", "calls", true}};
  const long long ranks = integer(p, "ranks"), others = integer(p, "others");
  char who[64];
  snprintf(who, sizeof who, ranks ? "%lld ranks" : "%lld processes", ranks ? ranks : others);
  if (ranks && others)
    snprintf(who + strlen(who), sizeof who - strlen(who), ", %lld others", others);
  fprintf(out, "  %-26s %14s %14s %14s  of\n", who, "minimum", "average", "maximum");
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    figure(out, shown[i].name, json_object_get(json_object_get(p, "figures"), shown[i].key),
           shown[i].whole);
}

static void calls(FILE *out, const json_t *list) {
  size_t i;
  json_t *one;
  long long number = 0, bytes = 0, errors = 0;
  double seconds = 0;
  fprintf(out, "  %-26s %10s %16s %12s %10s %7s\n", "calls", "number", "bytes", "seconds",
          "longest", "errors");
  json_array_foreach(list, i, one) {
    if (i < KINDS_SHOWN) {
      fprintf(out, "    %-6s%-18s %10lld %16lld %12.6f %10.6f %7lld\n", string(one, "layer"),
              string(one, "call"), integer(one, "calls"), integer(one, "bytes"),
              real(one, "seconds"), real(one, "longest"), integer(one, "errors"));
      continue;
    }
    number += integer(one, "calls");
    bytes += integer(one, "bytes");
    errors += integer(one, "errors");
    seconds += real(one, "seconds");
  }
  if (number)
    fprintf(out, "    %-24s %10lld %16lld %12.6f %10s %7lld\n", "other kinds", number, bytes,
            seconds, "", errors);
}

static void joules(FILE *out, const json_t *energy) {
  const json_t *job = json_object_get(energy, "job");
  const char *domain, *between = "  joules of the run, and of the node:";
  json_t *node;
  json_object_foreach(json_object_get(energy, "node"), domain, node) {
    const json_t *own = json_object_get(job, domain);
    fprintf(out, "%s %s ", between, domain);
    between = ";";
    if (real(node, "joules") <= 0) { /* nothing takes nothing */
      fputs("gives none", out);
      continue;
    }
    if (own)
      fprintf(out, "%.3f", real(own, "joules"));
    else
      fputc('-', out);
    fprintf(out, " of %.3f%s", real(node, "joules"),
            json_is_true(json_object_get(node, "estimated")) ? " (estimated)" : "");
  }
  fputc('\n', out);
}

static void anomalies(FILE *out, const json_t *a) {
  const json_t *findings = json_object_get(a, "findings");
  size_t i, shown = 0;
  json_t *one;
  if (!json_is_object(a)) {
    fputs("  anomalies: nobody looked (monitor_period -1)\n", out);
    return;
  }
  fprintf(out, "  anomalies: %lld issues, %lld of %lld cycles abnormal%s\n", integer(a, "issues"),
          integer(a, "abnormal_cycles"), integer(a, "cycles"),
          json_is_array(findings) ? "" : "; which, is told to whom may administer the daemon");
  for (int verdicts = 1; verdicts >= 0; verdicts--)
    json_array_foreach(findings, i, one) {
      if ((strcmp(string(one, "kind"), "verdict") == 0) != (verdicts != 0) ||
          shown++ >= FINDINGS_SHOWN)
        continue;
      fprintf(out, "    %s%s%s", string(one, "what"), *string(one, "subject") ? ": " : "",
              string(one, "subject"));
      if (json_object_get(one, "pid"))
        fprintf(out, " (rank %lld, pid %lld)", integer(one, "rank"), integer(one, "pid"));
      fprintf(out, ": %s; in %lld cycles\n", string(one, "evidence"), integer(one, "times"));
    }
  if (shown > FINDINGS_SHOWN)
    fprintf(out, "    and %zu more, in --json\n", shown - FINDINGS_SHOWN);
}

/* The paper's five figures, in a line. */
static void listing(FILE *out, const json_t *l) {
  const json_t *cpu = json_object_get(l, "consumed_cpu_seconds"),
               *network = json_object_get(l, "transferred_network_bytes");
  if (!l)
    return;
  fputs("  consumed ", out);
  if (json_is_number(cpu))
    fprintf(out, "%.6f CPU seconds, ", json_number_value(cpu));
  fprintf(out, "%.6f joules; accessed %lld bytes; ", real(l, "consumed_energy_joule"),
          integer(l, "accessed_io_bytes"));
  if (json_is_number(network))
    fprintf(out, "network %.0f bytes (the node's); ", json_number_value(network));
  fprintf(out, "observed %.0f ms\n", real(l, "observed_runtime_ms"));
}

void siox__report_totals_print(FILE *out, const json_t *totals) {
  const json_t *p = json_object_get(totals, "processes"), *list = json_object_get(totals, "calls");
  const json_t *io = json_object_get(totals, "io_seconds"), *cost = json_object_get(totals, "cost");
  if (!totals)
    return;
  listing(out, json_object_get(totals, "listing"));
  if (integer(p, "ranks") || integer(p, "others"))
    processes(out, p);
  if (json_array_size(list)) {
    calls(out, list);
    fprintf(out, "  time in I/O, over all: MPI-IO %.6f s, POSIX %.6f s (below MPI-IO or not)\n",
            real(io, "mpiio"), real(io, "posix"));
  }
  if (integer(totals, "partial"))
    fprintf(out, "  partial: %lld more calls were not counted: there was no room for their kinds\n",
            integer(totals, "partial"));
  if (integer(totals, "unshown"))
    fprintf(out,
            "  unshown: %lld calls of threads beyond the first %d could not have been told if they "
            "hung\n",
            integer(totals, "unshown"), SIOX_TALLY_THREADS);
  joules(out, json_object_get(totals, "energy"));
  anomalies(out, json_object_get(totals, "anomalies"));
  fprintf(out,
          "  siox itself: daemon %.3f s of processor, %.1f MiB; %lld calls counted at %.0f ns = "
          "%.6f s\n",
          real(cost, "daemon_cpu_seconds"), real(cost, "daemon_memory_bytes") / 1048576,
          integer(cost, "calls"), 1e9 * real(cost, "seconds_a_call"),
          real(cost, "seconds_of_calls"));
}
