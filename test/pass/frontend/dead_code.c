/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A list that descriptors and code share outlives the code, which an optimiser finds to be dead.
// RUN: %clang -O2 -Xclang -llvm-verify-each -fpass-plugin=%plugin -c %s -o %t.o
// RUN: %clang -O3 -g -Xclang -llvm-verify-each -fpass-plugin=%plugin -c %s -o %t.o
#include <mpi.h>
int work(int);
static void phase(MPI_File f, int n) {
  static char buffer[4096];
  for (int i = 0; i < 10; i++) {
    if (i == 0)
      break;
    for (int j = 0; j < n; j++) {
      if (j % 2 == 0)
        MPI_File_write(f, buffer, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
      for (int k = 0; k < 1000; k++)
        work(k);
    }
  }
}
int main(int argc, char **argv) {
  MPI_File f;
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  phase(f, argc);
  MPI_File_close(&f);
  MPI_Finalize();
}
