/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An unknown key in layouts.yaml is one error that names file, line and key, in siox-opt and in clang.
// RUN: %ll2 > %t.ll
// RUN: not %siox-opt %t.ll --disks 6 --layouts %S/Inputs/unknown_key.yaml -o %t.bc 2>&1 | %filecheck --check-prefix=ERROR --implicit-check-not=error:
// RUN: env SIOX_DISKS=6 SIOX_LAYOUTS=%S/Inputs/unknown_key.yaml not %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | %filecheck --check-prefix=ERROR
// ERROR: error: {{.*}}unknown_key.yaml:3: {{.*}}stripes
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  // CHECK: f MPI_File_open{{.*}}
  MPI_File_open(MPI_COMM_WORLD, "out/a.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  MPI_File_close(&fh);
}
