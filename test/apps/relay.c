/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Transport of a field on a periodic N x N grid with two slow states that do not fit beside it:
 * each lives in a file of its own, and the field is relayed between them. One step is
 *
 *   exchange with state A (slab by slab: read, mix, write), sweeps of the field,
 *   exchange with state B,                                  sweeps of the field.
 *
 * Ranks own bands of rows, of the field as of both states. A sweep is upwind transport plus
 * diffusion, an exchange moves a quarter of each cell's difference: both keep the total of field
 * and states, which the program checks at its end. It also keeps a sum of every slab it wrote and
 * checks each slab it reads against it. Every cell is computed in the same order whatever the
 * number of ranks, so stdout, one line, depends on --n, --steps and --work alone. Exit status 1 and
 * a message on stderr if anything is wrong, 2 for wrong usage.
 *
 * The file names say nothing about disks. Unless --no-info is given the program asks for its
 * striping when it opens them: A on disks 0 to 3, B on disks 4 to 6.
 *
 * Compiled with -DRELAY_HINTED it is the same program with disk speed hints placed by hand
 * (hand_hints.h). */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RELAY_HINTED
#include "hand_hints.h"
#define HINT(statement) statement
static struct hand_hints hints;
#else
#define HINT(statement)
#endif

#define SWEEPS_AT_WORK_1 100

enum direction { LOAD, STORE };

struct striping {
  const char *first, *count, *unit;
};

/* One state in its file, as this rank sees it: `slabs` slabs of `cells` doubles each. */
struct stream {
  MPI_File file;
  const char *name;
  MPI_Offset origin; /* of this rank's first slab, bytes */
  int slabs, cells;
  double *buffer; /* one slab */
  uint64_t *sum;  /* of each slab as it was last written */
};

/* This rank's rows of the field, with one more row at either side. */
struct field {
  int n, rows, first;
  int above, below; /* neighbours */
  double *now, *next;
};

struct options {
  int n, steps, slabs;
  int sweeps;
  bool info, time;
  const char *name[2];
};

static int rank, ranks;

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "relay: rank %d: ", rank);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void check(int code, const char *what, const char *name) {
  char reason[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS)
    return;
  MPI_Error_string(code, reason, &length);
  die("%s: cannot be %s: %s", name, what, reason);
}

static double *cells_of(size_t count) {
  double *cell = calloc(count, sizeof *cell);
  if (!cell)
    die("no memory for %zu cells", count);
  return cell;
}

/* ---- sums that do not depend on who adds them up ---- */

static uint64_t scramble(uint64_t z) { /* Stafford's variant 13 of the Murmur finalizer */
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* `at` is the place of cell[0] on the whole grid. */
static uint64_t sum_of(const double *cell, int count, int64_t at) {
  uint64_t sum = 0;
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &cell[i], sizeof bits);
    sum += scramble(bits ^ scramble((uint64_t)(at + i) + 1));
  }
  return sum;
}

static double total_of(const double *cell, int count) {
  double total = 0;
  for (int i = 0; i < count; i++)
    total += cell[i];
  return total;
}

/* ---- streams ---- */

static void stream_open(struct stream *s, const struct options *o, int which) {
  static const struct striping wanted[2] = {{"0", "4", "65536"}, {"4", "3", "65536"}};
  MPI_Info info = MPI_INFO_NULL;
  s->name = o->name[which];
  s->slabs = o->slabs;
  s->cells = o->n / ranks / o->slabs * o->n;
  s->origin = (MPI_Offset)rank * s->slabs * s->cells * (MPI_Offset)sizeof(double);
  s->buffer = cells_of((size_t)s->cells);
  s->sum = calloc((size_t)s->slabs, sizeof *s->sum);
  if (!s->sum)
    die("no memory for the sums of %s", s->name);
  if (o->info) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "start_iodevice", wanted[which].first);
    MPI_Info_set(info, "striping_factor", wanted[which].count);
    MPI_Info_set(info, "striping_unit", wanted[which].unit);
  }
  check(MPI_File_open(MPI_COMM_WORLD, s->name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &s->file),
        "opened", s->name);
  if (o->info)
    MPI_Info_free(&info);
}

