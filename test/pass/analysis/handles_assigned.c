/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Handles that change hands between gaps (here: swapped, taken from an array) are no table's business, nor is work with
// other arguments alike.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
#include <mpi.h>
static double a[100];
static void move(MPI_File file) { MPI_File_read_at(file, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
static void work(int n) {
  for (int i = 0; i < n; i++)
    a[i % 100] += i;
}
int main(int argc, char **argv) {
  MPI_File now, next, many[2];
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &now);
  MPI_File_open(MPI_COMM_WORLD, argv[2], MPI_MODE_RDWR, MPI_INFO_NULL, &next);
  for (int k = 0; k < 2; k++)
    MPI_File_open(MPI_COMM_WORLD, argv[3 + k], MPI_MODE_RDWR, MPI_INFO_NULL, &many[k]);
  for (int k = 0; k < 10; k++) {
    move(now);
    work(argc);
    move(many[k % 2]);
    work(2 * argc);
    MPI_File other = now;
    now = next;
    next = other;
  }
}
// CHECK-DAG: i32 20, i32 {{[0-9]+}}, i32 2, {{.*}}, i64 0, ptr null, i64 {{.*}} }
// CHECK-DAG: i32 22, i32 {{[0-9]+}}, i32 2, {{.*}}, i64 0, ptr null, i64 {{.*}} }
// CHECK-NOT: siox_region_files
