/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The loops inside an outer loop of few iterations count too.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(void) {
  long sum = 0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 8; j++)
      sum += step(i * j);
  io();
  printf("%ld\n", sum);
}
// CHECK: enter 8 trip=2
// CHECK-NEXT: enter 9 trip=8
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: tick 9 2
// CHECK-NEXT: tick 9 3
// CHECK-NEXT: tick 9 4
// CHECK-NEXT: tick 9 5
// CHECK-NEXT: tick 9 6
// CHECK-NEXT: tick 9 7
// CHECK-NEXT: tick 9 8
// CHECK-NEXT: leave 9
// CHECK-NEXT: tick 8 1
// CHECK-NEXT: enter 9 trip=8
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: tick 9 2
// CHECK-NEXT: tick 9 3
// CHECK-NEXT: tick 9 4
// CHECK-NEXT: tick 9 5
// CHECK-NEXT: tick 9 6
// CHECK-NEXT: tick 9 7
// CHECK-NEXT: tick 9 8
// CHECK-NEXT: leave 9
// CHECK-NEXT: tick 8 2
// CHECK-NEXT: leave 8
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
