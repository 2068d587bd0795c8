/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One access that makes a program worth looking at. */
#include <mpi.h>
#include <stdio.h>
static char buffer[8];
static void io(void) { MPI_File_write_at(MPI_FILE_NULL, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE); }
/* A call in a loop: without one it would get no counter (guard_flat_loop.c). */
static __attribute__((noinline, unused)) long step(long i) {
  __asm__ volatile("");
  return i;
}
