/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A static global handle has every open that writes it as origin.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
static MPI_File fh;
void start(void) { MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh); }
void restart(void) { MPI_File_open(MPI_COMM_WORLD, "b", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh); }
void f(void) {
  // CHECK: f MPI_File_read_at origin={{.*}}:[[#@LINE-3]],{{.*}}:[[#@LINE-2]] first=8 size=512{{$}}
  MPI_File_read_at(fh, 8, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
