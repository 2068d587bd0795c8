/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Threads of a parallel region that does I/O come from unknown code.
// RUN: %clang -O0 -fopenmp -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
// RUN: %clang -O2 -fopenmp -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  MPI_File_open(MPI_COMM_WORLD, "A", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &A);
  // CHECK: :[[@LINE+1]]:3: remark: NEST: {{.*}}[OpenEnd]
  for (int t = 0; t < 100; t++) {
#pragma omp parallel
    {
#pragma omp single
      MPI_File_write_at(A, t * sizeof a, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_read_at(A, t * sizeof a, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&A);
}
