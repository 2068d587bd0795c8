/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Collective MPI-IO in numbers that are known (test/e2e/collectives.py): each round every blocking,
 * nonblocking and split kind once on a file of all ranks and once on one of each half of them, two
 * that fail, and collectives that are no I/O. It says nothing and knows nothing of Siox.
 *
 *   together FILE ROUNDS [FIFO]     after the first round rank 0 reads FIFO to its end */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 256 };
static char data[BYTES];

static void must(int result) {
  if (result != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_File opened(MPI_Comm comm, const char *path, int mode) {
  MPI_File file;
  must(MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file));
  return file;
}

static void accesses(MPI_File file, int rank) {
  const MPI_Offset at = (MPI_Offset)rank * BYTES;
  MPI_Status *no = MPI_STATUS_IGNORE;
  MPI_Request request;
  must(MPI_File_write_at_all(file, at, data, BYTES, MPI_BYTE, no));
  must(MPI_File_read_at_all(file, at, data, BYTES, MPI_BYTE, no));
  must(MPI_File_seek(file, at, MPI_SEEK_SET));
  must(MPI_File_write_all(file, data, BYTES, MPI_BYTE, no));
  must(MPI_File_seek(file, at, MPI_SEEK_SET));
  must(MPI_File_read_all(file, data, BYTES, MPI_BYTE, no));
  must(MPI_File_iwrite_at_all(file, at, data, BYTES, MPI_BYTE, &request));
  must(MPI_Wait(&request, no));
  must(MPI_File_write_at_all_begin(file, at, data, BYTES, MPI_BYTE));
  must(MPI_File_write_at_all_end(file, data, no));
  must(MPI_File_write_at(file, at, data, BYTES, MPI_BYTE, no));
  must(MPI_File_sync(file));
}

static void two_that_fail(MPI_Comm comm, const char *path, int rank) {
  MPI_File file = opened(comm, path, MPI_MODE_RDONLY);
  for (int i = 0; i < 2; i++)
    if (MPI_File_write_at_all(file, rank, data, 1, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS)
      MPI_Abort(comm, 1);
  must(MPI_File_close(&file));
}

static void wait_for(const char *fifo, int rank) {
  FILE *f = rank == 0 ? fopen(fifo, "r") : NULL;
  while (f && fgetc(f) != EOF)
    ;
  if (f)
    fclose(f);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  char path[4200];
  int rank, among, sum;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  if (argc < 3)
    return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); /* ranks in it are others, backwards */
  MPI_Comm_rank(half, &among);
  snprintf(path, sizeof path, "%s.%d", argv[1], rank % 2);
  MPI_File all = opened(MPI_COMM_WORLD, argv[1], mode), ours = opened(half, path, mode);
  const int rounds = atoi(argv[2]);
  for (int round = 0; round < rounds; round++) {
    accesses(all, rank);
    accesses(ours, among);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, half);
    MPI_Bcast(&sum, 1, MPI_INT, 0, half);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 0 && argc > 3)
      wait_for(argv[3], rank);
  }
  two_that_fail(half, path, among);
  must(MPI_File_close(&ours));
  must(MPI_File_close(&all));
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
