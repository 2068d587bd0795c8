/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A loop that can end at any time: what stands behind its condition is reached another way after it, or is not.
// RUN: %ll0 -DAFTER='save(f)' | %siox-opt - -S -o - | %filecheck
// RUN: %ll0 -DAFTER= | %siox-opt - -S -o - | FileCheck %s --check-prefix=ONLY
#include <mpi.h>
static double a[1024];
static void save(MPI_File f) { MPI_File_write_at(f, 0, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; a[5] < 1000; k++) {
    for (int i = 0; i < 1024; i++)
      a[i] += 2;
    if (k % argc == 0)
      save(f);
  }
  AFTER;
}
// CHECK: @siox.when = private global %struct.siox_steps_when { {{.*}}, i32 -32, i32 -32, i32 -32, i32 1, ptr null, {{.*}} }
// ONLY: @siox.when = private global %struct.siox_steps_when { {{.*}}, i32 -32, i32 -32, i32 -32, i32 0, ptr null, {{.*}} }
