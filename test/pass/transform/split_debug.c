/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Both loops and the hint between them keep their places in the source: nothing that does something is without one, and the
// line table leads to the body twice.
// RUN: env SIOX_FORM=split %clang -g -O1 -fpass-plugin=%plugin -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %filecheck --input-file %t.ll
// RUN: %python %S/Inputs/debug_places.py %t.ll work
// RUN: env SIOX_FORM=split %clang -g -O1 -fpass-plugin=%plugin -fno-unroll-loops -c %s -o %t.o
// RUN: llvm-dwarfdump --debug-line %t.o | FileCheck %s --check-prefix=LINES
#include "Inputs/io.h"
static volatile double sum;
// CHECK-LABEL: define {{.*}}@work(
void work(const double *from, int n) {
  // CHECK: call i64 @siox_split_lead({{.*}}, !dbg
  // CHECK: call void @siox_region_hint({{.*}}, !dbg
  for (int i = n; i > 0; i -= 3)
    // CHECK: fadd {{.*}}, !dbg
    // CHECK: fadd {{.*}}, !dbg
    // LINES: 0x{{[0-9a-f]+}} {{ *}}[[@LINE+2]] {{.*}}is_stmt
    // LINES: 0x{{[0-9a-f]+}} {{ *}}[[@LINE+1]] {{.*}}is_stmt
    sum += from[i];
  io();
}
