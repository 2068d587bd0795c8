/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stand-in for a climate model's I/O, as "Monitoring Energy Consumption With SIOX", section 6.1,
 * describes ICON: a real though small computation in time steps, its variables written now and then
 * into one common file along a space-filling curve, which fuses the two dimensions of the surface
 * into one; from time to time a new file; a restart file at fixed intervals.
 *
 * An N x N grid (N a power of two), periodic both ways, is divided over the ranks by rows. Each of
 * some 2-D and 3-D variables is diffused and carried along; 3-D ones mix between their layers, 2-D
 * ones take in the lowest layer. A cell's new value depends on old values alone and is always
 * computed by the same expression: results do not depend on the number of ranks, and a run that
 * goes on from a restart file gives bit by bit what one without a break gives.
 *
 *   PREFIX.out.0000       per output: each variable, layer by layer, doubles along Hilbert's curve
 *   PREFIX.restart.000120 a header, then the same slices row by row
 *
 * A rank can be made to stall or to spin at a step, for whoever wants to see anomalies found. */
#include "climate.h"
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static const char usage[] =
    "usage: climate [options] PREFIX\n"
    "\n"
    "Computes time steps on a grid and writes outputs and restart files whose names begin with\n"
    "PREFIX. Prints one line, which depends on the grid, the steps and the seed alone.\n"
    "\n"
    "  --grid N            cells each way, a power of two, at least as many as ranks (128)\n"
    "  --layers N          of 3-D variables (8)\n"
    "  --variables A,B     so many of two and of three dimensions (2,3)\n"
    "  --steps N           last time step (120)\n"
    "  --work N            rounds of what is computed within columns in a step (4)\n"
    "  --output-every N    steps; 0: never (5)\n"
    "  --rollover N        outputs a file (8)\n"
    "  --restart-every N   steps; 0: never (40)\n"
    "  --restart FILE      go on from there\n"
    "  --info KEY=VALUE    a hint for MPI_File_open; may be repeated\n"
    "  --seed N            of the first state (1)\n"
    "  --stall RANK:STEP:SECONDS  the rank sleeps before that step; may be repeated\n"
    "  --spin RANK:STEP:SECONDS   a thread of the rank begins to compute in vain; may be repeated\n"
    "  --spin-signal SECONDS      a rank that gets SIGUSR1 begins to spin with its next step\n"
    "  --pause SECONDS     between steps, so that ranks leave some of their processors (0)\n"
    "  --json=OUTPUT       what took how long, in OUTPUT\n"
    "\n"
    "Status 1: an error; 2: a wrong option.\n"
    "\n"
    "examples:\n"
    "  mpiexec -n 2 climate --grid 64 --steps 40 /tmp/siox/run\n"
    "  mpiexec -n 2 climate --grid 64 --steps 80 --restart /tmp/siox/run.restart.000040 "
    "/tmp/siox/run\n"
    "  mpiexec -n 4 climate --spin 2:60:3 --json=times.json /tmp/siox/run\n";

int climate_rank, climate_ranks;

void climate_fail(const char *what, const char *name, int code) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, reason, &length);
  fprintf(stderr, "climate: rank %d: %s: %s%s%s\n", climate_rank, name, what, length ? ": " : "",
          reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

void *climate_allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    climate_fail("out of memory", "allocation", MPI_SUCCESS);
  return memory;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *spin(void *anomaly) {
  const double until = now() + ((const struct anomaly *)anomaly)->seconds;
  while (now() < until)
    ;
  return NULL;
}

static void rest(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
  while (seconds > 0 && nanosleep(&t, &t) < 0 && errno == EINTR)
    ;
}

/* Ends when its time is over, or with the process. */
static void begin_to_spin(const struct anomaly *a) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, spin, (void *)(uintptr_t)a) != 0)
    climate_fail("no thread can be had", "--spin", MPI_SUCCESS);
  pthread_detach(thread);
}

static volatile sig_atomic_t signalled;
static void on_signal(int number) {
  (void)number;
  signalled = 1;
}

static void disturb(const struct options *o, int64_t at) {
  if (signalled) {
    signalled = 0;
    begin_to_spin(&o->signalled);
  }
  for (int64_t i = 0; i < o->nevents; i++) {
    const struct anomaly *a = &o->event[i];
    if (a->rank != climate_rank || a->step != at)
      continue;
    if (!a->spin)
      rest(a->seconds);
    else
      begin_to_spin(a);
  }
}

