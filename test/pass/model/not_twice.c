/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A module that was instrumented is left alone, by siox-opt and by clang.
// RUN: %ll2 | %siox-opt - -S -o %t.ll
// RUN: %siox-opt %t.ll -S -o %t2.ll
// RUN: grep -c 'call void @siox_at' %t2.ll | grep -x 1
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm -o - %t.ll | grep -c 'call void @siox_at' | grep -x 1
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
