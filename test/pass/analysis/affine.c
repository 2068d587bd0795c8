/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The stride of an offset that a loop's counter decides.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_write_at first=100 size=512 L0 affine(stride=65536,trip=16){{$}}
    MPI_File_write_at(fh, 100 + (MPI_Offset)i * 65536, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
