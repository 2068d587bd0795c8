/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the machine that is compiled for can do decides the lead: the same loop takes half the time with lanes twice as many and
// twice the time where half as many instructions are issued, and d = Ts / Tb for the level that this leaves time for. Ts of a
// 36Z15 is 10.9 s times the part of 15000 to be gained: 6.54 s from 6000, 4.36 s from 9000, 2.18 s from 12000.
// RUN: %clang -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -march=bonnell -o - %s | %siox-opt - --print-plan --disks 6 | %filecheck --check-prefix=TWO-WIDE
// RUN: %clang -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -march=x86-64 -o - %s | %siox-opt - --print-plan --disks 6 | %filecheck --check-prefix=TWO-LANES
// RUN: %clang -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -march=x86-64-v3 -o - %s | %siox-opt - --print-plan --disks 6 | %filecheck --check-prefix=FOUR-LANES
#include "../Inputs/striped.h"
static double a[1 << 14];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  MPI_File_read_at(A, 0, a, 1 << 14, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // TWO-WIDE: LOOP trip=100000000 gap=51250000000ns release 011000 6000 {{.*}}(d=12760976)
  // TWO-LANES: LOOP trip=100000000 gap=25625000000ns release 011000 6000 {{.*}}(d=25521952)
  // FOUR-LANES: LOOP trip=100000000 gap=12825000000ns release 011000 9000 {{.*}}(d=33996102)
  for (long k = 0; k < 100000000; k++)
    for (int i = 0; i < 1024; i++)
      a[i] = a[i] * 1.5 + 2;
  MPI_File_write_at(A, 0, a, 1 << 14, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
