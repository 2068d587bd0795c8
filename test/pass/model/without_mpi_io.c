/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A program without MPI-IO gets the object it would get without the plug-in.
// RUN: %clang -O0 -g -c %s -o %t0.o
// RUN: %clang -O0 -g -fpass-plugin=%plugin -c %s -o %t0p.o
// RUN: cmp %t0.o %t0p.o
// RUN: %clang -O2 -g -c %s -o %t2.o
// RUN: %clang -O2 -g -fpass-plugin=%plugin -c %s -o %t2p.o
// RUN: cmp %t2.o %t2p.o
#include <mpi.h>
int f(int n) {
  int rank = n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
