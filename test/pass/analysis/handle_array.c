/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Handles in an array: the open is known, a position of one file is not invented.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(int n) {
  MPI_File fh[8];
  for (int i = 0; i < n; i++)
    MPI_File_open(MPI_COMM_SELF, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh[i]);
  for (int i = 0; i < n; i++)
    // CHECK: f MPI_File_read origin={{.*}}:[[#@LINE-2]] size=512 L0 unknown why="handle of one of several files"
    MPI_File_read(fh[i], b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
