/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Fig. 3 as printed looks for the disk of a small request at (base + offset % striping unit) % D, 3 for byte 65538 of a file
// on disks 1 to 3 of 6; its stripe is the second, which lies on disk 2.
// RUN: %ll2 | %siox-opt - --print-access --disks 6 | FileCheck %s --check-prefix=OURS
// RUN: %ll2 | %siox-opt - --print-access --disks 6 --paper-literal | FileCheck %s --check-prefix=PRINTED
#include "../Inputs/striped.h"
static double a[STRIPE / 8];
int main(void) {
  MPI_File A;
  OPEN_STRIPED(&A, "A", "1");
  for (int i = 0; i < 100; i++)
    a[i] = i;
  // OURS: MPI_File_write_at {{.*}} mask=001000
  // PRINTED: MPI_File_write_at {{.*}} mask=000100
  MPI_File_write_at(A, STRIPE + 2, a, 16, MPI_BYTE, MPI_STATUS_IGNORE);
}
