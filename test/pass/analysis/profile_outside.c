/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A row of kind OUTSIDE, which siox run --profile writes for an I/O module, is accepted and its region found.
// RUN: %ll0 | %siox-opt - --print-plan --disks 6 --profile %S/Inputs/profile_outside.yaml 2>&1 | FileCheck %s
// CHECK-NOT: {{error|warning}}
// CHECK: store OUTSIDE
// CHECK-NOT: {{error|warning}}
#include "../Inputs/striped.h"
static double a[100];
static MPI_File f;
void store(void) { MPI_File_write_at(f, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE); }
