/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every way of doing MPI-IO in one small program, verified as it goes: with its space allocated,
 * collective, independent, by individual and shared pointer, nonblocking, split, through contiguous
 * and strided views, with a failed open in between and messages around it.
 *
 *   mixed FILE [ROUNDS [FIFO]]     after the first round rank 0 reads FIFO to its end
 *
 * Prints one line a round on rank 0; ends with 1 when anything read is not what was written. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTS = 24 * 1024 }; /* of one block: 96 KiB, one and a half stripes */

static int rank, ranks, wrong;

static int value(int round, int part, int owner, int i) {
  return ((round * 31 + part) * 17 + owner) * 1000003 + i;
}
static void fill(int *block, int round, int part) {
  for (int i = 0; i < INTS; i++)
    block[i] = value(round, part, rank, i);
}
static void check(const int *block, int round, int part, int owner, const char *what) {
  for (int i = 0; i < INTS; i++)
    if (block[i] != value(round, part, owner, i)) {
      fprintf(stderr, "mixed: rank %d: %s: round %d: element %d\n", rank, what, round, i);
      wrong = 1;
      return;
    }
}
static void must(int result, const char *what) {
  if (result != MPI_SUCCESS) {
    fprintf(stderr, "mixed: rank %d: %s failed\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static MPI_File opened(const char *name) {
  MPI_Info info;
  MPI_File file;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_factor", "3");
  MPI_Info_set(info, "striping_unit", "65536");
  MPI_Info_set(info, "start_iodevice", "1");
  must(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
       "MPI_File_open");
  MPI_Info_free(&info);
  return file;
}

static void a_failed_open(const char *name) {
  char missing[4096];
  MPI_File file;
  snprintf(missing, sizeof missing, "%s.missing", name);
  if (MPI_File_open(MPI_COMM_WORLD, missing, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS) {
    fprintf(stderr, "mixed: rank %d: a file that does not exist was opened\n", rank);
    wrong = 1;
  }
}

static void explicit_offsets(MPI_File file, int round, int *mine, int *other) {
  MPI_Offset bytes = INTS * (MPI_Offset)sizeof(int), next = (rank + 1) % ranks;
  fill(mine, round, 0);
  MPI_File_write_at_all(file, rank * bytes, mine, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, next * bytes, other, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check(other, round, 0, (int)next, "read_at");
}

static void individual_pointer(MPI_File file, int round, int *mine, int *other) {
  MPI_Offset bytes = INTS * (MPI_Offset)sizeof(int);
  fill(mine, round, 1);
  MPI_File_set_view(file, (ranks + rank) * bytes, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write(file, mine, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, INTS / 2, MPI_SEEK_SET);
  MPI_File_read(file, other + INTS / 2, INTS / 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, other, INTS / 2, MPI_INT, MPI_STATUS_IGNORE);
  check(other, round, 1, rank, "seek and read");
}

static void nonblocking(MPI_File file, int round, int *mine, int *other) {
  MPI_Request request;
  fill(mine, round, 2);
  MPI_File_iwrite_at(file, (MPI_Offset)2 * ranks * INTS, mine, INTS, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_iread_at_all(file, (MPI_Offset)2 * ranks * INTS, other, INTS, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(other, round, 2, rank, "iwrite_at and iread_at_all");
}

static void split(MPI_File file, int round, int *mine, int *other) {
  fill(mine, round, 3);
  MPI_File_write_at_all_begin(file, (MPI_Offset)4 * ranks * INTS, mine, INTS, MPI_INT);
  MPI_File_write_at_all_end(file, mine, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, (MPI_Offset)4 * ranks * INTS, other, INTS, MPI_INT);
  MPI_File_read_at_all_end(file, other, MPI_STATUS_IGNORE);
  check(other, round, 3, rank, "split collectives");
}

static void strided_view(MPI_File file, int round, int *mine, int *other) {
  MPI_Datatype type;
  MPI_Offset start = ((MPI_Offset)8 * ranks * INTS + (MPI_Offset)rank * 256) * (int)sizeof(int);
  fill(mine, round, 4);
  MPI_Type_vector(INTS / 256, 256, 256 * ranks, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, start, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, mine, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, other, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check(other, round, 4, rank, "strided view");
  MPI_Type_free(&type);
}

static void shared_pointer(const char *name, int round, int *mine, int *other) {
  char shared[4096];
  MPI_File file;
  snprintf(shared, sizeof shared, "%s.shared", name);
  fill(mine, round, 5);
  file = opened(shared);
  MPI_File_write_ordered(file, mine, INTS, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD); /* ROMIO would seek before the last rank has moved the pointer */
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, other, INTS, MPI_INT, MPI_STATUS_IGNORE);
  check(other, round, 5, rank, "ordered access");
  MPI_File_close(&file);
}

static void messages(int round) {
  int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks, got[2] = {-1, -1};
  MPI_Request request[2];
  MPI_Irecv(&got[0], 1, MPI_INT, from, 1, MPI_COMM_WORLD, &request[0]);
  MPI_Isend(&round, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(&round, 1, MPI_INT, to, 2, &got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (got[0] != round || got[1] != round) {
    fprintf(stderr, "mixed: rank %d: messages\n", rank);
    wrong = 1;
  }
}

static void wait_for(const char *fifo) {
  if (rank == 0) {
    FILE *f = fopen(fifo, "r");
    while (f && fgetc(f) != EOF)
      ;
    if (f)
      fclose(f);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) {
    if (!rank)
      fprintf(stderr, "usage: mixed FILE [ROUNDS [FIFO]]\n");
    MPI_Finalize();
    return 2;
  }
  int rounds = argc > 2 ? atoi(argv[2]) : 1;
  int *mine = malloc(INTS * sizeof *mine), *other = malloc(INTS * sizeof *other);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int round = 0; round < rounds; round++) {
    MPI_File file = opened(argv[1]);
    must(MPI_File_preallocate(file, (MPI_Offset)ranks * INTS * (int)sizeof(int)), "preallocate");
    explicit_offsets(file, round, mine, other);
    a_failed_open(argv[1]);
    individual_pointer(file, round, mine, other);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_view(file, (MPI_Offset)rank * INTS * (int)sizeof(int), MPI_INT, MPI_INT, "native",
                      MPI_INFO_NULL);
    nonblocking(file, round, mine, other);
    split(file, round, mine, other);
    strided_view(file, round, mine, other);
    MPI_File_close(&file);
    shared_pointer(argv[1], round, mine, other);
    messages(round);
    MPI_Barrier(half);
    int all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    wrong = all;
    if (!rank) {
      printf("round %d %s\n", round, wrong ? "wrong" : "right");
      fflush(stdout);
    }
    if (round == 0 && argc > 3)
      wait_for(argv[3]);
  }
  MPI_Comm_free(&half);
  free(mine);
  free(other);
  MPI_Finalize();
  return wrong;
}
