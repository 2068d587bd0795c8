/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A function that other modules can call has an open end; a static one with all its callers in sight has none.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
// CHECK: c:[[@LINE+3]] exported LOOP {{.*}}; open end{{$}}
void exported(MPI_File f) {
  MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    a[i] += 1;
}
// CHECK: c:[[@LINE+3]] inner LOOP {{.*}}next: none{{$}}
static void inner(MPI_File f) {
  MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    a[i] += 1;
}
int main(void) { inner(MPI_FILE_NULL); }
