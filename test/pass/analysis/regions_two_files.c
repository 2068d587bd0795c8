/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Two files in turn: what follows a loop is the accesses up to the next loop, and the loops after them.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
// RUN: %ll2 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
int main(int argc, char **argv) {
  MPI_File f, g;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_RDWR, MPI_INFO_NULL, &g);
  // CHECK: c:[[@LINE+1]] main NEST {{.*}}; inside: {{[^ ]*}}c:[[@LINE+2]],{{[^ ]*}}c:[[@LINE+6]]{{$}}
  for (int k = 0; k < argc; k++) {
    MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    // CHECK: c:[[@LINE+1]] main LOOP trip=100 {{.*}}; next: {{[^ ]*}}c:[[@LINE+3]]; then: {{[^ ]*}}c:[[@LINE+5]]{{$}}
    for (int i = 0; i < 100; i++)
      a[i] += 1;
    MPI_File_write_at(g, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    // CHECK: c:[[@LINE+1]] main LOOP trip=100 {{.*}}; next: {{[^ ]*}}c:[[@LINE-5]]; then: {{[^ ]*}}c:[[@LINE-3]]{{$}}
    for (int i = 0; i < 100; i++)
      a[i] += 2;
  }
}
