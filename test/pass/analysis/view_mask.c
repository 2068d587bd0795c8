/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Disks under accesses through a view. The file has stripes of 64 KiB on disks 1 to 3; the view shows the
// first 8 KiB of every third stripe, so every tile begins on disk 1. An access of one tile's data lies on disk
// 1 alone; one of two tiles reaches over what lies between.
// RUN: %ll0 | %siox-opt - --print-access --disks 6 | %filecheck
// RUN: %ll2 | %siox-opt - --print-access --disks 6 | %filecheck
#include "../Inputs/striped.h"
static char b[16384];
int main(void) {
  MPI_File f;
  MPI_Datatype t, block;
  OPEN_STRIPED(&f, "f", "1");
  MPI_Type_contiguous(8192, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, 3 * STRIPE, &t);
  MPI_Type_commit(&t);
  MPI_File_set_view(f, 0, MPI_BYTE, t, "native", MPI_INFO_NULL);
  for (int i = 0; i < 100; i++) // a tile an iteration
    // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=0 size=8192 view=8192/196608 L0 affine(stride=196608,trip=100) {{.*}}mask=010000
    MPI_File_read_at(f, i * 8192, b, 8192, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++) // the same by the file pointer
    // CHECK: :[[#@LINE+1]] main MPI_File_read {{.*}}first=0 size=8192 view=8192/196608 L0 affine(stride=196608,trip=100) {{.*}}mask=010000
    MPI_File_read(f, b, 8192, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}size=16384 view=8192/196608 L0 affine(stride=393216,trip=100) {{.*}}mask=011100
    MPI_File_read_at(f, i * 16384, b, 16384, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++) // half a tile: no one stride leads on
    // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}size=4096 view=8192/196608 L0 affine(stride=?,trip=100) {{.*}}mask=010000
    MPI_File_read_at(f, i * 4096, b, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
}
