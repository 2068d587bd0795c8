/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop goes on as long as a variable says.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(int argc, char **argv) {
  (void)argv;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: LOOP: run time: {{.*}}[TripUnknown]
  for (int i = 0; i < argc; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