static void stream_close(struct stream *s) {
  check(MPI_File_close(&s->file), "closed", s->name);
  free(s->buffer);
  free(s->sum);
}

/* Moves one slab between the file and the stream's buffer. What is loaded must be what was stored.
 */
static void transfer(struct stream *s, int slab, enum direction direction) {
  MPI_Offset offset = s->origin + (MPI_Offset)slab * s->cells * (MPI_Offset)sizeof(double);
  int64_t at = offset / (MPI_Offset)sizeof(double);
  MPI_Status status;
  int got;
  if (direction == STORE) {
    s->sum[slab] = sum_of(s->buffer, s->cells, at);
    check(MPI_File_write_at_all(s->file, offset, s->buffer, s->cells, MPI_DOUBLE, &status),
          "written", s->name);
  } else {
    check(MPI_File_read_at_all(s->file, offset, s->buffer, s->cells, MPI_DOUBLE, &status), "read",
          s->name);
  }
  MPI_Get_count(&status, MPI_DOUBLE, &got);
  if (got != s->cells)
    die("%s: %d of %d cells of slab %d were transferred", s->name, got, s->cells, slab);
  if (direction == LOAD && sum_of(s->buffer, s->cells, at) != s->sum[slab])
    die("%s: slab %d does not hold what was written to it", s->name, slab);
}

/* Writes the state the computation begins with. Returns its total. */
static double stream_begin(struct stream *s, double value) {
  double total = 0;
  for (int slab = 0; slab < s->slabs; slab++) {
    int64_t at = s->origin / (MPI_Offset)sizeof(double) + (int64_t)slab * s->cells;
    for (int i = 0; i < s->cells; i++)
      s->buffer[i] = value + (double)((at + i) % 7) / 8;
    total += total_of(s->buffer, s->cells);
    transfer(s, slab, STORE);
  }
  return total;
}

/* Reads the whole state once more. Returns its total; adds to *sum. */
static double stream_finish(struct stream *s, uint64_t *sum) {
  double total = 0;
  for (int slab = 0; slab < s->slabs; slab++) {
    transfer(s, slab, LOAD);
    total += total_of(s->buffer, s->cells);
    *sum += s->sum[slab];
  }
  return total;
}

/* ---- the field ---- */

static void field_begin(struct field *f, int n) {
  f->n = n;
  f->rows = n / ranks;
  f->first = rank * f->rows;
  f->above = (rank + ranks - 1) % ranks;
  f->below = (rank + 1) % ranks;
  f->now = cells_of((size_t)(f->rows + 2) * (size_t)n);
  f->next = cells_of((size_t)(f->rows + 2) * (size_t)n);
  for (int i = 0; i < f->rows; i++) {
    double y = (double)(f->first + i) / n;
    for (int j = 0; j < n; j++) {
      double x = (double)j / n;
      f->now[(size_t)(i + 1) * (size_t)n + (size_t)j] = 1 + 16 * x * (1 - x) * y * (1 - y);
    }
  }
}

static double *row_of(double *cell, const struct field *f, int row) {
  return cell + (size_t)(row + 1) * (size_t)f->n;
}

