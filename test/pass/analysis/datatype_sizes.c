/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Sizes of builtin datatypes, MPICH's and Open MPI's, of a contiguous type, and none of an unknown one.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
// RUN: %clang -I%S/../Inputs/openmpi -g1 -S -emit-llvm -Xclang -disable-llvm-passes -O0 -o - %s | %siox-opt - --print-access | %filecheck
// RUN: %clang -I%S/../Inputs/openmpi -g1 -S -emit-llvm -Xclang -disable-llvm-passes -O2 -o - %s | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static char b[1024];
void f(MPI_File fh, MPI_Datatype any) {
  MPI_Datatype three;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Type_commit(&three);
  // CHECK: MPI_File_read_at first=0 size=10{{$}}
  MPI_File_read_at(fh, 0, b, 10, MPI_BYTE, MPI_STATUS_IGNORE);
  // CHECK: MPI_File_read_at first=0 size=40{{$}}
  MPI_File_read_at(fh, 0, b, 10, MPI_INT, MPI_STATUS_IGNORE);
  // CHECK: MPI_File_read_at first=0 size=160{{$}}
  MPI_File_read_at(fh, 0, b, 10, MPI_C_DOUBLE_COMPLEX, MPI_STATUS_IGNORE);
  // CHECK: MPI_File_read_at first=0 size=120{{$}}
  MPI_File_read_at(fh, 0, b, 10, three, MPI_STATUS_IGNORE);
  // CHECK: MPI_File_read_at first=0{{$}}
  MPI_File_read_at(fh, 0, b, 10, any, MPI_STATUS_IGNORE);
}
