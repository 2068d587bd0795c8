/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Offsets that come back: a remainder, low bits, one of two, a counter that starts over. The disks are those of the
// places that they come back to.
// RUN: %ll0 | %siox-opt - --disks 6 --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --disks 6 --print-access | %filecheck
#include "../Inputs/striped.h"
#include <mpi.h>
static double b[64];
void modulo(MPI_File fh) {
  for (int i = 0; i < 16; i++)
    // CHECK: modulo MPI_File_read_at first=0 size=512 L0 periodic(stride=4096,period=5,trip=16){{$}}
    MPI_File_read_at(fh, i % 5 * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void even(MPI_File fh) {
  for (int i = 0; i < 48; i += 2)
    // CHECK: even MPI_File_read_at first=0 size=512 L0 periodic(stride=8192,period=3,trip=24){{$}}
    MPI_File_read_at(fh, i % 6 * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void mask(MPI_File fh) {
  for (unsigned i = 0; i < 16; i++)
    // CHECK: mask MPI_File_read_at first=64 size=512 L0 periodic(stride=4096,period=4,trip=16){{$}}
    MPI_File_read_at(fh, (i & 3) * 4096L + 64, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void ring(MPI_File fh) {
  int rank, n;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 0; i < 16; i++)
    // CHECK: ring MPI_File_read_at first=0 size=512 L0 periodic(stride=4096,period=?,trip=16){{$}}
    MPI_File_read_at(fh, (rank + i) % n * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void two(MPI_File fh, const int *left) {
  for (int i = 0; i < 16; i++)
    // CHECK: two MPI_File_read_at first={{[0-9]+}} size=512 L0 periodic(stride={{-?}}8192,period=2,trip=16){{$}}
    MPI_File_read_at(fh, left[i] ? 4096L : 12288L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void again(MPI_File fh) {
  long p = 0;
  for (int i = 0; i < 16; i++) {
    // CHECK: again MPI_File_read_at first=0 size=512 L0 periodic(stride=4096,period=4,trip=16){{$}}
    MPI_File_read_at(fh, p * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
    if (++p == 4)
      p = 0;
  }
}
void rows(MPI_File fh) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 16; i++)
      // CHECK: rows MPI_File_read_at first=0 size=512 L0 periodic(stride=4096,period=2,trip=16) L1 affine(stride=65536,trip=3){{$}}
      MPI_File_read_at(fh, j * 65536L + i % 2 * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void disks(void) {
  MPI_File fh;
  OPEN_STRIPED(&fh, "a", "1");
  for (int i = 0; i < 16; i++)
    // CHECK: disks MPI_File_read_at {{.*}} L0 periodic(stride=65536,period=2,trip=16) layout=1:3:65536 mask=011000{{$}}
    MPI_File_read_at(fh, i % 2 * (long)STRIPE, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
