/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Where only the end of the counted loop leads to unknown code, that waits for the loop's end; unknown code in the loop does not.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
extern int unknown(void);
void steps(MPI_File f, int n) {
  for (int k = 0; k < n; k++) {
    // CHECK: c:[[@LINE+1]] steps LOOP {{.*}}; open end after the loop{{$}}
    for (int i = 0; i < 100; i++)
      a[i] += k;
    MPI_File_write_at(f, k * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
}
void restless(MPI_File f, int n) {
  int (*any)(void) = n ? unknown : 0;
  for (int k = 0; k < n; k++) {
    // CHECK: c:[[@LINE+1]] restless LOOP {{.*}}; open end{{$}}
    for (int i = 0; i < 100; i++)
      a[i] += k;
    MPI_File_write_at(f, k * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    n += ((int (*)(int))any)(k);
  }
}
int main(void) { return 0; }
