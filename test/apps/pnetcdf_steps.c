/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps of computing, each followed by a record of a variable that all ranks write together through
 * PnetCDF. Knows nothing of Siox. pnetcdf_steps FILE STEPS WORK      WORK: sines a step and rank */
#include <math.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 32768 };

static void must(int error) {
  if (error == NC_NOERR)
    return;
  fprintf(stderr, "pnetcdf_steps: %s\n", ncmpi_strerror(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  int rank, size, file, dimension[2], variable;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int steps = argc > 3 ? atoi(argv[2]) : 1;
  long work = argc > 3 ? atol(argv[3]) : 0;
  must(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  must(ncmpi_def_dim(file, "step", NC_UNLIMITED, &dimension[0]));
  must(ncmpi_def_dim(file, "x", (MPI_Offset)size * COLUMNS, &dimension[1]));
  must(ncmpi_def_var(file, "u", NC_DOUBLE, 2, dimension, &variable));
  must(ncmpi_enddef(file));
  double *u = calloc(COLUMNS, sizeof *u);
  for (int step = 0; step < steps; step++) {
    for (long i = 0; i < work; i++)
      u[i % COLUMNS] = sin(u[i % COLUMNS] + (double)i);
    MPI_Offset start[2] = {step, (MPI_Offset)rank * COLUMNS}, count[2] = {1, COLUMNS};
    must(ncmpi_put_vara_double_all(file, variable, start, count, u));
  }
  must(ncmpi_close(file));
  free(u);
  MPI_Finalize();
  return 0;
}
