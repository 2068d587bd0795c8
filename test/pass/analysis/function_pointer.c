/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A pointer chooses between two calls of MPI-IO: each is a site.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
typedef int (*access)(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);
static double b[64];
void f(MPI_File fh, int together) {
  access go = together ? MPI_File_read_at_all : MPI_File_read_at;
  for (int i = 0; i < 16; i++)
    // CHECK-DAG: c:[[@LINE+2]] f MPI_File_read_at_all first=0 size=512 L0 affine(stride=4096,trip=16){{$}}
    // CHECK-DAG: c:[[@LINE+1]] f MPI_File_read_at first=0 size=512 L0 affine(stride=4096,trip=16){{$}}
    go(fh, i * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
