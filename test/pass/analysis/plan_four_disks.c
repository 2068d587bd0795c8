/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// D = 4 and layout (0, 3, 64K): a request of three stripes needs 1110.
// RUN: %ll0 | %siox-opt - --print-plan --disks 4 --drive 36Z15 --tb-ns 261600000 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "0");
  // CHECK: main LOOP trip=100 {{.*}} hint 1110 15000 F=1
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
