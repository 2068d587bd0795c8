/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files striped over three of the disks, in stripes of 64 KiB, beginning at a given disk. */
#include <mpi.h>
#include <stdio.h>
#define STRIPE 65536
#define OPEN_STRIPED(file, name, base)                                                                                 \
  do {                                                                                                                 \
    MPI_Info info;                                                                                                     \
    MPI_Info_create(&info);                                                                                            \
    MPI_Info_set(info, "striping_factor", "3");                                                                        \
    MPI_Info_set(info, "striping_unit", "65536");                                                                      \
    MPI_Info_set(info, "start_iodevice", base);                                                                        \
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, file);                                  \
    MPI_Info_free(&info);                                                                                              \
  } while (0)
