/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two calls that the compiler merges keep both sites.
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// CHECK-LABEL: @f(
// CHECK: @siox.site.
// CHECK: @siox.site.
// CHECK: call {{.*}}@MPI_File_read_at(
#include <mpi.h>
void f(MPI_File one, MPI_File two, int c, double *b) {
  if (c)
    MPI_File_read_at(one, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  else
    MPI_File_read_at(two, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
