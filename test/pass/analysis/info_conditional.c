/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A setting made on one path only leaves the layout to the run time.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 | %filecheck
#include <mpi.h>
static double b[64];
void f(int some) {
  MPI_File fh;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_factor", "3");
  if (some)
    MPI_Info_set(info, "striping_factor", "2");
  // CHECK: f MPI_File_open{{$}}
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, info, &fh);
  MPI_Info_free(&info);
  // CHECK: f MPI_File_read_at {{.*}} size=512{{$}}
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
}
