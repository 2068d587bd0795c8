/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Nothing can follow a guaranteed tail call.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
static __attribute__((noinline)) int work(int n) {
  for (int i = 0; i < n; i++)
    a[i] = i;
  return n;
}
static int f(int n) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: remark: CALL: not marked: {{.*}}[MustTail]
  __attribute__((musttail)) return work(n);
}
int main(int argc, char **argv) {
  (void)argv;
  return f(argc);
}
