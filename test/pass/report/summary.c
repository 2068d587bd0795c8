/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The table of a module, from siox-opt and from the compiler.
// RUN: %ll0 | %siox-opt - --disks 6 --summary | %filecheck
// RUN: env SIOX_SUMMARY=1 SIOX_DISKS=6 %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o | %filecheck
// CHECK: siox: {{.*}}summary.c: 7 calls of MPI-IO, 6 move data
// CHECK-NEXT: offsets constant affine periodic invariant run time unknown
// CHECK-NEXT: accesses 1 1 1 1 1 1
// CHECK-NEXT: regions all planned run time no hint not marked
// CHECK-NEXT: loops 2 0 2 0 0
// CHECK-NEXT: calls 0 0 0 0 0
// CHECK-NEXT: nests with accesses 4 0 4 0 0
// CHECK-NEXT: LayoutUnknown 6 the striping of a file is known only at run time
// CHECK-NOT: {{.}}
#include <mpi.h>
static double a[100];
static int table[100];
int main(int argc, char **argv) {
  MPI_File A;
  (void)argv;
  MPI_File_open(MPI_COMM_WORLD, "A", MPI_MODE_RDWR, MPI_INFO_NULL, &A);
  MPI_File_write_at(A, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    a[i] = i;
  for (int i = 0; i < 100; i++)
    MPI_File_read_at(A, i * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    MPI_File_read_at(A, i % 5 * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    table[i] = (int)a[i];
  MPI_File_write_at(A, argc * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    MPI_File_read_at(A, table[i] * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    MPI_File_read_at(A, (int)a[i] * 800, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