/* ---- the run ---- */

static void tell_times(const struct state *s, double seconds) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
  double mine[4] = {s->compute, s->exchange, s->output, s->saving}, most[4];
  double *all = climate_allocate((size_t)climate_ranks, sizeof *all);
  MPI_Gather(&cpu, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  FILE *out = climate_rank == 0 ? fopen(s->o->json_file, "we") : NULL;
  if (climate_rank == 0 && !out)
    climate_fail(strerror(errno), s->o->json_file, MPI_SUCCESS);
  if (out) {
    fprintf(
        out,
        "{\"program\":\"climate\",\"ranks\":%d,\"seconds\":%.9g,\"compute\":%.9g,\"exchange\":%.9g,"
        "\"output\":%.9g,\"restart\":%.9g,\"outputs\":%" PRId64 ",\"restarts\":%" PRId64
        ",\"cpu_seconds\":[",
        climate_ranks, seconds, most[0], most[1], most[2], most[3], s->outputs, s->restarts);
    for (int r = 0; r < climate_ranks; r++)
      fprintf(out, "%s%.6f", r ? "," : "", all[r]);
    fprintf(out, "]}\n");
    if (ferror(out) | fclose(out))
      climate_fail("cannot be written", s->o->json_file, MPI_SUCCESS);
  }
  free(all);
}

static void run(const struct options *o) {
  struct state s;
  double begin = MPI_Wtime();
  if (o->signalled.seconds > 0)
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
  climate_create(&s, o);
  int64_t from = o->restart ? climate_load(&s) : 0;
  for (int64_t i = from + 1; i <= o->steps; i++) {
    disturb(o, i);
    climate_step(&s);
    rest(o->pause);
    if (o->output_every && i % o->output_every == 0)
      climate_output(&s, i / o->output_every - 1);
    if (o->restart_every && i % o->restart_every == 0)
      climate_save(&s, i);
  }
  if (s.open)
    climate_must(MPI_File_close(&s.file), "cannot be closed", o->prefix);
  uint64_t sum = climate_checksum(&s);
  if (climate_rank == 0)
    printf("climate: step %" PRId64 ", checksum %016" PRIx64 "\n", o->steps, sum);
  if (climate_rank == 0 && fflush(stdout))
    climate_fail("cannot be written", "standard output", MPI_SUCCESS);
  if (o->json_file)
    tell_times(&s, MPI_Wtime() - begin);
  climate_destroy(&s);
}

/* ---- the command line ---- */

static bool parse_event(const char *text, bool spin, struct options *o) {
  char copy[64], *rest, *word[3];
  struct anomaly *a = &o->event[o->nevents];
  if (o->nevents == EVENTS || strlen(text) >= sizeof copy)
    return false;
  strcpy(copy, text);
  for (int i = 0; i < 3; i++)
    if (!(word[i] = strtok_r(i ? NULL : copy, ":", &rest)))
      return false;
  a->spin = spin;
  o->nevents++;
  return !strtok_r(NULL, ":", &rest) && option_whole(word[0], 0, climate_ranks - 1, &a->rank) &&
         option_whole(word[1], 1, INT32_MAX, &a->step) && option_real(word[2], 0, 1e6, &a->seconds);
}

static bool parse_variables(const char *text, struct options *o) {
  char copy[32], *comma;
  snprintf(copy, sizeof copy, "%s", text);
  comma = strchr(copy, ',');
  if (strlen(text) >= sizeof copy || !comma)
    return false;
  *comma = 0;
  return option_whole(copy, 0, 1000, &o->v2) && option_whole(comma + 1, 0, 1000, &o->v3) &&
         o->v2 + o->v3 > 0;
}

static int slip(const char *what, const char *where) {
  if (climate_rank == 0)
    fprintf(stderr, "climate: %s%s%s; try climate --help\n", where, *where ? ": " : "", what);
  return 2;
}

static int slip_value(const char *option, const char *value) {
  if (climate_rank == 0)
    fprintf(stderr, "climate: --%s: \"%s\" cannot be its value; try climate --help\n", option,
            value);
  return 2;
}

