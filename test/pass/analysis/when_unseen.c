/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// All I/O of the loop that is seen stands behind the condition, but unknown code runs in the other iterations, too: 2.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
#include <stdlib.h>
extern double seconds(void);
double a[1024];
int main(int argc, char **argv) {
  MPI_File f;
  int every = atoi(argv[2]);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    for (int i = 0; i < 1024; i++)
      a[i] *= seconds();
    if (k % every == 0)
      MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
}
// CHECK: @siox.when = private global %struct.siox_steps_when { {{.*}}, i32 2, i64 1, i64 0, i64 0, {{.*}} }
