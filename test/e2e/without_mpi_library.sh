#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program whose every MPI call is wrapped, linked with --as-needed before the MPI library: the linker leaves the library
# out, and the program runs all the same; where it cannot, one line says why.
. "$(dirname "$0")/common.sh"
export SIOX_SOCKET=$work/nobody.sock
cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  MPI_File file;
  int value = 42;
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  printf("read %d\n", value);
  return MPI_Finalize();
}
END
MPICH_CC=$SIOX_CLANG "$SIOX_MPICC" -o program program.c -Wl,--as-needed -L"$SIOX_BUILD/lib" -lsiox -Wl,-rpath,"$SIOX_BUILD/lib"
! readelf -d program | grep -q 'NEEDED.*libmpi' || fail "the linker kept the MPI library: nothing is tested"
ranks 1 ./program >out 2>err || fail "the program ends with $?: $(cat err)"
[ "$(cat out)" = "read 42" ] || fail "stdout: $(cat out)"

LD_BIND_NOW=1 ./program >out 2>err </dev/null && fail "status 0 without an MPI library"
[ $? -lt 126 ] || fail "the program crashes"
[ "$(grep -c 'linked without an MPI library' err)" = 1 ] || fail "not said once: $(cat err)"
