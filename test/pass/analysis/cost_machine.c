/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A chain of 3000 integer multiplications and exclusive ors, which no width helps: 4 cycles each at 3 GHz.
// RUN: %clang -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -march=x86-64 -o - %s | %siox-opt - --print-plan --disks 6 | %filecheck
// RUN: %clang -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -march=skylake-avx512 -o - %s | %siox-opt - --print-plan --disks 6 | %filecheck
#include "../Inputs/striped.h"
static unsigned hash, data[3000];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  MPI_File_read_at(A, 0, data, 3000, MPI_UNSIGNED, MPI_STATUS_IGNORE);
  // CHECK: main LOOP trip=3000 gap=4000ns
  for (int i = 0; i < 3000; i++)
    hash = (hash ^ data[i]) * 16777619u;
  MPI_File_write_at(A, 0, &hash, 1, MPI_UNSIGNED, MPI_STATUS_IGNORE);
}
