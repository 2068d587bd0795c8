/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A striping that begins beyond the last disk is a warning besides.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
// CHECK-DAG: warning: siox: {{.*}} does not fit 6 disks
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "9");
  // CHECK-DAG: :[[@LINE+1]]:3: remark: LOOP: run time: {{.*}}[LayoutInvalid]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
