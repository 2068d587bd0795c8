/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An access is as long as a variable says.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(int argc, char **argv) {
  (void)argv;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: LOOP: run time: {{.*}}[SizeUnknown]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, argc, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
