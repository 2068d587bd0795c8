/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Twice the lead must fit into the loop: with d = 51 of 100 iterations no hint is given, with 50 it is.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 --lead 51 | FileCheck %s --check-prefix=LONG
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 --lead 50 | FileCheck %s --check-prefix=FITS
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // LONG: main LOOP trip=100 {{.*}}no hint: the disks need more than half of the iterations
  // FITS: main LOOP trip=100 {{.*}}F=1 at iteration 50 (d=50)
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
