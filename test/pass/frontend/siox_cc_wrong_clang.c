/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// siox-cc says in one line that the compiler is not the one the pass was built for.
// RUN: env MPICH_CC=true not %siox-cc -c %s -o %t.o 2> %t.err
// RUN: grep -c . %t.err | grep -x 1
// RUN: %filecheck < %t.err
// CHECK: siox-cc: the pass needs clang 19, but true is no clang
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
