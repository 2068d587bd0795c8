/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Whoever calls the function may do anything, and then anything next.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
void f(MPI_File A) {
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: :[[@LINE+1]]:1: remark: OUTSIDE: run time: {{.*}}[OpenEnd]
}
