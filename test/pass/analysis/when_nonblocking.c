/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a nonblocking call has begun may go on in iterations that do not fulfil the condition: these are not without I/O.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
double a[1024];
int main(int argc, char **argv) {
  MPI_File f;
  MPI_Request r;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
    if (k % 10 == 0)
      MPI_File_iwrite_at_all(f, 0, a, 1024, MPI_DOUBLE, &r);
    if (k % 10 == 5)
      MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
}
// CHECK: @siox.when = private global %struct.siox_steps_when { {{.*}}, i32 1, i32 0, i32 0, i32 0, i64 1, i64 0, i64 0,
