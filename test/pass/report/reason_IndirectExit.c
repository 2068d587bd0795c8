/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop left by a computed goto has no single place after it.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(int argc, char **argv) {
  static void *const to[] = {&&more, &&end};
  (void)argv;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: remark: {{.*}}[IndirectExit]
  for (int i = 0; i < 100000; i++) {
    a[i] = i;
    goto *to[i == 99 * argc];
  more:;
  }
end:
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
