/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A do loop makes its first iteration whatever the bound is.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int i = argc * 10, sum = 0;
  do {
    sum += step(i);
    i++;
  } while (i < argc);
  io();
  printf("%d\n", sum);
}
// CHECK: enter 9 trip=1
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
