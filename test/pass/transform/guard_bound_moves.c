/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// No count is told where the index advances in a loop inside as well, or a call of the loop can move the bound.
// RUN: %ll0 -DBODY='do k++; while (k % 4)' -DSTEP= | %siox-opt - -S -o - | %filecheck
// RUN: %ll0 -DBODY='move(&n)' -DSTEP=k++ | %siox-opt - -S -o - | %filecheck
// RUN: %ll0 -DBODY='look(&n)' -DSTEP=k++ | %siox-opt - -S -o - | FileCheck %s --check-prefix=TOLD
#include <mpi.h>
static double a[1024];
void move(int *n);
static void look(const int *n) { a[1] = *n; }
void steps(MPI_File f, int n) {
  for (int k = 0; k < n; STEP) {
    BODY;
    a[k] *= 2;
  }
  MPI_File_write_at(f, 0, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
  (void)look;
}
// CHECK: call i64 @siox_region_enter(ptr @siox.region.{{[0-9]+}}, i64 -9223372036854775808)
// TOLD: call i64 @siox_region_enter(ptr @siox.region.{{[0-9]+}}, i64 %
