/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// CREATE_SET_DATAFILE_NODES names the disks one by one.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 | %filecheck
#include <mpi.h>
static double b[64];
void f(void) {
  MPI_File fh;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "CREATE_SET_DATAFILE_NODES", "5,2,4");
  MPI_Info_set(info, "striping_unit", "131072");
  // CHECK: f MPI_File_open layout=5,2,4:131072
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, info, &fh);
  MPI_Info_free(&info);
  // CHECK: f MPI_File_read_at {{.*}} size=512 layout=5,2,4:131072
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
