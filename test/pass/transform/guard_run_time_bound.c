/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A bound known only at run time is computed before the loop.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int n = 4 * argc + 5;
  long sum = 0;
  for (int i = 0; i < n * 2; i += 2)
    sum += step(i);
  io();
  printf("%ld\n", sum);
}
// CHECK: enter 10 trip=9
// CHECK-NEXT: tick 10 1
// CHECK-NEXT: tick 10 2
// CHECK-NEXT: tick 10 3
// CHECK-NEXT: tick 10 4
// CHECK-NEXT: tick 10 5
// CHECK-NEXT: tick 10 6
// CHECK-NEXT: tick 10 7
// CHECK-NEXT: tick 10 8
// CHECK-NEXT: tick 10 9
// CHECK-NEXT: leave 10
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
