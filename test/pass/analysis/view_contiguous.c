/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Offsets count in etypes from the displacement of a contiguous view.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_set_view(fh, 1000, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  // CHECK: f MPI_File_read_at origin={{.*}} first=1160 size=512{{$}}
  MPI_File_read_at(fh, 20, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
