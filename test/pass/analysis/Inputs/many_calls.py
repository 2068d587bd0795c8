# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of 10 helpers with 20 loops and an access each, called 200 times: inlined everywhere it has 4,000 loops."""
print("#include <mpi.h>\ndouble a[100];")
for helper in range(10):
    print("static void h%d(MPI_File f, int n) {" % helper)
    for loop in range(20):
        print("  for (int i = 0; i < n; i++) a[i %% 100] += %d;" % loop)
    print("  MPI_File_read_at(f, n, a, 100, MPI_DOUBLE, MPI_STATUS_IGNORE);\n}")
print("int main(int argc, char **argv) {\n  MPI_File f;")
print("  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);")
for call in range(200):
    print("  h%d(f, argc + %d);" % (call % 10, call))
print("}")
