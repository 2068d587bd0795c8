/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox layout optimise: looks for layouts that take less energy, and plays the best ones again. */
#include "layout_optimise.h"
#include "cli/slip.h"
#include "common/conf/text.h"
#include "output.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: siox layout optimise SCENARIO.yaml|TRACE.siox [--max-delay PERCENT] [--policy SCHEME]\n"
    "                [--files PATTERN] [--fixed PATTERN] [--together PATTERN]\n"
    "                [--bases LIST] [--factors LIST] [--units LIST]\n"
    "                [--evaluations N] [--seed N] [--jobs N]\n"
    "                [-o layouts.yaml] [--romio-hints FILE] [--json] [--quiet]\n"
    "\n"
    "Looks for the first disk, the number of disks and the stripe of each file with which the "
    "jobs\n"
    "take least energy, if no process waits longer for its I/O than --max-delay allows: I/O time\n"
    "added to that with files as they lie now and every disk at full speed. Hints of a trace are\n"
    "said anew for other layouts (docs/sim.md). Never answers with layouts that are worse than "
    "the\n"
    "present ones.\n"
    "\n"
    "  --max-delay PERCENT   I/O time that may be added (default: 1)\n"
    "  --policy SCHEME       under which the disks run (default: siox)\n"
    "  --files PATTERN       only files that match may move (may be given several times)\n"
    "  --fixed PATTERN       files that match stay where they are (so too)\n"
    "  --together PATTERN    files that match shall lie alike (so too)\n"
    "  --bases, --factors    lists like 0-3,8 (default: all, of many some)\n"
    "  --units LIST          stripes (default: 64K,256K,1M,4M,16M)\n"
    "  --evaluations N       simulations at most; if there are no more choices than that all are\n"
    "                        tried (default: 2000)\n"
    "  --seed N              of the random places that the search starts from (default: 1)\n"
    "  --jobs N              simulations at a time (default: 2)\n"
    "  -o FILE               layouts.yaml of the result\n"
    "  --romio-hints FILE    a ROMIO_HINTS file; FILE.1, FILE.2 ... where files lie differently\n"
    "  --json                the result as JSON on stdout\n"
    "  --quiet               no progress on stderr\n"
    "\n"
    "examples:\n"
    "  siox run --record run.siox -- mpiexec -n 4 ./program\n"
    "  siox layout optimise run.siox -o layouts.yaml\n"
    "  siox layout optimise s.yaml --max-delay 5 --files '*.out' --units 1M,4M --json\n"
    "\n"
    "Exit status: 1 when something failed, 2 for a wrong command line or scenario.\n";

static int add_pattern(struct layout_patterns *p, const char *text) {
  const char **more = realloc(p->item, (p->count + 1) * sizeof *more);
  if (!more)
    return SIOX_ENOMEM;
  p->item = more;
  p->item[p->count++] = text;
  return 0;
}

static bool number(const char *name, const char *text, double low, double high, double *out) {
  char what[256];
  if (siox__text_number(text, low, high, out, what, sizeof what) == 0)
    return true;
  fprintf(stderr, "siox layout optimise: --%s %s: %s\n", name, text, what);
  return false;
}

static bool whole(const char *name, const char *text, long low, long high, long *out) {
  char what[256];
  if (siox__text_integer(text, low, high, out, what, sizeof what) == 0)
    return true;
  fprintf(stderr, "siox layout optimise: --%s %s: %s\n", name, text, what);
  return false;
}

