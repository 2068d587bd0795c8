/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A function that has changed since it was measured: the loop stood four lines below its beginning then. It is estimated as
// if there were no profile, and that is said. Rows of other files are nobody's business here.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --profile %S/Inputs/profile.yaml 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  a[0] = 1;
  // CHECK: warning: siox: {{.*}}profile.yaml: of the 1 regions measured in {{.*}}profile_changed.c 1 are not there as they were (profile_changed.c:104 main LOOP): the source has changed since; measure again
  // CHECK-NOT: measured
  // CHECK: main LOOP trip=100 gap={{[0-9]+}}ns no hint
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
