/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A rank asked from MPI does not change in the loop.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read_at size=512 L0 affine(stride=512,trip=16){{$}}
    MPI_File_read_at(fh, ((MPI_Offset)rank * 16 + i) * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
