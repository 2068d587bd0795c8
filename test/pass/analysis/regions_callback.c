/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Unknown code that is handed a function with accesses is no gap: it may call it at once. Other unknown code is one.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
static double a[1024];
static MPI_File f;
void each(void (*visit)(int));
void other(void (*visit)(int));
static void write_one(int k) { MPI_File_write_at(f, 8192 * k, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void count(int k) { a[k] += 1; }
int main(int argc, char **argv) {
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int t = 0; t < argc; t++) {
    each(write_one);
    other(count);
    write_one(t);
  }
}
// CHECK-NOT: siox_region_enter{{.*}}
// CHECK: define {{.*}} @main
// CHECK-NOT: siox_region_leave
// CHECK: call void @each(
// CHECK-NOT: siox_region_leave
// CHECK: call i64 @siox_region_enter(ptr @[[OTHER:siox.region.[0-9]+]]
// CHECK-NEXT: call void @other(
// CHECK-NEXT: call void @siox_region_leave(ptr @[[OTHER]])
