/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim: plays a scenario again under every scheme and compares. */
#include "sim.h"
#include "cli/slip.h"
#include "common/conf/text.h"
#include "output.h"
#include "sim_map.h"
#include "sim_paper.h"
#include "siox/policy.h"
#include "timeline.h"
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox sim SCENARIO.yaml|TRACE.siox [--schemes A,B,...] [--json|--csv]\n"
    "                [--plot FILE.svg] [--timeline FILE.svg [--draw SCHEME]] [--quiet]\n"
    "       siox sim --sweep SWEEP.yaml [--schemes A,B,...]\n"
    "       siox sim --map [OUTPUT.csv] [--quick | --points \"AXIS=VALUE,... ...\"]...\n"
    "                [--plot DIR] [--report FILE.md] [--json|--csv] [--worst N] [--so-far|--read]\n"
    "       siox sim --map --point AXIS=VALUE,... [--scenario | options of a scenario]\n"
    "       siox sim --paper [DIR] [--plot DIR] [--report FILE.md] [--json|--csv] [--quick]\n"
    "       siox sim import --help\n"
    "\n"
    "Plays recorded or generated jobs again on emulated disks, in closed loop: a request that is\n"
    "served later delays what follows it. Prints, beside each other: every disk at full speed\n"
    "(base), every static level, the schemes, the least that is possible without delay (oracle)\n"
    "and a lower bound at 1, 2 and 5 % added I/O time.\n"
    "\n"
    "  --schemes A,B,...     these only (default: those of the scenario, else every scheme), "
    "listed below\n"
    "  --json, --csv         the table as JSON or CSV on stdout\n"
    "  --plot FILE.svg       energy against added I/O time, one point a scheme\n"
    "  --timeline FILE.svg   speeds of the disks under one scheme\n"
    "  --draw SCHEME         that scheme (default: the last one)\n"
    "  --quiet               no progress on stderr\n"
    "  --sweep SWEEP.yaml    one scenario at every combination of some values; under mpiexec the\n"
    "                        ranks share them, and what is there already is not done again\n"
    "  --map                 generated jobs over a grid of points: where hints pay, and where a\n"
    "                        static level or a timeout does; shared and continued as a sweep.\n"
    "                        Results go to OUTPUT.csv (energy-map.csv) and OUTPUT.csv.d/\n"
    "  --quick, --points     a tenth of the map; or the points that are asked for, may be "
    "repeated\n"
    "  --plot DIR            pictures of the map\n"
    "  --report FILE.md      what the map says, with counts, tables and where siox loses\n"
    "  --so-far              plays nothing, tells of the points that are there\n"
    "  --read                plays nothing, tells what OUTPUT.csv says, whichever build made it\n"
    "  --worst N             so many points of each kind of fault (default 5); --json tells all,\n"
    "                        --csv what is best at each point\n"
    "  --point               one point as a scenario; --scenario prints it\n"
    "  --paper               the evaluation of Son and Kandemir from the traces and scenarios in "
    "DIR\n"
    "                        (share/paper): every scheme by every rule for what a change of speed\n"
    "                        costs, beside what the paper states and claims; minutes on two "
    "cores.\n"
    "                        Prints Markdown, or puts it into FILE.md; --plot draws Figs. 8 to "
    "13;\n"
    "                        --quick: by rule b only; --csv: every row. Each file must be as\n"
    "                        DIR/SHA256SUMS says\n"
    "  axes of the map, each with the value it has when it is left out:\n"
#define AXIS(name, type, member, low, high, initial, what) "    " #name "=" initial ": " what "\n"
    SIM_AXES(AXIS)
#undef AXIS
        "\n"
        "Schemes:\n"
