/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A while loop without an induction variable: the trip count is unknown, the iterations are counted.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int n = 6 + argc, steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps += step(1);
  }
  io();
  printf("%d\n", steps);
}
// CHECK: enter 9 trip=?
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: tick 9 2
// CHECK-NEXT: tick 9 3
// CHECK-NEXT: tick 9 4
// CHECK-NEXT: tick 9 5
// CHECK-NEXT: tick 9 6
// CHECK-NEXT: tick 9 7
// CHECK-NEXT: tick 9 8
// CHECK-NEXT: tick 9 9
// CHECK-NEXT: tick 9 10
// CHECK-NEXT: tick 9 11
// CHECK-NEXT: tick 9 12
// CHECK-NEXT: tick 9 13
// CHECK-NEXT: tick 9 14
// CHECK-NEXT: tick 9 15
// CHECK-NEXT: tick 9 16
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
