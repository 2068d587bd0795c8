/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A library routine without a loop in sight comes before the access.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
void cblas_dscal(int n, double by, double *x, int step);
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: :[[@LINE+1]]:3: remark: CALL: run time: {{.*}}[OpaqueCall]
  cblas_dscal(100, 2, a, 1);
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
