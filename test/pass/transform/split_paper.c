/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The split form on the paper's example (Fig. 2(c)), here with 8 iterations of which the last quarter is the lead: at nest
// entry disks 0 and 5 go down, after the reads the phase's disks are released, and set_speed(011110, 15000, 1) stands
// between loops of 6 and 2 iterations.
// RUN: %clang -I%include -c %S/Inputs/record.c -o %t.o
// RUN: env SIOX_FORM=split SIOX_DISKS=6 SIOX_DRIVE=36Z15 SIOX_TB_NS=6400000000 LEVELS="1 2 3" COMPILE="%clang" PASS=-fpass-plugin=%plugin RECORD=%t.o sh %S/Inputs/guard.sh %s %t
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
// CHECK: enter 14 trip=2
// CHECK-NEXT: set_speed_at 100001 0 0 never
// CHECK-NEXT: enter 14 trip=2
// CHECK-NEXT: at 15
// CHECK-NEXT: at 16
// CHECK-NEXT: enter 17 trip=8
// CHECK-NEXT: set_speed 011110 6000 0
// CHECK-NEXT: body 0
// CHECK-NEXT: body 1
// CHECK-NEXT: body 2
// CHECK-NEXT: body 3
// CHECK-NEXT: body 4
// CHECK-NEXT: body 5
// CHECK-NEXT: set_speed 011110 15000 1
// CHECK-NEXT: body 6
// CHECK-NEXT: body 7
// CHECK-NEXT: leave 17
// CHECK-NEXT: at 21
// CHECK-NEXT: tick 14 1
// CHECK-NEXT: at 15
// CHECK: set_speed 011110 15000 1
// CHECK: leave 14
// CHECK-NEXT: leave 14
// CHECK-NEXT: open 0
