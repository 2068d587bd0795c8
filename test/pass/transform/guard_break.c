/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// break leaves the region once and counts no further iteration.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int at = 0;
  for (int i = 0; i < 100; i++) {
    at = step(i);
    if (i == argc + 2)
      break;
  }
  io();
  printf("%d\n", at);
}
// CHECK: enter 9 trip=100
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: tick 9 2
// CHECK-NEXT: tick 9 3
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
