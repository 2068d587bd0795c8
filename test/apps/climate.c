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
#include "options.h"
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
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

enum { HINTS = 64, EVENTS = 256, NAME = 4096 };

struct anomaly {
  int64_t rank, step;
  double seconds;
  bool spin;
};
struct options {
  const char *prefix, *restart, *json_file, *hint[HINTS];
  int64_t n, layers, v2, v3, steps, work, output_every, rollover, restart_every, seed, nhints,
      nevents;
  double pause;
  struct anomaly signalled; /* seconds 0: none */
  struct anomaly event[EVENTS];
};
struct header { /* of a restart file */
  char magic[8];
  int64_t n, layers, v2, v3, step, seed;
  uint64_t checksum;
};

struct state {
  const struct options *o;
  int64_t slices, first, rows;   /* this rank's rows begin there */
  size_t pitch;                  /* doubles a slice, with a row of each neighbour */
  double *now, *next;            /* [slice][rows + 2][n] */
  int *order;                    /* own cells along the curve */
  double *line;                  /* what is written at once: a variable's slices */
  MPI_Datatype curve, halo, own; /* own: all slices' rows without those of the neighbours */
  MPI_File file;
  bool open;
  double compute, exchange, output, saving; /* seconds */
  int64_t outputs, restarts;
};

static int rank, ranks;

static void fail(const char *what, const char *name, int code) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, reason, &length);
  fprintf(stderr, "climate: rank %d: %s: %s%s%s\n", rank, name, what, length ? ": " : "", reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    fail("out of memory", "allocation", MPI_SUCCESS);
  return memory;
}

/* ---- the grid ---- */

static int64_t first_row(const struct options *o, int r) { return o->n * r / ranks; }

/* Of a slice's row; rows count from -1 to the number of own rows. */
static double *row_of(const struct state *s, double *at, int64_t slice, int64_t y) {
  return at + (size_t)slice * s->pitch + (size_t)((y + 1) * s->o->n);
}

/* Where Hilbert's curve comes to (x, y), on a square of n. */
static int64_t along(int64_t n, int64_t x, int64_t y) {
  int64_t d = 0;
  for (int64_t s = n / 2; s > 0; s /= 2) {
    int64_t rx = (x & s) > 0, ry = (y & s) > 0;
    d += s * s * ((3 * rx) ^ ry);
    if (ry)
      continue;
    int64_t other = rx ? s - 1 - (y & (s - 1)) : y & (s - 1);
    y = rx ? s - 1 - (x & (s - 1)) : x & (s - 1);
    x = other;
  }
  return d;
}

