/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The work of the programs that the fixtures build: it knows nothing of Siox. */
#include "grid.h"

double grid_relax(double *cells, int steps) {
  double sum = 0;
  for (int s = 0; s < steps; s++)
    for (int i = 1; i + 1 < GRID_CELLS; i++)
      cells[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) / 4;
  for (int i = 0; i < GRID_CELLS; i++)
    sum += cells[i];
  return sum;
}

int grid_phases(const char *name, double *cells, int phases, int steps) {
  MPI_File f;
  int rank, size, bad = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  if (bad)
    return bad;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int p = 0; p < phases && !bad; p++) {
    for (int s = 0; s < steps; s++)
      grid_relax(cells, 1);
    MPI_Offset at = ((MPI_Offset)p * size + rank) * GRID_CELLS * (MPI_Offset)sizeof *cells;
    bad = MPI_File_write_at(f, at, cells, GRID_CELLS, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&f);
  return bad;
}
