/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// What a library reads and writes only the run shows.
// RUN: env SIOX_DISKS=6 %clang -O1 -fpass-plugin=%plugin -Rpass=siox -Rpass-missed=siox -c %s -o %t.o 2>&1 | %filecheck
int H5Dwrite(long set, long type, long memory, long file, long list, const void *buffer);
static double a[100];
int main(int set, char **names) {
  // CHECK: :[[@LINE+1]]:3: remark: LOOP: run time: {{.*}}[InLibrary]
  for (int i = 0; i < 100; i++)
    a[i] = i;
  H5Dwrite(set, 0, 0, 0, 0, a);
}