#define SIOX_POLICY(name, argument, what) "  " #name argument ": " what "\n"
#include "siox/policies.def"
#undef SIOX_POLICY
        "\n"
        "A scenario:\n"
        "  disks: 8                     # without a trace 8, else the trace's; so are the drives\n"
        "  drive: 36Z15                 # one profile, or a list with one a disk\n"
        "  transition_rule: b           # a, b or c: what a change of speed costs; also "
        "time_scale, initial_level, hold_factor\n"
        "  delay_budget: 2              # a job may have its own; other limits, see below\n"
        "  array_unit: 64K              # I/O nodes over arrays: `array` disks each, striped by "
        "this\n"
        "                               # unit; layouts count nodes, disks counts members\n"
        "  array_parity: true           # with parity that goes round; then array is at least 3\n"
        "  cache: {size: 1G, block: 64K, rate: 1G, read_ahead: 512K, write_back: true,\n"
        "          dirty_limit: 100M, flush_age: 5}   # of each I/O node; all but size can be left "
        "out\n"
        "  default_layout: 0:8:64K      # of generated jobs, and of files that no entry matches\n"
        "  layouts:                     # as in layouts.yaml; no two may match one file\n"
        "    - {file: \"*.a\", base: 0, factor: 4, unit: 64K}\n"
        "  schemes: [claims, siox]\n"
        "  jobs:\n"
        "    - {trace: run.siox, start: 0, repeats: 2, pause: 60, instances: 1, think: 1.5,\n"
        "       hints: truth}           # recorded (the default), placed from what the job does, "
        "or "
        "none\n"
        "    - name: made\n"
        "      start: 30\n"
        "      generate: {processes: 4, phases: 12, gap: 20, burst: 16M, request: 1M, error: 25,\n"
        "                 jitter: 10, seed: 1, hints: true, together: true, operation: write,\n"
        "                 layout: 0:4:64K}\n"
        "Limits, as in siox.yaml, and their defaults:\n"
#define SIOX_CONFIG(type, key, initial, environment, help) "  " #key ": " initial "\n"
#include "siox/limits.def"
#undef SIOX_CONFIG
        "Times are seconds, think is a factor on think times, error and jitter are in % of the\n"
        "gap.\n"
        "\n"
        "A sweep:\n"
        "  scenario: s.yaml             # the keys that vary must stand in it\n"
        "  output: sweep.csv            # and sweep.csv.d/, the points' results until then and "
        "after\n"
        "  vary:\n"
        "    - {key: \"jobs[0].generate.gap\", values: [5, 10, 20, 40]}\n"
        "    - {key: transition_rule, values: [a, b, c]}\n"
        "\n"
        "examples:\n"
        "  siox run --record run.siox -- mpiexec -n 4 ./program\n"
        "  siox sim run.siox\n"
        "  echo 'jobs: [{trace: run.siox, instances: 4}]' >s.yaml && siox sim s.yaml\n"
        "  siox sim s.yaml --schemes rt,claims,siox --plot s.svg --csv >s.csv\n"
        "  mpiexec -n 4 siox sim --sweep sweep.yaml\n"
        "  mpiexec -n 4 siox sim --map map.csv --quick\n"
        "  siox sim --map --point busy=10,gap=5,jobs=4,drive=36Z15:a --plot point.svg\n"
        "  siox sim --paper --quick | less\n"
        "  siox sim --paper --report results.md --plot results\n"
        "\n"
        "Exit status: 1 when something failed (a scheme that cannot run has no figures and says "
        "why),\n"
        "2 for a wrong command line or scenario.\n";

struct options {
  const char *scenario, *plot, *timeline, *draw, *sweep, *schemes, *point;
  bool json, csv, quiet, map, paper, print, worst;
  struct sim_map_options maps;
};

/* Options that do not go together. */
static int refuse(const char *why) { return siox__slip("siox sim", "%s", why); }

/* The rest of a command line with --paper. */
static int parse_paper(int argc, char **argv, struct options *o) {
  if (o->sweep || o->schemes || o->timeline || o->draw || o->map || o->point || o->print ||
      o->worst || o->maps.grids.count || o->maps.so_far || o->maps.read)
    return refuse("--paper goes with --plot, --report, --json or --csv, --quick and --quiet");
  if (o->json && o->csv)
    return refuse("--json and --csv exclude each other");
  o->scenario = optind < argc ? argv[optind++] : NULL;
  return optind != argc ? refuse("--paper takes one directory") : 0;
}

