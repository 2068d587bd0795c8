/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// File types made of constants, by every constructor, with MPICH's and with Open MPI's header: offsets are those in the file, strides where one
// stride leads from tile to tile.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
// RUN: %clang -I%S/../Inputs/openmpi -g1 -S -emit-llvm -Xclang -disable-llvm-passes -O0 -o - %s | %siox-opt - --print-access | %filecheck
// RUN: %clang -I%S/../Inputs/openmpi -g1 -S -emit-llvm -Xclang -disable-llvm-passes -O2 -o - %s | %siox-opt - --print-access | %filecheck
#include <mpi.h>
static double b[64];
#define THROUGH(type)                                                                                                  \
  MPI_Type_commit(&type);                                                                                              \
  MPI_File_set_view(fh, 100, MPI_DOUBLE, type, "native", MPI_INFO_NULL);                                               \
  MPI_File_read_at(fh, 9, b, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);                                                        \
  MPI_Type_free(&type)
int main(void) {
  MPI_File fh;
  MPI_Datatype t, u;
  MPI_File_open(MPI_COMM_WORLD, "a", MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  // Three blocks of two, every four: data 9 is in the second tile, at its second block's second: 80 + 40 = 120.
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &t);
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=220 size=8 view=48/80
  THROUGH(t);
  // 160 + 8 * 1: third tile, second element of 4.
  MPI_Type_create_hvector(2, 2, 64, MPI_DOUBLE, &t);
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=268 size=8 view=32/80
  THROUGH(t);
  int length[] = {1, 2}, at[] = {1, 4};
  MPI_Type_indexed(2, length, at, MPI_DOUBLE, &t); // 8..16, 32..48: extent 40
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=228 size=8 view=24/40
  THROUGH(t);
  static const MPI_Aint bytes[] = {0, 100};
  MPI_Type_create_hindexed(2, length, bytes, MPI_DOUBLE, &t); // 0..8, 100..116
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=448 size=8 view=24/116
  THROUGH(t);
  MPI_Type_create_indexed_block(2, 2, at, MPI_DOUBLE, &t); // 8..24, 32..48
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=196 size=8 view=32/40
  THROUGH(t);
  MPI_Type_create_hindexed_block(2, 2, bytes, MPI_DOUBLE, &t); // 0..16, 100..116
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=340 size=8 view=32/116
  THROUGH(t);
  int sizes[] = {4, 4}, sub[] = {2, 2}, start[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_DOUBLE, &t); // 40..56, 72..88 of 128
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=404 size=8 view=32/128
  THROUGH(t);
  int spread[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE}, block[] = {1, MPI_DISTRIBUTE_DFLT_DARG}, procs[] = {2, 1};
  MPI_Type_create_darray(2, 1, 2, sizes, spread, block, procs, MPI_ORDER_C, MPI_DOUBLE, &t); // rows 1 and 3
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=268 size=8 view=64/128
  THROUGH(t);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &t);
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=316 size=8 view=8/24
  THROUGH(t);
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Aint places[] = {0, 24};
  int counts[] = {1, 2};
  MPI_Type_create_struct(2, counts, places, types, &t); // 0..8, 24..32
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=252 size=8 view=16/32
  THROUGH(t);
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &u);
  MPI_Type_dup(u, &t);
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=212 size=8 view=16/24
  THROUGH(t);
  MPI_Type_contiguous(2, u, &t); // 0..8, 16..24 and again from 24 on: 0..8, 16..32, 40..48
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at {{.*}}first=212 size=8 view=32/48
  THROUGH(t);
  // One subarray within another type: MPI-IO and MPI do not agree where it lies.
  MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_DOUBLE, &u);
  MPI_Type_contiguous(2, u, &t);
  // CHECK: :[[#@LINE+1]] main MPI_File_read_at origin={{[^ ]*}} size=8{{$}}
  THROUGH(t);
  MPI_File_close(&fh);
}
