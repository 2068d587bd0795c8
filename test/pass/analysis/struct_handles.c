/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two handles side by side in a heap object are told apart.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
#include <stdlib.h>
struct files {
  MPI_File in, out;
};
static double b[64];
void f(void) {
  struct files *a = malloc(sizeof *a);
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &a->in);
  MPI_File_open(MPI_COMM_WORLD, "b", MPI_MODE_WRONLY, MPI_INFO_NULL, &a->out);
  // CHECK: f MPI_File_read_at origin={{[^ ,]*}}:[[#@LINE-2]] first=0
  MPI_File_read_at(a->in, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: f MPI_File_write_at origin={{[^ ,]*}}:[[#@LINE-3]] first=0
  MPI_File_write_at(a->out, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
