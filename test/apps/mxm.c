/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Out-of-core blocked matrix multiplication over MPI-IO, after Fig. 2 of Son & Kandemir: C = A * B,
 * N x N doubles.
 *
 * A q x q grid of ranks shares the work. With nb = ceil(N / q) rank (r, c) owns rows [r*nb, r*nb +
 * nb) and columns [c*nb, c*nb + nb) of C (cut at N). The inner dimension is cut into K slabs of w =
 * ceil(N / K). Phase k reads the slab A(r, k) and the slab B(k, c), multiplies them and
 * accumulates; after the last phase the block of C is written. With N = 2827 the three files hold 3
 * * 8 * N^2 bytes = 191.8 MB, the paper's size.
 *
 * Files hold nothing but doubles, ordered so that every request is one contiguous region:
 *   A: for r, for k: the rows of block r, columns of slab k, row by row      starts at element
 * r*nb*N + rows(r)*k*w B: for c, for k: the rows of slab k, columns of block c, row by row starts
 * at element c*nb*N + cols(c)*k*w C: for r, for c: the rows of block r, columns of block c, row by
 * row     starts at element r*nb*N + rows(r)*c*nb so a file made for one (N, K, q) cannot be read
 * with another; the program notices that.
 *
 * Elements of A and B are small integers given by a formula: every sum is exact, C does not depend
 * on the order of additions, and the program checks each slab it read as well as its product
 * (Freivalds, modulo 2^64, fixed seed). stdout gets one line that depends on N alone; exit status 1
 * and a message on stderr if anything is wrong.
 *
 * Compiled with -DMXM_HINTED it is the same program with disk speed hints placed by hand
 * (hand_hints.h). */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MXM_HINTED
#include "hand_hints.h"
#define HINT(statement) statement
static struct hand_hints hints;
#else
#define HINT(statement)
#endif

/* --work 1 is this many repetitions of each phase's multiplication; --work 0.1 is one, --work 10 a
 * hundred. */
#define REPEAT_AT_WORK_1 10

enum { SEED_A = 1, SEED_B = 2, SEED_U = 3, SEED_V = 4, SEED_SUM = 5 };

struct options {
  int64_t n, slabs, products, repeat;
  int seek, generate, time;
  const char *layout[3]; /* base:factor:unit, or NULL: the program does not know */
  char name[3][4096];
};

/* One rank's part of the problem. */
struct part {
  int64_t n, nb, w, slabs;
  int64_t row, col;   /* place in the grid */
  int64_t rows, cols; /* size of the block of C */
};

static int world_rank;

