/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a condition guards, an optimiser leaves in the loop; nothing writes there, so it does not change.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
struct grid {
  MPI_Offset base;
  int columns;
};
static double b[64];
void f(MPI_File fh, const struct grid *g, const int *mine, int width, int rank) {
  for (int i = 0; i < 16; i++)
    if (mine[i])
      // CHECK: f MPI_File_read_at size=512 L0 affine(stride=4096,trip=16){{$}}
      MPI_File_read_at(fh, g->base + rank / width * 512L + i * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
void g(MPI_File fh, struct grid *g, const int *mine) {
  for (int i = 0; i < 16; i++)
    if (mine[i])
      // What the read brings may change the offset of the next one.
      // CHECK: g MPI_File_read_at size=4 L0 unknown(trip=16) why="read from memory in the loop"
      MPI_File_read_at(fh, g->base + i * 4096L, (void *)&g->base, 1, MPI_INT, MPI_STATUS_IGNORE);
}
