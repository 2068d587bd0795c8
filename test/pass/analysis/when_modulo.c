/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A checkpoint in one iteration of many: the run time is told in which, from (0 + 1 + 3 k) % every == 2 on. The work stands
// ahead of it in every iteration, so that it can come in the same one.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
#include <stdlib.h>
double a[1024];
MPI_File f;
static void save(int k) { MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  int every = atoi(argv[2]);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k += 3) {
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
    if ((k + 1) % every == 2)
      save(k);
  }
}
// CHECK: @[[SAVES:siox.list[.0-9]*]] = private unnamed_addr constant [1 x ptr] [ptr @siox.site.{{[0-9]+}}]
// CHECK: @[[AHEAD:siox.list[.0-9]*]] = private unnamed_addr constant [1 x ptr] [ptr @siox.region.{{[0-9]+}}]
// CHECK: @siox.when = private global %struct.siox_steps_when { ptr @[[STEPS:siox.region.[0-9]+]], ptr @{{.*}}, ptr null, ptr null, i32 1, i32 0, i32 0, i32 1, i64 3, i64 2, i64 1, i32 -32, i32 -32, i32 -32, i32 0, ptr null, ptr @[[AHEAD]], i32 1, i32 0 }
// CHECK: call void @siox_steps_when(ptr @siox.when, i64 %{{[0-9]+}}, i64 %{{[0-9]+}})
// CHECK-NEXT: call i64 @siox_region_enter(ptr @[[STEPS]],
