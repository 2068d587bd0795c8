/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop that makes no iteration: the region ends at once, with a count of 0.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  long sum = 0;
  for (int i = argc; i < -5; i++)
    sum += i;
  io();
  printf("%ld\n", sum);
}
// CHECK: enter 9 trip=0
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
