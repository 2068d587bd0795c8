/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What sleep() is called with is how long it lasts at the least, so the call says it when it begins.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "Inputs/io.h"
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  (void)argv;
  io();
  usleep(argc * 3);
  io();
  sleep(0);
  io();
}
// CHECK: at 6
// CHECK-NEXT: enter 11 trip=3
// CHECK-NEXT: leave 11
// CHECK-NEXT: at 6
// CHECK-NEXT: enter 13 trip=0
// CHECK-NEXT: leave 13
// CHECK-NEXT: at 6
// CHECK-NEXT: open 0
