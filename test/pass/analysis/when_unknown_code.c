/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Unknown code that runs in every iteration may call a function that other modules can, so nothing is told of that one; of a
// static one it is.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
extern void unknown(int);
static double a[1000];
void anybody(MPI_File f) { MPI_File_write_at(f, 0, a, 1000, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void nobody(MPI_File f) { MPI_File_write_at(f, 0, a, 1000, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  // CHECK: define {{.*}}@main(
  // CHECK-NOT: call void @siox_steps_when
  // CHECK: call i32 @unknown_follows
  for (int it = 0; it < argc; it++) {
    unknown(it);
    if (it % 10 == 0)
      anybody(f);
  }
  extern int unknown_follows(void);
  unknown_follows();
  // CHECK: call void @siox_steps_when
  for (int it = 0; it < argc; it++) {
    unknown(it);
    if (it % 10 == 0)
      nobody(f);
  }
}
