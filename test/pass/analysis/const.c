/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A constant offset outside loops.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  // CHECK: const.c:[[#@LINE+1]] f MPI_File_read_at origin=[[F:.*const.c]]:[[#@LINE-1]] first=4096 size=512{{$}}
  MPI_File_read_at(fh, 4096, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
