/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A call through a table of which everything is known is no open end: what follows a region is what the functions do.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
static void get(void) { MPI_File_read_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void put(void) { MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void (*const act[])(void) = {get, put};
int main(int argc, char **argv) {
  (void)argv;
  // CHECK: c:[[@LINE+1]] main LOOP {{.*}}; next: {{[^ ]*}}c:[[@LINE-5]],{{[^ ]*}}c:[[@LINE-4]]{{$}}
  for (int i = 0; i < 100; i++)
    a[i] += argc;
  act[argc & 1]();
}
