/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// More than half of the iterations would be needed to come back.
// RUN: env SIOX_DISKS=6 SIOX_DRIVE=36Z15 SIOX_TB_NS=261600000 SIOX_LEAD=51 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: LOOP: no hint: {{.*}}[LeadTooLong]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
