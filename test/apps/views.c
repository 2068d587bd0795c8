/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways to write a file together and to read it back: with explicit offsets and through views with
 * holes, each rank for itself or collectively, nonblocking, in two halves, by a shared pointer.
 * What the MPI library makes of them below (data sieving, two-phase I/O) is up to its own hints.
 *
 * In round i rank r owns the chunk at (i * ranks + slot) * (chunk + hole) bytes; slot is r, or with
 * --down the ranks in falling order, and in odd rounds with --turn the next rank's. Every kind
 * writes its rounds to FILE.KIND, rests, reads them back and checks them. One line on stdout that
 * depends on the options alone; exit status 1 and a message if a byte is wrong.
 *
 * usage: views [--kinds K,K...] [--chunk BYTES] [--hole BYTES] [--rounds N] [--rest-ms R]
 *              [--down] [--turn] FILE */
#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks, chunk = 65536, hole, rounds = 4, rest_ms = 50, down, turn;
static unsigned char *mine, *got;

static void fail(const char *kind, const char *what) {
  fprintf(stderr, "views: rank %d: %s: %s\n", rank, kind, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int slot(int round) {
  int r = down ? ranks - 1 - rank : rank;
  return turn && round % 2 ? (r + 1) % ranks : r;
}
static MPI_Offset place(int round) {
  return ((MPI_Offset)round * ranks + slot(round)) * (chunk + hole);
}
static unsigned char *of_round(unsigned char *buffer, int round) {
  return buffer + (size_t)round * (size_t)chunk;
}

/* Each kind moves all rounds one way. */
static void alone(MPI_File f, int write) {
  for (int i = 0; i < rounds; i++)
    if (write)
      MPI_File_write_at(f, place(i), of_round(mine, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
    else
      MPI_File_read_at(f, place(i), of_round(got, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void together(MPI_File f, int write) {
  for (int i = 0; i < rounds; i++)
    if (write)
      MPI_File_write_at_all(f, place(i), of_round(mine, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
    else
      MPI_File_read_at_all(f, place(i), of_round(got, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
}

/* Only rank 0 has anything to say. */
static void first(MPI_File f, int write) {
  int n = rank ? 0 : chunk;
  for (int i = 0; i < rounds; i++)
    if (write)
      MPI_File_write_at_all(f, place(i), of_round(mine, i), n, MPI_BYTE, MPI_STATUS_IGNORE);
    else
      MPI_File_read_at_all(f, place(i), of_round(got, i), n, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void later(MPI_File f, int write) {
  MPI_Request request;
  for (int i = 0; i < rounds; i++) {
    if (write)
      MPI_File_iwrite_at(f, place(i), of_round(mine, i), chunk, MPI_BYTE, &request);
    else
      MPI_File_iread_at(f, place(i), of_round(got, i), chunk, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void together_later(MPI_File f, int write) {
  MPI_Request *request = malloc((size_t)rounds * sizeof *request);
  if (!request)
    fail("together_later", "out of memory");
  for (int i = 0; i < rounds; i++)
    if (write)
      MPI_File_iwrite_at_all(f, place(i), of_round(mine, i), chunk, MPI_BYTE, &request[i]);
    else
      MPI_File_iread_at_all(f, place(i), of_round(got, i), chunk, MPI_BYTE, &request[i]);
  MPI_Waitall(rounds, request, MPI_STATUSES_IGNORE);
  free(request);
}

static void halves(MPI_File f, int write) {
  for (int i = 0; i < rounds; i++)
    if (write) {
      MPI_File_write_at_all_begin(f, place(i), of_round(mine, i), chunk, MPI_BYTE);
      MPI_File_write_at_all_end(f, of_round(mine, i), MPI_STATUS_IGNORE);
    } else {
      MPI_File_read_at_all_begin(f, place(i), of_round(got, i), chunk, MPI_BYTE);
      MPI_File_read_at_all_end(f, of_round(got, i), MPI_STATUS_IGNORE);
    }
}

/* All rounds are one access through a view that leaves the others' chunks out. */
static void through_view(MPI_File f, int write, int collective) {
  MPI_Datatype type;
  int *length = malloc((size_t)rounds * sizeof *length);
  MPI_Aint *at = malloc((size_t)rounds * sizeof *at);
  if (!length || !at)
    fail("view", "out of memory");
  for (int i = 0; i < rounds; i++) {
    length[i] = chunk;
    at[i] = (MPI_Aint)place(i);
  }
  MPI_Type_create_hindexed(rounds, length, at, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(f, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
  int n = rounds * chunk;
  if (write && collective)
    MPI_File_write_all(f, mine, n, MPI_BYTE, MPI_STATUS_IGNORE);
  else if (write)
    MPI_File_write(f, mine, n, MPI_BYTE, MPI_STATUS_IGNORE);
  else if (collective)
    MPI_File_read_all(f, got, n, MPI_BYTE, MPI_STATUS_IGNORE);
  else
    MPI_File_read(f, got, n, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  free(length);
  free(at);
}
static void view(MPI_File f, int write) { through_view(f, write, 0); }
static void view_together(MPI_File f, int write) { through_view(f, write, 1); }

/* The barrier: without collective buffering ROMIO (MPICH 4.0.2) lets rank 0 begin the next ordered
 * access before the last rank has moved the pointer. */
static void ordered(MPI_File f, int write) {
  MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
  for (int i = 0; i < rounds; i++) {
    if (write)
      MPI_File_write_ordered(f, of_round(mine, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
    else
      MPI_File_read_ordered(f, of_round(got, i), chunk, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static const struct kind {
  const char *name;
  void (*move)(MPI_File f, int write);
} kinds[] = {{"alone", alone},
             {"together", together},
             {"first", first},
             {"later", later},
             {"together_later", together_later},
             {"halves", halves},
             {"view", view},
             {"view_together", view_together},
             {"ordered", ordered}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void run(const struct kind *k, const char *base) {
  char name[4096];
  struct timespec rest = {rest_ms / 1000, rest_ms % 1000 * 1000000L};
  size_t bytes = (size_t)rounds * (size_t)chunk;
  MPI_File f;
  snprintf(name, sizeof name, "%s.%s", base, k->name);
  for (size_t i = 0; i < bytes; i++)
    mine[i] = (unsigned char)(i * 7 + i / 251 + (size_t)rank * 13 + 1);
  memset(got, 0, bytes);
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) !=
      MPI_SUCCESS)
    fail(k->name, "cannot be opened");
  k->move(f, 1);
  MPI_File_sync(f);
  MPI_Barrier(MPI_COMM_WORLD);
  nanosleep(&rest, NULL);
  k->move(f, 0);
  MPI_File_close(&f);
  if (memcmp(mine, got, bytes) && !(k->move == first && rank))
    fail(k->name, "wrong data");
  if (rank == 0)
    printf(" %s", k->name);
}

int main(int argc, char **argv) {
  enum { HELP, WHICH, CHUNK, HOLE, ROUNDS, REST, DOWN, TURN };
  static const struct option table[] = {{"kinds", 1, NULL, WHICH},  {"chunk", 1, NULL, CHUNK},
                                        {"hole", 1, NULL, HOLE},    {"rounds", 1, NULL, ROUNDS},
                                        {"rest-ms", 1, NULL, REST}, {"down", 0, NULL, DOWN},
                                        {"turn", 0, NULL, TURN},    {NULL, 0, NULL, 0}};
  int *number[] = {[CHUNK] = &chunk, [HOLE] = &hole, [ROUNDS] = &rounds, [REST] = &rest_ms};
  const char *which = NULL;
  int bad = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (c == WHICH)
      which = optarg;
    else if (c >= CHUNK && c <= REST)
      bad |= (*number[c] = atoi(optarg)) < (c == HOLE || c == REST ? 0 : 1);
    else if (c == DOWN || c == TURN)
      *(c == DOWN ? &down : &turn) = 1;
    else
      bad = 1;
  }
  if (bad || optind + 1 != argc) {
    if (!rank)
      fprintf(stderr, "usage: views [--kinds K,K...] [--chunk BYTES] [--hole BYTES] [--rounds N] "
                      "[--rest-ms R] [--down] [--turn] FILE\n");
    MPI_Finalize();
    return 2;
  }
  mine = malloc((size_t)rounds * (size_t)chunk);
  got = malloc((size_t)rounds * (size_t)chunk);
  if (!mine || !got)
    fail("start", "out of memory");
  if (rank == 0)
    printf("views:");
  for (int i = 0; i < KINDS; i++) {
    char name[64], list[512];
    snprintf(name, sizeof name, ",%s,", kinds[i].name);
    snprintf(list, sizeof list, ",%s,", which ? which : "");
    if (!which || strstr(list, name))
      run(&kinds[i], argv[optind]);
  }
  if (rank == 0)
    printf(" right\n");
  free(mine);
  free(got);
  MPI_Finalize();
  return 0;
}
