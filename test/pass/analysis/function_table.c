/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Tables of functions: a constant one that is known, and some that are chosen from when the program runs. The offset follows
// from the loop around the call through the pointer.
// RUN: %ll0 | %siox-opt - --print-access | %filecheck
// RUN: %ll2 | %siox-opt - --print-access | %filecheck
#include <mpi.h>
struct ops {
  const char *name;
  void (*get)(MPI_File, int);
};
static double b[64];
static void near(MPI_File fh, int i) {
  // CHECK: near MPI_File_read_at origin={{.*}}.c:[[@LINE+18]],? first=0 size=512 L0 affine(stride=4096,trip=16){{$}}
  MPI_File_read_at(fh, i * 4096L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
static void far(MPI_File fh, int i) {
  // CHECK: far MPI_File_read_at origin={{.*}}.c:[[@LINE+14]],? first=0 size=512 L0 affine(stride=8192,trip=16){{$}}
  MPI_File_read_at(fh, i * 8192L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
static void last(MPI_File fh, int i) {
  // Another table may hold it too, so the loop's length is not known.
  // CHECK: last MPI_File_read_at origin={{.*}}.c:[[@LINE+9]],? first=0 size=512 L0 affine(stride=512){{$}}
  MPI_File_read_at(fh, i * 512L, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
static struct ops one = {"one", near}, two = {"two", far};
static struct ops *all[] = {&one, &two, 0};
static const struct ops mine = {"mine", last};
int main(int argc, char **argv) {
  MPI_File fh;
  struct ops *o = all[argc > 1];
  MPI_File_open(MPI_COMM_WORLD, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &fh);
  for (int i = 0; i < 16; i++)
    o->get(fh, i);
  for (int i = 0; i < 8; i++)
    mine.get(fh, i);
}
