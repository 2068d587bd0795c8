/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where the end of a file lies is not known.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDWR, MPI_INFO_NULL, &fh);
  for (int i = 0; i < 16; i++) {
    MPI_File_seek(fh, 0, MPI_SEEK_END);
    // CHECK: f MPI_File_write origin={{.*}} size=512 L0 unknown(trip=16) why="end of the file"
    MPI_File_write(fh, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&fh);
}
