/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A layouts.yaml that cannot be read is an error.
// RUN: %ll2 > %t.ll
// RUN: not %siox-opt %t.ll --disks 6 --layouts %t.none -o %t.bc 2>&1 | %filecheck --check-prefix=ERROR
// ERROR: error: {{.*}}.none
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  // CHECK: f MPI_File_open{{.*}}
  MPI_File_open(MPI_COMM_WORLD, "out/a.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_close(&fh);
}
