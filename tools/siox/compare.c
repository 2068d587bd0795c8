/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox report --compare FILE...: earlier runs side by side; see compare.h. */
#include "compare.h"
#include "cli/slip.h"
#include "siox_tool.h"
#include <getopt.h>
#include <string.h>

static const char usage[] =
    "usage: siox report FILE | --compare FILE... [--json]\n"
    "\n"
    "One FILE, of siox run --json=FILE: its report, as siox run printed it.\n"
    "\n"
    "--compare: earlier runs side by side. How long they took, joules of the disks and of the\n"
    "processors, of the whole node and of the run's own jobs, activities (calls of MPI-IO,\n"
    "requests to disks, other collectives, messages, waits), the time of the rank that waited\n"
    "longest for I/O, bytes; and all that over the first one's. A FILE is the report of siox run\n"
    "--json=FILE, or a trace, which has no joules of processors. A figure that a file does not\n"
    "have is shown as -, with the reason.\n"
    "\n"
    "  -m, --compare   what is done with the files\n"
    "      --json      one object on stdout in the place of the tables\n"
    "\n"
    "Exit status 1: a file cannot be read, or is neither.\n"
    "\n"
    "examples:\n"
    "  siox report 0.json\n"
    "  siox run --json=0.json -- mpiexec -n 8 ./solver --independent /tmp/siox/f\n"
    "  siox run --json=1.json -- mpiexec -n 8 ./solver --collective /tmp/siox/f\n"
    "  siox report --compare 0.json 1.json\n";

static const struct {
  const char *key, *heading, *unit;
  int decimals; /* -1: the next table begins */
} figures[] = {
#define COMPARE_FIGURE(key, heading, unit, decimals, path, missing) {#key, heading, unit, decimals},
#define COMPARE_TABLE() {NULL, NULL, NULL, -1},
#include "compare.def"
#undef COMPARE_FIGURE
#undef COMPARE_TABLE
};
enum { FIGURES = sizeof figures / sizeof *figures, WIDTH = 13 };

json_t *compare_make(json_t *runs) {
  const json_t *first = json_array_get(runs, 0);
  size_t n;
  json_t *run;
  json_array_foreach(runs, n, run) {
    json_t *ratios = json_object();
    for (size_t i = 0; i < FIGURES; i++) {
      const json_t *mine = figures[i].key ? json_object_get(run, figures[i].key) : NULL;
      const json_t *its = figures[i].key ? json_object_get(first, figures[i].key) : NULL;
      double base = json_number_value(its), value = json_number_value(mine);
      bool can = json_is_number(mine) && json_is_number(its) && base > 0;
      if (figures[i].key)
        json_object_set_new(ratios, figures[i].key, can ? json_real(value / base) : json_null());
    }
    json_object_set_new(run, "id", json_integer((json_int_t)n + 1));
    json_object_set_new(run, "ratios", ratios);
  }
  return json_pack("{s:O}", "runs", runs);
}

static void number(FILE *out, const json_t *value, const char *unit, int decimals,
                   const char *mark) {
  char text[64];
  double v = json_number_value(value);
  if (!json_is_number(value))
    snprintf(text, sizeof text, "-");
  else
    snprintf(text, sizeof text, "%.*f%s%s%s", decimals, strcmp(unit, "MB") ? v : v / 1e6,
             *unit ? " " : "", unit, mark);
  fprintf(out, " %*s", WIDTH, text);
}

/* The columns of one table from figure i on; returns where the next begins. */
static size_t table(const json_t *runs, size_t i, bool ratios, FILE *out) {
  size_t end = i, n;
  json_t *run;
  while (end < FIGURES && figures[end].key)
    end++;
  fprintf(out, "  ID");
  for (size_t f = i; f < end; f++)
    fprintf(out, " %*s", WIDTH, figures[f].heading);
  fputc('\n', out);
  json_array_foreach((json_t *)(uintptr_t)runs, n, run) {
    const json_t *from = ratios ? json_object_get(run, "ratios") : run;
    bool estimated = json_is_true(json_object_get(run, "estimated"));
    fprintf(out, "%4d", (int)n + 1);
    for (size_t f = i; f < end; f++)
      number(out, json_object_get(from, figures[f].key), ratios ? "" : figures[f].unit,
             ratios ? 3 : figures[f].decimals,
             estimated && !ratios && strstr(figures[f].key, "processors") ? "*" : "");
    fputc('\n', out);
  }
  return end + 1;
}

