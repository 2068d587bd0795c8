/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Gaps that every iteration passes through before it comes to the condition, each once: not what some iterations leave out, what
// stands in another loop, or what comes after.
// RUN: %ll0 -DWORK='work()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=ONE
// RUN: %ll0 -DWORK='work(); work()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=TWO
// RUN: %ll0 -DWORK='if (k % 2) work()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=NONE
// RUN: %ll0 -DWORK='for (int i = 0; i < 3; i++) work()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=NOTTHREE
#include <mpi.h>
double a[1024];
MPI_File f;
void work(void) {
  for (int i = 0; i < 1024; i++)
    a[i] *= 2;
}
static void save(int k) { MPI_File_write_at(f, k * 8192, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE); }
int main(int argc, char **argv) {
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  for (int k = 0; k < argc; k++) {
    WORK;
    if (k % 10 == 0)
      save(k);
    work();
  }
}
// ONE: @siox.when = {{.*}}, i32 0, ptr null, ptr @siox.list{{.*}}, i32 1, i32 0 }
// TWO: @siox.when = {{.*}}, i32 0, ptr null, ptr @siox.list{{.*}}, i32 2, i32 0 }
// NONE: @siox.when = {{.*}}, i32 0, ptr null, ptr null, i32 0, i32 0 }
// NOTTHREE: @siox.when = {{.*}}, i32 0, ptr null, ptr {{.*}}, i32 {{[01]}}, i32 0 }
