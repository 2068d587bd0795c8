/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop with accesses and a gap in it is counted (kind 4): the gap's descriptor points at it, and of the two sites that
// can follow only the read is reached without leaving the loop.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
double a[1024];
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    MPI_File_read_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
  }
  MPI_File_write_at(f, 0, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
// CHECK-DAG: @[[STEPS:siox.region.[0-9]+]] = internal global %struct.siox_region { i64 {{.*}}, i32 10, i32 {{[0-9]+}}, i32 4,
// CHECK-DAG: @{{.+}} = internal global %struct.siox_region { i64 {{.*}}, i32 12, i32 {{[0-9]+}}, i32 1, {{.*}} i32 2, i32 1, ptr {{.*}}, ptr @[[STEPS]], i32 1, i32 1, i64 0, ptr null, i64 {{.*}} }
// CHECK: call i64 @siox_region_enter(ptr @[[STEPS]], i64 %
// CHECK: call i64 @siox_region_tick(ptr @[[STEPS]],
