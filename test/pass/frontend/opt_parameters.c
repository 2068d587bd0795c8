/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// opt runs the pass by name with parameters, and rejects an unknown one.
// RUN: %ll0 > %t.ll
// RUN: opt -load-pass-plugin=%plugin -passes='siox<form=guard;disks=6;print-access>' -S %t.ll -o %t2.ll | %filecheck
// RUN: not opt -load-pass-plugin=%plugin -passes='siox<speed=9>' -S %t.ll -o /dev/null 2>&1 | %filecheck --check-prefix=ERROR
// CHECK: f MPI_File_read_at first=0 size=512
// ERROR: error: {{.*}}no option speed
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
