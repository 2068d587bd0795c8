/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the pass tries on a copy of the program is in no remark and in no record of optimisations.
// RUN: %clang -O1 -Rpass=inline -fsave-optimization-record -foptimization-record-file=%t.yaml -fpass-plugin=%plugin -c %s -o %t.o > %t.out 2>&1
// RUN: %filecheck < %t.out
// RUN: not grep 'always inline' %t.yaml
// RUN: grep 'Name: *Inlined' %t.yaml
// CHECK-NOT: always inline
// CHECK: 'put' inlined into 'f'
// CHECK-NOT: always inline
#include <mpi.h>
static double b[64];
static void put(MPI_File fh, long i) {
  MPI_File_write_at(fh, i * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void f(MPI_File fh) {
  for (int i = 0; i < 64; i++)
    put(fh, i);
}