struct cell {
  int64_t at;
  int own;
};
static int by_place(const void *a, const void *b) {
  const struct cell *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Where the own cells of a slice lie in a file, as a datatype that goes on with the next slice. */
static void follow_curve(struct state *s) {
  int64_t n = s->o->n, count = s->rows * n;
  struct cell *cell = allocate((size_t)count, sizeof *cell);
  int *length = allocate((size_t)count, sizeof *length), *at = allocate((size_t)count, sizeof *at);
  int runs = 0;
  for (int64_t i = 0; i < count; i++)
    cell[i] = (struct cell){along(n, i % n, s->first + i / n), (int)i};
  qsort(cell, (size_t)count, sizeof *cell, by_place);
  s->order = allocate((size_t)count, sizeof *s->order);
  for (int64_t i = 0; i < count; i++) {
    s->order[i] = cell[i].own;
    if (i == 0 || cell[i].at != cell[i - 1].at + 1)
      at[runs++] = (int)cell[i].at;
    length[runs - 1]++;
  }
  MPI_Datatype once;
  MPI_Type_indexed(runs, length, at, MPI_DOUBLE, &once);
  MPI_Type_create_resized(once, 0, (MPI_Aint)(n * n * (int64_t)sizeof(double)), &s->curve);
  MPI_Type_commit(&s->curve);
  MPI_Type_free(&once);
  free(cell);
  free(length);
  free(at);
}

static void create(struct state *s, const struct options *o) {
  *s = (struct state){.o = o, .slices = o->v2 + o->v3 * o->layers, .first = first_row(o, rank)};
  s->rows = first_row(o, rank + 1) - s->first;
  s->pitch = (size_t)((s->rows + 2) * o->n);
  s->now = allocate((size_t)s->slices * s->pitch, sizeof *s->now);
  s->next = allocate((size_t)s->slices * s->pitch, sizeof *s->next);
  s->line = allocate((size_t)(o->layers * s->rows * o->n), sizeof *s->line);
  follow_curve(s);
  MPI_Type_vector((int)s->slices, (int)o->n, (int)s->pitch, MPI_DOUBLE, &s->halo);
  MPI_Type_commit(&s->halo);
  MPI_Type_vector((int)s->slices, (int)(s->rows * o->n), (int)s->pitch, MPI_DOUBLE, &s->own);
  MPI_Type_commit(&s->own);
  for (int64_t f = 0; f < s->slices; f++)
    for (int64_t y = 0; y < s->rows; y++)
      for (int64_t x = 0; x < o->n; x++) {
        uint64_t place = (uint64_t)((f * o->n + s->first + y) * o->n + x);
        row_of(s, s->now, f, y)[x] = (double)(option_mix((uint64_t)o->seed, place) >> 11) * 0x1p-53;
      }
}

static void destroy(struct state *s) {
  free(s->now);
  free(s->next);
  free(s->line);
  free(s->order);
  MPI_Type_free(&s->curve);
  MPI_Type_free(&s->halo);
  MPI_Type_free(&s->own);
}

/* ---- the computation ---- */

static void exchange(struct state *s) {
  int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  double start = MPI_Wtime();
  MPI_Sendrecv(row_of(s, s->now, 0, 0), 1, s->halo, up, 0, row_of(s, s->now, 0, s->rows), 1,
               s->halo, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(row_of(s, s->now, 0, s->rows - 1), 1, s->halo, down, 1, row_of(s, s->now, 0, -1), 1,
               s->halo, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  s->exchange += MPI_Wtime() - start;
}

/* One slice: spread, carried eastwards by its wind, mixed with the layers or the air above. */
static void advance(struct state *s, int64_t slice, int64_t above, int64_t below, double wind) {
  const int64_t n = s->o->n;
  for (int64_t y = 0; y < s->rows; y++) {
    const double *north = row_of(s, s->now, slice, y - 1), *here = row_of(s, s->now, slice, y),
                 *south = row_of(s, s->now, slice, y + 1), *a = row_of(s, s->now, above, y),
                 *b = row_of(s, s->now, below, y);
    double *to = row_of(s, s->next, slice, y);
    for (int64_t x = 0; x < n; x++) {
      double west = here[x ? x - 1 : n - 1], east = here[x < n - 1 ? x + 1 : 0];
      double spread = north[x] + south[x] + west + east - 4 * here[x];
      double mixed = a[x] + b[x] - 2 * here[x];
      to[x] = here[x] + 0.125 * spread + wind * (west - here[x]) + 0.0625 * mixed;
    }
  }
}

/* What happens within a column, and so needs no other rank: layers draw near to each other. */
static void columns(struct state *s) {
  const int64_t n = s->o->n, layers = s->o->layers;
  for (int64_t v = 0; v < s->o->v3; v++)
    for (int64_t l = 1; l < layers; l++)
      for (int64_t y = 0; y < s->rows; y++) {
        const double *below = row_of(s, s->now, s->o->v2 + v * layers + l - 1, y);
        double *here = row_of(s, s->now, s->o->v2 + v * layers + l, y);
        for (int64_t x = 0; x < n; x++)
          here[x] += 0.0078125 * (below[x] - here[x]) * (1 - 0.25 * here[x]);
      }
}

static void step(struct state *s) {
  const struct options *o = s->o;
  exchange(s);
  double start = MPI_Wtime();
  for (int64_t v = 0; v < o->v2; v++) {
    int64_t air = o->v3 ? o->v2 + v % o->v3 * o->layers : v;
    advance(s, v, air, air, 0.03125);
  }
  for (int64_t v = 0; v < o->v3; v++)
    for (int64_t l = 0; l < o->layers; l++) {
      int64_t slice = o->v2 + v * o->layers + l;
      advance(s, slice, l ? slice - 1 : slice, l < o->layers - 1 ? slice + 1 : slice,
              0.0625 * (double)(l + 1) / (double)o->layers);
    }
  double *swap = s->now;
  s->now = s->next;
  s->next = swap;
  for (int64_t again = 0; again < o->work; again++)
    columns(s);
  s->compute += MPI_Wtime() - start;
}

/* Of the whole state, whoever has which part. */
static uint64_t checksum(struct state *s) {
  const int64_t n = s->o->n;
  uint64_t mine = 0, all;
  for (int64_t f = 0; f < s->slices; f++)
    for (int64_t y = 0; y < s->rows; y++)
      for (int64_t x = 0; x < n; x++) {
        uint64_t bits;
        memcpy(&bits, row_of(s, s->now, f, y) + x, sizeof bits);
        mine += option_mix(bits, (uint64_t)((f * n + s->first + y) * n + x));
      }
  MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
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
    fail("no thread can be had", "--spin", MPI_SUCCESS);
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
    if (a->rank != rank || a->step != at)
      continue;
    if (!a->spin)
      rest(a->seconds);
    else
      begin_to_spin(a);
  }
}

/* ---- files ---- */

static MPI_File open_file(const struct options *o, const char *name, int mode) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File file;
  if (o->nhints)
    MPI_Info_create(&info);
  for (int64_t i = 0; i < o->nhints; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    const char *value = strchr(o->hint[i], '=') + 1;
    snprintf(key, sizeof key, "%.*s", (int)(value - 1 - o->hint[i]), o->hint[i]);
    MPI_Info_set(info, key, value);
  }
  int code = MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);
  if (code != MPI_SUCCESS)
    fail("cannot be opened", name, code);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  return file;
}

