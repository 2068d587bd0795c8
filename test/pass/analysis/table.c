/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Offsets from a table: what nothing writes is found again at the next time step, and only there is it told apart from what
// is unknown.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void again(MPI_File fh, const int *low, int n, int steps) {
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < n; i++)
      // CHECK: again MPI_File_write_at size=512 L0 run-time L1 affine(stride=65536){{$}}
      MPI_File_write_at(fh, s * 65536L + low[i] * 512L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void moved(MPI_File fh, int *low, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      // CHECK: moved MPI_File_write_at size=512 L0 run-time L1 unknown why="read from memory in the loop"
      MPI_File_write_at(fh, low[i] * 512L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      low[i] += i;
  }
}
void apart(MPI_File fh, const int *low, double *a, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      a[i] += 1;
    // A gap comes between any two of these accesses.
    // CHECK: apart MPI_File_write_at size=512 L0 unknown why="read from memory in the loop"
    MPI_File_write_at(fh, low[s] * 512L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
}
