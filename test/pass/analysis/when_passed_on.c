/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Index and modulus that a function of the loop is handed or can reach may be other numbers afterwards; those that are only read
// stay as they are.
// RUN: %ll0 -DCALL='work(&k)' | %siox-opt - -S -o - | FileCheck %s --check-prefix=NONE
// RUN: %ll0 -DCALL='work(&every)' | %siox-opt - -S -o - | FileCheck %s --check-prefix=NONE
// RUN: %ll0 -DCALL='change()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=NONE
// RUN: %ll0 -DCALL='look(&every, &k)' | %siox-opt - -S -o - | FileCheck %s --check-prefix=TOLD
// RUN: %ll0 -DCALL='rest()' | %siox-opt - -S -o - | FileCheck %s --check-prefix=TOLD
#include <mpi.h>
void work(int *n);
static int every;
static double a[1024];
static void change(void) { every = 3; }
static void rest(void) { a[1] = every; }
static void look(const int *n, int *k) { a[2] = *n + *k; }
int main(int argc, char **argv) {
  MPI_File f;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  every = argc;
  MPI_Bcast(&every, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int k = 0; k < 100; k++) {
    CALL;
    for (int i = 0; i < 1024; i++)
      a[i] *= 2;
    if (k % every == 0)
      MPI_File_write_at(f, 0, a, 1024, MPI_DOUBLE, MPI_STATUS_IGNORE);
  }
  (void)change, (void)rest, (void)look;
}
// NONE-NOT: @siox_steps_when
// TOLD: call void @siox_steps_when(
