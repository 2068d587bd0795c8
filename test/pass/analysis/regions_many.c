/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// So many accesses can follow a gap that naming all would make a file's descriptors grow with the square of its
// functions: past 64 the end is open. One with fewer before it is named as ever.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
#define FOUR(x) x x x x
#define WRITE                                                                                      \
  if (argc == n++)                                                                                 \
    MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
static double a[100];
int main(int argc, char **argv) {
  int n = 0;
  // CHECK: c:[[@LINE+1]] main LOOP {{.*}}; open end{{$}}
  for (int i = 0; i < argc; i++)
    a[i] += argc;
  FOUR(FOUR(FOUR(WRITE)))
  FOUR(WRITE)
  // CHECK: c:[[@LINE+1]] main LOOP
  for (int i = 0; i < argc; i++)
    a[i] += argc;
  FOUR(FOUR(WRITE)) FOUR(FOUR(WRITE)) FOUR(FOUR(WRITE))
  // CHECK-NOT: open end
}
