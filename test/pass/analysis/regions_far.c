/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A helper with a loop of its own (line 9) is called after the gap in line 18 and again after the main loop. The near lists
// end at the helper's loop, from which everything can follow that follows any call of the helper; the far lists pass
// through it and know that in the main loop nothing comes but the gap itself.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
static double a[1000];
static void load(MPI_File f) {
  for (int i = 0; i < 1000; i++)
    a[i] = 0;
  MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    load(f);
    for (int i = 0; i < argc; i++)
      a[i] *= 2;
  }
  load(f);
  MPI_File_write_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
// CHECK-DAG: @[[READ:siox.site.[0-9]+]] = internal global %struct.siox_site { {{.*}} i32 11, i32
// CHECK-DAG: @[[WRITE:siox.site.[0-9]+]] = internal global %struct.siox_site { {{.*}} i32 22, i32
// CHECK-DAG: @[[INNER:siox.region.[0-9]+]] = internal global %struct.siox_region { {{.*}} i32 9, i32 {{[0-9]+}}, i32 1,
// CHECK-DAG: @[[GAP:siox.region.[0-9]+]] = internal global %struct.siox_region { {{.*}} i32 18, i32 {{[0-9]+}}, i32 1, {{.*}} ptr @[[FAR:siox.list[.0-9]*]], i64 {{.*}} }
// CHECK-DAG: @[[FAR]] = private unnamed_addr constant [1 x %struct.siox_region_far] [%struct.siox_region_far { ptr @[[NEXT:siox.list[.0-9]*]], ptr @[[SUCC:siox.list[.0-9]*]], ptr @[[PASSED:siox.list[.0-9]*]], i32 2, i32 1, i32 1, i32 1, i32 1, i32 0 }]
// CHECK-DAG: @[[NEXT]] = private unnamed_addr constant [2 x ptr] [ptr @[[READ]], ptr @[[WRITE]]]
// CHECK-DAG: @[[SUCC]] = private unnamed_addr constant [1 x ptr] [ptr @[[GAP]]]
// CHECK-DAG: @[[PASSED]] = private unnamed_addr constant [1 x ptr] [ptr @[[INNER]]]
