/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A C++ call beside a destructor is an invoke: still a site, and the file pointer moves behind it.
// RUN: %clang -x c++ -gline-tables-only -O2 -Xclang -disable-llvm-passes -S -emit-llvm -o %t.ll %s
// RUN: grep 'invoke .*@MPI_File_read' %t.ll
// RUN: %siox-opt %t.ll --print-access | %filecheck
#include <mpi.h>
struct Guard {
  ~Guard();
};
static double b[64];
void f() {
  MPI_File fh;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  Guard g;
  for (int i = 0; i < 16; i++)
    // CHECK: f MPI_File_read origin={{.*}}:[[#@LINE-3]] first=0 size=512 L0 affine(stride=512,trip=16){{$}}
    MPI_File_read(fh, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