static void fail(const char *what, const char *name, int mpi_code) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (mpi_code != MPI_SUCCESS)
    MPI_Error_string(mpi_code, reason, &length);
  fprintf(stderr, "mxm: rank %d: %s: %s%s%s\n", world_rank, name, what, length ? ": " : "", reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void *allocate(int64_t count, size_t size) {
  void *memory = calloc(count > 0 ? (size_t)count : 1, size);
  if (!memory)
    fail("out of memory", "allocation", MPI_SUCCESS);
  return memory;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A number that looks random, the same on every machine (the finalizer of SplitMix64, public domain
 * mathematics). */
static uint64_t mix(uint64_t seed, int64_t i, int64_t j) {
  uint64_t z = (seed << 56) ^ ((uint64_t)i << 28) ^ (uint64_t)j;
  z = (z + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static double element(uint64_t seed, int64_t i, int64_t j) {
  return (double)(int64_t)(mix(seed, i, j) % 17) - 8.0;
}

/* ---- files
 * ------------------------------------------------------------------------------------------------------
 */

static MPI_File open_file(const char *name, const char *layout, int mode) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File file;
  if (layout) {
    char text[128], *base, *factor, *unit, *rest;
    snprintf(text, sizeof text, "%s", layout);
    base = strtok_r(text, ":", &rest);
    factor = strtok_r(NULL, ":", &rest);
    unit = strtok_r(NULL, ":", &rest);
    if (!base || !factor || !unit)
      fail("layout must be base:factor:unit, for example 1:3:65536", layout, MPI_SUCCESS);
    MPI_Info_create(&info);
    MPI_Info_set(info, "start_iodevice", base);
    MPI_Info_set(info, "striping_factor", factor);
    MPI_Info_set(info, "striping_unit", unit);
  }
  int code = MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);
  if (code != MPI_SUCCESS)
    fail("cannot be opened", name, code);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  return file;
}

static void read_slab(MPI_File file, const char *name, MPI_Offset offset, double *slab,
                      int64_t count, int seek) {
  MPI_Status status;
  int code, got = 0;
  if (seek) {
    code = MPI_File_seek(file, offset, MPI_SEEK_SET);
    if (code == MPI_SUCCESS)
      code = MPI_File_read(file, slab, (int)count, MPI_DOUBLE, &status);
  } else {
    code = MPI_File_read_at(file, offset, slab, (int)count, MPI_DOUBLE, &status);
  }
  if (code != MPI_SUCCESS)
    fail("cannot be read", name, code);
  MPI_Get_count(&status, MPI_DOUBLE, &got);
  if (got != count)
    fail("ends too early; make it with --generate and the same --n, --k and number of ranks", name,
         MPI_SUCCESS);
}

static void write_block(MPI_File file, const char *name, MPI_Offset offset, const double *block,
                        int64_t count, int seek) {
  MPI_Status status;
  int code;
  if (seek) {
    code = MPI_File_seek(file, offset, MPI_SEEK_SET);
    if (code == MPI_SUCCESS)
      code = MPI_File_write(file, block, (int)count, MPI_DOUBLE, &status);
  } else {
    code = MPI_File_write_at(file, offset, block, (int)count, MPI_DOUBLE, &status);
  }
  if (code != MPI_SUCCESS)
    fail("cannot be written", name, code);
}

/* Where the slab of block (row of A, column of B) `block` of `extent` lines begins, and how wide
 * slab k is. */
static MPI_Offset slab_offset(const struct part *p, int64_t block, int64_t extent, int64_t k) {
  return (MPI_Offset)sizeof(double) * (block * p->nb * p->n + extent * k * p->w);
}
static int64_t slab_width(const struct part *p, int64_t k) { return least(p->w, p->n - k * p->w); }

static MPI_Offset block_offset(const struct part *p) {
  return (MPI_Offset)sizeof(double) * (p->row * p->nb * p->n + p->rows * p->col * p->nb);
}

/* ---- arithmetic
 * -------------------------------------------------------------------------------------------------
 */

/* c += a * b with a rows x width, b width x cols; `line` is one row of scratch. Repeating a row
 * gives the same row. */
static void multiply(const double *a, const double *b, double *c, double *line, int64_t rows,
                     int64_t width, int64_t cols, int64_t repeat) {
  for (int64_t i = 0; i < rows; i++) {
    HINT(hand_hints_tick(&hints, i, rows));
    for (int64_t again = 0; again < repeat; again++) {
      memset(line, 0, (size_t)cols * sizeof *line);
      for (int64_t k = 0; k < width; k++) {
        double scale = a[i * width + k];
        for (int64_t j = 0; j < cols; j++)
          line[j] += scale * b[k * cols + j];
      }
    }
    for (int64_t j = 0; j < cols; j++)
      c[i * cols + j] += line[j];
  }
}

/* Checks a slab against the formula and adds its projection: sum over its lines of weight[line] *
 * element, one sum for each of the N values of the inner index. */
static void project_a(const struct part *p, int64_t k, const double *a, uint64_t *sum,
                      const char *name) {
  int64_t width = slab_width(p, k), first = k * p->w;
  for (int64_t i = 0; i < p->rows; i++) {
    uint64_t weight = mix(SEED_U, 0, p->row * p->nb + i);
    for (int64_t j = 0; j < width; j++) {
      double value = a[i * width + j];
      if (value != element(SEED_A, p->row * p->nb + i, first + j))
        fail("holds other data than --generate writes for this --n, --k and number of ranks", name,
             MPI_SUCCESS);
      sum[first + j] += weight * (uint64_t)(int64_t)value;
    }
  }
}

static void project_b(const struct part *p, int64_t k, const double *b, uint64_t *sum,
                      const char *name) {
  int64_t width = slab_width(p, k), first = k * p->w;
  for (int64_t i = 0; i < width; i++) {
    for (int64_t j = 0; j < p->cols; j++) {
      double value = b[i * p->cols + j];
      if (value != element(SEED_B, first + i, p->col * p->nb + j))
        fail("holds other data than --generate writes for this --n, --k and number of ranks", name,
             MPI_SUCCESS);
      sum[first + i] += mix(SEED_V, 0, p->col * p->nb + j) * (uint64_t)(int64_t)value;
    }
  }
}

/* Freivalds: u'(AB)v must be u'Cv. Returns the checksum of C; sets *right on every rank. */
static uint64_t verify(const struct part *p, const double *c, uint64_t *ua, uint64_t *bv,
                       int *right) {
  uint64_t mine[2] = {0, 0}, all[2], expected = 0;
  int exact = 1;
  for (int64_t i = 0; i < p->rows; i++) {
    uint64_t weight = mix(SEED_U, 0, p->row * p->nb + i);
    for (int64_t j = 0; j < p->cols; j++) {
      double value = c[i * p->cols + j];
      if (!(value >= -1e15 && value <= 1e15) || value != (double)(int64_t)value) {
        exact = 0;
        continue;
      }
      mine[0] += weight * (uint64_t)(int64_t)value * mix(SEED_V, 0, p->col * p->nb + j);
      mine[1] += mix(SEED_SUM, p->row * p->nb + i, p->col * p->nb + j) * (uint64_t)(int64_t)value;
    }
  }
  /* Each slab of A was read by a whole row of the grid and each slab of B by a whole column: count
   * them once. */
  if (p->col != 0)
    memset(ua, 0, (size_t)p->n * sizeof *ua);
  if (p->row != 0)
    memset(bv, 0, (size_t)p->n * sizeof *bv);
  MPI_Allreduce(MPI_IN_PLACE, ua, (int)p->n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, bv, (int)p->n, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &exact, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  for (int64_t k = 0; k < p->n; k++)
    expected += ua[k] * bv[k];
  *right = exact && expected == all[0];
  return all[1];
}

/* ---- the two things the program does
 * ---------------------------------------------------------------------------- */

static void write_matrix(const struct options *o, const struct part *p, int q, int which,
                         uint64_t seed) {
  MPI_File file = open_file(o->name[which], o->layout[which], MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_size(file, (MPI_Offset)sizeof(double) * p->n * p->n);
  if (world_rank == 0) {
    double *slab = allocate(p->nb * p->w, sizeof *slab);
    for (int64_t block = 0; block < q; block++) {
      int64_t extent = least(p->nb, p->n - block * p->nb);
      for (int64_t k = 0; k < p->slabs; k++) {
        int64_t width = slab_width(p, k), at = 0;
        for (int64_t i = 0; i < (which == 0 ? extent : width); i++)
          for (int64_t j = 0; j < (which == 0 ? width : extent); j++)
            slab[at++] = which == 0 ? element(seed, block * p->nb + i, k * p->w + j)
                                    : element(seed, k * p->w + i, block * p->nb + j);
        write_block(file, o->name[which], slab_offset(p, block, extent, k), slab, at, 0);
      }
    }
    free(slab);
  }
  MPI_File_close(&file);
}

/* One product; ua and bv gather the projections. Returns with C written. */
static void product(const struct options *o, const struct part *p, MPI_File file_a, MPI_File file_b,
                    MPI_File file_c, double *c, uint64_t *ua, uint64_t *bv) {
  double *a = allocate(p->rows * p->w, sizeof *a), *b = allocate(p->w * p->cols, sizeof *b);
  double *line = allocate(p->cols, sizeof *line);
  memset(c, 0, (size_t)(p->rows * p->cols) * sizeof *c);
  memset(ua, 0, (size_t)p->n * sizeof *ua);
  memset(bv, 0, (size_t)p->n * sizeof *bv);
  for (int64_t k = 0; k < p->slabs; k++) {
    int64_t width = slab_width(p, k);
    double start = MPI_Wtime();
    HINT(hand_hints_burst_begin(&hints));
    read_slab(file_a, o->name[0], slab_offset(p, p->row, p->rows, k), a, p->rows * width, o->seek);
    read_slab(file_b, o->name[1], slab_offset(p, p->col, p->cols, k), b, width * p->cols, o->seek);
    HINT(hand_hints_burst_end(&hints));
    double read = MPI_Wtime();
    multiply(a, b, c, line, p->rows, width, p->cols, o->repeat);
    project_a(p, k, a, ua, o->name[0]);
    project_b(p, k, b, bv, o->name[1]);
    if (o->time)
      fprintf(stderr, "mxm: rank %d: phase %" PRId64 ": read %.6f s, multiply %.6f s\n", world_rank,
              k, read - start, MPI_Wtime() - read);
  }
  HINT(hand_hints_burst_begin(&hints));
  write_block(file_c, o->name[2], block_offset(p), c, p->rows * p->cols, o->seek);
  HINT(hand_hints_burst_end_of_product(&hints));
  free(a);
  free(b);
  free(line);
}

#ifdef MXM_HINTED
/* Tells the hints which disks each burst of one product touches: K reads, then the write. */
static void plan_bursts(const struct options *o, const struct part *p, MPI_File file_a,
                        MPI_File file_b, MPI_File file_c) {
  hand_hints_start(&hints, p->slabs + 1, o->products);
  for (int64_t k = 0; k < p->slabs; k++) {
    int64_t width = slab_width(p, k);
    hand_hints_touch(&hints, k, file_a, slab_offset(p, p->row, p->rows, k),
                     p->rows * width * (int64_t)sizeof(double));
    hand_hints_touch(&hints, k, file_b, slab_offset(p, p->col, p->cols, k),
                     width * p->cols * (int64_t)sizeof(double));
  }
  hand_hints_touch(&hints, p->slabs, file_c, block_offset(p),
                   p->rows * p->cols * (int64_t)sizeof(double));
  hand_hints_ready(&hints);
}
#endif

static int run(const struct options *o, const struct part *p) {
  double *c = allocate(p->rows * p->cols, sizeof *c);
  uint64_t *ua = allocate(p->n, sizeof *ua), *bv = allocate(p->n, sizeof *bv), sum = 0;
  int right = 1;
  MPI_File file_a = open_file(o->name[0], o->layout[0], MPI_MODE_RDONLY);
  MPI_File file_b = open_file(o->name[1], o->layout[1], MPI_MODE_RDONLY);
  MPI_File file_c = open_file(o->name[2], o->layout[2], MPI_MODE_CREATE | MPI_MODE_RDWR);
  double start = MPI_Wtime();
  HINT(plan_bursts(o, p, file_a, file_b, file_c));
  for (int64_t i = 0; i < o->products; i++)
    product(o, p, file_a, file_b, file_c, c, ua, bv);
  HINT(hand_hints_end(&hints));
  if (o->time && world_rank == 0)
    fprintf(stderr, "mxm: %" PRId64 " products in %.6f s\n", o->products, MPI_Wtime() - start);
  sum = verify(p, c, ua, bv, &right);
  MPI_File_close(&file_a);
  MPI_File_close(&file_b);
  MPI_File_close(&file_c);
  if (world_rank == 0) {
    if (right)
      printf("mxm: n %" PRId64 ", checksum of C %016" PRIx64 "\n", o->n, sum);
    else
      fprintf(stderr, "mxm: the product is wrong (Freivalds)\n");
  }
  free(c);
  free(ua);
  free(bv);
  return !right;
}

/* ---- options
 * ----------------------------------------------------------------------------------------------------
 */

static const char usage[] =
    "usage: mxm [options] A B C        multiply the matrices in files A and B into C\n"
    "       mxm [options] --files P    the same with the files P.a, P.b and P.c\n"
    "  --generate          write A and B instead, for the same --n, --k and number of ranks\n"
    "  --n N               matrices of N x N doubles (default 512; the paper's size is 2827)\n"
    "  --k K               number of slabs, that is of I/O phases (default 8)\n"
    "  --products P        multiply P times in a row (default 1)\n"
    "  --work X            compute X times as much, a multiple of 0.1 (default 1)\n"
    "  --seek              MPI_File_seek and MPI_File_read instead of MPI_File_read_at\n"
    "  --layout-a B:F:U    striping of A given at open: first disk, number of disks, bytes of a "
    "stripe;\n"
    "  --layout-b, --layout-c likewise; without them the program tells MPI nothing\n"
    "  --time              timings on stderr\n"
    "The number of ranks must be a square.\n";

static int64_t number(const char *option, const char *text) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || end == text || *end || value < 1 || value > 1000000) {
    if (world_rank == 0)
      fprintf(stderr, "mxm: --%s: a number from 1 to 1000000 is needed, not \"%s\"\n", option,
              text);
    return 0;
  }
  return value;
}

static int parse(int argc, char **argv, struct options *o) {
  enum { N, K, PRODUCTS, WORK, SEEK, GENERATE, TIME, FILES, LAYOUT_A, LAYOUT_B, LAYOUT_C, HELP };
  static const struct option table[] = {{"n", 1, NULL, N},
                                        {"k", 1, NULL, K},
                                        {"products", 1, NULL, PRODUCTS},
                                        {"work", 1, NULL, WORK},
                                        {"seek", 0, NULL, SEEK},
                                        {"generate", 0, NULL, GENERATE},
                                        {"time", 0, NULL, TIME},
                                        {"files", 1, NULL, FILES},
                                        {"layout-a", 1, NULL, LAYOUT_A},
                                        {"layout-b", 1, NULL, LAYOUT_B},
                                        {"layout-c", 1, NULL, LAYOUT_C},
                                        {"help", 0, NULL, HELP},
                                        {NULL, 0, NULL, 0}};
  const char *prefix = NULL;
  *o = (struct options){.n = 512, .slabs = 8, .products = 1, .repeat = REPEAT_AT_WORK_1};
  opterr = world_rank == 0;
  for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    switch (c) {
    case N:
      o->n = number("n", optarg);
      break;
    case K:
      o->slabs = number("k", optarg);
      break;
    case PRODUCTS:
      o->products = number("products", optarg);
      break;
    case WORK:
      o->repeat = (int64_t)(atof(optarg) * REPEAT_AT_WORK_1 + 0.5);
      break;
    case SEEK:
      o->seek = 1;
      break;
    case GENERATE:
      o->generate = 1;
      break;
    case TIME:
      o->time = 1;
      break;
    case FILES:
      prefix = optarg;
      break;
    case LAYOUT_A:
    case LAYOUT_B:
    case LAYOUT_C:
      o->layout[c - LAYOUT_A] = optarg;
      break;
    case HELP:
      if (world_rank == 0)
        fputs(usage, stdout);
      return 1;
    default:
      return -1;
    }
  }
  if (!o->n || !o->slabs || !o->products)
    return -1;
  if (o->repeat < 1) {
    if (world_rank == 0)
      fprintf(stderr, "mxm: --work: a number of at least 0.1 is needed\n");
    return -1;
  }
  if (argc - optind != (prefix ? 0 : 3)) {
    if (world_rank == 0)
      fprintf(stderr, "mxm: three file names or --files are needed\n%s", usage);
    return -1;
  }
  for (int i = 0; i < 3; i++)
    snprintf(o->name[i], sizeof o->name[i], prefix ? "%s.%c" : "%s",
             prefix ? prefix : argv[optind + i], 'a' + i);
  return 0;
}

int main(int argc, char **argv) {
  struct options o;
  int size, q = 1, status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  while (q * q < size)
    q++;
  status = parse(argc, argv, &o);
  if (!status && (q * q != size || o.n < q || o.n < o.slabs)) {
    if (world_rank == 0)
      fprintf(stderr,
              "mxm: %d ranks, --n %" PRId64 ", --k %" PRId64
              ": the number of ranks must be a square and --n "
              "no smaller than its root or --k\n",
              size, o.n, o.slabs);
    status = -1;
  }
  if (status) {
    MPI_Finalize();
    return status < 0 ? 2 : 0;
  }
  struct part p = {.n = o.n, .nb = (o.n + q - 1) / q, .w = (o.n + o.slabs - 1) / o.slabs};
  p.slabs = (o.n + p.w - 1) /
            p.w; /* rounding up the width can make the last slabs empty: they are left out */
  p.row = world_rank / q;
  p.col = world_rank % q;
  p.rows = least(p.nb, p.n - p.row * p.nb);
  p.cols = least(p.nb, p.n - p.col * p.nb);
  if (p.rows < 1 || p.cols < 1)
    fail("nothing is left for the last ranks; take a larger --n or fewer ranks", "--n",
         MPI_SUCCESS);
  if (p.nb * p.nb > INT_MAX || p.nb * p.w > INT_MAX)
    fail("one request would be longer than MPI can count; use more ranks or slabs", o.name[0],
         MPI_SUCCESS);
  if (o.generate) {
    write_matrix(&o, &p, q, 0, SEED_A);
    write_matrix(&o, &p, q, 1, SEED_B);
  } else {
    status = run(&o, &p);
  }
  MPI_Finalize();
  return status;
}
