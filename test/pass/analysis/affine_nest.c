/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Each loop of a nest has its own stride; the innermost comes first.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      // CHECK: f MPI_File_read_at first=0 size=512 L0 affine(stride=512,trip=8) L1 affine(stride=65536,trip=4){{$}}
      MPI_File_read_at(fh, (MPI_Offset)i * 65536 + j * 512, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
