/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Each region ends in one remark; what is left to the run time says why.
// RUN: %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include <mpi.h>
static double a[100];
int main(void) {
  // CHECK: passed.c:[[@LINE+1]]:3: remark: LOOP: run time: masks from handles, lead from siox_lead (the striping of a file is known only at run time)
  for (int i = 0; i < 100; i++)
    a[i] += 1;
  MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // CHECK: passed.c:[[@LINE+1]]:3: remark: LOOP: no hint: no MPI-IO access follows the region
  for (int i = 0; i < 100; i++)
    a[i] += 1;
  // CHECK-NOT: remark
}
