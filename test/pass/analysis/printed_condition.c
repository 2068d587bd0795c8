/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fig. 3 as printed selects a speed where twice its lead is more than the iterations. So it takes the loop that the text
// (and this pass) leaves alone, at the last speed of which that is true, since each one replaces the one before: 12000 RPM with
// d = 22 of 40 iterations. And it leaves alone the paper's own example, where d is a quarter of them.
// RUN: %ll2 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 100000000 | FileCheck %s --check-prefix=OURS
// RUN: %ll2 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 100000000 --paper-literal | FileCheck %s --check-prefix=PRINTED
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // OURS: main LOOP trip=40 gap=4000000000ns no hint: the gap is too short
  // PRINTED: main LOOP trip=40 gap=4000000000ns release 011100 12000 F=0 after each access; hint 011100 15000 F=1 at iteration 18 (d=22)
  for (int i = 0; i < 40; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // OURS: main LOOP trip=262 {{.*}}release 011100 6000 F=0 at entry; hint 011100 15000 F=1 at iteration 196 (d=66)
  // PRINTED: main LOOP trip=262 {{.*}}no hint: twice the lead of every speed fits into the loop
  for (int i = 0; i < 262; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
