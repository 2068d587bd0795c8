/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A checkpoint at the beginning of an iteration: after the work that follows it only a later one leads there.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
double a[1024];
MPI_File f;
static void save(int k) { MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    if (k % 10 == 0)
      save(k);
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
  }
}
// CHECK: @siox.when = private global %struct.siox_steps_when { ptr @[[STEPS:siox.region.[0-9]+]], ptr @{{.*}}, ptr null, ptr @{{.*}}, i32 1, i32 0, i32 1, i32 1, i64 1, i64 0, i64 0, i32 -32, i32 -32, i32 -32, i32 0, ptr null, ptr null, i32 0, i32 0 }
// CHECK: call void @siox_steps_when(ptr @siox.when, i64 %{{[0-9]+}}, i64 10)
