/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A gap of one second is shorter than any change of speed of the drive and back.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 10000000 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: main LOOP trip=100 gap=1000000000ns no hint: the gap is too short for any lower speed to pay
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
