/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A return inside the loop leaves the region.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
static int find(int wanted) {
  for (int i = 0; i < 50; i++)
    if (step(i * i) >= wanted)
      return i;
  return -1;
}
int main(int argc, char **argv) {
  (void)argv;
  int found = find(argc + 3);
  io();
  printf("%d\n", found);
}
// CHECK: enter 14 trip=?
// CHECK-NEXT: enter 7 trip=50
// CHECK-NEXT: tick 7 1
// CHECK-NEXT: tick 7 2
// CHECK-NEXT: leave 7
// CHECK-NEXT: leave 14
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