static void must(int code, const char *what, const char *name) {
  if (code != MPI_SUCCESS)
    fail(what, name, code);
}

/* Output number i, from 0; a file has `rollover` of them. */
static void write_output(struct state *s, int64_t i) {
  const struct options *o = s->o;
  char name[NAME];
  int64_t number = i / o->rollover, own = s->rows * o->n, at = i % o->rollover * s->slices;
  double start = MPI_Wtime();
  snprintf(name, sizeof name, "%s.out.%04" PRId64, o->prefix, number);
  if (!s->open) {
    s->file = open_file(o, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    if (i % o->rollover == 0)
      must(MPI_File_set_size(s->file, 0), "cannot be cut", name);
    must(MPI_File_set_view(s->file, 0, MPI_DOUBLE, s->curve, "native", MPI_INFO_NULL), "view",
         name);
    s->open = true;
  }
  for (int64_t f = 0; f < s->slices;) {
    int64_t many = f < o->v2 ? 1 : o->layers;
    double *to = s->line;
    for (int64_t l = f; l < f + many; l++) {
      const double *from = row_of(s, s->now, l, 0);
      for (int64_t c = 0; c < own; c++)
        *to++ = from[s->order[c]];
    }
    must(MPI_File_write_at_all(s->file, (at + f) * own, s->line, (int)(many * own), MPI_DOUBLE,
                               MPI_STATUS_IGNORE),
         "cannot be written", name);
    f += many;
  }
  if ((i + 1) % o->rollover == 0) {
    must(MPI_File_close(&s->file), "cannot be closed", name);
    s->open = false;
  }
  s->output += MPI_Wtime() - start;
  s->outputs++;
}

/* Own rows of every slice of a restart file. */
static void view_rows(const struct state *s, MPI_File file, const char *name) {
  MPI_Datatype rows, spread;
  const int64_t n = s->o->n, bytes = (int64_t)sizeof(double);
  MPI_Type_contiguous((int)(s->rows * n), MPI_DOUBLE, &rows);
  MPI_Type_create_resized(rows, 0, (MPI_Aint)(n * n * bytes), &spread);
  MPI_Type_commit(&spread);
  must(MPI_File_set_view(file, (MPI_Offset)sizeof(struct header) + s->first * n * bytes, MPI_DOUBLE,
                         spread, "native", MPI_INFO_NULL),
       "view", name);
  MPI_Type_free(&spread);
  MPI_Type_free(&rows);
}

/* Under another name until it is whole: a run that is killed leaves the restart file before. */
static void write_restart(struct state *s, int64_t at) {
  const struct options *o = s->o;
  struct header h = {"CLIMATE", o->n, o->layers, o->v2, o->v3, at, o->seed, checksum(s)};
  char name[NAME], part[NAME + 8];
  double start = MPI_Wtime();
  snprintf(name, sizeof name, "%s.restart.%06" PRId64, o->prefix, at);
  snprintf(part, sizeof part, "%s.part", name);
  MPI_File file = open_file(o, part, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  if (rank == 0)
    must(MPI_File_write_at(file, 0, &h, sizeof h, MPI_BYTE, MPI_STATUS_IGNORE), "cannot be written",
         part);
  view_rows(s, file, part);
  must(MPI_File_write_at_all(file, 0, row_of(s, s->now, 0, 0), 1, s->own, MPI_STATUS_IGNORE),
       "cannot be written", part);
  must(MPI_File_close(&file), "cannot be closed", part);
  if (rank == 0 && rename(part, name) < 0)
    fail(strerror(errno), name, MPI_SUCCESS);
  s->saving += MPI_Wtime() - start;
  s->restarts++;
}

/* Returns the step that it was written after. */
static int64_t read_restart(struct state *s) {
  const struct options *o = s->o;
  struct header h = {.magic = ""};
  MPI_Offset size;
  MPI_File file = open_file(o, o->restart, MPI_MODE_RDONLY);
  must(MPI_File_read_at_all(file, 0, &h, sizeof h, MPI_BYTE, MPI_STATUS_IGNORE), "cannot be read",
       o->restart);
  if (memcmp(h.magic, "CLIMATE", sizeof h.magic) != 0)
    fail("is no restart file", o->restart, MPI_SUCCESS);
  if (h.n != o->n || h.layers != o->layers || h.v2 != o->v2 || h.v3 != o->v3 || h.seed != o->seed)
    fail("is of another grid, other variables or another seed", o->restart, MPI_SUCCESS);
  if (h.step < 0 || h.step > o->steps)
    fail("is of a later step than the last one (--steps)", o->restart, MPI_SUCCESS);
  must(MPI_File_get_size(file, &size), "has no size", o->restart);
  if (size < (MPI_Offset)(sizeof h + (size_t)(s->slices * o->n * o->n) * sizeof(double)))
    fail("ends too early", o->restart, MPI_SUCCESS);
  view_rows(s, file, o->restart);
  must(MPI_File_read_at_all(file, 0, row_of(s, s->now, 0, 0), 1, s->own, MPI_STATUS_IGNORE),
       "cannot be read", o->restart);
  must(MPI_File_close(&file), "cannot be closed", o->restart);
  if (checksum(s) != h.checksum)
    fail("is damaged", o->restart, MPI_SUCCESS);
  return h.step;
}

/* ---- the run ---- */

static void tell_times(const struct state *s, double seconds) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
  double mine[4] = {s->compute, s->exchange, s->output, s->saving}, most[4];
  double *all = allocate((size_t)ranks, sizeof *all);
  MPI_Gather(&cpu, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  FILE *out = rank == 0 ? fopen(s->o->json_file, "we") : NULL;
  if (rank == 0 && !out)
    fail(strerror(errno), s->o->json_file, MPI_SUCCESS);
  if (out) {
    fprintf(
        out,
        "{\"program\":\"climate\",\"ranks\":%d,\"seconds\":%.9g,\"compute\":%.9g,\"exchange\":%.9g,"
        "\"output\":%.9g,\"restart\":%.9g,\"outputs\":%" PRId64 ",\"restarts\":%" PRId64
        ",\"cpu_seconds\":[",
        ranks, seconds, most[0], most[1], most[2], most[3], s->outputs, s->restarts);
    for (int r = 0; r < ranks; r++)
      fprintf(out, "%s%.6f", r ? "," : "", all[r]);
    fprintf(out, "]}\n");
    if (ferror(out) | fclose(out))
      fail("cannot be written", s->o->json_file, MPI_SUCCESS);
  }
  free(all);
}

static void run(const struct options *o) {
  struct state s;
  double begin = MPI_Wtime();
  if (o->signalled.seconds > 0)
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
  create(&s, o);
  int64_t from = o->restart ? read_restart(&s) : 0;
  for (int64_t i = from + 1; i <= o->steps; i++) {
    disturb(o, i);
    step(&s);
    rest(o->pause);
    if (o->output_every && i % o->output_every == 0)
      write_output(&s, i / o->output_every - 1);
    if (o->restart_every && i % o->restart_every == 0)
      write_restart(&s, i);
  }
  if (s.open)
    must(MPI_File_close(&s.file), "cannot be closed", o->prefix);
  uint64_t sum = checksum(&s);
  if (rank == 0)
    printf("climate: step %" PRId64 ", checksum %016" PRIx64 "\n", o->steps, sum);
  if (rank == 0 && fflush(stdout))
    fail("cannot be written", "standard output", MPI_SUCCESS);
  if (o->json_file)
    tell_times(&s, MPI_Wtime() - begin);
  destroy(&s);
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
  return !strtok_r(NULL, ":", &rest) && option_whole(word[0], 0, ranks - 1, &a->rank) &&
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

static bool parse_hint(const char *text, struct options *o) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text > MPI_MAX_INFO_KEY || !equals[1] ||
      strlen(equals + 1) >= MPI_MAX_INFO_VAL || o->nhints == HINTS)
    return false;
  o->hint[o->nhints++] = text;
  return true;
}

static int slip(const char *what, const char *value) {
  if (rank == 0)
    fprintf(stderr, "climate: %s: %s; try climate --help\n", value, what);
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
  for (int c; (c = getopt_long(argc, argv, ":h", known, NULL)) != -1;) {
    bool good = true;
    if (c >= GRID && c <= EVERY && c != VARIABLES)
      good = option_whole(optarg, least[c - GRID], most[c - GRID], whole[c - GRID]);
    else if (c == VARIABLES)
      good = parse_variables(optarg, o);
    else if (c == RESTART)
      o->restart = optarg;
    else if (c == INFO)
      good = parse_hint(optarg, o);
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
      return rank == 0 && fputs(usage, stdout) < 0 ? 2 : 1;
    else
      return slip(c == ':' ? "a value is wanted" : "no such option", argv[optind - 1]) + 1;
    if (!good)
      return slip("cannot be its value", optarg) + 1;
  }
  if (optind != argc - 1)
    return slip("one PREFIX is wanted", optind < argc ? argv[optind + 1] : "climate") + 1;
  o->prefix = argv[optind];
  if (strlen(o->prefix) > NAME - 64)
    return slip("is too long", "PREFIX") + 1;
  if (o->n & (o->n - 1))
    return slip("a power of two is wanted", "--grid") + 1;
  if (o->n < ranks)
    return slip("each rank needs a row", "--grid") + 1;
  if (o->n * (o->n / ranks + 3) > INT_MAX / (o->v2 + o->v3 * o->layers))
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
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = parse(argc, argv, &o);
  if (!status)
    run(&o);
  MPI_Finalize();
  return status ? status - 1 : 0;
}
