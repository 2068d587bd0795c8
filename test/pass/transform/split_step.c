/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A step other than 1: the lead counts iterations, not index values.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env LEAD=2 SIOX_FORM=split LEVELS="1 2 3" COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
int main(int argc, char **argv) {
  (void)argv;
  int n = argc + 27;
  for (int i = 0; i < n; i += 3)
    fprintf(stderr, "body %d\n", i);
  io();
}
// CHECK: body 21
// CHECK-NEXT: hint 9 1 left=2
// CHECK-NEXT: body 24
// CHECK-NEXT: body 27
// CHECK-NEXT: leave 9
