#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A program whose I/O lies in a file of its own, the only one that the pass marks: what its main file does between two
# checkpoints is a gap that is used, by itself and on several ranks, optimised and not, and no request is outside the prediction.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
. "$SIOX_SOURCE/test/e2e/sound.sh"
store_config 1000 # a gap pays from 4.4 ms
cat >checkpoint.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int checkpoint(const char *base, int step) {
  static double cells[32768];
  char name[4096];
  int rank;
  MPI_File f;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", base, step);
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) != MPI_SUCCESS)
    return 1;
  MPI_File_write_at_all(f, rank * (MPI_Offset)sizeof cells, cells, 32768, MPI_DOUBLE, MPI_STATUS_IGNORE);
  return MPI_File_close(&f) != MPI_SUCCESS;
}
END
cat >main.c <<'END'
#include <mpi.h>
#include <time.h>
int checkpoint(const char *base, int step);
int main(int argc, char **argv) {
  const struct timespec work = {0, 20000000}; /* the disks have that long, however busy the machine is */
  int bad = argc != 2;
  MPI_Init(&argc, &argv);
  for (int step = 0; step < 6 && !bad; step++) {
    nanosleep(&work, NULL);
    bad = checkpoint(argv[1], step);
  }
  MPI_Finalize();
  return bad;
}
END
for case in "-O0 1" "-O2 3"; do
  read -r level n <<<"$case"
  "$bin/siox-cc" $level main.c checkpoint.c -o program
  rm -f store/*
  sound "$level on $n ranks" siox $n ./program store/c
  reported "$level on $n ranks: gaps are used" 'r["check"]["windows"]["used"] >= 3'
done
