/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A while loop with continue has two ways back; each counts.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int i = argc, kept = 0;
  while (i < 10) {
    i++;
    if (i == 4)
      continue;
    kept += step(i);
  }
  io();
  printf("%d\n", kept);
}
// CHECK: enter 9 {{trip=.*}}
// CHECK-NEXT: tick 9 1
// CHECK-NEXT: tick 9 2
// CHECK-NEXT: tick 9 3
// CHECK-NEXT: tick 9 4
// CHECK-NEXT: tick 9 5
// CHECK-NEXT: tick 9 6
// CHECK-NEXT: tick 9 7
// CHECK-NEXT: tick 9 8
// CHECK-NEXT: tick 9 9
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
