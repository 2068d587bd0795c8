/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// At 1.5 s an iteration the way back from 6000 RPM (6.54 s) takes 5 iterations, twice which do not fit into 9, though the gap
// of 13.5 s would pay: the disks go to 9000 RPM, from where 4.36 s (3 iterations) bring them back. With 18 iterations 6000
// fits, and saves more.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 1500000000 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: main LOOP trip=9 gap=13500000000ns release 011100 9000 F=0 at entry; hint 011100 15000 F=1 at iteration 6 (d=3)
  for (int i = 0; i < 9; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: main LOOP trip=18 gap=27000000000ns release 011100 6000 F=0 at entry; hint 011100 15000 F=1 at iteration 13 (d=5)
  for (int i = 0; i < 18; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
