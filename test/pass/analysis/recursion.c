/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A recursive function finds the open of its first caller; where it reads is not invented.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
static void read_levels(MPI_File fh, int depth) {
  if (depth == 0)
    return;
  // CHECK: read_levels MPI_File_read origin={{[^ ,]*}}:[[#@LINE+7]] size=512{{$}}
  MPI_File_read(fh, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  read_levels(fh, depth - 1);
  b[0] += depth;
}
int main(int argc, char **argv) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  read_levels(fh, argc);
  MPI_File_close(&fh);
  return b[0] > 0;
}
