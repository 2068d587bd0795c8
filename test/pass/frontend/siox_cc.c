/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// siox-cc compiles with the pass, and passes -E, -S and --version through.
// RUN: %siox-cc -O2 -c %s -o %t.o
// RUN: nm %t.o | grep 'U siox_at'
// RUN: %siox-cc -E %s | grep MPI_File_read_at
// RUN: %siox-cc -O0 -S -o - %s | grep siox_at
// RUN: not %siox-cc -static %s -o %t.out 2>&1 | grep 'libsiox is a shared library'
// RUN: %siox-cc -O2 -nostdlib -r %s -o %t.r.o
// RUN: %siox-cc --version | grep 'clang version 19'
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
