/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Split form without static masks: the run time gives the lead, and is told how many iterations are left.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env LEAD=3 SIOX_FORM=split LEVELS="1 2 3" COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int n = 10 + argc;
  for (int i = 1; i < n; i++)
    fprintf(stderr, "body %d\n", i);
  io();
}
// CHECK: enter 9 trip=10
// CHECK-NEXT: split_lead 9 trip=10
// CHECK-NEXT: body 1
// CHECK-NEXT: body 2
// CHECK-NEXT: body 3
// CHECK-NEXT: body 4
// CHECK-NEXT: body 5
// CHECK-NEXT: body 6
// CHECK-NEXT: body 7
// CHECK-NEXT: hint 9 1 left=3
// CHECK-NEXT: body 8
// CHECK-NEXT: body 9
// CHECK-NEXT: body 10
// CHECK-NEXT: leave 9
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
