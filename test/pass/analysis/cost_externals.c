/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Callees count by summaries and the table of external functions, inner loops as often as they run: 10 iterations of 20 calls
// of a function that sleeps for 3 ms, as it says itself: 600 ms altogether, and little else.
// RUN: %ll2 | %siox-opt - --print-plan --disks 6 | %filecheck
#include "../Inputs/striped.h"
#include <unistd.h>
static double a[3 * STRIPE / 8];
static __attribute__((noinline)) void nap(void) {
  for (int i = 0; i < 3; i++)
    usleep(1000);
}
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  // CHECK: cost_externals.c:[[@LINE+1]] main LOOP trip=10 gap=600{{[0-9][0-9][0-9][0-9][0-9][0-9]}}ns
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 20; j++)
      nap();
  MPI_File_write_at(A, 0, a, 3 * STRIPE / 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
