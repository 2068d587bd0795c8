/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loops of a function that calls setjmp are left alone.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include <setjmp.h>
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
static jmp_buf back;
int main(void) {
  if (setjmp(back))
    return 1;
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: remark: LOOP: not marked: {{.*}}[ReturnsTwice]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
