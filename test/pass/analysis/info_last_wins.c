/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Of two settings of one key the last before the open counts.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_factor", "3");
  MPI_Info_set(info, "striping_factor", "2");
  // CHECK: f MPI_File_open layout=0:2:65536
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, info, &fh);
  MPI_Info_free(&info);
  // CHECK: f MPI_File_read_at {{.*}} size=512 layout=0:2:65536
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
