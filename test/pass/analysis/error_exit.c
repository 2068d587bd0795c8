/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An error check in the loop does not hide its trip count.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
int f(MPI_File fh) {
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read_at first=0 size=512 L0 affine(stride=512,trip=16){{$}}
    if (MPI_File_read_at(fh, i * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return 1;
  return 0;
}
