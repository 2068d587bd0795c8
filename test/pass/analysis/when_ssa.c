/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The same in code that was optimised before, where the index is a value and % 8 has become a mask.
// RUN: %clang -O1 -S -emit-llvm -I%include -o - %s | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
double a[1024];
void work(double *a);
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    work(a);
    if (k % 8 == 0)
      MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
}
// CHECK: call void @siox_steps_when(ptr @siox.when, i64 0, i64 8)
