/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// No info object and no layouts.yaml say how the file is striped.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include <mpi.h>
static double a[100];
int main(void) {
  MPI_File A;
  MPI_File_open(MPI_COMM_WORLD, "A", MPI_MODE_WRONLY, MPI_INFO_NULL, &A);
  // CHECK: :[[@LINE+1]]:3: remark: LOOP: run time: {{.*}}[LayoutUnknown]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(A, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
