/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An exception can leave the loop past its end.
// RUN: env SIOX_DISKS=6 %clang -x c++ -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#define MPICH_SKIP_MPICXX
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
struct Cleanup {
  ~Cleanup();
};
void work(int);
int main() {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  Cleanup c;
  // CHECK: remark: {{.*}}[ExceptionEdge]
  for (int i = 0; i < 100; i++)
    work(i);
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
