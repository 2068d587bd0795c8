/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A call that may last is no loop nest.
// RUN: env SIOX_DISKS=6 SIOX_DRIVE=36Z15 SIOX_PAPER_LITERAL=1 %clang -O1 -fpass-plugin=%plugin -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
void compute(double *);
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: {{.*}}[PrintedLoopsOnly]
  compute(a);
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