/* What a file says is put on a terminal: nothing that moves its cursor. */
static void words(FILE *out, const char *text) {
  for (; *text; text++)
    fputc((unsigned char)*text < 32 || *text == 127 ? '?' : *text, out);
}

static void missing(const json_t *runs, FILE *out) {
  size_t n;
  json_t *run, *why;
  const char *what;
  bool estimated = false;
  json_array_foreach((json_t *)(uintptr_t)runs, n, run) {
    estimated |= json_is_true(json_object_get(run, "estimated"));
    json_object_foreach(json_object_get(run, "missing"), what, why) {
      fprintf(out, "  %d: no ", (int)n + 1);
      words(out, what);
      fputs(": ", out);
      words(out, json_string_value(why));
      fputc('\n', out);
    }
  }
  if (estimated)
    fputs("  * estimated by a model, not metered\n", out);
  fputs("  joules of disks are estimated from drive profiles\n", out);
}

void compare_print(const json_t *comparison, FILE *out) {
  const json_t *runs = json_object_get(comparison, "runs");
  size_t n;
  json_t *run;
  fputs("  ID  ranks  command\n", out);
  json_array_foreach((json_t *)(uintptr_t)runs, n, run) {
    const json_t *ranks = json_object_get(run, "ranks");
    const char *command = json_string_value(json_object_get(run, "command"));
    char text[24] = "-";
    if (json_is_integer(ranks))
      snprintf(text, sizeof text, "%lld", (long long)json_integer_value(ranks));
    fprintf(out, "%4d %6s  ", (int)n + 1, text);
    words(out, command ? command : json_string_value(json_object_get(run, "file")));
    fputc('\n', out);
  }
  for (size_t i = 0; i < FIGURES;) {
    fputc('\n', out);
    i = table(runs, i, false, out);
  }
  if (json_array_size(runs) > 1)
    fputs("\nover 1\n", out);
  for (size_t i = 0; i < FIGURES && json_array_size(runs) > 1;)
    i = table(runs, i, true, out);
  fputc('\n', out);
  missing(runs, out);
}

static int show(const char *file) {
  json_error_t error;
  json_t *report = json_load_file(file, 0, &error);
  const bool good = json_is_string(json_object_get(report, "job")) &&
                    json_is_string(json_object_get(report, "policy"));
  if (good)
    siox__report_print(stdout, report);
  else if (report)
    fprintf(stderr, "siox report: %s: no report of siox run --json\n", file);
  else
    fprintf(stderr, "siox report: %s:%d: %s\n", file, error.line > 0 ? error.line : 1, error.text);
  json_decref(report);
  return good ? 0 : 1;
}

int siox__cmd_report(int argc, char **argv) {
  static const struct option known[] = {{"compare", no_argument, NULL, 'm'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  bool compare = false, json = false;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":mh", known, NULL)) != -1;)
    if (c == 'm')
      compare = true;
    else if (c == 'j')
      json = true;
    else if (c == 'h')
      return fputs(usage, stdout) < 0;
    else
      return siox__slip_option(argv, known);
  if (optind == argc)
    return siox__slip(argv[0], compare ? "a FILE is wanted" : "a FILE, or --compare, is wanted");
  if (!compare && (argc - optind > 1 || json))
    return siox__slip(argv[0], "--compare is wanted");
  if (!compare)
    return show(argv[optind]);
  json_t *runs = json_array();
  bool good = true;
  for (int i = optind; i < argc; i++) {
    json_t *run = compare_read(argv[i]);
    good &= run && json_array_append_new(runs, run) == 0;
  }
  json_t *comparison = good ? compare_make(runs) : NULL;
  if (good && json)
    good = json_dumpf(comparison, stdout, JSON_REAL_PRECISION(17) | JSON_COMPACT) == 0 &&
           putchar('\n') != EOF;
  else if (good)
    compare_print(comparison, stdout);
  json_decref(comparison);
  json_decref(runs);
  return good ? 0 : 1;
}
