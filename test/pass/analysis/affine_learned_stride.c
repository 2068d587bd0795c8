/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A stride that only the run time knows is affine all the same.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh, long slab) {
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read_at first=0 size=512 L0 affine(stride=?,trip=16){{$}}
    MPI_File_read_at(fh, i * slab, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
