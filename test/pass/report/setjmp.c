/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Loops of a function that calls setjmp are left alone, and it is said why.
// RUN: %clang -O1 -fpass-plugin=%plugin -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
#include <mpi.h>
#include <setjmp.h>
static double a[100];
static jmp_buf back;
int main(void) {
  if (setjmp(back))
    return 1;
  // CHECK: remark: LOOP: not marked: the function calls setjmp
  for (int i = 0; i < 100; i++)
    a[i] += 1;
  MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
