/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A function that forbids copies of its calls is called in the loop.
// RUN: env SIOX_DISKS=6 SIOX_FORM=split %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
__attribute__((noduplicate)) void once(int);
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: {{.*}}[SplitNoCopy]
  for (int i = 0; i < 100; i++)
    once(i);
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
