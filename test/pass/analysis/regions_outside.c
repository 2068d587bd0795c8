/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The I/O module of a program: what other modules do between its calls is a region, OUTSIDE, from the return of each
// function that only they call. Their next call can be of any function that reaches accesses.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
// RUN: %ll2 | %siox-opt - -S -o - | %filecheck --check-prefix=IR
#include <mpi.h>
static double a[100];
static MPI_File f;
// No accesses, so no part of it.
void start(const char *name) { MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &f); }
// CHECK: c:[[@LINE+1]] load OUTSIDE run time: {{.*}}; next: {{[^ ]*}}c:[[#LOAD:@LINE+4]],{{[^ ]*}}c:[[#STORE:@LINE+9]],{{[^ ]*}}c:[[#SHARED:@LINE+15]]; then: {{.*}}; open end
void load(int again) {
  if (again)
    return;
  MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
// The loop's end is not open: their code begins there.
// CHECK-NEXT: c:[[#OUTSIDE:@LINE+1]] store OUTSIDE {{.*}}; open end
void store(void) {
  MPI_File_write_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK-NEXT: c:[[@LINE+1]] store LOOP {{.*}}; next: none; then: {{[^ ]*}}c:[[#OUTSIDE]]{{$}}
  for (int i = 0; i < 100; i++)
    a[i] = 0;
}
// This module calls it, too: what follows is not always theirs.
void shared(void) { MPI_File_write_at(f, 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
void both(void) {
  shared();
  shared();
}
// CHECK-NEXT: c:[[@LINE-4]] both OUTSIDE
// CHECK-NOT: OUTSIDE
// IR: define {{.*}}@start
// IR-NOT: siox_region
// IR: define {{.*}}@load
// IR: call void @siox_region_leave(ptr null)
// IR: call i64 @siox_region_enter(ptr @siox.region.0
// IR: ret void
// IR: define {{.*}}@store
// IR: call void @siox_region_leave(ptr null)
// IR: define {{.*}}@shared
// IR-NEXT: call void @siox_region_leave(ptr null)
// IR-NOT: siox_region_enter
// IR: ret void
