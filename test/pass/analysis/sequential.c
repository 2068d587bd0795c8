/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reads in turn: the file pointer advances by what was read.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read origin={{.*}} first=0 size=512 L0 affine(stride=512,trip=16){{$}}
    MPI_File_read(fh, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: f MPI_File_read origin={{.*}} first=8192 size=24{{$}}
  MPI_File_read(fh, b, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
