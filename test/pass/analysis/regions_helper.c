/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Helper functions: the search goes into callees and out of returns to every caller.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
static double a[100];
static void load(MPI_File f) { MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void save(MPI_File f) { MPI_File_write_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void work(void) {
  // CHECK-DAG: c:[[@LINE+1]] work LOOP trip=100 {{.*}}; next: {{[^ ]*}}c:6,{{[^ ]*}}c:7; then: {{[^ ]*}}c:[[@LINE+11]],{{[^ ]*}}c:[[@LINE+14]]{{$}}
  for (int i = 0; i < 100; i++)
    a[i] += 1;
}
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  // CHECK-DAG: c:[[@LINE+1]] main NEST {{.*}}; inside: {{[^ ]*}}c:6,{{[^ ]*}}c:7{{$}}
  for (int k = 0; k < argc; k++) {
    load(f);
    // CHECK-DAG: c:[[@LINE+1]] main CALL {{.*}}; next: {{[^ ]*}}c:7; then: {{[^ ]*}}c:[[@LINE+4]]{{$}}
    work();
    save(f);
    // CHECK-DAG: c:[[@LINE+1]] main CALL {{.*}}; next: {{[^ ]*}}c:6; then: {{[^ ]*}}c:[[@LINE-2]]{{$}}
    work();
  }
}
