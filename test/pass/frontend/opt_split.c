/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What siox-opt writes is finished: a loop of the split form is split there, and a disk that is released is called back, whoever
// compiles the module further. So it is with -flto=thin, where the compiler stops before the vectoriser and the linker has no pass.
// RUN: %clang -I%include -c %S/../transform/Inputs/record.c -o %t.o
// RUN: %clang -O2 -c -emit-llvm -Xclang -disable-llvm-passes -o %t.bc %s
// RUN: %siox-opt %t.bc --form=split --disks 6 --drive 36Z15 --tb-ns 6400000000 -o %t.split.bc
// RUN: %clang -Wno-unused-command-line-argument -O2 %t.split.bc %t.o -o %t
// RUN: %t 2>&1 | %filecheck
// RUN: env SIOX_FORM=split SIOX_DISKS=6 SIOX_DRIVE=36Z15 SIOX_TB_NS=6400000000 %clang -O2 -flto=thin -fpass-plugin=%plugin -c -o %t.thin.o %s
// RUN: llvm-dis < %t.thin.o | grep "call i32 @siox_set_speed(.*, i32 15000, i32 1)"
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  for (int k = 0; k < 2; k++) {
    MPI_File_read_at(A, k * 3 * STRIPE, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++)
      fprintf(stderr, "body %d\n", i);
  }
}
// CHECK: set_speed 011100 6000 0
// CHECK-NEXT: body 0
// CHECK-NEXT: body 1
// CHECK-NEXT: body 2
// CHECK-NEXT: body 3
// CHECK-NEXT: body 4
// CHECK-NEXT: body 5
// CHECK-NEXT: set_speed 011100 15000 1
// CHECK-NEXT: body 6
// CHECK-NEXT: body 7
