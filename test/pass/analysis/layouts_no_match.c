/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A file that layouts.yaml does not name has no layout at compile time.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 --layouts %S/Inputs/layouts.yaml | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 --layouts %S/Inputs/layouts.yaml | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  // CHECK: f MPI_File_open{{$}}
  MPI_File_open(MPI_COMM_WORLD, "out/a.bin", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_close(&fh);
}
