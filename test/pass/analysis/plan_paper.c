/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The example of paper section IV: D = 6, A and B on (1, 3, 64K), C on (2, 3, 64K), requests of three stripes. 6000 to
// 15000 RPM takes 6.54 s (Table I); at 261.6 ms an iteration that is a quarter of the 100 iterations.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 | %filecheck
// RUN: %ll2 | %siox-opt - --print-plan --disks 6 --drive 36Z15 --tb-ns 261600000 | %filecheck
#include "../Inputs/striped.h"
static double a[3 * STRIPE / 8], b[3 * STRIPE / 8], c[3 * STRIPE / 8];
int main(void) {
  MPI_File A, B, C;
  OPEN_STRIPED(&A, "A", "1");
  OPEN_STRIPED(&B, "B", "1");
  OPEN_STRIPED(&C, "C", "2");
  // CHECK: plan_paper.c:[[@LINE+1]] main NEST uses 011110, 100001 lowest at entry; inside: {{.*}}plan_paper.c:[[@LINE+2]],{{.*}}plan_paper.c:[[@LINE+3]],{{.*}}plan_paper.c:[[@LINE+7]]
  for (int k = 0; k < 4; k++) {
    MPI_File_read_at(A, k * 3 * STRIPE, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(B, k * 3 * STRIPE, b, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
    // CHECK: plan_paper.c:[[@LINE+1]] main LOOP trip=100 gap=26160000000ns release 011110 6000 F=0 at entry; hint 011110 15000 F=1 at iteration 75 (d=25); next: {{.*}}plan_paper.c:[[@LINE-2]],{{.*}}plan_paper.c:[[@LINE-1]],{{.*}}plan_paper.c:[[@LINE+3]]; then: {{.*}}plan_paper.c:[[@LINE+1]]
    for (int i = 0; i < 100; i++)
      c[i] += a[i] * b[i];
    MPI_File_write_at(C, k * 3 * STRIPE, c, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&A);
  MPI_File_close(&B);
  MPI_File_close(&C);
}
