/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An offset that a read brought stays unknown, with the reason.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
void f(MPI_File fh) {
  long next = 0;
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read_at size=8 L0 unknown(trip=16) why="read from memory in the loop"
    MPI_File_read_at(fh, next, &next, 1, MPI_LONG, MPI_STATUS_IGNORE);
}