static void swap_edges(struct field *f) {
  MPI_Sendrecv(row_of(f->now, f, 0), f->n, MPI_DOUBLE, f->above, 0, row_of(f->now, f, f->rows),
               f->n, MPI_DOUBLE, f->below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(row_of(f->now, f, f->rows - 1), f->n, MPI_DOUBLE, f->below, 1, row_of(f->now, f, -1),
               f->n, MPI_DOUBLE, f->above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double moved(double here, double west, double east, double north, double south) {
  const double across = 0.125, down = 0.0625, spread = 0.03125;
  return here - across * (here - west) - down * (here - north) +
         spread * (west + east + north + south - 4 * here);
}

static void sweep(struct field *f) {
  int last = f->n - 1;
  for (int i = 0; i < f->rows; i++) {
    const double *north = row_of(f->now, f, i - 1), *here = row_of(f->now, f, i),
                 *south = row_of(f->now, f, i + 1);
    double *out = row_of(f->next, f, i);
    out[0] = moved(here[0], here[last], here[1], north[0], south[0]);
    for (int j = 1; j < last; j++)
      out[j] = moved(here[j], here[j - 1], here[j + 1], north[j], south[j]);
    out[last] = moved(here[last], here[last - 1], here[0], north[last], south[last]);
  }
}

static void advance(struct field *f, int sweeps) {
  int done = 0;
  while (done < sweeps) {
    double *old = f->now;
    HINT(hand_hints_tick(&hints, done, sweeps));
    swap_edges(f);
    sweep(f);
    f->now = f->next;
    f->next = old;
    done++;
  }
}

/* A quarter of the difference changes sides, in every cell. */
static void exchange(struct field *f, struct stream *s) {
  for (int slab = 0; slab < s->slabs; slab++) {
    double *cell = row_of(f->now, f, 0) + (size_t)slab * (size_t)s->cells;
    transfer(s, slab, LOAD);
    for (int i = 0; i < s->cells; i++) {
      double flux = 0.25 * (cell[i] - s->buffer[i]);
      cell[i] -= flux;
      s->buffer[i] += flux;
    }
    transfer(s, slab, STORE);
  }
}

/* ---- the run ---- */

static void work(struct field *f, const struct options *o, const char *after) {
  double start = MPI_Wtime();
  advance(f, o->sweeps);
  if (o->time)
    fprintf(stderr, "relay: rank %d: after %s: %d sweeps %.6f s\n", rank, after, o->sweeps,
            MPI_Wtime() - start);
}

#ifdef RELAY_HINTED
/* Burst t is A's exchange for even t and B's for odd t; the first has the beginning of both states
 * in it, the last, after the last sweeps, is the final check of both. */
static void plan_bursts(const struct options *o, const struct stream *a, const struct stream *b) {
  int64_t bursts = 2 * (int64_t)o->steps + 1;
  hand_hints_start(&hints, bursts, 1);
  for (int64_t t = 0; t < bursts; t++) {
    bool ends = t == 0 || t == bursts - 1;
    if (ends || t % 2 == 0)
      hand_hints_touch(&hints, t, a->file, a->origin,
                       (int64_t)a->slabs * a->cells * (int64_t)sizeof(double));
    if (ends || t % 2 == 1)
      hand_hints_touch(&hints, t, b->file, b->origin,
                       (int64_t)b->slabs * b->cells * (int64_t)sizeof(double));
  }
  hand_hints_ready(&hints);
}
#endif

static int run(const struct options *o) {
  struct stream a, b;
  struct field field;
  double mine[2], all[2];
  uint64_t sum, checksum;
  int step = 0;
  stream_open(&a, o, 0);
  stream_open(&b, o, 1);
  field_begin(&field, o->n);
  HINT(plan_bursts(o, &a, &b));
  HINT(hand_hints_burst_begin(&hints));
  mine[0] = total_of(row_of(field.now, &field, 0), field.rows * field.n);
  mine[0] += stream_begin(&a, 2);
  mine[0] += stream_begin(&b, 3);
  while (step < o->steps) {
    exchange(&field, &a);
    HINT(hand_hints_burst_end(&hints));
    work(&field, o, "A");
    HINT(hand_hints_burst_begin(&hints));
    exchange(&field, &b);
    HINT(hand_hints_burst_end(&hints));
    work(&field, o, "B");
    HINT(hand_hints_burst_begin(&hints));
    step++;
  }
  sum = sum_of(row_of(field.now, &field, 0), field.rows * field.n, (int64_t)field.first * field.n);
  mine[1] = total_of(row_of(field.now, &field, 0), field.rows * field.n);
  mine[1] += stream_finish(&a, &sum);
  mine[1] += stream_finish(&b, &sum);
  HINT(hand_hints_end(&hints));
  stream_close(&a);
  stream_close(&b);
  free(field.now);
  free(field.next);
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (!(fabs(all[1] / all[0] - 1) < 1e-9)) {
    if (rank == 0)
      fprintf(stderr, "relay: the total went from %.17g to %.17g\n", all[0], all[1]);
    return 1;
  }
  if (rank == 0)
    printf("relay: n %d, %d steps of 2 x %d sweeps, checksum %016" PRIx64 "\n", o->n, o->steps,
           o->sweeps, checksum);
  return 0;
}

/* ---- options ---- */

static const char usage[] =
    "usage: relay [options] A B     states A and B are kept in these files, which are overwritten\n"
    "  --n N        grid of N x N cells (default 512)\n"
    "  --steps S    steps, each with one exchange with A and one with B (default 3)\n"
    "  --slabs K    a rank reads and writes a state in K slabs (default 4)\n"
    "  --work X     compute X times as much, a multiple of 0.01 (default 1)\n"
    "  --no-info    do not ask for a striping\n"
    "  --time       timings on stderr\n"
    "N must be a multiple of the number of ranks times K.\n";

static bool number(const char *option, const char *text, int *value) {
  char *rest;
  long n = strtol(text, &rest, 10);
  if (rest == text || *rest || n < 1 || n > 30000) {
    if (rank == 0)
      fprintf(stderr, "relay: --%s: a number from 1 to 30000 is needed, not \"%s\"\n", option,
              text);
    return false;
  }
  *value = (int)n;
  return true;
}

static bool parse(int argc, char **argv, struct options *o) {
  static const struct option table[] = {
      {"n", 1, NULL, 'n'},    {"steps", 1, NULL, 's'}, {"slabs", 1, NULL, 'k'},
      {"work", 1, NULL, 'w'}, {"time", 0, NULL, 't'},  {"no-info", 0, NULL, 'i'},
      {NULL, 0, NULL, 0},
  };
  int c;
  *o = (struct options){.n = 512, .steps = 3, .slabs = 4, .sweeps = SWEEPS_AT_WORK_1, .info = true};
  opterr = rank == 0;
  while ((c = getopt_long(argc, argv, "", table, NULL)) != -1) {
    bool good = true;
    double amount;
    switch (c) {
    case 'n':
      good = number("n", optarg, &o->n);
      break;
    case 's':
      good = number("steps", optarg, &o->steps);
      break;
    case 'k':
      good = number("slabs", optarg, &o->slabs);
      break;
    case 'w':
      amount = atof(optarg) * SWEEPS_AT_WORK_1 + 0.5;
      good = amount >= 1 && amount < 1e9;
      if (good)
        o->sweeps = (int)amount;
      else if (rank == 0)
        fprintf(stderr, "relay: --work: a number of at least 0.01 is needed, not \"%s\"\n", optarg);
      break;
    case 't':
      o->time = true;
      break;
    case 'i':
      o->info = false;
      break;
    default:
      good = false;
    }
    if (!good)
      return false;
  }
  if (argc - optind != 2) {
    if (rank == 0)
      fprintf(stderr, "relay: two file names are needed\n%s", usage);
    return false;
  }
  o->name[0] = argv[optind];
  o->name[1] = argv[optind + 1];
  if (o->n % (ranks * o->slabs)) {
    if (rank == 0)
      fprintf(stderr, "relay: --n %d is no multiple of %d ranks x %d slabs\n", o->n, ranks,
              o->slabs);
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  struct options o;
  int status = 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (parse(argc, argv, &o))
    status = run(&o);
  MPI_Finalize();
  return status;
}
