/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A profile that cannot be read ends the compilation, with file, line and key.
// RUN: %ll0 | not %siox-opt - --profile %S/Inputs/profile_bad.yaml 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: %ll0 | not %siox-opt - --profile %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// KEY: siox-opt: error: siox: {{.*}}profile_bad.yaml:3: missing required key 'region_ns'
// NONE: siox-opt: error: siox: {{.*}}.none: No such file or directory
#include <mpi.h>
static double a[100];
int main(void) {
  for (int i = 0; i < 100; i++)
    a[i] = i;
  MPI_File_write_at(MPI_FILE_NULL, 0, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