static int parse(int argc, char **argv, struct options *o) {
  static const struct option known[] = {{"schemes", required_argument, NULL, 's'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"csv", no_argument, NULL, 'c'},
                                        {"plot", required_argument, NULL, 'p'},
                                        {"timeline", required_argument, NULL, 't'},
                                        {"draw", required_argument, NULL, 'd'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"sweep", required_argument, NULL, 'w'},
                                        {"map", no_argument, NULL, 'm'},
                                        {"paper", no_argument, NULL, 'A'},
                                        {"quick", no_argument, NULL, 'k'},
                                        {"report", required_argument, NULL, 'r'},
                                        {"read", no_argument, NULL, 'R'},
                                        {"so-far", no_argument, NULL, 'f'},
                                        {"points", required_argument, NULL, 'P'},
                                        {"point", required_argument, NULL, '1'},
                                        {"worst", required_argument, NULL, 'W'},
                                        {"scenario", no_argument, NULL, 'S'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  struct siox_diag diag = {""};
  long worst = 5;
  int rc = 0;
  o->maps.worst = 5;
  opterr = 0; /* siox__slip_option says it */
  for (int c; rc == 0 && (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;)
    switch (c) {
    case 's':
      o->schemes = optarg;
      break;
    case 'j':
      o->json = true;
      break;
    case 'c':
      o->csv = true;
      break;
    case 'p':
      o->plot = optarg;
      break;
    case 't':
      o->timeline = optarg;
      break;
    case 'd':
      o->draw = optarg;
      break;
    case 'q':
      o->quiet = true;
      break;
    case 'w':
      o->sweep = optarg;
      break;
    case 'm':
      o->map = true;
      break;
    case 'A':
      o->paper = true;
      break;
    case 'k':
      o->maps.quick = true;
      break;
    case 'r':
      o->maps.report = optarg;
      break;
    case 'f':
      o->maps.so_far = true;
      break;
    case 'R':
      o->maps.read = true;
      break;
    case 'P':
      rc = sim_grids_add(&o->maps.grids, optarg, &diag);
      break;
    case '1':
      o->point = optarg;
      break;
    case 'W':
      rc = siox__text_integer(optarg, 0, 1000000, &worst, diag.text, sizeof diag.text);
      o->maps.worst = (uint32_t)worst;
      o->worst = true;
      break;
    case 'S':
      o->print = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return -1;
    default:
      return siox__slip_option(argv, known);
    }
  if (rc) {
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    return SIOX__USAGE;
  }
  if (o->paper)
    return parse_paper(argc, argv, o);
  bool of_map = o->maps.grids.count || o->maps.quick || o->maps.report || o->maps.so_far ||
                o->maps.read || o->worst;
  if ((!o->map && (of_map || o->point || o->print)) || (o->point && of_map) ||
      (o->print && !o->point) || (o->maps.quick && o->maps.grids.count))
    return refuse(o->map ? o->point || o->print
                               ? "--point stands alone, with --scenario or options of a scenario"
                               : "--quick and --points exclude each other"
                         : "the options of a map are for --map");
  if (o->map && !o->point) {
    o->maps.output = optind < argc ? argv[optind++] : "energy-map.csv";
    return optind != argc || o->sweep || (o->json && o->csv) || o->timeline
               ? refuse("--map takes one OUTPUT.csv, --json or --csv, and neither --sweep nor "
                        "--timeline")
               : 0;
  }
  if (o->point)
    return optind != argc || o->sweep || (o->json && o->csv)
               ? refuse("--point takes no file, no --sweep, and one of --json and --csv")
               : 0;
  if (o->sweep)
    return optind != argc || o->json || o->csv || o->plot || o->timeline
               ? refuse(
                     "--sweep takes no scenario beside its file, and no --json, --csv, --plot or "
                     "--timeline; figures go to its output")
               : 0;
  if (optind + 1 != argc)
    return refuse(optind == argc ? "a SCENARIO.yaml or TRACE.siox is wanted"
                                 : "one scenario at a time; jobs that share disks go into one");
  if (o->json && o->csv)
    return refuse("--json and --csv exclude each other");
  if (o->draw && !o->timeline)
    return refuse("--draw is for --timeline FILE.svg");
  o->scenario = argv[optind];
  return 0;
}

/* s NULL: of points that are not known yet. */
static bool schemes_good(const struct sim_scenario *s, char *const *list) {
  struct siox_diag diag = {""};
  if (!*list) {
    fprintf(stderr, "siox sim: --schemes: names none\n");
    return false;
  }
  for (; *list; list++)
    if (sim_scheme_check(s, *list, &diag)) {
      fprintf(stderr, "siox sim: --schemes: %s\n", diag.text);
      return false;
    }
  return true;
}

/* As sim_show_progress where nobody looks at a terminal: a line each time a twentieth is done. */
static void show_lines(void *context, const char *points, double part) {
  int *told = context, now = (int)(part * 20);
  if (now > *told)
    fprintf(stderr, "siox sim: %s points, %d %%\n", points, now * 5);
  *told = now > *told ? now : *told;
}

static int draw_plot(void *rows, FILE *out) { return sim_plot_svg(rows, out, 860); }
static int draw_timeline(void *timeline, FILE *out) {
  return siox__timeline_svg(timeline, out, 960);
}

/* Nothing that is read may be written, and no two pictures into one file. */
static bool outputs_free(const struct options *o, const struct sim_scenario *s) {
  const char *const output[] = {o->plot, o->timeline};
  for (int i = 0; i < 2; i++)
    if (output[i] && sim_scenario_reads(s, output[i])) {
      fprintf(stderr, "siox sim: --%s: %s is read by this scenario\n", i ? "timeline" : "plot",
              output[i]);
      return false;
    } else if (output[i] && !siox__output_possible("siox sim", output[i])) {
      return false;
    }
  if (o->plot && o->timeline &&
      (!strcmp(o->plot, o->timeline) || siox__same_file(o->plot, o->timeline))) {
    fprintf(stderr, "siox sim: --plot and --timeline: %s is one file\n", o->plot);
    return false;
  }
  return true;
}

/* Whether the scheme to draw is played at all. */
static bool drawing_possible(const struct options *o, const struct sim_scenario *s,
                             char *const *schemes) {
  char name[SIM_STATIC_NAME];
  int32_t speed = -1;
  bool there = !o->draw || !strcmp(o->draw, "base");
  while (!there && sim_static_next(s, &speed, name))
    there = !strcmp(o->draw, name);
  for (; !there && *schemes; schemes++)
    there = !strcmp(o->draw, *schemes);
  if (!there)
    fprintf(stderr, "siox sim: --draw: scheme %s is not among those compared\n", o->draw);
  return there;
}

static int show(const struct options *o, struct sim_rows *rows, const struct sim_scenario *s,
                struct timeline *timeline) {
  int status = 0;
  if (o->json) {
    json_t *all = sim_show_json(rows, s);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(all);
  } else if (o->csv) {
    sim_show_csv_head(stdout);
    sim_show_csv(rows, "", stdout);
  } else {
    sim_show_table(rows, s, stdout);
  }
  if (o->plot)
    status |= siox__output_write("siox sim", o->plot, draw_plot, rows);
  if (o->timeline && timeline->end <= timeline->start) {
    fprintf(stderr, "siox sim: --timeline: nothing happens under %s that could be drawn\n",
            o->draw);
    status = 1;
  } else if (o->timeline) {
    status |= siox__output_write("siox sim", o->timeline, draw_timeline, timeline);
  }
  for (uint32_t i = 0; i < rows->count; i++)
    status |= rows->row[i].wrong[0] != 0;
  return status;
}

static int compare(struct options *o, struct sim_scenario *s, char **schemes) {
  struct timeline timeline = {0};
  struct sim_rows rows;
  struct siox_diag diag = {""};
  bool bar = !o->quiet && isatty(STDERR_FILENO);
  const char *last = "base";
  for (char **one = schemes; *one; one++)
    last = *one;
  o->draw = o->draw ? o->draw : last;
  struct sim_watch watch = {.progress = bar ? sim_show_progress : NULL,
                            .drawn = o->draw,
                            .timeline = o->timeline ? &timeline : NULL};
  int rc = o->timeline ? siox__timeline_begin(&timeline, s->ndisks, s->drive, 0, o->scenario) : 0;
  if (rc == 0)
    rc = sim_rows_make(&rows, s, schemes, &watch, &diag);
  if (bar)
    fprintf(stderr, "\r%*s\r", 72, "");
  if (rc) {
    fprintf(stderr, "siox sim: %s: %s\n", o->scenario, *diag.text ? diag.text : siox_strerror(rc));
    siox__timeline_free(&timeline);
    return 1;
  }
  int status = show(o, &rows, s, &timeline);
  sim_rows_free(&rows);
  siox__timeline_free(&timeline);
  return status;
}

/* Runs what shows its own progress; schemes asked for must be there. */
static int with_schemes(const struct options *o,
                        int (*run)(const struct options *, const struct sim_watch *)) {
  bool bar = isatty(STDERR_FILENO);
  int told = 0;
  static const struct sim_scenario none;
  char **schemes = o->schemes ? sim_schemes(o->schemes, &none) : NULL;
  int status = SIOX__USAGE;
  struct sim_watch watch = {.progress = o->quiet ? NULL
                                        : bar    ? sim_show_progress
                                                 : show_lines,
                            .context = &told};
  if (!schemes || schemes_good(NULL, schemes))
    status = run(o, &watch);
  if (bar && !o->quiet)
    fprintf(stderr, "\r%*s\r", 72, "");
  free(schemes);
  return status;
}

static int sweep(const struct options *o, const struct sim_watch *watch) {
  return sim_sweep(o->sweep, o->schemes, watch);
}

static int map(const struct options *o, const struct sim_watch *watch) {
  struct sim_map_options m = o->maps;
  m.schemes = o->schemes;
  m.json = o->json;
  m.csv = o->csv;
  m.plot = o->plot;
  return sim_map(&m, watch);
}

static int paper(const struct options *o, const struct sim_watch *watch) {
  return sim_paper(&(struct sim_paper_options){.directory = o->scenario,
                                               .plot = o->plot,
                                               .report = o->maps.report,
                                               .json = o->json,
                                               .csv = o->csv,
                                               .quick = o->maps.quick},
                   watch);
}

/* The scenario of o->point; or SIOX_E…, with diag. */
static int load_point(const struct options *o, struct sim_scenario *s, char **text,
                      struct siox_diag *diag) {
  struct sim_point p;
  struct sim_scene scene;
  char *kept;
  *text = NULL;
  int rc = sim_point_parse(&p, o->point, &kept, diag);
  if (rc == 0)
    rc = sim_scene_make(&scene, &p, diag);
  free(kept);
  if (rc)
    return rc;
  if (!scene.text) {
    snprintf(diag->text, sizeof diag->text,
             "busy: disks cannot be so little busy; the least requests make it %.3g %%",
             scene.busy * 100);
    return SIOX_ERANGE;
  }
  rc = sim_scenario_parse(s, o->point, scene.text, diag);
  *text = rc ? NULL : strdup(scene.text);
  sim_scene_free(&scene);
  return rc ? rc : *text ? 0 : SIOX_ENOMEM;
}

/* The scenario or trace that was named. */
static int load(const struct options *o, struct sim_scenario *s, struct siox_diag *diag) {
  char *text;
  int rc = sim_scenario_of_trace(o->scenario, &text);
  if (rc == 0)
    rc = text ? sim_scenario_parse(s, o->scenario, text, diag)
              : sim_scenario_load(s, o->scenario, NULL, 0, diag);
  free(text);
  return rc;
}

static int play(struct options *o) {
  struct sim_scenario scenario;
  struct siox_diag diag = {""};
  char *text = NULL;
  int status = 0,
      rc = o->point ? load_point(o, &scenario, &text, &diag) : load(o, &scenario, &diag);
  if (rc) {
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    return SIOX__USAGE;
  }
  o->scenario = o->point ? o->point : o->scenario;
  char **schemes = sim_schemes(o->schemes ? o->schemes
                               : o->point ? sim_map_schemes
                                          : NULL,
                               &scenario);
  if (!schemes) {
    fprintf(stderr, "siox sim: %s\n", siox_strerror(SIOX_ENOMEM));
    status = 1;
  } else if (o->schemes && !schemes_good(&scenario, schemes)) {
    status = SIOX__USAGE;
  } else if (!outputs_free(o, &scenario) || !drawing_possible(o, &scenario, schemes)) {
    status = SIOX__USAGE;
  } else if (o->print) {
    fputs(text, stdout);
  } else {
    status = compare(o, &scenario, schemes);
  }
  free(text);
  free(schemes);
  sim_scenario_free(&scenario);
  return status;
}

int siox__cmd_sim(int argc, char **argv) {
  struct options o = {0};
  static char import[] = "siox sim import";
  if (argc > 1 && !strcmp(argv[1], "import") && (argv[1] = import))
    return sim_import(argc - 1, argv + 1);
  int status = parse(argc, argv, &o), rc = 0;
  if (status) {
    status = status < 0 ? 0 : status;
  } else if (o.sweep) {
    status = with_schemes(&o, sweep);
  } else if (o.paper) {
    status = with_schemes(&o, paper);
  } else if (o.map && !o.point) {
    o.maps.whole = !o.maps.grids.count && !o.maps.quick;
    if (o.maps.whole || o.maps.quick)
      rc = sim_grids_whole(&o.maps.grids, o.maps.quick);
    if (rc)
      fprintf(stderr, "siox sim: %s\n", siox_strerror(rc));
    status = rc ? 1 : with_schemes(&o, map);
  } else {
    status = play(&o);
  }
  sim_grids_free(&o.maps.grids);
  return status;
}
