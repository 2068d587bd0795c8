/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Overflow checks give instcombine more to do than one round: no reason to end the compiler. The access is found all the same.
// RUN: %clang -fsanitize=undefined -fpass-plugin=%plugin -c -o %t.o %s
// RUN: %clang -fsanitize=undefined -S -emit-llvm -Xclang -disable-llvm-passes -o - %s | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static char b[512];
void note(long x);
void f(MPI_File fh) {
  // CHECK: f MPI_File_read_at
  MPI_File_read_at(fh, 0, b, 512, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 2147483568; i < 2147483646; i += 2)
    note((long)i - 2147483568);
}
