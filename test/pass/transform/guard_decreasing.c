/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop that counts down.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(void) {
  long sum = 0;
  for (int i = 40; i > 0; i -= 4)
    sum += step(i);
  io();
  printf("%ld\n", sum);
}
// CHECK: enter 8 trip=10
// CHECK-NEXT: tick 8 1
// CHECK-NEXT: tick 8 2
// CHECK-NEXT: tick 8 3
// CHECK-NEXT: tick 8 4
// CHECK-NEXT: tick 8 5
// CHECK-NEXT: tick 8 6
// CHECK-NEXT: tick 8 7
// CHECK-NEXT: tick 8 8
// CHECK-NEXT: tick 8 9
// CHECK-NEXT: tick 8 10
// CHECK-NEXT: leave 8
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
