/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Measured times win over estimates, wherever the function has moved to since: 261.6 ms an iteration, as in plan_paper.c, and
// not the nanosecond that the body looks like. The drives of the run were as in life, or ten times faster. tb-ns= still wins.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --profile %S/Inputs/profile.yaml | FileCheck %s --check-prefix=LIFE
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --profile %S/Inputs/profile_scaled.yaml | FileCheck %s --check-prefix=SCALED
// RUN: %ll0 | env SIOX_PROFILE=%S/Inputs/profile.yaml %siox-opt - --print-plan --disks 6 --tb-ns 10000000 | FileCheck %s --check-prefix=GIVEN
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  // LIFE: main LOOP trip=100 gap=26160000000ns measured release 011100 6000 F=0 at entry; hint 011100 15000 F=1 at iteration 75 (d=25)
  // SCALED: main LOOP trip=100 gap=2616000000ns measured release 011100 6000 F=0 at entry; hint 011100 15000 F=1 at iteration 75 (d=25)
  // GIVEN: main LOOP trip=100 gap=1000000000ns {{.*}}no hint
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
