/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A module that only uses the C library stays as it is.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
// CHECK-NOT: siox
#include <unistd.h>
long f(void *b) { return pread(0, b, 8, 0); }
