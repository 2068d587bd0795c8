/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A function with two callers is one region entered twice.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
static long work(int n) {
  long sum = 0;
  for (int i = 0; i < n; i++)
    sum += step(i);
  return sum;
}
int main(int argc, char **argv) {
  (void)argv;
  long first = work(argc + 7);
  io();
  long second = work(argc + 8);
  io();
  printf("%ld %ld\n", first, second);
}
// CHECK: enter 14 trip=?
// CHECK-NEXT: enter 8 trip=8
// CHECK-NEXT: tick 8 1
// CHECK-NEXT: tick 8 2
// CHECK-NEXT: tick 8 3
// CHECK-NEXT: tick 8 4
// CHECK-NEXT: tick 8 5
// CHECK-NEXT: tick 8 6
// CHECK-NEXT: tick 8 7
// CHECK-NEXT: tick 8 8
// CHECK-NEXT: leave 8
// CHECK-NEXT: leave 14
// CHECK-NEXT: at 6
// CHECK-NEXT: enter 16 trip=?
// CHECK-NEXT: enter 8 trip=9
// CHECK-NEXT: tick 8 1
// CHECK-NEXT: tick 8 2
// CHECK-NEXT: tick 8 3
// CHECK-NEXT: tick 8 4
// CHECK-NEXT: tick 8 5
// CHECK-NEXT: tick 8 6
// CHECK-NEXT: tick 8 7
// CHECK-NEXT: tick 8 8
// CHECK-NEXT: tick 8 9
// CHECK-NEXT: leave 8
// CHECK-NEXT: leave 16
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
