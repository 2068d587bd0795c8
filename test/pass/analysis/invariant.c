/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An offset that a loop does not change.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh, long where) {
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read_at size=512 L0 invariant(trip=16){{$}}
    MPI_File_read_at(fh, where, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
