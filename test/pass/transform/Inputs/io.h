/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One access that makes a program worth looking at. */
#include <mpi.h>
#include <stdio.h>
static char buffer[8];
static void io(void) { MPI_File_write_at(MPI_FILE_NULL, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }
