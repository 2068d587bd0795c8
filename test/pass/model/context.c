/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of libraries that do I/O have a site around them: HDF5, PnetCDF and, beside those, the C library. What a
// module defines itself is none of theirs.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck --check-prefix=KINDS
// RUN: %ll0 | %siox-opt - --summary -o %t.bc | %filecheck --check-prefix=SUMMARY
// SUMMARY: context.c: 0 calls of MPI-IO, 3 of libraries above it, 3 move data
#include <stdio.h>
#include <unistd.h>
int H5Dread(long set, long type, long memory, long file, long list, void *buffer);
int H5Screate(int kind);
int ncmpi_put_vara_double_all(int file, int variable, const long *start, const long *count, const double *values);
int ncmpi_iput_vara_double(int file, int variable, const long *start, const long *count, const double *values, int *request);
void nfmpi_get_var_int_all__(int *file, int *variable, int *values, int *error);
static int H5Dwrite(long set) { return (int)set; }
static double b[64];
// CHECK-LABEL: define {{.*}}@f(
int f(long set) {
  // CHECK: [[BEFORE:%[0-9]+]] = call ptr @siox_within(ptr @siox.site.[[#]])
  // CHECK-NEXT: call i32 @H5Dread(
  // CHECK-NEXT: call ptr @siox_within(ptr [[BEFORE]])
  H5Dread(set, 0, 0, 0, 0, b);
  // CHECK: call i32 @H5Screate
  // CHECK-NOT: siox_within
  // CHECK: call i32 @H5Dwrite
  // CHECK-NOT: siox_within
  // CHECK: call i32 @ncmpi_iput_vara_double
  int kind = H5Screate(0) + H5Dwrite(set), request;
  ncmpi_iput_vara_double(0, kind, 0, 0, b, &request);
  // CHECK: call ptr @siox_within(ptr @siox.site.1)
  // CHECK-NEXT: call i32 @ncmpi_put_vara_double_all
  ncmpi_put_vara_double_all(0, 0, 0, 0, b);
  // CHECK: call ptr @siox_within(ptr @siox.site.2)
  // CHECK-NEXT: call void @nfmpi_get_var_int_all__
  nfmpi_get_var_int_all__(&kind, &kind, &kind, &kind);
  // CHECK: call ptr @siox_within(ptr @siox.site.3)
  // CHECK-NEXT: call i64 @pwrite
  // CHECK-NEXT: siox_within
  return pwrite(1, b, sizeof b, 0) == sizeof b;
}
// Flags: read, write, read, write.
// KINDS: @siox.site.0 = {{.*}}, i32 2, i64
// KINDS: @siox.site.1 = {{.*}}, i32 4, i64
// KINDS: @siox.site.2 = {{.*}}, i32 2, i64
// KINDS: @siox.site.3 = {{.*}}, i32 4, i64
