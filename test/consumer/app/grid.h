/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GRID_H
#define GRID_H
#ifdef __cplusplus
extern "C" {
#endif
#include <mpi.h>
enum { GRID_CELLS = 8192 };
/* Steps of relaxation over the cells, and the sum of them. */
double grid_relax(double *cells, int steps);
/* Relaxes and writes the cells, phase after phase; 0 or an MPI error. */
int grid_phases(const char *name, double *cells, int phases, int steps);
#ifdef __cplusplus
}
#endif
#endif
