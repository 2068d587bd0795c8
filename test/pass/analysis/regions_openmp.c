/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A parallel region without I/O is like a call of a function: the loop that computes in it and
// writes ends where its iterations do.
// RUN: %clang -O0 -fopenmp -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
// RUN: %clang -O2 -fopenmp -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  MPI_File_open(MPI_COMM_WORLD, "A", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &A);
  // CHECK-DAG: :[[@LINE+1]]:3: remark: NEST: {{.*}}inside: {{[^ ]*}}regions_openmp.c:[[@LINE+6]] [LayoutUnknown]
  for (int t = 0; t < 100; t++) {
    // CHECK-DAG: remark: CALL: {{.*}}next: {{[^ ]*}}regions_openmp.c:[[@LINE+4]]
#pragma omp parallel for
    for (int i = 0; i < 3 * STRIPE / 8; i++)
      a[i] += i;
    MPI_File_write_at(A, t * sizeof a, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&A);
}
