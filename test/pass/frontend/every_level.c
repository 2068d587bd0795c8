/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Plain clang loads the plug-in at -O0 to -O3 and the calls are marked.
// RUN: %clang -O0 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// RUN: %clang -O1 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// RUN: %clang -O3 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// CHECK: call void @siox_at(
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
