/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A call to unknown code is a region; cheap library calls are none. Unknown code in a nest means that the nest's disks
// are not all known.
// RUN: %ll0 | %siox-opt - --print-plan | %filecheck
#include <mpi.h>
#include <math.h>
#include <stdio.h>
void opaque(double *);
static double a[100];
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  // CHECK: c:[[@LINE+1]] main NEST {{.*}}; inside: {{[^ ]*}}c:[[@LINE+2]]; open end{{$}}
  for (int k = 0; k < argc; k++) {
    MPI_File_read_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
    printf("%g\n", sqrt(a[0]));
    // CHECK-NEXT: c:[[@LINE+1]] main CALL {{.*}}; next: {{[^ ]*}}c:[[@LINE-2]]; then: {{[^ ]*}}c:[[@LINE+1]]{{$}}
    opaque(a);
  }
  // CHECK-NOT: {{.}}
}
