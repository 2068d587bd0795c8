/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The loop does other I/O as well, in every iteration.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
#include <stdlib.h>
double a[1024];
MPI_File f;
static void save(int k) { MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  int every = atoi(argv[2]);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
    if (k % every == 0)
      save(k);
    MPI_File_read_at(f, 0, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
}
// CHECK: @siox.when = private global %struct.siox_steps_when { {{.*}}, i32 1, i32 0, i32 0, i32 0, i64 1, i64 0, i64 0, i32 -32, i32 -32, i32 -32, i32 0, ptr null, ptr @{{.*}}, i32 1, i32 0 }
