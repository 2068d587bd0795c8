/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A view with a derived file type may have holes, so offsets are not known.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_Datatype holes) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_set_view(fh, 0, MPI_DOUBLE, holes, "native", MPI_INFO_NULL);
  // CHECK: f MPI_File_read_at origin={{.*}}:[[#@LINE-2]] size=512{{$}}
  MPI_File_read_at(fh, 20, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
