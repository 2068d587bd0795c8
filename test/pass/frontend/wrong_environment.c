/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A wrong setting in the environment is an error that names it.
// RUN: env SIOX_DISKS=many not %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | %filecheck
// CHECK: error: {{.*}}SIOX_DISKS (--siox-disks of siox-cc): disks=many: expected a number from 1 to 65536
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
