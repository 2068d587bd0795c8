/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An MPI program that does what it is told, a line on rank 0's standard input at a time, so that a
 * test can do things to the daemon in between: "hint SPEED FLAG NEED_BY" (each rank of the disk
 * that has its number), "io" (each rank writes and reads a block of its file), anything else ends
 * it. It answers each line, and says at the end what its files hold.
 *
 *   holder DIRECTORY */
#include "siox/siox.h"
#include <fcntl.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 65536 };

static void hint(int rank, const char *line) {
  struct siox_mask mask;
  int speed, flag;
  int64_t need_by;
  uint32_t disks = siox_ndisks();
  if (sscanf(line, "hint %d %d %" SCNd64, &speed, &flag, &need_by) != 3 || !disks)
    return;
  siox_mask_init(&mask, disks);
  siox_mask_set(&mask, (uint32_t)rank % disks);
  siox_set_speed_at(&mask, speed, flag, need_by, SIOX_NEVER, NULL);
  siox_mask_free(&mask);
}

static int block(int fd, int rank, int n) {
  static unsigned char out[BLOCK], in[BLOCK];
  memset(out, rank * 16 + n % 16, sizeof out);
  off_t at = (off_t)(n % 16) * BLOCK;
  return pwrite(fd, out, BLOCK, at) == BLOCK && pread(fd, in, BLOCK, at) == BLOCK &&
         !memcmp(in, out, BLOCK);
}

int main(int argc, char **argv) {
  char line[256] = "", path[4096];
  int rank, size, done = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, sizeof path, "%s/holder.%d", argc > 1 ? argv[1] : ".", rank);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), right = fd >= 0;
  for (;;) {
    if (rank == 0 && !fgets(line, sizeof line, stdin))
      *line = 0;
    MPI_Bcast(line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!strncmp(line, "hint ", 5))
      hint(rank, line);
    else if (!strncmp(line, "io", 2))
      right = block(fd, rank, done++) && right;
    else
      break;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      puts("done");
      fflush(stdout);
    }
  }
  long sum = 0, all = 0;
  unsigned char byte;
  for (int i = 0; i < 16 && i < done; i++)
    sum += pread(fd, &byte, 1, (off_t)i * BLOCK) == 1 ? byte : 0;
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, %s, sum %ld\n", size, right ? "right" : "wrong", all);
  MPI_Finalize();
  return !right;
}
