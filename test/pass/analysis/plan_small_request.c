/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A small request needs only the disk of its stripe; a burst of two consecutive stripes needs two.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 | %filecheck
#include "../Inputs/striped.h"
static double a[STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: plan_small_request.c:[[@LINE+1]] main LOOP {{.*}} hint 001000 15000 F=1
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, STRIPE + 512, a, 16, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: plan_small_request.c:[[@LINE+1]] main LOOP {{.*}} hint 011000 15000 F=1
  for (int i = 0; i < 100; i++)
    a[i] = i;
  for (int k = 0; k < 2; k++)
    MPI_File_write_at(A, k * STRIPE, a, 16, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
