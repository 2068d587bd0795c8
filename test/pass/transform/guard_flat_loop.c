/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A flat loop without calls keeps its vectorisation: no counter is put into it.
// RUN: %clang -O2 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck
// RUN: env SIOX_FORM=guard %clang -O0 -fpass-plugin=%plugin -S -emit-llvm -o - %s | %filecheck --check-prefix=O0
#include <mpi.h>
double a[65536];
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_read_at(f, 0, a, 65536, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 65536; i++)
    a[i] *= 2;
  MPI_File_write_at(f, 0, a, 65536, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
// CHECK: call i64 @siox_region_enter
// CHECK: f{{(add|mul)}} <{{[0-9]+}} x double>
// CHECK-NOT: call i64 @siox_region_tick
// CHECK: call void @siox_region_leave
// O0: call i64 @siox_region_tick