static int parse(int argc, char **argv, struct layout_asked *a) {
  static const struct option known[] = {{"max-delay", required_argument, NULL, 'd'},
                                        {"policy", required_argument, NULL, 'p'},
                                        {"files", required_argument, NULL, 'f'},
                                        {"fixed", required_argument, NULL, 'x'},
                                        {"together", required_argument, NULL, 't'},
                                        {"bases", required_argument, NULL, 'b'},
                                        {"factors", required_argument, NULL, 'c'},
                                        {"units", required_argument, NULL, 'u'},
                                        {"evaluations", required_argument, NULL, 'e'},
                                        {"seed", required_argument, NULL, 's'},
                                        {"jobs", required_argument, NULL, 'n'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"romio-hints", required_argument, NULL, 'r'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  double value = 0;
  long count = 0;
  opterr = 0; /* siox__slip_option says it */
  for (int c; (c = getopt_long(argc, argv, ":ho:", known, NULL)) != -1;) {
    bool good = true;
    switch (c) {
    case 'd':
      good = number("max-delay", optarg, 0, 1e6, &value);
      a->most_added = value / 100;
      break;
    case 'p':
      a->policy = optarg;
      break;
    case 'f':
      good = add_pattern(&a->files, optarg) == 0;
      break;
    case 'x':
      good = add_pattern(&a->fixed, optarg) == 0;
      break;
    case 't':
      good = add_pattern(&a->together, optarg) == 0;
      break;
    case 'b':
      a->bases = optarg;
      break;
    case 'c':
      a->factors = optarg;
      break;
    case 'u':
      a->units = optarg;
      break;
    case 'e':
      good = whole("evaluations", optarg, 1, 1000000000, &count);
      a->evaluations = (uint64_t)count;
      break;
    case 's':
      good = whole("seed", optarg, 0, 1000000000, &count);
      a->seed = (uint64_t)count;
      break;
    case 'n':
      good = whole("jobs", optarg, 1, 64, &count);
      a->workers = (uint32_t)count;
      break;
    case 'o':
      a->output = optarg;
      break;
    case 'r':
      a->romio_hints = optarg;
      break;
    case 'j':
      a->json = true;
      break;
    case 'q':
      a->quiet = true;
      break;
    case 'h':
      fputs(usage, stdout);
      return -1;
    default:
      return siox__slip_option(argv, known);
    }
    if (!good)
      return SIOX__USAGE;
  }
  if (optind + 1 != argc)
    return siox__slip(argv[0], optind == argc ? "a SCENARIO.yaml or TRACE.siox is wanted"
                                              : "one scenario or trace at a time");
  a->input = argv[optind];
  return 0;
}

struct run {
  const struct layout_asked *asked;
  struct layout_play play;
  char *text; /* of a trace's scenario */
  struct sim_scenario scenario;
  struct layout_files files;
  struct layout_trier *trier;
  struct layout_search_result search;
  struct siox_replay_result base; /* at full speed, as files lie now */
  struct layout_outcome outcome;
  struct siox_diag diag;
  bool bar;
};

static void progress(void *context, double part) {
  sim_show_progress(context, "search", fmin(part, 1));
}

/* What the search asks of the trier, with the progress beside it. */
static int cost(void *context, const uint32_t *choice, uint32_t n,
                const struct layout_figures *than, struct layout_figures *out) {
  struct run *r = context;
  return layout_trier_cost(r->trier, choice, n, than, out);
}

static int choose_play(struct run *r) {
  r->play.path = r->asked->input;
  int rc = sim_scenario_of_trace(r->asked->input, &r->text);
  r->play.text = r->text;
  return rc;
}

static int add_row(struct run *r, const char *name, const char *policy, const uint32_t *choice,
                   bool derive, bool best) {
  struct siox_replay_result one;
  int rc = layout_try_once(&r->play, &r->files, choice, policy, derive, &one, &r->diag);
  if (rc)
    return rc;
  struct layout_outcome *o = &r->outcome;
  struct layout_row row = {.then = choice != NULL,
                           .policy = !strcmp(policy, r->asked->policy),
                           .joules = one.joules,
                           .seconds = (double)(one.end - one.start) / 1e9,
                           .transitions = one.transitions,
                           .missed = one.missed};
  snprintf(row.name, sizeof row.name, "%s", name);
  if (!o->nrows) {
    r->base = one;
    memset(&one, 0, sizeof one);
  }
  const struct siox_replay_result *figures = o->nrows ? &one : &r->base;
  for (uint32_t i = 0; i < figures->nranks; i++)
    row.io_seconds = fmax(row.io_seconds, (double)figures->rank[i].io_ns / 1e9);
  row.added = siox_added_io(figures, &r->base);
  row.saved = r->base.joules > 0 ? 1 - row.joules / r->base.joules : 0;
  siox_replay_free(&one);
  struct layout_row *last = o->nrows ? &o->row[o->nrows - 1] : NULL;
  if (best && last && last->then == row.then && !strncmp(last->name, "static", 6)) {
    if (row.joules < last->joules)
      *last = row; /* the best of the static levels is kept */
  } else if (o->nrows < sizeof o->row / sizeof *o->row) {
    o->row[o->nrows++] = row;
  }
  return 0;
}

/* Full speed and the best static level, with one set of layouts. */
static int add_fixed_rows(struct run *r, const uint32_t *choice) {
  char name[SIM_STATIC_NAME];
  int32_t speed = -1;
  int rc = add_row(r, "base", "base", choice, true, false);
  while (rc == 0 && sim_static_next(&r->scenario, &speed, name))
    rc = add_row(r, name, name, choice, true, true);
  return rc;
}

static bool keeps(const struct run *r, const struct layout_row *row) {
  return row->added <= r->asked->most_added + 1e-12;
}

/* Whether the new layouts' run beats one with the present ones. */
static bool beats(const struct run *r, const struct layout_row *now,
                  const struct layout_row *then) {
  if (keeps(r, now) != keeps(r, then))
    return keeps(r, then);
  return keeps(r, then) ? then->joules < now->joules * (1 - 1e-9)
                        : then->added < now->added * (1 - 1e-9);
}

/* Plays all again from the beginning. A choice that does not beat the files as they lie is given
 * up. */
static int play_again(struct run *r) {
  struct layout_outcome *o = &r->outcome;
  const char *policy = r->asked->policy;
  uint32_t *choice = r->search.choice, moved = 0, first;
  for (uint32_t i = 0; i < r->files.nmovable; i++)
    moved += choice[i] != 0;
  int rc = add_fixed_rows(r, NULL);
  rc = rc ? rc : add_row(r, policy, policy, NULL, false, false);
  first = o->nrows - 1;
  if (rc == 0 && o->hints == SIOX_SIM_HINTS_DERIVED)
    rc = add_row(r, "hints said anew", policy, NULL, true, false);
  uint32_t present = o->nrows;
  o->kept = rc == 0 && keeps(r, &o->row[first]);
  if (rc || !moved)
    return rc;
  rc = add_fixed_rows(r, choice);
  rc = rc ? rc : add_row(r, policy, policy, choice, true, false);
  if (rc)
    return rc;
  const struct layout_row *then = &o->row[o->nrows - 1];
  if (fabs(then->joules - r->search.figures.joules) > 1e-9 * then->joules ||
      fabs(then->added - r->search.figures.added) > 1e-9) {
    snprintf(r->diag.text, sizeof r->diag.text,
             "played again, the layouts take %.9g J and add %.9g of the I/O time, not %.9g J and "
             "%.9g as in the search",
             then->joules, then->added, r->search.figures.joules, r->search.figures.added);
    return SIOX_EPROTO;
  }
  bool won = true;
  for (uint32_t i = first; i < present; i++)
    won &= beats(r, &o->row[i], then);
  o->kept = won ? keeps(r, then) : o->kept;
  if (!won) {
    memset(choice, 0, r->files.nmovable * sizeof *choice);
    o->nrows = present;
  }
  return 0;
}

/* Nothing that is read may be written. */
static bool outputs_free(struct run *r) {
  const char *const output[] = {r->asked->output, r->asked->romio_hints};
  for (int i = 0; i < 2; i++)
    if (output[i] && sim_scenario_reads(&r->scenario, output[i])) {
      snprintf(r->diag.text, sizeof r->diag.text, "%s: %.400s is read by this search",
               i ? "--romio-hints" : "-o", output[i]);
      return false;
    } else if (output[i] && !siox__output_possible("siox layout optimise", output[i])) {
      snprintf(r->diag.text, sizeof r->diag.text, "%s: nothing was looked for",
               i ? "--romio-hints" : "-o");
      return false;
    }
  return true;
}

static int search(struct run *r) {
  const struct layout_asked *a = r->asked;
  int rc = layout_play_load(&r->play, &r->scenario, &r->diag);
  if (rc)
    return SIOX__USAGE;
  if (sim_scheme_check(&r->scenario, a->policy, &r->diag))
    return SIOX__USAGE;
  if (!outputs_free(r) || layout_files_open(&r->files, &r->scenario, a, &r->diag))
    return SIOX__USAGE;
  siox_sim_derive(r->scenario.sim, true);
  for (uint32_t j = 0; j < r->scenario.njobs; j++) {
    enum siox_sim_hints hints = siox_sim_hints(r->scenario.sim, j);
    if (hints == SIOX_SIM_HINTS_RECORDED) /* but files that move lose them */
      hints = SIOX_SIM_HINTS_LEFT_OUT;
    if (hints == SIOX_SIM_HINTS_TRUTH) /* wherever files lie */
      hints = SIOX_SIM_HINTS_NONE;
    r->outcome.hints = hints > r->outcome.hints ? hints : r->outcome.hints;
  }
  rc = layout_trier_open(&r->trier, &r->play, &r->files, a->policy, a->workers, a->most_added,
                         &r->diag);
  if (rc == 0)
    rc = layout_search(&r->files.space,
                       &(struct layout_search_options){.most_added = a->most_added,
                                                       .evaluations = a->evaluations,
                                                       .seed = a->seed,
                                                       .cost = cost,
                                                       .context = r,
                                                       .progress = r->bar ? progress : NULL},
                       &r->search);
  if (rc && r->trier && *layout_trier_error(r->trier))
    snprintf(r->diag.text, sizeof r->diag.text, "%s", layout_trier_error(r->trier));
  if (r->bar)
    fprintf(stderr, "\r%*s\r", 60, "");
  if (rc == 0) {
    r->outcome.search = &r->search;
    r->outcome.choice = r->search.choice;
    rc = play_again(r);
  }
  if (rc && !*r->diag.text)
    snprintf(r->diag.text, sizeof r->diag.text, "%s", siox_strerror(rc));
  return rc ? 1 : 0;
}

static int tell(struct run *r) {
  const struct layout_asked *a = r->asked;
  int status = 0;
  if (a->json) {
    json_t *all = layout_advice_json(&r->outcome);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(all);
  } else {
    layout_advice_text(stdout, &r->outcome);
  }
  if (a->output)
    status |= layout_advice_layouts(a->output, &r->outcome);
  if (a->romio_hints)
    status |= layout_advice_romio(a->romio_hints, &r->outcome);
  return status;
}

int layout_optimise(int argc, char **argv) {
  struct layout_asked asked = {
      .policy = "siox", .most_added = 0.01, .evaluations = 2000, .seed = 1, .workers = 2};
  int status = parse(argc, argv, &asked);
  struct run r = {.asked = &asked,
                  .outcome = {.asked = &asked, .files = &r.files},
                  .bar = !asked.quiet && isatty(STDERR_FILENO)};
  if (status == 0) {
    status = choose_play(&r) ? 1 : search(&r);
    if (status)
      fprintf(stderr, "siox layout optimise: %s\n",
              *r.diag.text ? r.diag.text : siox_strerror(SIOX_ENOMEM));
    else
      status = tell(&r);
  }
  layout_trier_close(r.trier);
  layout_files_free(&r.files);
  sim_scenario_free(&r.scenario);
  siox_replay_free(&r.base);
  free(r.search.choice);
  free(r.text);
  free(asked.files.item);
  free(asked.fixed.item);
  free(asked.together.item);
  return status > 0 ? status : 0;
}
