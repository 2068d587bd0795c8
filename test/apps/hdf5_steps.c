/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Steps of computing, each followed by a row of a dataset that all ranks write together through
 * HDF5. Knows nothing of Siox. hdf5_steps FILE STEPS WORK      WORK: sines a step and rank */
#include <hdf5.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 32768 };

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int steps = argc > 3 ? atoi(argv[2]) : 1;
  long work = argc > 3 ? atol(argv[3]) : 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hsize_t all[2] = {(hsize_t)steps, (hsize_t)size * COLUMNS}, own[2] = {1, COLUMNS};
  hid_t space = H5Screate_simple(2, all, NULL), memory = H5Screate_simple(2, own, NULL);
  hid_t set =
      H5Dcreate2(file, "u", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  double *u = calloc(COLUMNS, sizeof *u);
  for (int step = 0; step < steps; step++) {
    for (long i = 0; i < work; i++)
      u[i % COLUMNS] = sin(u[i % COLUMNS] + (double)i);
    hsize_t start[2] = {(hsize_t)step, (hsize_t)rank * COLUMNS};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, own, NULL);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, u) < 0)
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  H5Dclose(set);
  H5Sclose(memory);
  H5Sclose(space);
  H5Pclose(transfer);
  H5Pclose(access);
  H5Fclose(file);
  free(u);
  MPI_Finalize();
  return 0;
}
