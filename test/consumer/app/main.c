/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "grid.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  static double cells[GRID_CELLS];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < GRID_CELLS; i++)
    cells[i] = (i * 7919 + rank) % 1009;
  int bad = argc < 2 ? 1 : grid_phases(argv[1], cells, 4, argc > 2 ? atoi(argv[2]) : 2000);
  printf("rank %d: %.17g %d\n", rank, grid_relax(cells, 0), bad);
  MPI_Finalize();
  return bad != 0;
}
