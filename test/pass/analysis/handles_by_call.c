/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A helper is handed one of two streams; which one follows a gap, its caller knows. The table names, for both gaps, the
// site in the helper, and where its handle lies: 8 bytes behind the variable that the next call is given. In the loop
// y's comes after the first gap and x's after the second. Both gaps do the same work: what goes only into output does not
// count.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
#include <stdio.h>
struct stream {
  long n;
  MPI_File file;
};
static double a[100];
static void begin(struct stream *s, const char *name) {
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &s->file);
}
static void move(struct stream *s) { MPI_File_read_at(s->file, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void work(const char *after, int n) {
  for (int i = 0; i < n; i++)
    a[i % 100] += i;
  fprintf(stderr, "after %s\n", after);
}
int main(int argc, char **argv) {
  struct stream x, y;
  begin(&x, argv[1]);
  begin(&y, argv[2]);
  for (int k = 0; k < 10; k++) {
    move(&x);
    work("x", argc);
    move(&y);
    work("y", argc);
  }
}
// CHECK-DAG: @[[SITE:siox.site.[0-9]+]] = internal global %struct.siox_site { {{.*}} i32 17, i32
// CHECK-DAG: @[[FIRST:siox.region.[0-9]+]] = internal global %struct.siox_region { {{.*}} i32 29, i32 {{[0-9]+}}, i32 2, {{.*}}, i64 [[ALIKE:-?[1-9][0-9]+]], ptr null, i64 {{.*}} }
// CHECK-DAG: @[[SECOND:siox.region.[0-9]+]] = internal global %struct.siox_region { {{.*}} i32 31, i32 {{[0-9]+}}, i32 2, {{.*}}, i64 [[ALIKE]], ptr null, i64 {{.*}} }
// CHECK-DAG: @[[STEPY:siox.list.*]] = private unnamed_addr constant [1 x i64] [i64 8]
// CHECK-DAG: @[[ROWS:siox.list.*]] = private unnamed_addr constant [2 x %struct.siox_file_use] [%struct.siox_file_use { ptr @[[FIRST]], ptr @[[SITE]], ptr @{{.*}}, i32 1, i32 0, i32 0, i32 0 }, %struct.siox_file_use { ptr @[[SECOND]], ptr @[[SITE]], ptr @{{.*}}, i32 1, i32 1, i32 0, i32 0 }]
// CHECK-DAG: @[[TABLE:siox.files.*]] = private global %struct.siox_file_uses { ptr @[[ROWS]], i32 2, i32 0 }
// CHECK: call void @siox_region_files(ptr @[[TABLE]], ptr %[[Y:[0-9a-z]+]], ptr %[[X:[0-9a-z]+]], ptr null, ptr null)
// CHECK-NEXT: call i64 @siox_region_enter(ptr @[[FIRST]],
// CHECK: call void @siox_region_files(ptr @[[TABLE]], ptr %[[Y]], ptr %[[X]], ptr null, ptr null)
// CHECK-NEXT: call i64 @siox_region_enter(ptr @[[SECOND]],
