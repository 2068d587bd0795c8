/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two call paths: what they disagree on is left open, both origins are named.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
static void slab(MPI_File fh, int k, int step) {
  // CHECK: slab MPI_File_read_at origin={{.*}}:[[#@LINE+5]],{{.*}}:[[#@LINE+6]] first=0 size=512 L0 affine(stride=?){{$}}
  MPI_File_read_at(fh, (MPI_Offset)k * step, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
int main(void) {
  MPI_File one, two;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &one);
  MPI_File_open(MPI_COMM_WORLD, "b", MPI_MODE_RDONLY, MPI_INFO_NULL, &two);
  for (int k = 0; k < 9; k++)
    slab(one, k, 512);
  for (int k = 0; k < 5; k++)
    slab(two, k, 1024);
}
