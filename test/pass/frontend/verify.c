/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What the pass makes passes the verifier, with debug information.
// RUN: %clang -g -O1 -Xclang -disable-llvm-passes -S -emit-llvm -o - %s | %siox-opt - -o %t.bc
// RUN: opt -passes=verify -disable-output %t.bc
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
