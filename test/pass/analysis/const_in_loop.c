/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A constant offset inside a loop: const at that level.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  for (int i = 0; i < 7; i++)
    // CHECK: f MPI_File_read_at first=4096 size=512 L0 const(trip=7){{$}}
    MPI_File_read_at(fh, 4096, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
