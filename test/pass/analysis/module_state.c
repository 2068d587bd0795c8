/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// File and position are kept by the module, between calls of a function that moves on.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
static MPI_File file;
static MPI_Offset position;
static void put(int n) {
  // CHECK: put MPI_File_write_at origin={{.*}}.c:[[@LINE+6]] first=1024 size=512 L0 affine(stride=512,trip=8){{$}}
  MPI_File_write_at(file, position, b, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  position += n * 8;
}
void f(void) {
  position = 1024;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  for (int i = 0; i < 8; i++)
    put(64);
}