/* 0 go on, otherwise an exit status + 1. */
static int parse(int argc, char **argv, struct options *o) {
  enum {
    GRID = 256,
    LAYERS,
    VARIABLES,
    STEPS,
    WORK,
    OUTPUT,
    ROLLOVER,
    EVERY,
    RESTART,
    INFO,
    SEED,
    STALL,
    SPIN,
    JSON,
    PAUSE,
    SIGNAL
  };
  static const struct option known[] = {{"grid", required_argument, NULL, GRID},
                                        {"layers", required_argument, NULL, LAYERS},
                                        {"variables", required_argument, NULL, VARIABLES},
                                        {"steps", required_argument, NULL, STEPS},
                                        {"work", required_argument, NULL, WORK},
                                        {"output-every", required_argument, NULL, OUTPUT},
                                        {"rollover", required_argument, NULL, ROLLOVER},
                                        {"restart-every", required_argument, NULL, EVERY},
                                        {"restart", required_argument, NULL, RESTART},
                                        {"info", required_argument, NULL, INFO},
                                        {"seed", required_argument, NULL, SEED},
                                        {"stall", required_argument, NULL, STALL},
                                        {"spin", required_argument, NULL, SPIN},
                                        {"json", required_argument, NULL, JSON},
                                        {"pause", required_argument, NULL, PAUSE},
                                        {"spin-signal", required_argument, NULL, SIGNAL},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  /* Those that are a whole number, in the order above; grid and layers are no more than 16384 x
   * 1000 x 8 bytes a variable. */
  int64_t *const whole[] = {&o->n,    &o->layers,       NULL,         &o->steps,
                            &o->work, &o->output_every, &o->rollover, &o->restart_every};
  static const int64_t least[] = {2, 1, 0, 0, 1, 0, 1, 0};
  static const int64_t most[] = {16384, 1000, 0, INT32_MAX, 1000000, INT32_MAX, 1000000, INT32_MAX};
  opterr = 0;
  for (int c, which = 0; (c = getopt_long(argc, argv, ":h", known, &which)) != -1;) {
    bool good = true;
    if (c >= GRID && c <= EVERY && c != VARIABLES)
      good = option_whole(optarg, least[c - GRID], most[c - GRID], whole[c - GRID]);
    else if (c == VARIABLES)
      good = parse_variables(optarg, o);
    else if (c == RESTART)
      o->restart = optarg;
    else if (c == INFO)
      good = info_option_add(&o->hints, optarg);
    else if (c == SEED)
      good = option_whole(optarg, 0, INT64_MAX, &o->seed);
    else if (c == STALL || c == SPIN)
      good = parse_event(optarg, c == SPIN, o);
    else if (c == SIGNAL)
      good = option_real(optarg, 0, 1e6, &o->signalled.seconds);
    else if (c == PAUSE)
      good = option_real(optarg, 0, 1e6, &o->pause);
    else if (c == JSON)
      o->json_file = optarg;
    else if (c == 'h')
      return climate_rank == 0 && fputs(usage, stdout) < 0 ? 2 : 1;
    else
      return slip(c == ':' ? "a value is wanted" : "no such option", argv[optind - 1]) + 1;
    if (!good)
      return slip_value(known[which].name, optarg) + 1;
  }
  if (optind != argc - 1)
    return slip("one PREFIX is wanted", optind < argc ? argv[optind + 1] : "") + 1;
  o->prefix = argv[optind];
  if (strlen(o->prefix) > NAME - 64)
    return slip("is too long", "PREFIX") + 1;
  if (o->n & (o->n - 1))
    return slip("a power of two is wanted", "--grid") + 1;
  if (o->n < climate_ranks)
    return slip("each rank needs a row", "--grid") + 1;
  if (o->n * (o->n / climate_ranks + 3) > INT_MAX / (o->v2 + o->v3 * o->layers))
    return slip("a rank's part is more than 2^31 numbers", "--grid") + 1;
  return 0;
}

int main(int argc, char **argv) {
  static struct options o = {.n = 128,
                             .layers = 8,
                             .v2 = 2,
                             .v3 = 3,
                             .steps = 120,
                             .work = 4,
                             .output_every = 5,
                             .rollover = 8,
                             .restart_every = 40,
                             .seed = 1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &climate_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &climate_ranks);
  int status = parse(argc, argv, &o);
  if (!status)
    run(&o);
  MPI_Finalize();
  return status ? status - 1 : 0;
}
