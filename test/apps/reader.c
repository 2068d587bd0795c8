/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program that knows nothing of hints and shares disks with programs that do: it reads pieces of
 * a file at random places, several at once (a burst), rests, and reads again; every byte is
 * checked. The places are the same on every run. One line on stdout that depends on the options
 * alone; exit status 1 and a message if a byte is wrong.
 *
 * usage: reader [--generate] [--megabytes M] [--bursts B] [--pieces P] [--kilobytes K]
 *               [--rest-ms R] [--layout B:F:U] FILE */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
  int64_t megabytes, bursts, pieces, kilobytes, rest_ms;
  int generate;
  const char *layout, *name;
};

static uint64_t mix(uint64_t z) {
  z = (z + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void fill(uint64_t *words, int64_t first, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    words[i] = mix((uint64_t)(first + i));
}

static void fail(const char *what, const char *name) {
  fprintf(stderr, "reader: %s: %s\n", name, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static MPI_File open_file(const struct options *o, int mode) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File file;
  if (o->layout) {
    char text[128], *rest, *base, *factor, *unit;
    snprintf(text, sizeof text, "%s", o->layout);
    base = strtok_r(text, ":", &rest);
    factor = strtok_r(NULL, ":", &rest);
    unit = strtok_r(NULL, ":", &rest);
    if (!base || !factor || !unit)
      fail("layout must be base:factor:unit", o->layout);
    MPI_Info_create(&info);
    MPI_Info_set(info, "start_iodevice", base);
    MPI_Info_set(info, "striping_factor", factor);
    MPI_Info_set(info, "striping_unit", unit);
  }
  if (MPI_File_open(MPI_COMM_SELF, o->name, mode, info, &file) != MPI_SUCCESS)
    fail("cannot be opened", o->name);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  return file;
}

static void generate(const struct options *o) {
  MPI_File file = open_file(o, MPI_MODE_CREATE | MPI_MODE_RDWR);
  int64_t words = INT64_C(1) << 17; /* a megabyte */
  uint64_t *buffer = malloc((size_t)words * sizeof *buffer);
  if (!buffer)
    fail("out of memory", o->name);
  for (int64_t i = 0; i < o->megabytes; i++) {
    fill(buffer, i * words, words);
    if (MPI_File_write_at(file, i << 20, buffer, (int)words, MPI_UINT64_T, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
      fail("cannot be written", o->name);
  }
  free(buffer);
  MPI_File_close(&file);
}

static void read_bursts(const struct options *o) {
  MPI_File file = open_file(o, MPI_MODE_RDONLY);
  int64_t words = o->kilobytes << 7, places = (o->megabytes << 17) - words + 1, piece = 0;
  uint64_t *got = malloc((size_t)words * sizeof *got),
           *right = malloc((size_t)words * sizeof *right), sum = 0;
  struct timespec rest = {o->rest_ms / 1000, o->rest_ms % 1000 * 1000000};
  if (!got || !right)
    fail("out of memory", o->name);
  for (int64_t burst = 0; burst < o->bursts; burst++) {
    for (int64_t i = 0; i < o->pieces; i++, piece++) {
      int64_t first = (int64_t)(mix((uint64_t)piece ^ UINT64_C(0x5eed)) % (uint64_t)places);
      MPI_Status status;
      int count = 0;
      if (MPI_File_read_at(file, first * 8, got, (int)words, MPI_UINT64_T, &status) != MPI_SUCCESS)
        fail("cannot be read", o->name);
      MPI_Get_count(&status, MPI_UINT64_T, &count);
      fill(right, first, words);
      if (count != words || memcmp(got, right, (size_t)words * sizeof *got))
        fail("holds wrong data", o->name);
      sum += got[0];
    }
    nanosleep(&rest, NULL);
  }
  printf("reader: %" PRId64 " pieces right, checksum %016" PRIx64 "\n", piece, sum);
  free(got);
  free(right);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  enum { GENERATE, LAYOUT, NUMBERS };
  static const struct option table[] = {
      {"generate", 0, NULL, GENERATE},   {"layout", 1, NULL, LAYOUT},
      {"megabytes", 1, NULL, NUMBERS},   {"bursts", 1, NULL, NUMBERS + 1},
      {"pieces", 1, NULL, NUMBERS + 2},  {"kilobytes", 1, NULL, NUMBERS + 3},
      {"rest-ms", 1, NULL, NUMBERS + 4}, {NULL, 0, NULL, 0}};
  struct options o = {.megabytes = 16, .bursts = 5, .pieces = 4, .kilobytes = 256, .rest_ms = 300};
  int64_t *number[] = {&o.megabytes, &o.bursts, &o.pieces, &o.kilobytes, &o.rest_ms};
  int bad = 0;
  MPI_Init(&argc, &argv);
  for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (c == GENERATE)
      o.generate = 1;
    else if (c == LAYOUT)
      o.layout = optarg;
    else if (c >= NUMBERS && c < NUMBERS + 5)
      bad |= (*number[c - NUMBERS] = atoll(optarg)) < (c == NUMBERS + 4 ? 0 : 1);
    else
      bad = 1;
  }
  if (bad || optind + 1 != argc || o.kilobytes > o.megabytes << 10) {
    fprintf(
        stderr,
        "usage: reader [--generate] [--megabytes M] [--bursts B] [--pieces P] [--kilobytes K] "
        "[--rest-ms R]"
        " [--layout B:F:U] FILE\nnumbers are at least 1, and a piece is no longer than the file\n");
    MPI_Finalize();
    return 2;
  }
  o.name = argv[optind];
  if (o.generate)
    generate(&o);
  else
    read_bursts(&o);
  MPI_Finalize();
  return 0;
}
