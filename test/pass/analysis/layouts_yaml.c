/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// layouts.yaml gives the layout of a file whose name is a constant.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 --layouts %S/Inputs/layouts.yaml | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 --layouts %S/Inputs/layouts.yaml | %filecheck
// RUN: %clang -I%S/../Inputs/openmpi -g1 -S -emit-llvm -Xclang -disable-llvm-passes -O2 -o - %s | %siox-opt - --print-access --disks 6 --layouts %S/Inputs/layouts.yaml | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  // CHECK: f MPI_File_open layout=2:3:{{64K|65536}}
  MPI_File_open(MPI_COMM_WORLD, "out/a.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_close(&fh);
}
