/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A call by its profiling name is a site of the same routine.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
void f(MPI_File fh, int *b) {
  // CHECK: f MPI_File_write_at first=0 size=4
  PMPI_File_write_at(fh, 0, b, 1, MPI_INT, MPI_STATUS_IGNORE);
}
