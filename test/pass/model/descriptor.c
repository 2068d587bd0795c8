/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A site's descriptor: key, place, flags (read), offset and size, in section siox_sites.
// RUN: %ll0 | %siox-opt - -S -o - | %filecheck
// The key is checked against an FNV-1a in another language.
// RUN: cd %S && %clang -gline-tables-only -S -emit-llvm -o - descriptor.c | %siox-opt - -S -o - | grep '@siox.site.0 = ' | %python Inputs/check_key.py descriptor.c f 13 3 0
// CHECK: @siox.site.0 = internal global %struct.siox_site { i64 {{-?[0-9]+}}, ptr {{.*}}, i32 13, i32 3, i32 0, i32 2, i64 0, i64 512,
// CHECK-SAME: section "siox_sites", align 8
// CHECK: call void @siox_at(ptr @siox.site.0)
// CHECK-NEXT: call i32 @MPI_File_read_at(
#include <mpi.h>
static double b[64];
void f(MPI_File fh) {
  MPI_File_read_at(fh, 0, b, 64, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
