/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Reading A and B of the paper's example needs disks 1 to 3: 011100.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8], b[3 * STRIPE / 8];
int main(void) {
  MPI_File A, B;
  OPEN_STRIPED(&A, "A", "1");
  OPEN_STRIPED(&B, "B", "1");
  // CHECK: plan_reads.c:[[@LINE+1]] main LOOP trip=100 {{.*}} hint 011100 15000 F=1 at iteration 75 (d=25)
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_read_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at(B, 0, b, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
