/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Nobody can tell how many iterations there will be.
// RUN: env SIOX_DISKS=6 SIOX_FORM=split %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(int argc, char **argv) {
  (void)argv;
  int n = 2 + argc;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: {{.*}}[SplitTripUnknown]
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    a[n % 8] += n;
  }
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
