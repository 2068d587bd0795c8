/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A call through a pointer can lead anywhere: the regions before it have an open end.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
int main(int argc, char **argv) {
  void (*volatile act)(void) = (void (*)(void))argv;
  // CHECK: c:[[@LINE+1]] main LOOP {{.*}}; next: {{[^ ]*}}c:[[@LINE+4]]; open end{{$}}
  for (int i = 0; i < 100; i++)
    a[i] += argc;
  act();
  MPI_File_read_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
