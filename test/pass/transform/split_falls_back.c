/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop that cannot be split (no induction variable) gets the guard form; so does every loop at -O0. Both are said.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env SIOX_FORM=split COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
// RUN: env SIOX_FORM=split %clang -O2 -fpass-plugin=%plugin -Rpass-missed=siox -c %s -o %t.2.o 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: env SIOX_FORM=split %clang -O0 -fpass-plugin=%plugin -Rpass-missed=siox -c %s -o %t.0.o 2>&1 | FileCheck %s --check-prefix=O0
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int n = 2 + argc, steps = 0;
  // SHAPE: split_falls_back.c:[[@LINE+2]]:3: remark: the number of iterations cannot be told before the loop
  // O0: split_falls_back.c:[[@LINE+1]]:3: remark: --form=split needs loops in SSA form
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps += step(1);
  }
  io();
  printf("%d\n", steps);
}
// CHECK: enter 13 trip=?
// CHECK-NEXT: tick 13 1
// CHECK-NEXT: tick 13 2
// CHECK-NEXT: tick 13 3
// CHECK-NEXT: tick 13 4
// CHECK-NEXT: tick 13 5
// CHECK-NEXT: tick 13 6
// CHECK-NEXT: tick 13 7
// CHECK-NEXT: leave 13
