/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What is counted of a body with unknown code in it is only the least that it takes: no reason to do without hints. With
// nothing unknown in it the gap is too short.
// RUN: %ll2 | %siox-opt - --print-plan --disks 6 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
double solver(int);
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: cost_unknown.c:[[@LINE+1]] main LOOP trip=100 gap={{[0-9]+}}ns no hint: the gap is too short
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: cost_unknown.c:[[@LINE+1]] main LOOP trip=100 gap={{[0-9]+}}ns run time:
  for (int i = 0; i < 100; i++)
    a[i] = solver(i);
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
