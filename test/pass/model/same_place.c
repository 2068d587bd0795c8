/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls that a macro puts in one place are told apart by their ordinal.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
// CHECK: @siox.site.0 = {{.*}} i32 [[LINE:[0-9]+]], i32 3, i32 0, i32 4,
// CHECK: @siox.site.1 = {{.*}} i32 [[LINE]], i32 3, i32 1, i32 4,
#include <mpi.h>
#define TWICE(fh, b)                                                                               \
  MPI_File_write_at(fh, 0, b, 1, MPI_INT, MPI_STATUS_IGNORE),                                      \
      MPI_File_write_at(fh, 4, b, 1, MPI_INT, MPI_STATUS_IGNORE)
void f(MPI_File fh, int *b) {
  TWICE(fh, b);
}
