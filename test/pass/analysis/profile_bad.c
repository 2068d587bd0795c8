/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A profile that cannot be read ends the compilation, with file, line and key.
// RUN: %ll0 | not %siox-opt - --profile %S/Inputs/profile_bad.yaml 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: %ll0 | not %siox-opt - --profile %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// Neither an empty file, nor bytes, nor one that is nested without end break the compiler; a kind that there is not is refused.
// RUN: sh -c ': >%t.empty; printf "\000\001" >%t.bytes; %python -c "print(100000 * chr(91))" >%t.deep'
// RUN: %ll0 | not %siox-opt - --profile %t.empty 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: %ll0 | not %siox-opt - --profile %t.deep 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: %ll0 | not %siox-opt - --profile %t.bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sed s/LOOP/BEND/ %S/Inputs/profile.yaml >%t.kind
// RUN: %ll0 | not %siox-opt - --profile %t.kind 2>&1 | FileCheck %s --check-prefix=KIND
// NOT: siox-opt: error: siox: {{.*}}:1: not a profile
// BYTES: siox-opt: error: siox: {{.*}}.bytes:
// KIND: siox-opt: error: siox: {{.*}}.kind:6: kind: expected LOOP, CALL, NEST, STEPS or OUTSIDE
// KEY: siox-opt: error: siox: {{.*}}profile_bad.yaml:3: missing required key 'region_ns'
// NONE: siox-opt: error: siox: SIOX_PROFILE: {{.*}}.none: No such file or directory
#include <mpi.h>
static double a[100];
int main(void) {
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
