/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many small I/O calls, and what one of them takes: nanoseconds of processor time a call, the least
 * of several rounds.
 *
 *   calls_load mpiio|collective|barrier|posix|clock|empty CALLS ROUNDS FILE [OTHER]
 *
 * mpiio: MPI_File_write_at of 64 bytes at rising offsets; collective: MPI_File_write_at_all;
 * barrier: MPI_Barrier of one process; posix: pwrite of them; clock: two bare clock_gettime; empty:
 * nothing. OTHER is opened first: Siox looks for its daemon then, which it does not for a file in
 * /dev. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may be using the processors, too */
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static char data[64];
static MPI_File file;
static int fd;

__attribute__((noinline)) static void mpiio(long calls) {
  for (long i = 0; i < calls; i++)
    if (MPI_File_write_at(file, i % 4096 * 64, data, 64, MPI_BYTE, MPI_STATUS_IGNORE))
      abort();
}
__attribute__((noinline)) static void collective(long calls) {
  for (long i = 0; i < calls; i++)
    if (MPI_File_write_at_all(file, i % 4096 * 64, data, 64, MPI_BYTE, MPI_STATUS_IGNORE))
      abort();
}
__attribute__((noinline)) static void barrier(long calls) {
  for (long i = 0; i < calls; i++)
    if (MPI_Barrier(MPI_COMM_WORLD))
      abort();
}
__attribute__((noinline)) static void posix(long calls) {
  for (long i = 0; i < calls; i++)
    if (pwrite(fd, data, sizeof data, i % 4096 * 64) != 64)
      abort();
}
__attribute__((noinline)) static void clocks(long calls) {
  struct timespec t;
  for (long i = 0; i < calls; i++) {
    clock_gettime(CLOCK_MONOTONIC, &t);
    clock_gettime(CLOCK_MONOTONIC, &t);
  }
}

int main(int argc, char **argv) {
  if (argc < 5)
    return 2;
  const char *what = argv[1];
  const long calls = atol(argv[2]), rounds = atol(argv[3]);
  double least = 1e30;
  if (argc > 5 && (fd = open(argv[5], O_RDWR | O_CREAT, 0600)) >= 0)
    close(fd);
  int mpi =
      strcmp(what, "mpiio") == 0 || strcmp(what, "collective") == 0 || strcmp(what, "barrier") == 0;
  if (mpi) {
    MPI_Init(&argc, &argv);
    if (MPI_File_open(MPI_COMM_SELF, argv[4], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file))
      return 1;
  } else if ((fd = open(argv[4], O_RDWR | O_CREAT, 0600)) < 0) {
    return 1;
  }
  void (*body)(long) = strcmp(what, "mpiio") == 0        ? mpiio
                       : strcmp(what, "collective") == 0 ? collective
                       : strcmp(what, "barrier") == 0    ? barrier
                       : strcmp(what, "posix") == 0      ? posix
                                                         : clocks;
  for (long r = 0; r < rounds && strcmp(what, "empty"); r++) {
    const long long began = now();
    body(calls);
    const double each = (double)(now() - began) / (double)calls;
    least = each < least ? each : least;
  }
  printf("%.2f\n", least);
  if (mpi) {
    MPI_File_close(&file);
    MPI_Finalize();
  }
  return 0;
}
