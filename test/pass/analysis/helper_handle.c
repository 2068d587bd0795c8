/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A helper with a handle argument: origin and levels come from the caller.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
static void slab(MPI_File fh, int k) {
  // CHECK: helper_handle.c:[[#@LINE+1]] slab MPI_File_read_at origin={{.*}}helper_handle.c:[[#@LINE+5]] first=0 size=512 L0 affine(stride=512,trip=9){{$}}
  MPI_File_read_at(fh, k * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
int main(void) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  for (int k = 0; k < 9; k++)
    slab(fh, k);
}
