/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Truncated and foreign files are errors, not crashes.
// RUN: %clang -O2 -c -emit-llvm -o %t.bc %s
// RUN: head -c 1000 %t.bc > %t.cut.bc
// RUN: not %siox-opt %t.cut.bc -o %t.out 2>&1 | %filecheck
// RUN: not %siox-opt %s -o %t.out 2>&1 | %filecheck
// RUN: not %siox-opt %t.none -o %t.out 2>&1 | %filecheck
// CHECK: error:
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
