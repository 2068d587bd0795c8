/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fig. 3 as printed on the paper's matrix multiplication, with a lead that its condition selects (6 of 8 iterations): the tag
// is one for the program, and the slow-down after reading A comes before B is read from the same disks. split_paper.c shows
// what this pass does. The run time hears of nothing else.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env SIOX_PAPER_LITERAL=1 SIOX_DISKS=6 SIOX_DRIVE=36Z15 SIOX_TB_NS=1200000000 LEVELS="1 2 3" COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8], b[3 * STRIPE / 8], c[3 * STRIPE / 8];
int main(void) {
  MPI_File A, B, C;
  OPEN_STRIPED(&A, "A", "1");
  OPEN_STRIPED(&B, "B", "1");
  OPEN_STRIPED(&C, "C", "2");
  for (int k = 0; k < 2; k++) {
    MPI_File_read_at(A, k * 3 * STRIPE, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(B, k * 3 * STRIPE, b, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++) {
      c[i] += a[i] * b[i];
      fprintf(stderr, "body %d\n", i);
    }
    MPI_File_write_at(C, k * 3 * STRIPE, c, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  printf("%g\n", c[0]);
}
// CHECK: at 15
// CHECK-NEXT: set_speed 011110 6000 0
// CHECK-NEXT: at 16
// CHECK-NEXT: set_speed 011110 6000 0
// CHECK-NEXT: body 0
// CHECK-NEXT: body 1
// CHECK-NEXT: set_speed 011110 15000 1
// CHECK-NEXT: body 2
// CHECK-NEXT: body 3
// CHECK-NEXT: body 4
// CHECK-NEXT: body 5
// CHECK-NEXT: body 6
// CHECK-NEXT: body 7
// CHECK-NEXT: at 21
// CHECK-NEXT: set_speed 011110 6000 0
// CHECK-NEXT: at 15
